"""Slices of a disk that joins a joined volume: which arrays lack one, how large they are, and whether they fit.

All of it is worked out from what md says of the volume's arrays, so that it holds after an interruption, too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import DiskRefused
from raidwright.core.lvm.bands import slice_of
from raidwright.core.lvm.joined import MIB, disk_bytes_for, partitionable_bytes
from raidwright.core.model.plan import Member

from raidwright_helper.host import members
from raidwright_helper.host.array_facts import least_member_bytes
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.guards import Pinned, person_name, pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember


@dataclass(frozen=True, slots=True)
class JoiningSlice:
    """A slice of the new disk, the array that it joins, and the old disk's slice there, if that is in it."""

    array: PinnedArray
    member: Member
    old: HeldMember | None


def slices_on(
    host: Host, bands: Sequence[PinnedArray], device: Pinned, disk: Member, until: contextlib.ExitStack
) -> Mapping[int, HeldMember]:
    """Return the slices of ``disk`` in the arrays, by the array's device number; raises DiskRefused if it has none."""
    found = {}
    for band in bands:
        for place in members.places(host, band.array.number):
            if host.whole(place.number) == device.number:
                node = host.node(place.number)
                part = until.enter_context(pinned(host, node, who=person_name(disk)))
                found[band.array.number] = HeldMember(band, disk, part)
    if not found:
        raise DiskRefused(
            "{who} is in none of the volume's arrays; look at the list of its disks.",
            code="disk-no-member",
            disk=disk.id,
            who=person_name(disk),
        )
    return found


def wanted_sets(
    host: Host, bands: Sequence[PinnedArray], leaving: Mapping[int, HeldMember]
) -> Sequence[Sequence[PinnedArray]]:
    """Return the sets of arrays that a new disk may join, the largest first.

    Without an old disk they are those that lack one member, two …: of several disks that are lost the largest was in
    the most arrays.
    """
    lacking = {band.array.number: _uncovered(host, band.array.number) for band in bands}
    if leaving:
        of_old = [band for band in bands if band.array.number in leaving]
        return [[band for band in bands if band in of_old or lacking[band.array.number]], of_old]
    counts = range(1, max(lacking.values(), default=0) + 1)
    return [[band for band in bands if lacking[band.array.number] >= count] for count in counts]


def _uncovered(host: Host, array: int) -> int:
    """Return how many of the array's slots have neither a working member nor a disk that md takes for it."""
    coming = [one for one in members.places(host, array) if not one.works and not one.flags & {"faulty", "journal"}]
    return max(0, members.missing(host, array) - len(coming))


def besides(bands: Sequence[PinnedArray], inside: Collection[int]) -> Sequence[PinnedArray]:
    """Return the arrays that the disk isn't ``inside`` of already, by their device numbers."""
    return [band for band in bands if band.array.number not in inside]


def slice_bytes(host: Host, band: PinnedArray) -> int:
    """Return the size of the array's slices: its smallest member's, in whole MiB."""
    number = band.array.number
    sizes = [host.size_bytes(place.number) for place in members.places(host, number) if place.works]
    return -(-max(min(sizes, default=0), least_member_bytes(host, number)) // MIB) * MIB


def fitting(
    host: Host, volume: PinnedArray, sets: Sequence[Sequence[PinnedArray]], new: Member, device: Pinned
) -> Sequence[PinnedArray]:
    """Return the first of ``sets`` whose slices fit on the disk; raises DiskRefused if none does."""
    size, sector = host.size_bytes(device.number), host.sector_bytes(device.number)
    needs = [sum(slice_bytes(host, band) for band in bands) for bands in sets if bands]
    for bands, need in zip(sets, needs, strict=False):
        if need <= partitionable_bytes(size, sector):
            return bands
    least_bytes = disk_bytes_for(min(needs), sector)
    raise DiskRefused(
        "{who} is too small for {array}: it has {size} bytes ({size:size}), and the slices of the disk that it would "
        "replace need {least_bytes} ({least_bytes:size}).",
        code="disk-small",
        disk=new.id,
        least_bytes=least_bytes,
        who=person_name(new),
        array=volume.label,
        size=size,
    )


def cut(
    host: Host, bands: Sequence[PinnedArray], leaving: Mapping[int, HeldMember], new: Member
) -> Iterator[JoiningSlice]:
    """Yield the slices of the new disk, from its beginning on."""
    for number, band in enumerate(bands, start=1):
        yield JoiningSlice(band, slice_of(new, number, slice_bytes(host, band)), leaving.get(band.array.number))
