"""Sensitivity of a loss, and the benefit of changes: the tornado's bars, and comparisons of plans."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray, Member, Plan

from .assumptions import AssumedRange, Assumptions
from .loss import Loss, Swing, likely_loss

_MONTHLY = AssumedRange(30.4, 30.4, 30.4, say("a check every month"))
_NEVER = AssumedRange(3650.0, 3650.0, 3650.0, say("no check at all"))
_SHELF = AssumedRange(24.0, 24.0, 24.0, say("a replacement lies ready and is put in within a day"))


class WhatIf(StrEnum):
    """Possible changes of a plan. Levels and copies change on the same disks, with a different capacity."""

    EXTRA_DISK = "extra-disk"  # one more of redundancy: raid5 to raid6 with the same space, or one more copy
    SPARE = "spare"
    RAID1 = "raid1-instead"
    RAID5 = "raid5-instead"
    RAID6 = "raid6-instead"
    THREE_COPIES = "three-copies"
    ON_THE_SHELF = "replacement-on-the-shelf"
    MONTHLY_CHECK = "monthly-check"


@dataclass(frozen=True, slots=True)
class Bought:
    """A change with the likely probabilities, before and after, of losing the array and of losing a sector.

    ``bytes_before`` and ``bytes`` are the array's capacity.
    """

    change: WhatIf
    plan: Plan
    array_before: float
    array: float
    sectors_before: float
    sectors: float
    bytes_before: int
    bytes: int


def tornado(loss: Loss, *, sectors: bool = False) -> tuple[Swing, ...]:
    """Return the assumptions that change the loss of the array (or of sectors), by their factor, widest first.

    Those without effect are left out.
    """
    swings = loss.sector_swings if sectors else loss.array_swings
    return tuple(sorted((swing for swing in swings if swing.safer != swing.worse), key=Swing.ratio))


def what_it_buys(plan: Plan, assumptions: Assumptions, years: float) -> tuple[Bought, ...]:
    """Return the benefit of each sensible change of ``plan``. The monthly check is compared with no check at all."""
    capacity = capacity_of(plan.top)

    def bought(
        change: WhatIf, changed: Plan, then: Assumptions = assumptions, now: Assumptions = assumptions
    ) -> Bought:
        space = capacity_of(changed.top)
        array_before, sectors_before = likely_loss(plan, now, years, capacity)
        array, sectors = likely_loss(changed, then, years, space)
        return Bought(
            change, changed, array_before, array, sectors_before, sectors, capacity.array_bytes, space.array_bytes
        )

    changes = []
    for change, changed in _plans(plan):
        with suppress(PlanRefused):  # mdadm refuses the changed plan
            changes.append(bought(change, changed))
    ready = bought(WhatIf.ON_THE_SHELF, plan, replace(assumptions, replacement_hours=_SHELF))
    array = as_array(plan.top)
    if not array.spares and array.level.is_redundant and ready.array_before:
        changes.append(ready)
    never, monthly = (replace(assumptions, check_days=days) for days in (_NEVER, _MONTHLY))
    check = bought(WhatIf.MONTHLY_CHECK, plan, then=monthly, now=never)
    if (check.array_before, check.sectors_before) != (check.array, check.sectors):
        changes.append(check)
    return tuple(changes)


def _plans(plan: Plan) -> list[tuple[WhatIf, Plan]]:
    if not isinstance(plan.top, MdArray):
        return []
    disks = [member for member in plan.array.members if isinstance(member, Member)]
    if len(disks) < len(plan.array.members):
        return []
    if not plan.array.level.is_redundant:
        return _instead_of_stripes(plan)
    smallest = min(disks, key=lambda member: member.size_bytes)
    extra = Member("one-more-disk", smallest.size_bytes, smallest.model, baseline=smallest.baseline, age_years=0.0)
    changes = [(WhatIf.SPARE, plan.on(replace(plan.array, spares=(*plan.array.spares, extra))))]
    raid6 = _as_level(plan, Level.RAID6)
    if plan.array.level is Level.RAID1:
        changes.append((WhatIf.EXTRA_DISK, plan.on(replace(plan.array, members=(*disks, extra)))))
    elif plan.array.level.parity_disks == 1:
        changes.append((WhatIf.EXTRA_DISK, raid6.on(replace(raid6.array, members=(*disks, extra)))))
        changes.append((WhatIf.RAID6, raid6))
    elif plan.array.level is Level.RAID10 and plan.array.copies.total == 2:
        layout = f"{(plan.array.effective_layout or '')[0]}3"
        changes.append((WhatIf.THREE_COPIES, plan.on(replace(plan.array, layout=layout))))
        changes.append((WhatIf.RAID6, raid6))
    return changes


def _instead_of_stripes(plan: Plan) -> list[tuple[WhatIf, Plan]]:
    """Return a mirror for two disks; parity for more, which costs less capacity."""
    if len(plan.array.members) == 2:
        mirror = _as_level(plan, Level.RAID1)
        return [(WhatIf.RAID1, mirror.on(replace(mirror.array, chunk_kib=None)))]
    return [(WhatIf.RAID5, _as_level(plan, Level.RAID5)), (WhatIf.RAID6, _as_level(plan, Level.RAID6))]


def _as_level(plan: Plan, level: Level) -> Plan:
    return plan.on(replace(plan.array, level=level, layout=None, consistency=None))
