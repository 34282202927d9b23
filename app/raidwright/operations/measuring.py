"""Measuring an array or a disk with fio, and storing the run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError
from raidwright.core.protocol import verbs
from raidwright.core.protocol.measured import Sample, WorkloadResult
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.plan_meant import plan_meant
from raidwright.runs.region import region_mib
from raidwright.runs.run import Run, finished_run
from raidwright.runs.store import Runs

from .operation import Request
from .recorded import Recorded, with_load

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_MAX_COUNT = 2**32 - 1  # upper limit of the counts sent to the helper


@dataclass(frozen=True, slots=True)
class RunWorkload(Request[WorkloadResult]):
    """Measure ``workload`` on ``target`` (``md:UUID``, or a by-id name).

    ``region_mib``: only the target's beginning; None leaves that to the helper. The ``warm_up_seconds`` before are
    excluded from all figures; workloads through the page cache have none.
    """

    verb = verbs.RUN_WORKLOAD
    target: str
    workload: str
    seconds: int
    region_mib: int | None = None
    warm_up_seconds: int | None = None

    def arguments(self) -> tuple[object, ...]:
        """Return the helper's arguments; raises InputError for a count that isn't positive."""
        options = {"seconds": self.seconds, "region_mib": self.region_mib, "warm_up_seconds": self.warm_up_seconds}
        for name, count in options.items():
            if count is not None and not 0 < count <= _MAX_COUNT:
                raise InputError(
                    "“{name}” must be a positive whole number, not {count}.", code="wire", name=name, count=count
                )
        return (self.target, self.workload, options)


@dataclass(frozen=True, slots=True)
class Measure(Recorded[RunWorkload, Run]):
    """Perform ``request``, with its run ``Recorded``.

    A request without a region gets the machine's default (``runs.region``), which depends on whether it is a practice
    machine.
    """

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Run:
        """As ``Operation.perform``; InputError also if the run can't be stored."""
        samples: list[Sample] = []

        def pass_on(update: JobProgress | Sample) -> None:
            if isinstance(update, Sample):
                samples.append(update)
            on_update(update)

        seen, target, runs = machine.snapshot, self.request.target, Runs()
        plan = await asyncio.to_thread(plan_meant, seen, target)
        region = self.request.region_mib or region_mib(seen, target, is_practice=self.is_practice)
        begun = self.begun(seen, target, self.request.workload, region, plan=plan)
        request = replace(self.request, region_mib=begun.region_mib)
        load = await self.load()
        if not self.keep:
            return finished_run(begun, with_load(await request.perform(machine, pass_on), load), samples)
        await asyncio.to_thread(runs.begin, begun)
        try:
            result = with_load(await request.perform(machine, pass_on), load)
        except BaseException:  # cancelled as well as failed: nothing was measured
            await asyncio.to_thread(runs.remove, [begun.id])
            raise
        return await asyncio.to_thread(runs.finish, begun, result, samples)
