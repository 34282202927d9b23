"""Bands: disks of unlike sizes cut at each other's heights, so that nearly all that can be protected is used.

The disks are sorted by size; each size that differs is a boundary. A band lies between two boundaries, on all disks
that reach its top, and is one array of a slice of each. What too few disks share can't be protected, and stays free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, LinearVolume, MdArray, Member

from .joined import partitionable_bytes, sector_bytes_of

MAX_TOLERANCE = 3  # failures
_MIN_DISK_BYTES = 3 << 20  # for a slice of 1 MiB between the first MiB and the GPT behind
_THIN = 0.01  # of what lies below: an array more, for a rest like that between two makers' disks of one size


@dataclass(frozen=True, slots=True)
class FreeTop:
    """``free_bytes`` at the top of ``disk`` can't be protected until ``lacking`` more disks are as large as it."""

    disk: Member
    free_bytes: int
    lacking: int


@dataclass(frozen=True, slots=True)
class MergedBand:
    """A thin band that was left out: ``free_bytes`` of each of ``disks`` stay free, and an array less is needed."""

    disks: tuple[Member, ...]
    free_bytes: int


@dataclass(frozen=True, slots=True)
class BandedDisks:
    """The joined plan, and what it leaves free; ``free`` and ``merged`` are in the order of the disks' heights."""

    plan: LinearVolume
    free: tuple[FreeTop, ...]
    merged: tuple[MergedBand, ...]

    @property
    def is_worthwhile(self) -> bool:
        """True if there is more than one band: else a single array on whole disks does as much."""
        return len(self.plan.arrays) > 1


def banded(disks: Sequence[Member], tolerance: int, *, copies: bool = False, name: str = "md0") -> BandedDisks:
    """Return the plan in which any ``tolerance`` of the whole ``disks`` may fail, by parity or by ``copies``.

    Parity is raid5 or raid6; three failures are survived by copies alone. Raises InputError for fewer disks than that
    needs, of a size to be partitioned.
    """
    if not 1 <= tolerance <= MAX_TOLERANCE:
        raise InputError("Bands survive 1 to {most} failures.", code="bands", most=MAX_TOLERANCE)
    heights = {disk: partitionable_bytes(disk.size_bytes, sector_bytes_of(disk)) for disk in disks}
    bounds, merged = _boundaries(heights)
    bands = [
        (below, above, members)
        for below, above in pairwise((0, *bounds))
        if len(members := [disk for disk in disks if heights[disk] >= above]) > tolerance
    ]
    if not bands:
        raise InputError(
            "To survive the loss of {tolerance} takes at least {least} disks of {size_bytes:binary} or more.",
            code="bands",
            tolerance=tolerance,
            least=tolerance + 1,
            size_bytes=_MIN_DISK_BYTES,
        )
    counts = dict.fromkeys(disks, 0)
    arrays = []
    for below, above, members in bands:
        counts |= {disk: counts[disk] + 1 for disk in members}
        slices = [slice_of(disk, counts[disk], above - below) for disk in members]
        arrays.append(band_of(slices, tolerance, copies=copies))
    top = bands[-1][1]
    free = tuple(
        FreeTop(disk, height - top, tolerance + 1 - sum(other >= height for other in heights.values()))
        for disk, height in sorted(heights.items(), key=lambda item: item[1])
        if not is_thin(height - top, top)
    )
    return BandedDisks(LinearVolume(tuple(arrays), name=name), free, merged)


def joined_plans(disks: Sequence[Member]) -> Iterator[BandedDisks]:
    """Yield the worthwhile plans on ``disks``: any one, two or three may fail; parity first, then copies."""
    for tolerance in range(1, MAX_TOLERANCE + 1):
        found = dict[LinearVolume, BandedDisks]()
        for copies in (False, True):
            if sum(partitionable_bytes(disk.size_bytes, sector_bytes_of(disk)) > 0 for disk in disks) > tolerance:
                bands = banded(disks, tolerance, copies=copies)
                found.setdefault(bands.plan, bands)
        yield from (bands for bands in found.values() if bands.is_worthwhile)


def is_thin(rest_bytes: int, below_bytes: int) -> bool:
    """Return True if ``rest_bytes`` at a disk's top are too few, against those below, to be worth an array."""
    return rest_bytes <= _THIN * below_bytes


def _boundaries(heights: dict[Member, int]) -> tuple[tuple[int, ...], tuple[MergedBand, ...]]:
    """Return the bands' tops, upwards, without those of thin bands, which are returned as merged."""
    bounds: list[int] = []
    merged: list[MergedBand] = []
    for height in sorted(set(heights.values())):
        if bounds and is_thin(height - bounds[-1], bounds[-1]):
            own = tuple(disk for disk, other in heights.items() if other == height)
            merged.append(MergedBand(own, height - bounds[-1]))
        elif height:
            bounds.append(height)
    return tuple(bounds), tuple(merged)


def slice_of(disk: Member, number: int, size_bytes: int) -> Member:
    """Return the slice of the whole ``disk`` that is its partition ``number``."""
    return replace(
        disk,
        id=f"{disk.id}-part{number}",
        disk=disk.id,
        partition=number,
        size_bytes=size_bytes,
        disk_size_bytes=disk.size_bytes,
    )


def band_of(slices: Sequence[Member], tolerance: int, *, copies: bool) -> MdArray:
    """Return the array of ``slices``, more than ``tolerance``, of which any ``tolerance`` may fail."""
    members, count = tuple(slices), len(slices)
    if count == tolerance + 1:
        return MdArray(Level.RAID1, members, bitmap=Bitmap.INTERNAL)
    if copies or tolerance > Level.RAID6.parity_disks:
        return MdArray(Level.RAID10, members, layout=f"n{tolerance + 1}", bitmap=Bitmap.INTERNAL)
    level = Level.RAID5 if tolerance == 1 else Level.RAID6
    return MdArray(level, members, bitmap=Bitmap.INTERNAL)
