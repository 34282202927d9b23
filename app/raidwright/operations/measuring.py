"""Measuring an array or a disk with fio, and keeping the run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from raidwright.core.errors import InputError
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import Sample, WorkloadResult
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.region import region_mib
from raidwright.runs.store import Run, new_run_id, run_context, save_run

from .operation import Operation, Request

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine

_MOST = 2**32 - 1  # what travels


@dataclass(frozen=True, slots=True)
class RunWorkload(Request[WorkloadResult]):
    """Measure ``workload`` on ``target`` (``md:UUID``, or a by-id name).

    ``region_mib``: only the target's beginning; None leaves that to the helper. What happens in the
    ``warm_up_seconds`` before is kept out of all figures; what goes through the page cache has none.
    """

    verb = verbs.RUN_WORKLOAD
    target: str
    workload: str
    seconds: int
    region_mib: int | None = None
    warm_up_seconds: int | None = None

    def arguments(self) -> tuple[object, ...]:
        """Raises InputError for a count that is none."""
        options = {"seconds": self.seconds, "region_mib": self.region_mib, "warm_up_seconds": self.warm_up_seconds}
        for name, count in options.items():
            if count is not None and not 0 < count <= _MOST:
                raise InputError(
                    "“{name}” must be a positive whole number, not {count}.", code="wire", name=name, count=count
                )
        return (self.target, self.workload, options)


@dataclass(frozen=True, slots=True)
class Measure(Operation[Run]):
    """Do ``request``; the run, with the array and the disks as they were, is kept if ``keep``.

    ``machine_title`` is what the run says of where it was. Without a region of its own the request gets the one for
    the machine (``runs.region``), which may be a practice machine.
    """

    request: RunWorkload
    machine_title: str
    is_practice: bool = False
    keep: bool = True

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Run:
        """As ``Operation.perform`` says; InputError, too, when the run can't be kept."""
        samples: list[Sample] = []

        def pass_on(update: JobProgress | Sample) -> None:
            if isinstance(update, Sample):
                samples.append(update)
            on_update(update)

        target = self.request.target
        region = self.request.region_mib or region_mib(machine.snapshot, target, is_practice=self.is_practice)
        started = datetime.now(UTC)
        result = await replace(self.request, region_mib=region).perform(machine, pass_on)
        run = Run(
            id=new_run_id(started, self.request.workload),
            started=started,
            machine=self.machine_title,
            target=target,
            region_mib=region,
            result=result,
            samples=tuple(samples),
            context=run_context(machine.snapshot, target),
        )
        if self.keep:
            await asyncio.to_thread(save_run, run)
        return run
