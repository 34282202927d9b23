"""Share of the data lost in failures that an array doesn't survive, as an exact fraction."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import Level, copy_windows
from raidwright.core.md.parity import parity_layout
from raidwright.core.model.plan import MdArray


def lost_fraction(array: MdArray, failed: AbstractSet[str], capacity: Capacity) -> Fraction:
    """Return the share of the data of ``array``, of that ``capacity``, without a copy once ``failed`` units are gone.

    An inner array that has lost any data counts as gone, except under raid0 and linear, which keep the rest of it.
    """
    arrays = iter(capacity.inner)
    members = [
        lost_fraction(member, failed, next(arrays))
        if isinstance(member, MdArray)
        else Fraction(member is None or member.failure_unit in failed)
        for member in array.members
    ]
    if not array.level.is_redundant:
        return lost_in_turn(members, capacity)
    gone = {slot for slot, lost in enumerate(members) if lost}
    if array.level is Level.RAID1:
        return Fraction(len(gone) == len(members))
    if array.level is Level.RAID10:
        return _without_copies(array, gone, capacity)
    return _without_parity(array, gone, capacity)


def lost_in_turn(members: Sequence[Fraction], capacity: Capacity) -> Fraction:
    """Return the share lost of data that lie on members one after the other, of each of which a share is lost."""
    weighted = sum(sectors * lost for sectors, lost in zip(capacity.member_sectors, members, strict=True))
    return Fraction(weighted, sum(capacity.member_sectors))


def _without_copies(plan: MdArray, gone: set[int], capacity: Capacity) -> Fraction:
    """raid10: chunk c is in window c modulo the number of windows, so each window's share is counted."""
    windows = list(copy_windows(plan.copies, len(plan.members)))
    chunks = capacity.array_sectors // (2 * plan.effective_chunk_kib)
    lost = sum(-(-(chunks - index) // len(windows)) for index, window in enumerate(windows) if window <= gone)
    return Fraction(lost, chunks)


def _without_parity(plan: MdArray, gone: set[int], capacity: Capacity) -> Fraction:
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
