"""Arrays whose members are partitions of disks that hold more: a whole disk replaces none of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from raidwright.core.model.disk import Disk, UseKind
from raidwright.machine.states.volume import State
from raidwright.machine.values import Array
from raidwright.text.catalogue import tr

_ARRAYS = (UseKind.ARRAY_MEMBER, UseKind.STOPPED_ARRAY_MEMBER)


def beside(array: State, disks: Mapping[str, Disk]) -> tuple[str, ...]:
    """Return what else the members' disks hold in other partitions: arrays, an EFI system partition, file systems."""
    return tuple(dict.fromkeys(_beside(array, disks)))


def _beside(array: State, disks: Mapping[str, Disk]) -> Iterator[str]:
    for member in array.members if isinstance(array, Array) else ():
        disk = disks.get(member.disk or "")
        if disk is None or member.partition is None:
            continue
        others = [use for use in disk.uses if use.partition not in (0, member.partition)]
        for use in others:
            if use.kind in _ARRAYS:
                yield tr("the array “{name}”", name=use.detail)
        if disk.has_esp:
            yield tr("an EFI system partition")
        if any(use.kind not in _ARRAYS for use in others) and not disk.has_esp:
            yield tr("other partitions")


def partition_words(array: State, disks: Mapping[str, Disk]) -> str:
    """Return that a new disk needs a table like the others' first, and how; "" where whole disks are members."""
    held = beside(array, disks)
    if not held:
        return ""
    pattern = next(disk for member in array.members if (disk := disks.get(member.disk or "")) is not None)
    return tr(
        "The members of “{name}” are partitions, and their disks hold more: {held:and}. A new disk needs the same "
        "partitions, else it has no place for those: sudo sgdisk --replicate=/dev/NEW {device}, then sudo sgdisk "
        "--randomize-guids /dev/NEW. Then give each array its partition of the new disk, and copy the EFI system "
        "partition.",
        name=array.name,
        held=list(held),
        device=pattern.device,
    )
