"""What matters most, and what a change buys: the tornado's bars, and the comparisons that decide."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from ..capacity import capacity_of
from ..errors import PlanRefused
from ..layouts import PARITY_DISKS, Level
from ..plan import Member, Plan
from .assumptions import Assumed, Assumptions
from .loss import Loss, Swing, likely_loss

_MONTHLY = Assumed(30.4, 30.4, 30.4, "a check every month")
_NEVER = Assumed(3650.0, 3650.0, 3650.0, "no check at all")
_SHELF = Assumed(24.0, 24.0, 24.0, "a replacement lies ready and is put in within a day")


class Change(StrEnum):
    """What could be done otherwise."""

    EXTRA_DISK = "extra-disk"  # one more of redundancy: raid5 to raid6 with the same space, or one more copy
    SPARE = "spare"
    RAID6 = "raid6-instead-of-raid5"  # on the same disks, with the space of one disk less
    ON_THE_SHELF = "replacement-on-the-shelf"
    MONTHLY_CHECK = "monthly-check"


@dataclass(frozen=True, slots=True)
class Bought:
    """A change with the likely probabilities, before and after, of losing the array and of losing a sector."""

    change: Change
    plan: Plan
    array_before: float
    array: float
    sectors_before: float
    sectors: float


def tornado(loss: Loss, *, sectors: bool = False) -> tuple[Swing, ...]:
    """The assumptions that move the loss of the array (or of sectors), widest first; those that don't are left out."""
    swings = loss.sector_swings if sectors else loss.array_swings
    moving = [swing for swing in swings if swing.safer != swing.worse]
    return tuple(sorted(moving, key=lambda swing: swing.safer - swing.worse))


def what_it_buys(plan: Plan, assumptions: Assumptions, years: float) -> tuple[Bought, ...]:
    """What each change that makes sense for ``plan`` buys. The monthly check is compared with no check at all."""
    before = likely_loss(plan, assumptions, years, capacity_of(plan))
    bought = []
    for change, changed in _plans(plan):
        try:
            after = likely_loss(changed, assumptions, years, capacity_of(changed))
        except PlanRefused:
            continue  # what mdadm refuses can't be bought
        bought.append(Bought(change, changed, before[0], after[0], before[1], after[1]))
    capacity = capacity_of(plan)
    if not plan.spares and before[0]:
        ready = replace(assumptions, replacement_hours=_SHELF)
        after = likely_loss(plan, ready, years, capacity)
        bought.append(Bought(Change.ON_THE_SHELF, plan, before[0], after[0], before[1], after[1]))
    never = likely_loss(plan, replace(assumptions, check_days=_NEVER), years, capacity)
    monthly = likely_loss(plan, replace(assumptions, check_days=_MONTHLY), years, capacity)
    if never != monthly:
        bought.append(Bought(Change.MONTHLY_CHECK, plan, never[0], monthly[0], never[1], monthly[1]))
    return tuple(bought)


def _plans(plan: Plan) -> list[tuple[Change, Plan]]:
    disks = [member for member in plan.members if isinstance(member, Member)]
    if len(disks) < len(plan.members) or plan.level in (Level.RAID0, Level.LINEAR):
        return []
    smallest = min(disks, key=lambda member: member.size_bytes)
    extra = Member("one-more-disk", smallest.size_bytes, smallest.model, baseline=smallest.baseline)
    changes = [(Change.SPARE, replace(plan, spares=(*plan.spares, extra)))]
    if plan.level is Level.RAID1:
        changes.append((Change.EXTRA_DISK, replace(plan, members=(*disks, extra))))
    if PARITY_DISKS.get(plan.level) == 1:
        raid6 = replace(plan, level=Level.RAID6, layout=None, consistency=None)
        changes.append((Change.EXTRA_DISK, replace(raid6, members=(*disks, extra))))
        changes.append((Change.RAID6, raid6))
    return changes
