"""Scaling: one workload at rising queue depths, or by more and more jobs at once, on an array or a disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from raidwright.analysis.plateau import is_irregular, plateau
from raidwright.core.errors import InputError
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.own_workload import OwnWorkload
from raidwright.core.system.workload import Pattern, Workload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.run import Run, new_series
from raidwright.suites import warm_up_seconds

from .measuring import Measure, RunWorkload
from .operation import Operation
from .pace import Pace
from .suites import samples_to

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_START_S = 1.5  # fio's start and end
SCALED: Mapping[str, tuple[int, ...]] = {"depth": (1, 2, 4, 8, 16, 32, 64), "jobs": (1, 2, 4, 8, 16)}


def scaled_workloads(workload: Workload, scaled: str, values: Sequence[int]) -> tuple[OwnWorkload, ...]:
    """Return ``workload`` at each of ``values`` of what is ``scaled``; raises InputError for values out of range.

    Jobs have one request in flight each.
    """
    if scaled not in SCALED:
        raise InputError("“{name}” can't be scaled; {known} can be.", code="scaling", name=scaled, known=[*SCALED])
    if workload.pattern.buffered:
        raise InputError(
            "“{name}” goes through the page cache; take one that doesn't.", code="scaling", name=str(workload)
        )

    def at(value: int) -> Pattern:
        if scaled == "jobs":
            return replace(workload.pattern, depth=1, jobs=value)
        return replace(workload.pattern, depth=value, jobs=1)

    return tuple(OwnWorkload(at(value)) for value in dict.fromkeys(sorted(values)))


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """The runs at one value, one per repeat; () while it isn't measured."""

    value: int
    workload: str
    runs: tuple[Run, ...] = ()

    @property
    def is_measured(self) -> bool:
        """True once there is a run."""
        return bool(self.runs)

    @property
    def mb_s(self) -> float:
        """Mean of the repeats."""
        return fmean(run.result.mb_s for run in self.runs)

    @property
    def iops(self) -> float:
        """Mean of the repeats."""
        return fmean(run.result.iops for run in self.runs)

    @property
    def latency_ms(self) -> float | None:
        """Mean of the repeats; None if the runs don't tell it."""
        told = [run.result.latency_ms for run in self.runs if run.result.latency_ms is not None]
        return fmean(told) if told else None

    @property
    def spread(self) -> float:
        """Range of the repeats, as a share of their mean."""
        rates = [run.result.mb_s for run in self.runs]
        return (max(rates) - min(rates)) / self.mb_s if self.mb_s else 0.0


@dataclass(frozen=True, slots=True)
class Scaled:
    """The points by rising value of what was ``scaled``."""

    scaled: str
    points: tuple[LoadPoint, ...]

    @property
    def plateau(self) -> int | None:
        """The value from which on more brings no more than 5%; None if the last one still gains."""
        return plateau(self._measured)

    @property
    def is_irregular(self) -> bool:
        """True if a value did well below an earlier one, or gained after others that didn't."""
        return is_irregular(self._measured)

    @property
    def _measured(self) -> list[tuple[int, float]]:
        return [(one.value, one.mb_s) for one in self.points if one.is_measured]


@dataclass(frozen=True, slots=True)
class ScalingProgress(JobProgress):
    """Progress of a scaling, the value being measured, and the points so far."""

    value: int
    points: tuple[LoadPoint, ...]
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class Scaling(Operation[Scaled]):
    """Measure ``workload`` on ``target`` at each of ``values`` of what is ``scaled`` (``SCALED``), ``repeats`` times.

    The values alternate over the repeats. ``region_mib``, ``machine_title`` and ``is_practice`` are as in ``Measure``.
    """

    target: str
    workload: Workload
    scaled: str
    values: tuple[int, ...]
    seconds: int
    machine_title: str
    repeats: int = 1
    region_mib: int | None = None
    is_practice: bool = False
    keep: bool = True

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Scaled:
        """As ``Operation.perform``; DiskRefused for writing to what holds something."""
        workloads = scaled_workloads(self.workload, self.scaled, self.values)
        values = sorted(set(self.values))
        series = new_series("scaling", self.scaled, {"values": values, "repeats": self.repeats})
        points = [LoadPoint(value, str(one)) for value, one in zip(values, workloads, strict=True)]
        count = len(points) * self.repeats
        pace = Pace(count * (self.seconds + warm_up_seconds(self.workload) + _START_S))
        for done in range(count):
            place, repeat = done % len(points), done // len(points) + 1
            point = points[place]
            share = done / count
            on_update(ScalingProgress(str(JobStep.MEASURE), share, point.value, tuple(points), pace.left_s(share)))
            warm_up = warm_up_seconds(self.workload)
            request = RunWorkload(self.target, point.workload, self.seconds, self.region_mib, warm_up)
            measure = Measure(request, self.machine_title, self.is_practice, self.keep, series, repeat=repeat)
            run = await measure.perform(machine, samples_to(on_update))
            points[place] = replace(point, runs=(*point.runs, run))
        return Scaled(self.scaled, tuple(points))
