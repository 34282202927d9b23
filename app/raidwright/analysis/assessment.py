"""Assessment of a plan: all its exact properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.analysis.findings.collect import Finding, findings_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.layers.commands import create_commands
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.mdadm import Command
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.reshape.possibility import Possibility
from raidwright.core.md.survival import Survival
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan

from .layers.possibilities import possibilities
from .layers.survival import survival_of


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
    capacity = capacity_of(plan.top, mdadm)
    commands = create_commands(plan.top)
    return Assessment(
        plan=plan,
        capacity=capacity,
        survival=survival_of(plan.top),
        possibilities=possibilities(plan.top, capacity),
        findings=findings_of(plan, disks, capacity),
        commands=commands,
    )
