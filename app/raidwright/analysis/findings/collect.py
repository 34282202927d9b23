"""Collection of findings: small checks over a plan and its disks, each with a reason and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Baseline, Member, Plan

from .finding import Facts, Finding, Severity, Stake
from .of_bitmaps import BITMAP_CHECKS
from .of_consistency import CONSISTENCY_CHECKS
from .of_disks import DISK_CHECKS
from .of_flags import FLAG_CHECKS
from .of_health import HEALTH_CHECKS
from .of_plans import ARRAY_CHECKS, PLAN_CHECKS
from .of_speed import SPEED_CHECKS, STRIPE_CHECKS

__all__ = ["Facts", "Finding", "Severity", "Stake", "findings_of"]


def findings_of(
    plan: Plan, disks: Mapping[str, Disk] | None = None, capacity: Capacity | None = None
) -> tuple[Finding, ...]:
    """Return all findings by weight, gravest first.

    ``disks`` maps member ids (a slice's ``disk``) to their known properties; without it only the plan's own data on
    its members are checked. ``capacity`` avoids computing it again. Raises PlanRefused as ``capacity_of`` does.
    """
    known = tuple(_known(member, disks or {}) for member in plan.disks())
    facts = Facts(plan, capacity or capacity_of(plan.top), known)
    arrays = facts.arrays()
    of_the_whole = (*PLAN_CHECKS, *HEALTH_CHECKS, *DISK_CHECKS, *SPEED_CHECKS)
    of_each_array = (*ARRAY_CHECKS, *CONSISTENCY_CHECKS, *FLAG_CHECKS, *STRIPE_CHECKS, *BITMAP_CHECKS)
    found = [one for check in of_the_whole for one in check(facts)]
    found += [one for check in of_each_array for array in arrays for one in check(array)]
    return tuple(sorted(_each_once(found), key=lambda finding: finding.weight))


def _each_once(found: Iterable[Finding]) -> Iterable[Finding]:
    """Merge findings that several arrays of a plan share, with the disks of all."""
    merged: dict[Finding, tuple[str, ...]] = {}
    for one in found:
        alike = replace(one, disks=())
        merged[alike] = tuple(dict.fromkeys((*merged.get(alike, ()), *one.disks)))
    return (replace(one, disks=disks) for one, disks in merged.items())


def _known(member: Member, disks: Mapping[str, Disk]) -> Disk:
    disk = disks.get(member.failure_unit)
    if disk is not None:
        return disk
    baseline = member.baseline or Baseline()
    return Disk(
        id=member.failure_unit,
        device="",
        model=member.model,
        serial=member.serial,
        wwn="",
        size_bytes=member.disk_size_bytes or member.size_bytes,
        logical_sector_bytes=member.sector_bytes,
        rotation_rpm=0 if member.is_flash else baseline.rpm,
        link=baseline.link or "",
    )
