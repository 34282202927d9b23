"""A running array's state and members, as the helper's facts have them."""

from __future__ import annotations

from raidwright.core.md.running_state import Hold, RunningMember, RunningState, hold_of, member_of_line
from raidwright.core.protocol.facts import ArrayFacts


def members_in(facts: ArrayFacts) -> tuple[RunningMember, ...]:
    """Return the devices that md has in the array."""
    return tuple(map(member_of_line, facts.members))


def hold_in(facts: ArrayFacts) -> Hold | None:
    """Return the array's hold; None where nothing holds it back, and from an older helper."""
    if not facts.array_state or facts.make:
        return None
    state = RunningState(
        array_state=facts.array_state,
        sync_action=facts.sync_action,
        reshapes=facts.reshapes,
        resync_pending=facts.resync_pending,
        degraded=facts.degraded,
        policy=facts.consistency,
        members=members_in(facts),
        is_suspended=facts.suspended,
        is_shortened=facts.shortened,
    )
    return hold_of(state)
