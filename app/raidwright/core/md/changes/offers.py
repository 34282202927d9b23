"""The changes worth showing beside each other for an array and the disks that may be added."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Member, Plan

from .transitions import largest, shaped
from .values import ArrayStanding, ChangeWay, ChangeWish
from .ways import way_to

_LEVELS = (Level.RAID5, Level.RAID6, Level.RAID10, Level.RAID1, Level.RAID0)


def offers(plan: Plan, new: tuple[Member, ...], standing: ArrayStanding | None = None) -> tuple[ChangeWay, ...]:
    """Return the ways, possible ones first: more members, each other level, and larger members.

    Ways that don't exist come with their reason. Raises PlanRefused for a plan that md refuses.
    """
    ways = [way_to(plan, wish, standing) for wish in _wishes(plan, new)]
    return tuple(sorted(ways, key=lambda way: not way.possible))


def _wishes(plan: Plan, new: tuple[Member, ...]) -> Iterator[ChangeWish]:
    if new:
        yield ChangeWish(add=new)
    for level in _LEVELS:
        if level is not plan.level:
            yield ChangeWish(add=new, level=level)
    now = shaped(plan)
    if plan.level.is_redundant and largest(now).component_size_kib != now.component_size_kib:
        yield ChangeWish(larger=True)
