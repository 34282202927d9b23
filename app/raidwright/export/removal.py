"""Commands that erase the signatures on a build's disks before mdadm makes the array, for people to type.

The helper does the same with wipefs of util-linux, which erases only the magic strings (``wipefs(8)``): a disk's
partitions first, then the disk, with the confirmed types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.mdadm import Command, Option
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import UNKNOWN, SignatureNames
from raidwright.core.protocol.signature_names import array_of, split_name


def removal_commands(plan: Plan, disks: Mapping[str, Disk], names: SignatureNames) -> tuple[Command, ...]:
    """Return the commands that erase all signatures on the plan's disks, in a build's order.

    ``names`` are, by disk, those of the signatures found (``ext4``, or ``1:ext4`` in the first partition); of a disk
    that wasn't examined, all signatures in ``disks`` are erased.
    """
    ids = dict.fromkeys(disk.id for disk in whole_disks(plan.top))
    return tuple(command for disk_id in ids for command in _of(disk_id, disks, names))


def _of(disk_id: str, disks: Mapping[str, Disk], names: SignatureNames) -> Iterator[Command]:
    kinds: dict[int, set[str]] = defaultdict(set)
    if disk_id in names:
        for name in names[disk_id]:
            partition, kind = split_name(name)
            if kind != UNKNOWN and not array_of(name):  # it has no magic string to erase; the array overwrites it
                kinds[partition].add(kind)
    elif disk_id in disks and not disks[disk_id].is_free:
        kinds = defaultdict(set, {partition: set() for partition in (0, *_partitions(disks[disk_id]))})
    for partition in sorted(kinds, key=lambda number: number or float("inf")):  # the disk itself after its partitions
        yield _wipe(disk_id, partition, sorted(kinds[partition]))


def _partitions(disk: Disk) -> Iterator[int]:
    return (use.partition for use in disk.uses if use.partition)


def _wipe(disk_id: str, partition: int, kinds: list[str]) -> Command:
    node = f"/dev/disk/by-id/{disk_id}" + (f"-part{partition}" if partition else "")
    types = (Option(f"--types={','.join(kinds)}", "wipe-types"),) if kinds else ()
    return Command("wipefs", (Option("--all", "wipe"), *types, Option(node, "wipe-node")))
