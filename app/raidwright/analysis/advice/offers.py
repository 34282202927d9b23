"""The changes worth showing beside each other for an array and the disks that may be added, and what else to ask."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.md.changes.exchange import exchange_refusals, exchanged
from raidwright.core.md.changes.policy import policy_of
from raidwright.core.md.changes.transitions import fewer, largest, shaped
from raidwright.core.md.changes.values import ArrayStanding, ChangeWay, ChangeWish
from raidwright.core.md.changes.ways import way_to
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Consistency, MdArray, Member

_POLICIES, _LOGGED = (Consistency.BITMAP, Consistency.PPL, Consistency.RESYNC), Level.RAID5
_CHUNKS_KIB = (16, 32, 64, 128, 256, 512, 1024)
_LAYOUTS = {
    Level.RAID5: ("left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"),
    Level.RAID6: ("left-symmetric", "left-asymmetric", "right-symmetric", "right-asymmetric"),
    Level.RAID10: ("n2", "o2"),
}
_LEVELS = (Level.RAID5, Level.RAID6, Level.RAID10, Level.RAID1, Level.RAID0)


def askable(plan: MdArray) -> tuple[tuple[ChangeWish, ...], ...]:
    """Return what may be asked of the array besides: other chunks, layouts, fewer members, and consistency policies.

    Each is one property's; a kind of which there is none is an empty tuple. Whether md can, ``way_to`` says.
    """
    now = shaped(plan)
    chunks = [kib for kib in _CHUNKS_KIB if plan.level.is_chunked and kib != now.chunk_kib]
    layouts = [one for one in _LAYOUTS.get(plan.level, ()) if one != now.layout]
    counts = [count for count in range(len(plan.members) - 1, 1, -1) if fewer(now, count) is not None]
    policies = [one for one in _POLICIES if plan.level.is_redundant and one is not policy_of(plan)]
    return (
        tuple(ChangeWish(chunk_kib=kib) for kib in chunks),
        tuple(ChangeWish(layout=one) for one in layouts),
        tuple(ChangeWish(slots=count) for count in counts),
        tuple(ChangeWish(consistency=one) for one in policies if one is not Consistency.PPL or plan.level is _LOGGED),
    )


def offers(plan: MdArray, new: tuple[Member, ...], standing: ArrayStanding | None = None) -> tuple[ChangeWay, ...]:
    """Return the ways, possible ones first: more members, each other level, and larger disks in members' places.

    Ways that don't exist come with their reason. Raises PlanRefused for a plan that md refuses.
    """
    ways = [way_to(plan, wish, standing) for wish in _wishes(plan, new)]
    return tuple(sorted(ways, key=lambda way: not way.possible))


def _wishes(plan: MdArray, new: tuple[Member, ...]) -> Iterator[ChangeWish]:
    if new:
        yield ChangeWish(add=new)
    for level in _LEVELS:
        if level is not plan.level:
            yield ChangeWish(add=new, level=level)
    if not plan.level.is_redundant:
        return
    now = shaped(plan)
    if new and not any(exchange_refusals(now, ChangeWish(exchange=new))):
        yield ChangeWish(larger=True, exchange=new)
    if largest(now).component_size_kib != now.component_size_kib or exchanged(now).is_under_way:
        yield ChangeWish(larger=True)
