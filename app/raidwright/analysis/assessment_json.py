"""An assessment as JSON, for ``raidwright assess --json``."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from raidwright.analysis.reliability.loss import loss_of
from raidwright.analysis.reliability.loss_json import loss_as_json
from raidwright.core.md.capacity import Capacity
from raidwright.core.model.plan import Plan

from .assessment import Assessment
from .layers.equivalent import as_array
from .performance.host import HostModel
from .performance.of_plan import performance_of
from .performance.performance_json import performance_as_json, rebuild_as_json
from .performance.question import Question


def as_json(
    assessment: Assessment, years: float = 5.0, host: HostModel | None = None, question: Question | None = None
) -> dict[str, object]:
    """Return the object that ``raidwright assess --json`` prints; ``loss`` is that within ``years``.

    ``performance`` has, by workload, the predictions of the array ``normal``, ``degraded`` and ``rebuilding`` (null if
    its data are lost), in decimal MB/s and IOPS; the 90% band is ``low_mb_s`` to ``high_mb_s``. ``question`` adds
    workloads under their own names and the state ``syncing``. ``rebuild`` is null for an array without redundancy.
    ``data_offset_sectors`` has null for a missing device, and if the plan doesn't know it (``Plan.unknown``).
    Several commands (nested plans) are joined by ``&&``. ``rebuild_hours`` is omitted without redundancy.
    """
    capacity, survival = assessment.capacity, assessment.survival
    loss = loss_of(assessment.plan, years=years, capacity=capacity)
    performance = performance_of(assessment.plan, host, question)
    return {
        "array_sectors": capacity.array_sectors,
        "component_size_kib": capacity.component_size_kib,
        "data_offset_sectors": _data_offsets(assessment.plan, capacity),
        "survival": {str(k): list(survival.counts(k)) for k in range(1, len(survival.units) + 1)},
        "loss": loss_as_json(loss),
        **({"rebuild_hours": loss.rebuild_hours} if loss.redundant else {}),
        "performance": performance_as_json(performance),
        "performance_assumes": list(performance.assumes),
        "rebuild": rebuild_as_json(performance),
        "forecloses": [_plain(possibility) for possibility in assessment.possibilities],
        "findings": [_plain(finding) for finding in assessment.findings],
        "command": " && ".join(command.shell() for command in assessment.commands),
    }


def _plain(value: object) -> object:
    """Return dataclasses, in tuples too, as dictionaries; unlike ``asdict`` without a deep copy of each sentence."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


def _data_offsets(plan: Plan, capacity: Capacity) -> list[int | None]:
    """Return the data offset of each device; None if the device is missing, or the offset unknown."""
    if "data_offset_kib" in as_array(plan.top).unknown:
        return [None] * len(capacity.data_offset_sectors)
    return list(capacity.data_offset_sectors)
