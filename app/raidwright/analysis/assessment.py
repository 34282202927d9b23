"""A plan and everything exact that can be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from raidwright.analysis.findings.collect import Finding, findings_of
from raidwright.analysis.reshape.changes import possibilities
from raidwright.analysis.reshape.possibility import Possibility
from raidwright.core.errors import InputError
from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.mdadm import Command, create_commands
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.survival import Survival, survival_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan


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
    """Assess ``plan``, with what is known of its ``disks`` by id.

    Raises PlanRefused for what mdadm or md would refuse.
    """
    capacity = capacity_of(plan, mdadm)
    commands = create_commands(plan)
    return Assessment(
        plan=plan,
        capacity=capacity,
        survival=survival_of(plan),
        forecloses=possibilities(plan, capacity),
        findings=findings_of(plan, disks, capacity),
        commands=commands,
    )


def as_json(assessment: Assessment, years: float = 5.0) -> dict[str, object]:
    """The object that ``raidwright assess --json`` prints; ``loss`` is that within ``years``.

    Several commands (nested plans) are joined by ``&&``. ``rebuild_hours`` needs members whose speed is known.
    """
    from raidwright.analysis.reliability.loss import loss_of  # noqa: PLC0415 -- the window's first list doesn't wait for numpy
    from raidwright.analysis.reliability.loss_json import loss_as_json  # noqa: PLC0415

    capacity, survival = assessment.capacity, assessment.survival
    loss = loss_of(assessment.plan, years=years, capacity=capacity)
    return {
        "array_sectors": capacity.array_sectors,
        "component_size_kib": capacity.component_size_kib,
        "data_offset_sectors": list(capacity.data_offset_sectors),
        "survival": {str(k): list(survival.counts(k)) for k in range(1, len(survival.units) + 1)},
        "loss": loss_as_json(loss),
        **({"rebuild_hours": loss.rebuild_hours} if loss.rebuild.measured and loss.redundant else {}),
        "forecloses": [asdict(possibility) for possibility in assessment.forecloses],
        "findings": [asdict(finding) for finding in assessment.findings],
        "command": " && ".join(command.shell() for command in assessment.commands),
    }


def error_as_json(error: InputError) -> dict[str, object]:
    """What takes the place of an assessment that there can't be."""
    return {"error": error.sentence, "code": error.code}
