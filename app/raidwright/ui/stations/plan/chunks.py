"""The chunk of a plan and of the arrays in it."""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.model.plan import Plan


def with_chunk(plan: Plan, chunk_kib: int | None) -> Plan:
    """Return ``plan`` with that chunk in each of its arrays that have one; unchanged for None."""
    if chunk_kib is None:
        return plan
    members = tuple(with_chunk(member, chunk_kib) if isinstance(member, Plan) else member for member in plan.members)
    return replace(plan, members=members, chunk_kib=chunk_kib if plan.level.is_chunked else plan.chunk_kib)
