"""How layouts compare in speed when nothing but the members limits them, in multiples of one member.

Estimates for who asks which of two layouts may be faster, not predictions: they leave out queues, buses, processors
and the disks' own curves. Of 64 published measurements they are 1.8 times too high in the median, and 18 within a
fifth; writes to parity come out worst (raid5 of three: 2 times one disk, 0.77 measured).

Reading and writing are one sequential stream, random is 4 KiB at great depth. Far layouts lose some writing to long
seeks (10 to 50% seen; a fifth is taken here), and their reads come from the outer part of each disk.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.core.md.layouts import Level, parse_copies
from raidwright.core.model.plan import Plan

_FAR_WRITES = 0.8


@dataclass(frozen=True, slots=True)
class Speeds:
    """Multiples of one member's speed."""

    read: float
    write: float
    random_read: float
    random_write: float

    def times(self, factor: float) -> Speeds:
        """All of them ``factor`` times."""
        return Speeds(*(factor * getattr(self, name) for name in Speeds.__slots__))


def ideal_speeds(plan: Plan) -> Speeds:
    """The estimates for ``plan``; an array of arrays multiplies those of its first inner array."""
    outer = _flat(plan)
    inner = next((ideal_speeds(member) for member in plan.members if isinstance(member, Plan)), None)
    if inner is None:
        return outer
    return Speeds(*(getattr(outer, name) * getattr(inner, name) for name in Speeds.__slots__))


def _flat(plan: Plan) -> Speeds:
    members = len(plan.members)
    match plan.level:
        case Level.RAID0:
            return Speeds(members, members, members, members)
        case Level.LINEAR:
            return Speeds(1, 1, members, members)
        case Level.RAID1:
            return Speeds(1, 1, members, 1)
        case Level.RAID10:
            return _raid10(plan, members)
        case Level.RAID6:
            return Speeds(members - 2, members - 2, members, members / (3 + min(3, members - 3)))
        case _:
            readers = members - 1 if plan.level is Level.RAID4 else members
            return Speeds(members - 1, members - 1, readers, members / (2 + min(2, members - 2)))


def _raid10(plan: Plan, members: int) -> Speeds:
    copies = parse_copies(plan.effective_layout or "n2")
    striped = members / copies.total
    if copies.offset:
        return Speeds((striped + members) / 2, striped, members, striped)
    if copies.far > 1:
        return Speeds(members, striped * _FAR_WRITES, members, striped * _FAR_WRITES)
    return Speeds(striped, striped, members, striped)
