"""Plans for a comparison by a matrix: levels with their layouts × chunks × numbers of members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level, canonical_layout
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan


@dataclass(frozen=True, slots=True)
class Shape:
    """A level, and its layout unless it is mdadm's default."""

    level: Level
    layout: str | None = None


def read_shapes(text: str) -> tuple[Shape, ...]:
    """Parse shapes such as ``raid0,raid5:ls,raid10:f2``, each once; raises InputError."""
    return tuple(dict.fromkeys(_read_shape(one.strip()) for one in text.split(",")))


def _read_shape(text: str) -> Shape:
    name, colon, layout = text.partition(":")
    level = next((level for level in Level if level == name), None)
    if level is None:
        raise InputError("“{name}” is no level; there are {known}.", code="level", name=name, known=list(Level))
    return Shape(level, canonical_layout(level, layout) if colon else None)


def matrix(
    members: Sequence[Member],
    shapes: Sequence[Shape],
    chunks_kib: Sequence[int | None] = (None,),
    counts: Sequence[int] = (),
    bitmap: Bitmap = Bitmap.INTERNAL,
) -> tuple[Plan, ...]:
    """Return a plan for each shape, chunk and number of the first ``members`` (``counts``; () means all), each once.

    A level without chunks is included once, whatever the chunks. Raises PlanRefused for one that mdadm would refuse.
    """
    plans = dict.fromkeys(_plans(members, shapes, chunks_kib, counts or (len(members),), bitmap))
    for plan in plans:
        capacity_of(plan.top)
    return tuple(plans)


def possible(
    members: Sequence[Member], shapes: Sequence[Shape], chunks_kib: Sequence[int | None], counts: Sequence[int]
) -> tuple[Plan, ...]:
    """Return ``matrix`` without the plans that mdadm would refuse."""
    return tuple(filter(_is_taken, dict.fromkeys(_plans(members, shapes, chunks_kib, counts, Bitmap.INTERNAL))))


def _is_taken(plan: Plan) -> bool:
    try:
        capacity_of(plan.top)
    except PlanRefused:
        return False
    return True


def _plans(
    members: Sequence[Member],
    shapes: Sequence[Shape],
    chunks_kib: Sequence[int | None],
    counts: Sequence[int],
    bitmap: Bitmap,
) -> Iterator[Plan]:
    for count in counts:
        if not 0 < count <= len(members):
            raise InputError(
                "There are {there} disks, so no array of {count} can be made of them.",
                code="members",
                there=len(members),
                count=count,
            )
        for shape in shapes:
            for chunk_kib in chunks_kib:
                yield Plan(
                    MdArray(
                        shape.level,
                        tuple(members[:count]),
                        layout=shape.layout,
                        chunk_kib=chunk_kib if shape.level.is_chunked else None,
                        bitmap=bitmap if shape.level.is_redundant else Bitmap.NONE,
                    )
                )
