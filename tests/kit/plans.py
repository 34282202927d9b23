"""A plan's top layer, where a test knows which it is."""

from __future__ import annotations

from raidwright.core.model.plan import LinearVolume, MdArray, Member, Plan


def volume_of(plan: Plan) -> LinearVolume:
    """Return the plan's volume."""
    assert isinstance(plan.top, LinearVolume)
    return plan.top


def array_in(member: Member | MdArray | None) -> MdArray:
    """Return the inner array that a member is."""
    assert isinstance(member, MdArray)
    return member
