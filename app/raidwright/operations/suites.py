"""A whole suite of workloads on one array or disk, each measurement kept as a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.errors import DiskRefused
from raidwright.core.messages import say
from raidwright.core.protocol.results import Sample
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.suites import Suite, warm_up_seconds
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.run import Run, new_series

from .measuring import Measure, RunWorkload
from .operation import Operation

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_A_DISK = say("A disk itself is never written to.")


@dataclass(frozen=True, slots=True)
class SuiteRuns:
    """The runs in their order. ``only_read`` says why nothing was written; "" where all was measured."""

    runs: tuple[Run, ...]
    only_read: str = ""


@dataclass(frozen=True, slots=True)
class RunSuite(Operation[SuiteRuns]):
    """Measure each workload of ``suite`` ``repeats`` times on ``target``, for so many ``seconds`` each.

    On a disk, and on an array that holds something, only what reads is measured. ``region_mib``, ``machine_title`` and
    ``is_practice`` are as in ``Measure``.
    """

    target: str
    suite: Suite
    seconds: int
    machine_title: str
    repeats: int = 1
    region_mib: int | None = None
    is_practice: bool = False
    keep: bool = True

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> SuiteRuns:
        """As ``Operation.perform`` says."""
        runs: list[Run] = []
        only_read: str = "" if self.target.startswith("md:") else _A_DISK
        everything = list(self._everything())
        series = new_series("suite", str(self.suite), {"seconds": self.seconds, "repeats": self.repeats})
        for done, (workload, repeat) in enumerate(everything):
            if only_read and workload.writes:
                continue
            on_update(JobProgress(str(JobStep.MEASURE), done / len(everything)))
            try:
                measure = replace(self._measure(workload), series=series, repeat=repeat)
                runs.append(await measure.perform(machine, samples_to(on_update)))
            except DiskRefused as refused:
                if not workload.writes:
                    raise
                only_read = refused.sentence
        return SuiteRuns(tuple(runs), only_read)

    def _everything(self) -> Iterator[tuple[Workload, int]]:
        return ((workload, repeat + 1) for workload in self.suite.workloads for repeat in range(self.repeats))

    def _measure(self, workload: Workload) -> Measure:
        warm_up = warm_up_seconds(workload) or None
        request = RunWorkload(self.target, workload, self.seconds, self.region_mib, warm_up)
        return Measure(request, self.machine_title, self.is_practice, self.keep)


def samples_to(on_update: OnUpdate) -> OnUpdate:
    """Only a measurement's samples: how far it is, is told of the whole."""

    def pass_on(update: JobProgress | Sample) -> None:
        if isinstance(update, Sample):
            on_update(update)

    return pass_on
