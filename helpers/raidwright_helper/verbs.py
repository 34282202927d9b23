"""The table of verbs, and what each does once it is permitted."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import arguments, create, measure
from .claims import Claims
from .dispatcher import Call, Verb
from .examine import examine_disks
from .guards import person_name
from .host import Host
from .jobs import Job, Jobs, Work
from .journal import Record
from .scratch import ScratchArrays
from .wire import ACTIONS

_BUILD_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Verbs:
    """What the helper can do on ``host``."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays

    def table(self) -> Mapping[str, Verb]:
        """Every method of the service: what it takes and gives, what polkit is asked, and what runs."""
        # fmt: off
        return {
            "ExamineDisks": Verb("", "aa{sv}", f"{ACTIONS}.examine", self._examine),
            "CreateArray": Verb("a{sv}a{sv}", "o", arguments.create_action, self._create, arguments.create_details),
            "StopScratch": Verb("s", "o", f"{ACTIONS}.stop-scratch", self._stop_scratch, arguments.target_details),
            "RunWorkload": Verb("ssa{sv}", "o", arguments.workload_action, self._measure, arguments.target_details),
            "Cancel": Verb("o", "", None, self._cancel),
        }
        # fmt: on

    async def _examine(self, _call: Call) -> Sequence[object]:
        return [examine_disks(self.host)]

    async def _create(self, call: Call) -> Sequence[object]:
        plan, is_scratch = arguments.read_create(call.arguments)
        await create.verify_plan(self.host, plan)
        with contextlib.ExitStack() as held:
            disks = await create.hold_disks(self.host, self.claims, plan, held)
            record = Record("CreateArray", call.uid, create.describe(disks))

            async def work(job: Job) -> Mapping[str, object]:
                array = await create.create_array(self.host, plan, disks, job)
                if is_scratch:
                    self.scratch.note(array.uuid, call.sender, disks)
                return {
                    "device": array.node,
                    "uuid": array.uuid,
                    "array_sectors": array.array_sectors,
                    "component_size_kib": array.component_size_kib,
                    "command": record.commands[-1],
                    "log": [*record.disks, *record.commands],
                }

            return [self._start(call, record, work, _BUILD_SECONDS, held.pop_all(), ends_with_owner=is_scratch)]

    async def _stop_scratch(self, call: Call) -> Sequence[object]:
        scratch = self.scratch.find(call.arguments[0])
        record = Record("StopScratch", call.uid, [person_name(member) for member in scratch.members])
        held = contextlib.ExitStack()

        async def work(job: Job) -> Mapping[str, object]:
            job.progress("stage-stop", 0.0)
            await self.scratch.remove(scratch, record, held)
            return {"uuid": scratch.uuid}

        return [self._start(call, record, work, _BUILD_SECONDS, held, ends_with_owner=False)]

    async def _measure(self, call: Call) -> Sequence[object]:
        request = arguments.read_workload(call.arguments)
        with contextlib.ExitStack() as held:
            run = await measure.prepare(self.host, self.claims, request, held)
            record = Record("RunWorkload", call.uid, [f"{Path(run.device.node).name}: {request[0]}"])

            async def work(job: Job) -> Mapping[str, object]:
                return await measure.measure(run, job)

            return [self._start(call, record, work, run.limit_s, held.pop_all(), ends_with_owner=True)]

    async def _cancel(self, call: Call) -> Sequence[object]:
        self.jobs.cancel(call.arguments[0], call.sender)
        return []

    def _start(
        self,
        call: Call,
        record: Record,
        work: Work,
        limit_s: float,
        held: contextlib.ExitStack,
        *,
        ends_with_owner: bool,
    ) -> str:
        return self.jobs.start(call.sender, record, work, limit_s=limit_s, until=held, ends_with_owner=ends_with_owner)
