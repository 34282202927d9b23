"""Looking at disks: what UDisks2 doesn't tell, and what they carry. Nothing is written, and no sleeping disk wakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.facts import DiskFacts, DiskSignature

from .guards import pinned
from .host import Host
from .power import PowerStates
from .signatures import found_within


def examine_disks(host: Host) -> list[DiskFacts]:
    """Of each whole disk, and its partitions' holders, read from sysfs alone."""
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
    )


async def examine_signatures(
    host: Host, power: PowerStates, ids: Sequence[str], *, wake: bool
) -> Mapping[str, list[tuple[Any, ...]]]:
    """By disk, each signature on it and its partitions, as DiskSignature's fields; offsets from the disk's start.

    Raises DiskRefused for what is no disk, and, unless it may be woken, for one that sleeps (``Code.ASLEEP``).
    """
    return {one: await _signatures_of(host, power, one, wake=wake) for one in ids}


async def _signatures_of(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> list[tuple[Any, ...]]:
    path = f"/dev/disk/by-id/{disk_id}"
    if not wake and (number := host.number_of(path)) is not None:  # before anything is opened
        await power.verify_awake(host, host.whole(number), disk_id)
    with pinned(host, path, who=disk_id) as device:
        if not host.is_disk(host.whole(device.number)):
            raise DiskRefused("{disk} is not a disk of hardware.", code="disk-kind", disk=disk_id)
        found = await found_within(host, device.number)
    return [astuple(DiskSignature(one.name, one.offset_bytes, one.label)) for one in found]
