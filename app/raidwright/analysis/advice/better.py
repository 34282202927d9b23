"""Layouts that would serve an existing array's disks better: with these disks, or with one more like the smallest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from raidwright.analysis.assessment import Assessment
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan

from .candidates import Prepared, enumerate_plans
from .ranking import Wishes, rank

ADDED = "one-more"  # id of the disk that would be added
_MAX_KEPT = 3


@dataclass(frozen=True, slots=True)
class Better:
    """A plan that holds and survives no less than the array, and more in one of the two. ``added``: disks to add."""

    plan: Plan
    added: int
    array_bytes: int
    survives: int


def better_plans(now: Assessment, disks: Mapping[str, Disk] | None = None) -> tuple[Better, ...]:
    """Return the best such plans, those without another disk first; () for an array of arrays, or with none missing.

    Whatever is advised means building anew and copying, unless ``reshape`` finds a way.
    """
    members = tuple(member for member in now.plan.members if isinstance(member, Member))
    if now.plan.is_nested or len(members) < 2:
        return ()
    pool = tuple(replace(member, age_years=None) for member in members)
    smallest = min(pool, key=lambda member: member.size_bytes)
    one_more = replace(smallest, id=ADDED, serial="", disk="", partition=0)
    return (*_better(now, pool, 0, disks), *_better(now, (*pool, one_more), 1, disks))


def _better(
    now: Assessment, pool: tuple[Member, ...], added: int, disks: Mapping[str, Disk] | None
) -> tuple[Better, ...]:
    survives = now.survival.most()
    ranking = rank(enumerate_plans(pool, disks), Wishes(must_survive=max(0, survives)))
    found = _told(now, (one.prepared for one in ranking.candidates if not one.unmet), added, survives)
    return tuple(found)[:_MAX_KEPT]


def _told(now: Assessment, ranked: Iterator[Prepared], added: int, survives: int) -> Iterator[Better]:
    seen = set[tuple[int, int]]()
    for one in ranked:
        plan, merits = one.assessment.plan, (one.array_bytes, one.survives)
        is_no_worse = one.array_bytes >= 0.99 * now.capacity.array_bytes and one.survives >= survives
        is_better = one.array_bytes > 1.05 * now.capacity.array_bytes or one.survives > survives
        if is_no_worse and is_better and merits not in seen:
            seen.add(merits)
            yield Better(plan, added, one.array_bytes, one.survives)
