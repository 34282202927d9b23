"""A joined plan by whole disks: the disks of its slices, what stays free on them, and what failures stop.

Standard library only: the helper, which runs as root, imports ``core``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from raidwright.core.md.array_survival import array_survives
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member

from .bands import FreeTop, is_thin
from .joined import partitionable_bytes, sector_bytes_of, slices_of


def whole_disks(plan: Layer) -> tuple[Member, ...]:
    """Return the plan's disks: of a joined plan, each disk once and whole, in the order of its arrays' slots."""
    if isinstance(plan, MdArray):
        return tuple(plan.disks())
    return tuple(whole_disk(slices) for slices in slices_of(plan).values())


def disk_ids(plan: Layer) -> frozenset[str]:
    """Return the ids of ``whole_disks``."""
    return frozenset(disk.id for disk in whole_disks(plan))


def slice_on(member: Member, disk: Member) -> Member:
    """Return the slice ``member``, of the same partition and size, on ``disk`` and with its data and figures."""
    return replace(
        disk,
        id=f"{disk.id}-part{member.partition}",
        disk=disk.id,
        partition=member.partition,
        size_bytes=member.size_bytes,
        disk_size_bytes=disk.size_bytes,
        sector_bytes=disk.sector_bytes or member.sector_bytes,
    )


def tolerance_of(plan: LinearVolume) -> int:
    """Return how many failures each array of a joined plan survives at least, whichever they are."""
    return min((_tolerance(band) for band in plan.arrays), default=0)


def keeps_copies(plan: LinearVolume) -> bool:
    """Return True if a joined plan has copies where parity would do."""
    return any(band.level is Level.RAID10 for band in plan.arrays)


def free_tops(plan: LinearVolume) -> Iterator[FreeTop]:
    """Yield what is free on each disk of a joined plan above its slices, lowest disks first, without thin rests.

    ``lacking`` is the number of further disks as large that would make it an array's; 0 where there are enough.
    """
    heights = {disk: partitionable_bytes(disk.size_bytes, sector_bytes_of(disk)) for disk in whole_disks(plan)}
    used = {disk: sum(member.size_bytes for member in slices) for disk, slices in slices_of(plan).items()}
    for disk, height in sorted(heights.items(), key=lambda item: item[1]):
        free_bytes = height - used[disk.id]
        if not is_thin(free_bytes, used[disk.id]):
            as_large = sum(height <= other or is_thin(height - other, other) for other in heights.values())
            yield FreeTop(disk, free_bytes, max(0, tolerance_of(plan) + 1 - as_large))


def stopped_bands(plan: LinearVolume, failed: Collection[str]) -> tuple[int, ...]:
    """Return the places of a joined plan's arrays that can't run without the ``failed`` disks, given by id."""
    return tuple(
        place
        for place, band in enumerate(plan.arrays)
        if not array_survives(
            band,
            [slot for slot, member in enumerate(band.members) if isinstance(member, Member) and member.disk in failed],
        )
    )


def whole_disk(slices: Sequence[Member]) -> Member:
    """Return the whole disk of its ``slices``."""
    first = slices[0]
    return replace(
        first,
        id=first.failure_unit,
        disk=None,
        partition=None,
        size_bytes=first.disk_size_bytes or sum(member.size_bytes for member in slices),
        disk_size_bytes=None,
    )


def _tolerance(band: MdArray) -> int:
    return band.level.parity_disks or max(0, band.copies.total - 1)
