"""What a person says on a plan's loss, as changes of the plan: of all its disks, or of one. Pure.

What is said of all disks goes for each: it takes the place of what was said of one.
"""

from __future__ import annotations

from dataclasses import replace

from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.ui.stations.plan.edits import with_own

_HOURS_A_YEAR = 8766.0  # by the calendar: an age is no rate


def is_given(plan: Plan, name: str) -> bool:
    """Whether the plan says anything under ``name`` (of ``assumed.ASSUMED``)."""
    return name in dict(plan.assumptions) or any(_own(disk, name) is not None for disk in plan.disks())


def is_own(disk: Member) -> bool:
    """Whether anything is said of this disk alone."""
    return disk.afr is not None or disk.age_years is not None


def of_all(plan: Plan, name: str, value: float) -> Plan:
    """``plan`` that assumes ``value`` under ``name``, of every disk."""
    return _with(_each_like_all(plan, name), dict(plan.assumptions) | {name: value})


def nothing_of(plan: Plan, name: str) -> Plan:
    """``plan`` that says nothing under ``name``."""
    said = {key: value for key, value in plan.assumptions if key != name}
    return _with(_each_like_all(plan, name), said)


def nothing(plan: Plan) -> Plan:
    """``plan`` that says nothing."""
    return _with(plan.each_disk(lambda disk: with_own(disk, None, None)), {})


def rate_of_disk(plan: Plan, unit: str, afr: float | None) -> Plan:
    """``plan`` with a failure rate a year of one disk, or its published one."""
    return plan.each_disk(lambda disk: replace(disk, afr=afr) if disk.failure_unit == unit else disk)


def age_of_disk(plan: Plan, unit: str, age_years: float | None) -> Plan:
    """``plan`` with the age of one disk, or that of all."""
    return plan.each_disk(lambda disk: replace(disk, age_years=age_years) if disk.failure_unit == unit else disk)


def nothing_of_disk(plan: Plan, unit: str) -> Plan:
    """``plan`` that says nothing of one disk alone."""
    return plan.each_disk(lambda disk: with_own(disk, None, None) if disk.failure_unit == unit else disk)


def like_the_first(plan: Plan) -> Plan:
    """``plan`` with the rate and the age of its first disk for each, said only where they aren't a disk's anyway."""
    assumed = Assumptions.of(plan)
    first = next(plan.disks())
    rate, age = assumed.rate_of(first).likely, assumed.age_of(first)

    def like(disk: Member) -> Member:
        plain = with_own(disk, None, None)
        afr = None if assumed.rate_of(plain).likely == rate else rate
        return with_own(disk, afr, None if assumed.age_of(plain) == age else age)

    return plan.each_disk(like)


def years_run(disk: Disk | None) -> float | None:
    """For how many years a disk says it has run, to a tenth; None where it doesn't say."""
    hours = disk.health.power_on_hours if disk is not None else None
    return None if hours is None else round(hours / _HOURS_A_YEAR, 1)


def _own(disk: Member, name: str) -> float | None:
    return {"failure_rate": disk.afr, "age_years": disk.age_years}.get(name)


def _each_like_all(plan: Plan, name: str) -> Plan:
    if name == "failure_rate":
        return plan.each_disk(lambda disk: replace(disk, afr=None))
    if name == "age_years":
        return plan.each_disk(lambda disk: replace(disk, age_years=None))
    return plan


def _with(plan: Plan, said: dict[str, float]) -> Plan:
    return replace(plan, assumptions=tuple((name, said[name]) for name in ASSUMED if name in said))
