"""Plans for a comparison by a matrix: levels with their layouts × chunks × numbers of members."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan

NESTED = {"raid1+0": Level.RAID1, "raid50": Level.RAID5, "raid60": Level.RAID6}  # raid0 over arrays of the level
# Of each level that has several, the layouts that are in use; a third copy needs a third disk.
LAYOUTS: Mapping[Level, tuple[str, ...]] = {
    Level.RAID5: ("left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"),
    Level.RAID6: ("left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"),
    Level.RAID10: ("n2", "o2", "f2", "n3", "o3", "f3"),
}
_ALL, _MAX_COUNT = "all", 384


@dataclass(frozen=True, slots=True)
class Shape:
    """A level, and its layout unless it is mdadm's default.

    ``count``: of so many disks, whatever the matrix has. ``is_nested``: raid0 over arrays of the level, mirrors of two
    disks each, others in two groups. ``if_possible``: left out where these disks don't allow it.
    """

    level: Level
    layout: str | None = None
    count: int | None = None
    is_nested: bool = False
    if_possible: bool = False


def read_shapes(text: str) -> tuple[Shape, ...]:
    """Parse shapes, each once: ``raid0,raid5:ls,raid10:all,raid5@3,raid1+0``; raises InputError.

    ``:all`` is every layout of ``LAYOUTS``, ``@N`` the number of disks.
    """
    return tuple(dict.fromkeys(shape for one in text.split(",") for shape in _read_shape(one.strip())))


def _read_shape(text: str) -> Iterator[Shape]:
    name, at, number = text.partition("@")
    if at and not (number.isdecimal() and 0 < int(number) <= _MAX_COUNT):
        raise InputError("“{text}” says no number of disks after its @, as raid5@3 does.", code="level", text=text)
    count = int(number) if at else None
    if name in NESTED:
        yield Shape(NESTED[name], count=count, is_nested=True)
        return
    name, colon, layout = name.partition(":")
    level = next((level for level in Level if level == name), None)
    if level is None:
        known = [*Level, *NESTED]
        raise InputError("“{name}” is no level; there are {known}.", code="level", name=name, known=known)
    if layout == _ALL:
        yield from (Shape(level, one, count, if_possible=True) for one in LAYOUTS.get(level, (None,)))
        return
    yield Shape(level, canonical_layout(level, layout) if colon else None, count)


def matrix(
    members: Sequence[Member],
    shapes: Sequence[Shape],
    chunks_kib: Sequence[int | None] = (None,),
    counts: Sequence[int] = (),
    bitmap: Bitmap = Bitmap.INTERNAL,
) -> tuple[Plan, ...]:
    """Return a plan for each shape, chunk and number of the first ``members`` (``counts``; () means all), each once.

    A shape with a number of its own has that one alone. A level without chunks is included once, whatever the chunks.
    Raises PlanRefused for one that mdadm would refuse.
    """
    plans: dict[Plan, None] = {}
    for shape, plan in _plans(members, shapes, chunks_kib, counts or (len(members),), bitmap):
        try:
            capacity_of(plan.top)
        except PlanRefused:
            if not shape.if_possible:
                raise
        else:
            plans[plan] = None
    return tuple(plans)


def possible(
    members: Sequence[Member], shapes: Sequence[Shape], chunks_kib: Sequence[int | None], counts: Sequence[int]
) -> tuple[Plan, ...]:
    """Return ``matrix`` without the plans that mdadm would refuse, shape by shape."""
    plans: dict[Plan, None] = {}
    for shape in shapes:
        for count in (shape.count,) if shape.count else counts:
            with contextlib.suppress(InputError, PlanRefused):
                plans |= dict.fromkeys(matrix(members, [shape], chunks_kib, [count]))
    return tuple(plans)


def _plans(
    members: Sequence[Member],
    shapes: Sequence[Shape],
    chunks_kib: Sequence[int | None],
    counts: Sequence[int],
    bitmap: Bitmap,
) -> Iterator[tuple[Shape, Plan]]:
    for wanted in counts:
        for shape in shapes:
            count = shape.count or wanted
            if not 0 < count <= len(members):
                raise InputError(
                    "There are {there} disks, so no array of {count} can be made of them.",
                    code="members",
                    there=len(members),
                    count=count,
                )
            for chunk_kib in chunks_kib:
                yield shape, Plan(_array(shape, tuple(members[:count]), chunk_kib, bitmap))


def _array(shape: Shape, members: tuple[Member, ...], chunk_kib: int | None, bitmap: Bitmap) -> MdArray:
    if not shape.is_nested:
        return MdArray(
            shape.level,
            members,
            layout=shape.layout,
            chunk_kib=chunk_kib if shape.level.is_chunked else None,
            bitmap=bitmap if shape.level.is_redundant else Bitmap.NONE,
        )
    width = 2 if shape.level is Level.RAID1 else len(members) // 2
    groups = [members[first : first + width] for first in range(0, len(members), width)]
    if len(groups) < 2 or len(groups[-1]) < width:
        raise PlanRefused(
            "{count} disks don't divide into equal groups for {level}.",
            code="members",
            count=len(members),
            level=next(name for name, level in NESTED.items() if level is shape.level),
        )
    inner = Shape(shape.level)
    return MdArray(Level.RAID0, tuple(_array(inner, group, chunk_kib, bitmap) for group in groups), chunk_kib=chunk_kib)
