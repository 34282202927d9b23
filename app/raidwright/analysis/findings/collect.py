"""What to know before building: small checks over a plan and its disks, each with a reason and a remedy."""

from __future__ import annotations

from collections.abc import Mapping

from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import FLASH_KINDS, Baseline, Member, Plan

from .finding import Facts, Finding, Severity, Stake
from .of_disks import DISK_CHECKS
from .of_plans import PLAN_CHECKS
from .of_speed import SPEED_CHECKS

__all__ = ["Facts", "Finding", "Severity", "Stake", "findings_of"]


def findings_of(
    plan: Plan, disks: Mapping[str, Disk] | None = None, capacity: Capacity | None = None
) -> tuple[Finding, ...]:
    """All findings, by weight: gravest first.

    ``disks`` maps member ids (a slice's ``disk``) to what is known of them; without it only what the plan says of
    its members is looked at. ``capacity`` spares computing it again. Raises PlanRefused as ``capacity_of`` does.
    """
    known = tuple(_known(member, disks or {}) for member in plan.disks())
    facts = Facts(plan, capacity or capacity_of(plan), known)
    found = [finding for check in (*PLAN_CHECKS, *DISK_CHECKS, *SPEED_CHECKS) for finding in check(facts)]
    return tuple(sorted(found, key=lambda finding: finding.weight))


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
        size_bytes=member.size_bytes,
        rotation_rpm=0 if baseline.kind in FLASH_KINDS else baseline.rpm,
        link=baseline.link or "",
    )
