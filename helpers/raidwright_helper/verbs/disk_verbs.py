"""The table of verbs on disks and builds, and their implementations."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError
from raidwright.core.layers.commands import create_commands
from raidwright.core.protocol import codec, looking, verbs
from raidwright.core.protocol.facts import UNKNOWN, BuildRecord, ScratchRecord, SignatureNames
from raidwright.core.protocol.results import BuildResult, ScratchStopped, UndoResult
from raidwright.core.protocol.steps import JobStep
from raidwright.core.protocol.verb import CANCEL
from raidwright.core.system.baseline import AT_ONCE

from raidwright_helper.acts import baseline, create, locate, measure, measure_files, restored, undo
from raidwright_helper.acts.build import build_array
from raidwright_helper.acts.create import BuildOrder
from raidwright_helper.acts.create_joined import verify_sectors
from raidwright_helper.acts.untouched import closed_by
from raidwright_helper.host import md
from raidwright_helper.host.examine import DiskClaims, examine_disks, examine_signatures
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.holding import describe, hold_disks
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import settle
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.smart import examine_health
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.jobs.trials import Trials
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.scratch import Scratch, ScratchArrays

from . import arguments
from .arguments import CreateRequest, TrialRequest
from .method import AuthorisedCall, Method
from .tried import tries_own

_BUILD_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Verbs:
    """The verbs on disks and builds of ``host``."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    builds: Builds
    power: PowerStates
    trials: Trials
    disk_claims: DiskClaims = field(default_factory=DiskClaims)

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(looking.EXAMINE_DISKS, self._examine),
            Method(looking.EXAMINE_SIGNATURES, self._signatures),
            Method(looking.EXAMINE_HEALTH, self._health),
            Method(
                verbs.CREATE_ARRAY,
                self._create,
                partial(arguments.create_details, self.host),
                arguments.create_action,
                arguments.read_create,
                self._may_try,
            ),
            Method(verbs.LIST_BUILDS, self._list_builds),
            Method(verbs.UNDO, self._undo, self._undo_details),
            Method(verbs.FORGET_BUILD, self._forget, self._undo_details),
            Method(
                verbs.BEGIN_TRIAL,
                self._begin_trial,
                partial(arguments.trial_details, self.host),
                read=arguments.read_trial,
            ),
            Method(verbs.LIST_SCRATCH, self._list_scratch),
            Method(
                verbs.STOP_SCRATCH,
                self._stop_scratch,
                partial(arguments.scratch_details, self.host),
                is_let=lambda sender, values: tries_own(self.trials, self.scratch, sender, values[0]),
            ),
            *self._running_fio(),
            Method(CANCEL, self._cancel),
        )

    def _running_fio(self) -> tuple[Method, ...]:
        return (
            Method(
                verbs.RUN_WORKLOAD,
                self._measure,
                partial(arguments.target_details, self.host),
                arguments.workload_action,
                is_let=self._may_measure,
            ),
            Method(
                verbs.MEASURE_FILE_SYSTEM,
                self._measure_files,
                partial(arguments.target_details, self.host),
                is_let=self._may_measure_files,
            ),
            Method(
                verbs.TAKE_BASELINE,
                self._baseline,
                partial(arguments.baseline_details, self.host),
                arguments.baseline_action,
                arguments.read_baseline,
            ),
            Method(
                verbs.MEASURE_AT_ONCE,
                self._at_once,
                partial(arguments.at_once_details, self.host),
                read=arguments.read_at_once,
            ),
            Method(
                verbs.LOCATE_DISK,
                self._locate,
                partial(arguments.locate_details, self.host),
                read=arguments.read_locate,
            ),
        )

    async def _examine(self, _call: AuthorisedCall) -> object:
        return await examine_disks(self.host, self.claims, self.disk_claims)

    async def _signatures(self, call: AuthorisedCall) -> object:
        ids = arguments.read_disk_ids(call.arguments[0])
        return await examine_signatures(self.host, self.power, ids, wake=call.arguments[1])

    async def _health(self, call: AuthorisedCall) -> object:
        ids = arguments.read_disk_ids(call.arguments[0])
        return await examine_health(self.host, self.power, ids, wake=call.arguments[1])

    async def _create(self, call: AuthorisedCall) -> object:
        request: CreateRequest = call.request
        version = await create.verify_plan(self.host, request.plan)
        if request.is_scratch:
            create.refuse_nameless(request.plan.array)
        with contextlib.ExitStack() as held:
            wipe = self._scratch_wipe(call.sender, request) if request.is_scratch else request.wipe
            disks = await hold_disks(self.host, self.claims, request.disks, wipe, held)
            if not request.is_scratch:
                create.verify_apart(self.host, request.plan, disks)
            if request.plan.volume:
                verify_sectors(self.host, disks)
            record = Record(verbs.CREATE_ARRAY.name, call.uid, describe(disks))
            order = BuildOrder(request.plan, disks, version, call.uid, request.homehost)

            async def scratch(job: Job) -> BuildResult:
                uuids = [md.new_uuid() for _ in create_commands(request.plan.top)]
                self.scratch.note(uuids, call.sender, disks, is_halved=bool(request.halved))
                forget = partial(self.scratch.forget, uuids[-1])
                making = create.make_halved if request.halved else create.make_scratch
                return _built(await making(self.host, request.plan, disks, job, uuids, forget), record)

            async def real(job: Job) -> BuildResult:
                array, build = await build_array(self.host, self.builds, order, job)
                return _built(array, record, build.id)

            work = scratch if request.is_scratch else real
            mortal = request.is_scratch
            return self._start(call, record, work, _BUILD_SECONDS, held.pop_all(), ends_with_owner=mortal)

    async def _list_builds(self, call: AuthorisedCall) -> object:
        mine = [build for build in self.builds.all() if call.uid in (0, build.uid)]
        return [self._told(build) for build in mine]

    def _told(self, build: Build) -> BuildRecord:
        summary = build.summary(self.builds.state_of(build))
        return codec.read(BuildRecord, {**summary, "closed_by": closed_by(self.host, build)})

    async def _undo(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            found = await undo.prepare(self.host, self.claims, self.builds, call.arguments[0], held)
            record = Record(verbs.UNDO.name, call.uid, found.build.disk_names)

            async def work(job: Job) -> UndoResult:
                job.progress(JobStep.UNDO, 0.1)
                await to_the_end(undo.undo(self.host, self.builds, found, record.commands))  # no partial undo
                kept.close()  # udev starts the arrays once the disks aren't locked any more
                is_active = await to_the_end(restored.start_restored(self.host, found.build, record.commands))
                return UndoResult(
                    found.build.id, synchronised=found.build.synchronises, log=record.log, volume_active=is_active
                )

            kept = held.pop_all()
            return self._start(call, record, work, _BUILD_SECONDS, kept, ends_with_owner=False)

    async def _forget(self, call: AuthorisedCall) -> None:
        build = self.builds.find(call.arguments[0])
        self.builds.forget(build.id)
        Record(verbs.FORGET_BUILD.name, call.uid, build.disk_names).write("done")

    def _undo_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        try:
            build = self.builds.find(values[0])
        except InputError:
            return {"name": "?", "disks": "?"}  # refused once polkit has answered
        return {"name": build.name, "disks": ", ".join(build.disk_names)}

    async def _stop_scratch(self, call: AuthorisedCall) -> object:
        scratch = self.scratch.find(call.arguments[0])
        record = Record(verbs.STOP_SCRATCH.name, call.uid, [person_name(member) for member in scratch.members])
        held = contextlib.ExitStack()
        # Nobody was asked: other content on the array stays.
        by_itself = tries_own(self.trials, self.scratch, call.sender, scratch.uuid)

        async def work(job: Job) -> ScratchStopped:
            job.progress(JobStep.STOP, 0.0)
            await self.scratch.remove(scratch, record, held, by_itself=by_itself)
            held.close()  # udev reads the disks once unlocked, and only then do others learn that they are empty
            await settle()
            return ScratchStopped(scratch.uuid)

        return self._start(call, record, work, _BUILD_SECONDS, held, ends_with_owner=False)

    def _may_try(self, sender: str, request: CreateRequest) -> bool:
        is_let_go = request.wipe.keys() <= self.trials.unknown_of(sender)
        return request.is_scratch and is_let_go and self.trials.covers(sender, request.disks)

    def _scratch_wipe(self, sender: str, request: CreateRequest) -> SignatureNames:
        """Return the signatures that a scratch array may overwrite: confirmed with it, or before with the trial."""
        meant = {disk.id for disk in request.disks}
        return {**dict.fromkeys(self.trials.unknown_of(sender) & meant, (UNKNOWN,)), **request.wipe}

    def _may_measure(self, sender: str, values: Sequence[Any]) -> bool:
        uuid = values[0].removeprefix("md:")
        if uuid == values[0]:
            return False
        return self.trials.sweeps(sender, uuid) or tries_own(self.trials, self.scratch, sender, uuid)

    def _may_measure_files(self, sender: str, values: Sequence[Any]) -> bool:
        uuid = values[0].removeprefix("md:")
        return uuid != values[0] and tries_own(self.trials, self.scratch, sender, uuid)

    async def _begin_trial(self, call: AuthorisedCall) -> None:
        request: TrialRequest = call.request
        with contextlib.ExitStack() as held:  # held as by a build, and released at once
            wipe = dict.fromkeys(request.unknown, (UNKNOWN,))
            disks = await hold_disks(self.host, self.claims, request.disks, wipe, held)
            record = Record(verbs.BEGIN_TRIAL.name, call.uid, describe(disks))
        self.trials.begin(call.sender, request.disks, request.minutes, request.unknown)
        record.write("done")

    async def _list_scratch(self, _call: AuthorisedCall) -> object:
        return [self._scratch_told(one) for one in self.scratch.all()]

    def _scratch_told(self, scratch: Scratch) -> ScratchRecord:
        names = tuple(person_name(member) for member in scratch.members)
        return ScratchRecord(scratch.uuid, names, self.scratch.why_left(scratch))

    async def _measure(self, call: AuthorisedCall) -> object:
        request = arguments.read_workload(call.arguments)
        with contextlib.ExitStack() as held:
            run = await measure.prepare(self.host, self.claims, request, held)
            record = Record(verbs.RUN_WORKLOAD.name, call.uid, [f"{Path(run.device.node).name}: {request.target}"])

            work = partial(measure.measure, self.host, run)
            return self._start(call, record, work, run.limit_s, held.pop_all(), ends_with_owner=True)

    async def _measure_files(self, call: AuthorisedCall) -> object:
        request = arguments.read_files(call.arguments)
        with contextlib.ExitStack() as held:
            what = await measure_files.prepare(self.host, self.claims, request, held)
            name = f"{Path(what.device.node).name}: {request.target}"
            record = Record(verbs.MEASURE_FILE_SYSTEM.name, call.uid, [name])

            work = partial(measure_files.measure, self.host, what, request)
            return self._start(call, record, work, measure_files.LIMIT_SECONDS, held.pop_all(), ends_with_owner=True)

    async def _baseline(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            disk = await baseline.prepare(self.host, self.claims, self.power, call.request, held)
            record = Record(verbs.TAKE_BASELINE.name, call.uid, [disk.label])

            work = partial(baseline.measure, self.host, disk)
            return self._start(call, record, work, disk.limit_s, held.pop_all(), ends_with_owner=True)

    async def _at_once(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            disks = [await baseline.prepare(self.host, self.claims, self.power, one, held) for one in call.request]
            record = Record(verbs.MEASURE_AT_ONCE.name, call.uid, [disk.label for disk in disks])

            work = partial(baseline.measure_at_once, self.host, disks)
            limit_s = len(AT_ONCE) * max(disk.limit_of_one_s for disk in disks)
            return self._start(call, record, work, limit_s, held.pop_all(), ends_with_owner=True)

    async def _locate(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            disk = await locate.prepare(self.host, self.claims, self.power, call.request, held)
            record = Record(verbs.LOCATE_DISK.name, call.uid, [disk.label])

            work = partial(locate.locate, disk)
            return self._start(call, record, work, disk.limit_s, held.pop_all(), ends_with_owner=True)

    async def _cancel(self, call: AuthorisedCall) -> None:
        self.jobs.cancel(call.arguments[0], call.sender)

    def _start(
        self,
        call: AuthorisedCall,
        record: Record,
        work: Work,
        limit_s: float,
        held: contextlib.ExitStack,
        *,
        ends_with_owner: bool,
    ) -> str:
        return self.jobs.start(call.sender, record, work, limit_s=limit_s, until=held, ends_with_owner=ends_with_owner)


def _built(array: md.RunningArray, record: Record, build_id: str = "") -> BuildResult:
    return BuildResult(
        device=array.node,
        uuid=array.uuid,
        array_sectors=array.array_sectors,
        component_size_kib=array.component_size_kib,
        command=record.commands[-1],
        log=record.log,
        build_id=build_id,
    )
