"""The user's overrides of a plan's assumptions, for all its disks or for one, as changes of the plan. Pure.

An override for all disks replaces those of single disks.
"""

from __future__ import annotations

from dataclasses import replace

from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.ui.stations.plan.edits import with_own

_HOURS_A_YEAR = 8766.0  # calendar hours: an age isn't a rate


def is_given(plan: Plan, name: str) -> bool:
    """Return True if the plan overrides ``name`` (of ``assumed.ASSUMED``)."""
    return name in dict(plan.assumptions) or any(_own(disk, name) is not None for disk in plan.disks())


def is_own(disk: Member) -> bool:
    """Return True if the disk has overrides of its own."""
    return disk.afr is not None or disk.age_years is not None


def of_all(plan: Plan, name: str, value: float) -> Plan:
    """Return ``plan`` that assumes ``value`` for ``name``, for every disk."""
    return _with(_each_like_all(plan, name), dict(plan.assumptions) | {name: value})


def nothing_of(plan: Plan, name: str) -> Plan:
    """Return ``plan`` without overrides of ``name``."""
    said = {key: value for key, value in plan.assumptions if key != name}
    return _with(_each_like_all(plan, name), said)


def nothing(plan: Plan) -> Plan:
    """Return ``plan`` without overrides."""
    return _with(plan.each_disk(lambda disk: with_own(disk, None, None)), {})


def rate_of_disk(plan: Plan, unit: str, afr: float | None) -> Plan:
    """Return ``plan`` with one disk's annual failure rate, or its published one for None."""
    return plan.each_disk(lambda disk: replace(disk, afr=afr) if disk.failure_unit == unit else disk)


def age_of_disk(plan: Plan, unit: str, age_years: float | None) -> Plan:
    """Return ``plan`` with one disk's age, or the common one for None."""
    return plan.each_disk(lambda disk: replace(disk, age_years=age_years) if disk.failure_unit == unit else disk)


def nothing_of_disk(plan: Plan, unit: str) -> Plan:
    """Return ``plan`` without one disk's overrides."""
    return plan.each_disk(lambda disk: with_own(disk, None, None) if disk.failure_unit == unit else disk)


def like_the_first(plan: Plan) -> Plan:
    """Return ``plan`` with its first disk's rate and age for each, set only where its published ones differ."""
    assumed = Assumptions.of(plan)
    first = next(plan.disks())
    rate, age = assumed.rate_of(first).likely, assumed.age_of(first)

    def like(disk: Member) -> Member:
        plain = with_own(disk, None, None)
        afr = None if assumed.rate_of(plain).likely == rate else rate
        return with_own(disk, afr, None if assumed.age_of(plain) == age else age)

    return plan.each_disk(like)


def years_run(disk: Disk | None) -> float | None:
    """Return a disk's power-on time in years, to a tenth; None if unknown."""
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
