"""An assessment as ``raidwright assess --json`` prints it."""

from __future__ import annotations

from dataclasses import asdict

from raidwright.analysis.reliability.loss import loss_of
from raidwright.analysis.reliability.loss_json import loss_as_json

from .assessment import Assessment


def as_json(assessment: Assessment, years: float = 5.0) -> dict[str, object]:
    """The object that ``raidwright assess --json`` prints; ``loss`` is that within ``years``.

    Several commands (nested plans) are joined by ``&&``. ``rebuild_hours`` needs members whose speed is known.
    """
    capacity, survival = assessment.capacity, assessment.survival
    loss = loss_of(assessment.plan, years=years, capacity=capacity)
    return {
        "array_sectors": capacity.array_sectors,
        "component_size_kib": capacity.component_size_kib,
        "data_offset_sectors": list(capacity.data_offset_sectors),
        "survival": {str(k): list(survival.counts(k)) for k in range(1, len(survival.units) + 1)},
        "loss": loss_as_json(loss),
        **({"rebuild_hours": loss.rebuild_hours} if loss.rebuild.measured and loss.redundant else {}),
        "forecloses": [asdict(possibility) for possibility in assessment.possibilities],
        "findings": [asdict(finding) for finding in assessment.findings],
        "command": " && ".join(command.shell() for command in assessment.commands),
    }
