"""The chunk of a plan and of the arrays in it."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.model.plan import MdArray, Plan


def with_chunk(plan: Plan, chunk_kib: int | None) -> Plan:
    """Return ``plan`` with that chunk in each of its arrays that have one; unchanged for None."""
    if chunk_kib is None:
        return plan
    if isinstance(plan.top, MdArray):
        return plan.on(_with_chunk(plan.top, chunk_kib))
    return plan.on(replace(plan.top, arrays=tuple(_with_chunk(array, chunk_kib) for array in plan.top.arrays)))


def _with_chunk(array: MdArray, chunk_kib: int) -> MdArray:
    members = tuple(_with_chunk(one, chunk_kib) if isinstance(one, MdArray) else one for one in array.members)
    return replace(array, members=members, chunk_kib=chunk_kib if array.level.is_chunked else array.chunk_kib)
