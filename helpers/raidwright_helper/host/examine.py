"""Examining disks: facts that UDisks2 doesn't report, and their signatures. Nothing is written, no disk wakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from raidwright.core.errors import DiskRefused
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.protocol.facts import CLAIMED_KINDS, DiskFacts, DiskSignature

from .guards import Exclusive, pinned
from .holding import found_anywhere
from .host import Host
from .looking import pinned_to_look
from .power import PowerStates
from .superblocks import read_superblock


def examine_disks(host: Host) -> list[DiskFacts]:
    """Return facts on each whole disk and its partitions' holders, from sysfs; few are opened (``_is_claimed``)."""
    return [_examine(host, number) for number in host.disks()]


def _examine(host: Host, number: int) -> DiskFacts:
    parts = (number, *host.partitions(number))
    holders = sorted({host.kernel_name(holder) for part in parts for holder in host.holders(part)})
    return DiskFacts(
        logical_sector_bytes=int(host.attribute(number, "queue/logical_block_size") or 512),
        physical_sector_bytes=int(host.attribute(number, "queue/physical_block_size") or 512),
        link=host.link(number),
        holders=tuple(holders),
        read_only=host.attribute(number, "ro") == "1",
        device=host.node(number),
        rotation_rpm=host.rotation_rpm(number),
        zoned=host.attribute(number, "queue/zoned") in ("host-aware", "host-managed"),
        claimed=tuple(host.node(part) for part in parts if _is_claimed(host, part)),
    )


def _is_claimed(host: Host, number: int) -> bool:
    """Return whether a device is held exclusively, perhaps for another device: only the kernel knows.

    Only such devices are opened, since anybody opening one exclusively meanwhile would be refused. The open sends
    nothing to the disk, so it doesn't wake.
    """
    if host.udev(number).properties.get("ID_FS_TYPE") not in CLAIMED_KINDS:
        return False
    who = host.kernel_name(number)
    try:
        with pinned(host, host.node(number), who=who) as device, Exclusive(host, device, who):
            return False
    except DiskRefused as refused:
        return refused.code == "disk-busy"


async def examine_superblocks(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, MemberSuperblock | None]:
    """Return the superblock of each disk or partition; None if it has none that md would accept.

    Raises DiskRefused for anything but a disk, and for a disk in standby (``Code.ASLEEP``) unless ``wake``.
    """
    found: dict[str, MemberSuperblock | None] = {}
    for one in ids:
        async with pinned_to_look(host, power, one, wake=wake) as device:
            found[one] = read_superblock(device.fd, host.size_bytes(device.number))
    return found


async def examine_signatures(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, list[tuple[Any, ...]]]:
    """Return each disk's signatures, partitions included, as DiskSignature's fields; offsets from the disk's start.

    A stopped array that needs the disk is returned as ``array:`` and its name. Without any signature, unrecognised
    bytes are returned as ``UNKNOWN``, by the first place that has any. Raises DiskRefused for anything but a disk, and
    for a disk in standby (``Code.ASLEEP``) unless ``wake``.
    """
    return {one: await _signatures_of(host, power, one, wake=wake) for one in ids}


async def _signatures_of(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> list[tuple[Any, ...]]:
    async with pinned_to_look(host, power, disk_id, wake=wake) as device:
        found = await found_anywhere(host, device, None if wake else power)
    return [astuple(DiskSignature(one.name, one.offset_bytes, one.label)) for one in found]
