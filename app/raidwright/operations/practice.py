"""What a practice machine can be asked for, before one is started."""

from __future__ import annotations

from types import ModuleType

from raidwright.machine.connection import PracticeSpec


def check_spec(spec: PracticeSpec) -> None:
    """Raise InputError when its disks can't be had: the sentence that ``lab up`` would say."""
    _shelf().disks_from_text(spec.disks)


def disk_kinds() -> tuple[str, ...]:
    """The kinds of disks that there are, by the names that ``lab up`` takes."""
    return tuple(_shelf().names_of_kinds())


def _shelf() -> ModuleType:
    from raidwright.lab import shelf  # noqa: PLC0415 -- only who asks for a machine needs the lab

    return shelf
