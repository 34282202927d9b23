"""Progress of a disk added to an array, until it is a working member or a spare."""

from __future__ import annotations

from enum import Enum, auto

from raidwright.core.model.plan import Member
from raidwright.core.protocol.results import Joined, MemberJoined

from .states.volume import State, Volume
from .values import ArrayDevice


class Joining(Enum):
    """State of a disk added to an array."""

    UNDER_WAY = auto()
    DONE = auto()
    DROPPED_OUT = auto()


def place_of(array: State, member: Member | None) -> ArrayDevice | None:
    """Return the place of ``member`` in ``array``; None if it isn't in it."""
    return next((one for one in array.places if member and one.member and one.member.id == member.id), None)


def joining_of(array: State, member: Member, joined: MemberJoined | None, *, was_seen: bool) -> Joining:
    """Return the state of ``member``, which was added as ``joined`` (None as long as the helper hasn't reported it).

    ``was_seen``: it was in the array before. A spare of an array that lacks no member is done, as when another spare
    was faster; but not a replacement, which is a spare for a moment before md copies onto it.
    """
    place = place_of(array, member)
    if place is None:
        return Joining.DROPPED_OUT if was_seen else Joining.UNDER_WAY
    if place.has_failed:
        return Joining.DROPPED_OUT
    if isinstance(array, Volume) and (joined is None or _arrays_of(array, member) < joined.arrays):
        return Joining.UNDER_WAY
    may_stand_by = joined is not None and joined.joined is not Joined.TAKES_OVER and not array.lacks
    return Joining.DONE if place.works or (place.is_spare and may_stand_by) else Joining.UNDER_WAY


def _arrays_of(volume: Volume, disk: Member) -> int:
    """Return the number of arrays of a joined volume that the disk is in."""
    units = ({one.member.failure_unit for one in band.places if one.member} for band in volume.bands)
    return sum(disk.id in inside for inside in units)
