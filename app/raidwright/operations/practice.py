"""What a practice machine can be asked for, before one is started."""

from __future__ import annotations

from raidwright.machine.connection import PracticeSpec


def check_spec(spec: PracticeSpec) -> None:
    """Raise InputError when its disks can't be had: the sentence that ``lab up`` would say."""
    from raidwright.lab.shelf import disks_from_text  # noqa: PLC0415 -- only who asks for one needs the lab

    disks_from_text(spec.disks)


def disk_kinds() -> tuple[str, ...]:
    """The kinds of disks that there are, by the names that ``lab up`` takes."""
    from raidwright.lab.disks.kinds import kinds  # noqa: PLC0415 -- the same

    return tuple(kinds())
