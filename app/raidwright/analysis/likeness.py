"""Identity of a plan's layout on its disks: plans of equal likeness make arrays of equal speed."""

from __future__ import annotations

from raidwright.core.model.plan import Plan


def likeness(plan: Plan) -> tuple[object, ...]:
    """Return a key shared by plans of the same level, layout, chunk and bitmap on the same disks in the same slots.

    Name, size, metadata, spares, first sync, and what is known or assumed of each disk don't count.
    """
    members = tuple(
        likeness(member) if isinstance(member, Plan) else (member.id if member else None) for member in plan.members
    )
    return plan.level, plan.effective_layout, plan.effective_chunk_kib, plan.bitmap, members
