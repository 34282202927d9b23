"""The target of a measurement, as a person names it."""

from __future__ import annotations

from raidwright.core.errors import InputError
from raidwright.core.model.names import array_uuid
from raidwright.machine.values import Snapshot


def find_target(snapshot: Snapshot, text: str) -> str:
    """Return the helper's name of the array or disk that ``text`` names; raises InputError."""
    for array in snapshot.arrays:
        is_meant = array_uuid(text.removeprefix("md:")) == array.uuid or text in (array.device, array.name)
        if is_meant and array.running:
            return f"md:{array.uuid}"
    for disk in snapshot.disks:
        if text in (disk.id, disk.device, *disk.by_id):
            return disk.id
    raise InputError(
        "“{text}” is neither an array nor a disk of that machine; raidwright disks lists them.",
        code="target",
        text=text,
    )
