"""Changes that would serve an existing array better: with its disks, or with one more like the smallest.

An array that exists holds data, so nothing is advised that would mean making it anew: only what md can turn it into.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from raidwright.analysis.assessment import Assessment, assess
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.errors import PlanRefused
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan

from .offers import offers

ADDED = "one-more"  # id of the disk that would be added
_MAX_KEPT = 3


@dataclass(frozen=True, slots=True)
class Better:
    """A shape that the array can become, which holds and survives no less, and more in one of the two.

    ``added``: new disks.
    """

    plan: Plan
    added: int
    array_bytes: int
    survives: int


def better_plans(now: Assessment, disks: Mapping[str, Disk] | None = None) -> tuple[Better, ...]:
    """Return the best such changes, those without another disk first.

    () for an array of arrays, and for one that lacks a member: replacing that comes first.
    """
    array = as_array(now.plan.top)
    members = tuple(member for member in array.members if isinstance(member, Member))
    if array.is_nested or len(members) < 2 or len(members) < len(array.members):
        return ()
    smallest = min(members, key=lambda member: member.size_bytes)
    one_more = replace(smallest, id=ADDED, serial="", disk="", partition=0, age_years=None)
    return (*_better(now, (), disks), *_better(now, (one_more,), disks))


def _better(now: Assessment, new: tuple[Member, ...], disks: Mapping[str, Disk] | None) -> tuple[Better, ...]:
    survives, array_bytes = now.survival.most(), now.capacity.array_bytes
    found: dict[tuple[int, int], Better] = {}
    for after in _afters(now.plan, new, disks):
        one = Better(after.plan, len(new), after.capacity.array_bytes, after.survival.most())
        is_no_worse = one.array_bytes >= 0.99 * array_bytes and one.survives >= survives
        if is_no_worse and (one.array_bytes > 1.05 * array_bytes or one.survives > survives):
            found.setdefault((one.array_bytes, one.survives), one)
    return tuple(sorted(found.values(), key=lambda one: (-one.survives, -one.array_bytes)))[:_MAX_KEPT]


def _afters(plan: Plan, new: tuple[Member, ...], disks: Mapping[str, Disk] | None) -> Iterator[Assessment]:
    try:
        ways = offers(plan.array, new)
    except PlanRefused:
        return
    for way in ways:
        if way.possible and way.after != plan.array:
            yield assess(plan.on(way.after), disks)
