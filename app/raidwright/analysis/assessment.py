"""Assessment of a plan: all its exact properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.analysis.findings.collect import Finding, findings_of
from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.mdadm import Command, create_commands
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.reshape.changes import possibilities
from raidwright.core.md.reshape.possibility import Possibility
from raidwright.core.md.survival import Survival, survival_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Assessment:
    """A plan's capacity, fault tolerance, possible changes, findings and commands."""

    plan: Plan
    capacity: Capacity
    survival: Survival
    possibilities: tuple[Possibility, ...]
    findings: tuple[Finding, ...]
    commands: tuple[Command, ...]


def assess(plan: Plan, disks: Mapping[str, Disk] | None = None, mdadm: MdadmVersion = MDADM_4_4) -> Assessment:
    """Assess ``plan`` with the known properties of its ``disks`` by id.

    Raises PlanRefused for what mdadm or md would refuse.
    """
    capacity = capacity_of(plan, mdadm)
    commands = create_commands(plan)
    return Assessment(
        plan=plan,
        capacity=capacity,
        survival=survival_of(plan),
        possibilities=possibilities(plan, capacity),
        findings=findings_of(plan, disks, capacity),
        commands=commands,
    )
