"""Geometry of a plan: the place of every chunk, copy and parity block, in both directions, vectorised.

Units: rows and chunks are numbered from 0; a row is one chunk of one member. ``geometry_of`` chooses the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Copies, Level
from raidwright.core.md.parity import parity_layout
from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan

from .cells import Cells, Flags, Geometry, Ints, Role
from .copies import CopiesGeometry
from .nested import Inner, NestedGeometry
from .parity_rows import ParityGeometry
from .zones import concatenated, striped

__all__ = ["Cells", "Flags", "Geometry", "Ints", "Role", "all_rows", "geometry_of"]

_SHOWN_CHUNK_SECTORS = 2 * DEFAULT_CHUNK_KIB  # for raid1, linear and joined, which have no chunk


def geometry_of(plan: Plan) -> Geometry:
    """Return the plan's geometry; raises PlanRefused as ``capacity_of`` does.

    raid1 is drawn in chunks of 512 KiB, linear in the largest divisor of 512 KiB that divides every member.
    """
    capacity = capacity_of(plan.top)
    if isinstance(plan.top, LinearVolume):
        return _nested(_concatenated(capacity, 0), plan.top.arrays, capacity)
    outer = _flat(plan.top, capacity)
    return _nested(outer, plan.top.members, capacity) if plan.top.is_nested else outer


def all_rows(first: int, count: int) -> Ints:
    """Return the row numbers ``first`` to ``first + count - 1``."""
    return np.arange(first, first + count, dtype=np.int64)


def _flat(array: MdArray, capacity: Capacity) -> Geometry:
    members = len(array.members)
    chunk = 2 * array.effective_chunk_kib
    match array.level:
        case Level.LINEAR:
            return _concatenated(capacity, chunk)
        case Level.RAID0:
            lengths = tuple(sectors // chunk for sectors in capacity.member_sectors)
            chunks = -(-capacity.array_sectors // chunk)
            return striped(lengths, chunk, chunks, alternate=array.layout == "alternate")
        case Level.RAID1:
            rows = -(-capacity.array_sectors // _SHOWN_CHUNK_SECTORS)
            return CopiesGeometry(members, rows, _SHOWN_CHUNK_SECTORS, rows, Copies(near=members))
        case Level.RAID10:
            copies = _sound(array.copies, members)
            rows = capacity.member_sectors[0] // chunk
            return CopiesGeometry(members, rows, chunk, capacity.array_sectors // chunk, copies)
        case _:
            layout = parity_layout(array.level, array.effective_layout)
            return ParityGeometry(members, capacity.member_sectors[0] // chunk, chunk, array.level.parity_disks, layout)


def _concatenated(capacity: Capacity, chunk: int) -> Geometry:
    chunk = chunk or gcd(_SHOWN_CHUNK_SECTORS, *capacity.member_sectors)
    return concatenated(tuple(sectors // chunk for sectors in capacity.member_sectors), chunk)


def _sound(copies: Copies, members: int) -> Copies:
    """Refuse near + offset copies whose near copies wrap: they overlap the offset copies (``__raid10_find_phys``).

    md doesn't check this. Raises PlanRefused.
    """
    if copies.offset and members % copies.near:
        raise PlanRefused(
            "Near and offset copies together overwrite each other unless the members are a multiple of the near "
            "copies; take another layout.",
            code="layout-copies",
        )
    return copies


def _nested(outer: Geometry, members: Sequence[Member | MdArray | None], capacity: Capacity) -> NestedGeometry:
    inners: list[Inner] = []
    arrays = iter(capacity.inner)
    first_member, granule = 0, outer.chunk_sectors
    for member, offset in zip(members, capacity.data_offset_sectors, strict=False):
        inner = _flat(member, next(arrays)) if isinstance(member, MdArray) else None
        array = member if isinstance(member, MdArray) else None
        inners.append(Inner(inner, array, offset or 0, first_member))
        first_member += inners[-1].members
        if inner:
            granule = gcd(granule, inner.chunk_sectors, offset or 0)
    return NestedGeometry(outer, tuple(inners), granule, -(-capacity.array_sectors // granule))
