"""Sensible plans for a pool of disks: every level and layout in common use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.layouts import WIDEST_PARITY, Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Metadata, Plan

_MAX_COPIES_ALONE = 4  # more mirrors only on request
_MAX_COPIES_STRIPED = 3
_MUCH_LARGER = 2.0
_SIZES_LOOKED_AT = 4


def sensible_plans(members: tuple[Member, ...]) -> Iterator[Plan]:
    """Yield plans over all of ``members``, and over the larger ones alone if sizes differ; largest disks first.

    mdadm's default chunk, metadata 1.2 and a bitmap if the level is redundant.
    """
    yield from map(Plan, _sensible_arrays(members))


def _sensible_arrays(members: tuple[Member, ...]) -> Iterator[MdArray]:
    ordered = tuple(sorted(members, key=lambda member: -member.size_bytes))
    sizes = sorted({member.size_bytes for member in ordered})
    for least_bytes in sizes[:_SIZES_LOOKED_AT]:
        chosen = tuple(member for member in ordered if member.size_bytes >= least_bytes)
        yield from _flat(chosen)
        yield from _grouped(chosen)
    for smaller, larger in pairwise(sizes):
        if larger >= _MUCH_LARGER * smaller:  # the smaller alone: larger ones are more useful separately
            yield from _flat(tuple(member for member in ordered if member.size_bytes <= smaller))
    if len(sizes) > 1:
        yield from _pairs_by_size(ordered)


def has_many_copies(plan: Plan) -> bool:
    """Return True if a plan keeps more copies than usual, as for explicit requests only."""
    array = as_array(plan.top)
    if array.level is Level.RAID10:
        return array.copies.total > _MAX_COPIES_STRIPED
    return array.level is Level.RAID1 and len(array.members) > _MAX_COPIES_ALONE


def _flat(members: tuple[Member, ...]) -> Iterator[MdArray]:
    count = len(members)
    if count < 2:
        return
    yield MdArray(Level.RAID0, members)
    if members[0].size_bytes != members[-1].size_bytes:
        yield MdArray(Level.LINEAR, members)
    if count <= _MAX_COPIES_ALONE:
        yield _kept(Level.RAID1, members)
        yield replace(_kept(Level.RAID1, members), metadata=Metadata.V1_0)  # bootable by firmware
    else:
        yield from _many_copies(members)
    for copies in (2, 3):
        if count >= copies:
            # as many near copies as members are a raid1 with chunks
            letters = "fo" if count == copies else "nfo"
            yield from (_kept(Level.RAID10, members, f"{letter}{copies}") for letter in letters)
    if count >= 3:
        yield _kept(Level.RAID5, members)
    if count >= 4:
        yield _kept(Level.RAID6, members)
    yield from _with_spare(members)


def _many_copies(members: tuple[Member, ...]) -> Iterator[MdArray]:
    """Yield plans that survive any three failures and more: near copies by fours, in equal groups, and on all disks."""
    count, least = len(members), _MAX_COPIES_STRIPED + 1
    for copies in (least, *(copies for copies in range(least + 1, count // 2 + 1) if count % copies == 0)):
        yield _kept(Level.RAID10, members, f"n{copies}")
    yield _kept(Level.RAID1, members)


def _with_spare(members: tuple[Member, ...]) -> Iterator[MdArray]:
    """Yield plans with the smallest disk as a spare, if enough others are left."""
    *working, spare = members
    for level, least in ((Level.RAID5, 3), (Level.RAID6, 5), (Level.RAID10, 4)):
        if len(working) >= least:
            yield replace(_kept(level, tuple(working)), spares=(spare,))


def _grouped(members: tuple[Member, ...]) -> Iterator[MdArray]:
    """Yield raid50 and raid60: equal groups, striped; if the number of disks can't be divided, without the smallest."""
    widths = [width for width in range(3, len(members) // 2 + 1) if len(members) % width == 0]
    if len(members) > WIDEST_PARITY and not any(width <= WIDEST_PARITY for width in widths):
        yield from _grouped(members[:-1])
    for level, least in ((Level.RAID5, 3), (Level.RAID6, 4)):
        for width in widths:
            if width >= least:
                groups = (members[start : start + width] for start in range(0, len(members), width))
                yield MdArray(Level.RAID0, tuple(_kept(level, group) for group in groups))


def _pairs_by_size(members: tuple[Member, ...]) -> Iterator[MdArray]:
    """Yield striped mirrors of disks nearest in size: with unequal pairs more space than raid10 gives."""
    if len(members) > 2 and len(members) % 2 == 0:
        pairs = (members[start : start + 2] for start in range(0, len(members), 2))
        yield MdArray(Level.RAID0, tuple(_kept(Level.RAID1, pair) for pair in pairs))


def _kept(level: Level, members: tuple[Member, ...], layout: str | None = None) -> MdArray:
    return MdArray(level, members, layout=layout, bitmap=Bitmap.INTERNAL)
