"""Suites: several workloads on one array or disk, predefined or from the user's own job file, each stored as a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.errors import DiskRefused
from raidwright.core.messages import say
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.workload import AnyWorkload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.reading.fio_job import OwnJob
from raidwright.runs.run import Run, new_series
from raidwright.suites import Suite, warm_up_seconds

from .measuring import Measure, RunWorkload
from .operation import Operation

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_A_DISK = say("A disk itself is never written to.")


@dataclass(frozen=True, slots=True)
class SuiteRuns:
    """The runs in their order. ``only_read`` is the reason why nothing was written; "" if everything was measured."""

    runs: tuple[Run, ...]
    only_read: str = ""


@dataclass(frozen=True, slots=True)
class RunSuite(Operation[SuiteRuns]):
    """Measure each workload of ``suite``, or of the user's own jobs, ``repeats`` times on ``target``.

    Each takes ``seconds`` within the first ``region_mib``, unless a job sets its own. On a disk, and on an array with
    content, only reading workloads are measured. ``region_mib``, ``machine_title`` and ``is_practice`` are as in
    ``Measure``.
    """

    target: str
    suite: Suite | tuple[OwnJob, ...]
    seconds: int
    machine_title: str
    repeats: int = 1
    region_mib: int | None = None
    is_practice: bool = False
    keep: bool = True

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> SuiteRuns:
        """As ``Operation.perform``."""
        runs: list[Run] = []
        only_read: str = "" if self.target.startswith("md:") else _A_DISK
        everything = list(self._everything())
        for done, (workload, measure) in enumerate(everything):
            if only_read and workload.writes:
                continue
            on_update(JobProgress(str(JobStep.MEASURE), done / len(everything)))
            try:
                runs.append(await measure.perform(machine, samples_to(on_update)))
            except DiskRefused as refused:
                if not workload.writes:
                    raise
                only_read = refused.sentence
        return SuiteRuns(tuple(runs), only_read)

    def _everything(self) -> Iterator[tuple[AnyWorkload, Measure]]:
        parameters = {"seconds": self.seconds, "repeats": self.repeats}
        series = new_series("suite", self.suite if isinstance(self.suite, Suite) else "own", parameters)
        for workload, request in self._requests():
            measure = Measure(request, self.machine_title, self.is_practice, self.keep, series)
            for repeat in range(self.repeats):
                yield workload, replace(measure, repeat=repeat + 1)

    def _requests(self) -> Iterator[tuple[AnyWorkload, RunWorkload]]:
        jobs: Sequence[OwnJob] = () if isinstance(self.suite, Suite) else self.suite
        for job in jobs:
            seconds, region_mib = job.seconds or self.seconds, job.region_mib or self.region_mib
            warm_up = job.warm_up_seconds or warm_up_seconds(job.workload) or None
            yield job.workload, RunWorkload(self.target, str(job.workload), seconds, region_mib, warm_up)
        for workload in self.suite.workloads if isinstance(self.suite, Suite) else ():
            warm_up = warm_up_seconds(workload) or None
            yield workload, RunWorkload(self.target, str(workload), self.seconds, self.region_mib, warm_up)


def samples_to(on_update: OnUpdate) -> OnUpdate:
    """Return a filter that passes samples only: progress is reported for the whole suite instead."""

    def pass_on(update: JobProgress | Sample) -> None:
        if isinstance(update, Sample):
            on_update(update)

    return pass_on
