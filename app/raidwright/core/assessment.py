"""A plan and everything exact that can be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .capacity import Capacity
from .disk import Disk
from .findings import Finding
from .forecloses import Possibility
from .mdadm import Command
from .mdadm_versions import MDADM_4_4, MdadmVersion
from .plan import Plan
from .survival import Survival


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the plan holds, survives, forecloses, means as a command, and what to know before building it."""

    plan: Plan
    capacity: Capacity
    survival: Survival
    forecloses: tuple[Possibility, ...]
    findings: tuple[Finding, ...]
    commands: tuple[Command, ...]


def assess(plan: Plan, disks: Mapping[str, Disk] | None = None, mdadm: MdadmVersion = MDADM_4_4) -> Assessment:
    """Assess ``plan``; raises PlanRefused for what mdadm or md would refuse."""
    raise NotImplementedError


def as_json(assessment: Assessment) -> dict[str, object]:
    """The object that ``raidwright assess --json`` prints."""
    raise NotImplementedError
