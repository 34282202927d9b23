"""Share of the data lost in failures that an array doesn't survive, as an exact fraction."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction

from raidwright.core.model.plan import Plan

from .capacity import Capacity, capacity_of
from .layouts import Level, copy_windows
from .parity import parity_layout


def lost_fraction(plan: Plan, failed: AbstractSet[str]) -> Fraction:
    """Return the share of ``plan``'s data of which no copy is left when the ``failed`` units are gone.

    An inner array that has lost any data counts as gone, except under raid0 and linear, which keep the rest of it.
    Raises PlanRefused as ``capacity_of`` does.
    """
    return _lost(plan, failed, capacity_of(plan))


def _lost(plan: Plan, failed: AbstractSet[str], capacity: Capacity) -> Fraction:
    arrays = iter(capacity.inner)
    members = [
        _lost(member, failed, next(arrays))
        if isinstance(member, Plan)
        else Fraction(member is None or member.failure_unit in failed)
        for member in plan.members
    ]
    if not plan.level.is_redundant:
        weighted = sum(sectors * lost for sectors, lost in zip(capacity.member_sectors, members, strict=True))
        return Fraction(weighted, sum(capacity.member_sectors))
    gone = {slot for slot, lost in enumerate(members) if lost}
    if plan.level is Level.RAID1:
        return Fraction(len(gone) == len(members))
    if plan.level is Level.RAID10:
        return _without_copies(plan, gone, capacity)
    return _without_parity(plan, gone, capacity)


def _without_copies(plan: Plan, gone: set[int], capacity: Capacity) -> Fraction:
    """raid10: chunk c is in window c modulo the number of windows, so each window's share is counted."""
    windows = list(copy_windows(plan.copies, len(plan.members)))
    chunks = capacity.array_sectors // (2 * plan.effective_chunk_kib)
    lost = sum(-(-(chunks - index) // len(windows)) for index, window in enumerate(windows) if window <= gone)
    return Fraction(lost, chunks)


def _without_parity(plan: Plan, gone: set[int], capacity: Capacity) -> Fraction:
    """Parity levels: with more failures than parity, the data chunks on the failed members are lost."""
    members = len(plan.members)
    if len(gone) <= plan.level.parity_disks:
        return Fraction(0)
    layout = parity_layout(plan.level, plan.effective_layout)
    turn = layout.turn(members)
    lost_in = [
        sum(member not in (layout.p_member(members, stripe), layout.q_member(members, stripe)) for member in gone)
        for stripe in range(turn)
    ]
    stripes = capacity.member_sectors[0] // (2 * plan.effective_chunk_kib)
    whole, rest = divmod(stripes, turn)
    return Fraction(whole * sum(lost_in) + sum(lost_in[:rest]), stripes * (members - plan.level.parity_disks))
