"""Contents of a bug report: versions, the machine's disks and arrays in brief, and the end of the log.

In English, whichever language is chosen, since its maintainers read it; and without names of persons, machines or
disks.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from raidwright import __version__
from raidwright.core.model.disk import Disk
from raidwright.core.sizes import decimal_size
from raidwright.machine.connection import Connection
from raidwright.machine.states.volume import State
from raidwright.machine.values import Array, Snapshot
from raidwright.operations.software import Software

_MIN_SERIAL = 4  # shorter ones occur in other words as well
_NAMES = (
    (re.compile(r"[\w.+-]+@[\w.:\[\]-]+"), "USER@HOST"),
    (re.compile(r"\b(ata|scsi|nvme|usb|wwn|mmc|virtio|md-uuid|md-name)-[\w.:+=-]+"), r"\1-…"),
    (re.compile(r"\b[0-9a-f]{8}(:[0-9a-f]{8}){3}\b"), "ARRAY-UUID"),
)


@dataclass(frozen=True, slots=True)
class Around:
    """The program's environment: ``toolkit`` is Qt's own description, ``screens`` one per screen."""

    toolkit: str
    desktop: str
    language: str
    screens: tuple[str, ...] = ()


def bug_report(
    around: Around,
    software: Software,
    connection: Connection,
    snapshot: Snapshot,
    log: Sequence[str],
    *,
    with_serials: bool,
) -> str:
    """Return the bug report; serial numbers only if ``with_serials``."""
    scrub = Scrub(connection, snapshot, with_serials=with_serials)
    parts = ("\n".join(part) for part in (_versions(around, software), _machine(connection, snapshot, scrub)))
    text = "\n\n".join((*parts, "The end of the log:", "\n".join(log) or "(there is none)"))
    return scrub.clean(text) + "\n"


def _versions(around: Around, software: Software) -> Iterator[str]:
    yield f"Raidwright {__version__}, helper {software.helper or '(not asked)'}"
    yield f"Python {platform.python_version()}, {around.toolkit}"
    yield f"{_system()}, desktop {around.desktop or '(unknown)'}, language {around.language}"
    for screen in around.screens:
        yield f"Screen: {screen}"
    if software.kernel:
        yield f"Linux {software.kernel}; {software.mdadm or 'mdadm: not found'}"
        yield f"md: {software.personalities or '(no personalities)'}"
    else:
        yield "Please add what `uname -r` and `mdadm --version` say on that machine."


def _system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def _machine(connection: Connection, snapshot: Snapshot, scrub: Scrub) -> Iterator[str]:
    kind = "A practice machine" if connection.is_practice else "A machine by ssh" if connection.far else "This computer"
    yield f"{kind}, {connection.state}"
    for disk in snapshot.disks:
        yield f"- {_disk(disk, scrub)}"
    for array in snapshot.arrays:
        yield f"- {_array(array)}"


def _disk(disk: Disk, scrub: Scrub) -> str:
    uses = ", ".join(str(use.kind) for use in disk.uses) or "free"
    turns = f", {disk.rotation_rpm} rpm" if disk.rotation_rpm else ""
    serial = f" {disk.serial}" if scrub.with_serials else ""
    sectors = f"sectors {disk.logical_sector_bytes}/{disk.physical_sector_bytes}"
    return f"{disk.device}: {disk.model}{serial}, {decimal_size(disk.size_bytes)}{turns}, {sectors}, {uses}"


def _array(array: State) -> str:
    state = "running" if array.running else "stopped"
    lacks = f", {array.degraded} missing" if array.degraded else ""
    chunk_kib = array.chunk_kib if isinstance(array, Array) else 0
    return (
        f"{array.device or 'an array'}: {array.word} of {array.slots or len(array.members)}, "
        f"{decimal_size(array.size_bytes)}, chunk {chunk_kib} KiB, {state}{lacks}, {array.sync_action or 'idle'}"
    )


class Scrub:
    """Scrubber of identifying words: persons, machines, disks."""

    def __init__(self, connection: Connection, snapshot: Snapshot, *, with_serials: bool) -> None:
        self.with_serials = with_serials
        self._words = {str(Path.home()): "~"}
        if connection.far:
            self._words |= {connection.far: "ssh://USER@HOST", connection.title: "HOST"}
        if not with_serials:
            for number, disk in enumerate(snapshot.disks, 1):
                for word in (disk.id, disk.serial, disk.wwn, *disk.by_id):
                    if len(word) >= _MIN_SERIAL:
                        self._words[word] = f"DISK-{number}"

    def clean(self, text: str) -> str:
        """Remove them from ``text``, the longest first, since one may be part of another."""
        for word in sorted(self._words, key=len, reverse=True):
            text = text.replace(word, self._words[word])
        for pattern, instead in _NAMES:
            if not (self.with_serials and instead.startswith("\\1")):
                text = pattern.sub(instead, text)
        return text
