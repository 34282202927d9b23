"""Looking at disks: what UDisks2 doesn't tell, and what they carry. Nothing is written, and no sleeping disk wakes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from raidwright.core.protocol.facts import DiskFacts, DiskSignature

from .holding import found_anywhere
from .host import Host
from .looking import pinned_to_look
from .power import PowerStates


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

    Where there is none, bytes that nothing recognises are told as ``UNKNOWN``, by the first place that has any.
    Raises DiskRefused for what is no disk, and, unless it may be woken, for one that sleeps (``Code.ASLEEP``).
    """
    return {one: await _signatures_of(host, power, one, wake=wake) for one in ids}


async def _signatures_of(host: Host, power: PowerStates, disk_id: str, *, wake: bool) -> list[tuple[Any, ...]]:
    async with pinned_to_look(host, power, disk_id, wake=wake) as device:
        found = await found_anywhere(host, device)
    return [astuple(DiskSignature(one.name, one.offset_bytes, one.label)) for one in found]
