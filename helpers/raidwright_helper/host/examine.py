"""Examining disks: facts that UDisks2 doesn't report, and their signatures. Nothing is written, no disk wakes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from raidwright.core.errors import DiskRefused
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.protocol.device_users import DeviceUser, UserKind
from raidwright.core.protocol.facts import DiskFacts, DiskSignature

from raidwright_helper.jobs.claims import Claims

from .device_users import DeviceUsers
from .guards import Exclusive, pinned
from .holding import found_anywhere
from .host import Host
from .looking import pinned_to_look
from .open_devices import lasting_openings
from .power import PowerStates
from .superblocks import read_superblock

_CLAIMS_S = 2.0


class DiskClaims:
    """Claims on disks and partitions that no user explains, as the kernel told of them a moment ago.

    A claim is asked for by claiming, for some microseconds, in which anybody else's claim would be refused. However
    often the disks are examined, each is therefore claimed once in ``_CLAIMS_S``.
    """

    def __init__(self) -> None:
        self._told: dict[tuple[int, frozenset[int]], tuple[float, Sequence[int]]] = {}

    def of(self, host: Host, number: int, explained: frozenset[int]) -> Sequence[int]:
        """Return the disk ``number`` and its partitions that something claims, but those ``explained`` (0: itself)."""
        now, key = time.monotonic(), (number, explained)
        self._told = {one: told for one, told in self._told.items() if now - told[0] < _CLAIMS_S}
        if key not in self._told:
            self._told[key] = now, _claimed(host, number, explained)
        return self._told[key][1]


async def examine_disks(host: Host, claims: Claims, disk_claims: DiskClaims) -> list[DiskFacts]:
    """Return facts on each whole disk and the users of its partitions, from the kernel.

    A disk at which one of the helper's jobs is at work (``claims``) isn't opened: mdadm may be about to take it.
    """
    users = DeviceUsers.read(host, await lasting_openings(host))
    found = []
    for number in host.disks():
        used_by = users.of_disk(number)
        explained = frozenset(user.partition for user in used_by if user.kind != UserKind.PROCESS)
        is_asked = not (claims.has_any((number,)) or 0 in explained)
        claimed = disk_claims.of(host, number, explained) if is_asked else ()
        found.append(_examine(host, number, used_by, claimed))
    return found


def _examine(host: Host, number: int, used_by: tuple[DeviceUser, ...], claimed: Sequence[int]) -> DiskFacts:
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
        claimed=tuple(map(host.node, claimed)),
        used_by=used_by,
    )


def _claimed(host: Host, number: int, explained: frozenset[int]) -> Sequence[int]:
    """Return what is claimed of a disk; it is claimed once for all of its partitions where that tells enough.

    The open sends nothing to the disk, so it doesn't wake.
    """
    if not (explained or _is_claimed(host, number)):
        return ()
    parts = (part for part in host.partitions(number) if host.partition(part) not in explained)
    return [part for part in parts if _is_claimed(host, part)] or ([] if explained else [number])


def _is_claimed(host: Host, number: int) -> bool:
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
