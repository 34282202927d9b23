"""How a disk fares that was given to an array, until the array needs nothing more of it."""

from __future__ import annotations

from enum import Enum, auto

from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import Joined

from .values import Array, Place


class Joining(Enum):
    """How far a disk is that an array was given."""

    UNDER_WAY = auto()
    DONE = auto()
    DROPPED_OUT = auto()


def place_of(array: Array, member: Member | None) -> Place | None:
    """Where ``member`` is in ``array``; None for one that isn't in it."""
    return next((one for one in array.places if member and one.member and one.member.id == member.id), None)


def joining_of(array: Array, member: Member, joined: Joined | None, *, was_seen: bool) -> Joining:
    """How far ``member`` is, which was taken as ``joined`` (None as long as the helper hasn't said).

    ``was_seen``: it was in the array before. One that stands by in a whole array is done, as when another spare was
    quicker; but not one that takes over, which stands by for a moment before md copies onto it.
    """
    place = place_of(array, member)
    if place is None:
        return Joining.DROPPED_OUT if was_seen else Joining.UNDER_WAY
    if place.has_failed:
        return Joining.DROPPED_OUT
    may_stand_by = joined in (Joined.REBUILDS, Joined.SPARE) and not array.lacks
    return Joining.DONE if place.works or (place.is_spare and may_stand_by) else Joining.UNDER_WAY
