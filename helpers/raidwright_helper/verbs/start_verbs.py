"""The verbs by which an array starts or goes on: start, go on with what waits, take over."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.model.plan import Member
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import Continued, Started, TakenOver
from raidwright.core.protocol.steps import JobStep

from raidwright_helper.acts import forget_bad_blocks, go_on, start, take_over, volumes
from raidwright_helper.host import lvm, members
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import array_label, label_of_disk, label_of_stopped
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.scratch import ScratchArrays

from . import arguments
from .method import AuthorisedCall, Method

_LIMIT_SECONDS = 300.0
_MISSING = ", without members that are missing, which may hold what is newer"


@dataclass(frozen=True, slots=True)
class StartVerbs:
    """The verbs that start arrays of ``host``, or let them go on."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(verbs.START_ARRAY, self._start, self._start_details),
            Method(verbs.CONTINUE_ARRAY, self._continue, self._continue_details),
            Method(verbs.TAKE_OVER_ARRAY, self._take_over, self._take_over_details),
        )

    async def _start(self, call: AuthorisedCall) -> object:
        uuid, name, options = call.arguments
        read_only, missing, half, forget = _read_start(options)
        self.scratch.verify_real(uuid)
        if not read_only and forget is None and volumes.waits_for_activation(self.host, uuid, name):
            return await self._activate(call, uuid, name)
        with contextlib.ExitStack() as until:
            held = await start.prepare(
                self.host, self.claims, (uuid, name), until, read_only=read_only, missing=missing, of_disk=half
            )
            lists = () if forget is None else forget_bad_blocks.lists_of(self.host, held)
            forget_bad_blocks.verify_named(self.host, held, lists, forget or 0)
            disks = [self.host.kernel_name(device.number) for device in held.devices]
            record = Record(verbs.START_ARRAY.name, call.uid, [held.label, *disks])
            log = record.commands

            async def work(job: Job) -> Started:
                job.progress(JobStep.START, 0.0)
                forgetting = partial(forget_bad_blocks.start_forgetting, self.host, held, lists)
                array = await to_the_end((forgetting if lists else partial(start.start, self.host, held))(log))
                if not read_only and not await to_the_end(volumes.activate_over(self.host, array, record.commands)):
                    await to_the_end(start.activate_volumes(self.host, array, record.commands))
                missing = members.missing(self.host, array.number)
                return Started(array.uuid, array.node, missing, read_only, record.log)

            return self._job(call, record, work, until)

    async def _activate(self, call: AuthorisedCall, uuid: str, name: str) -> object:
        """Activate a joined volume whose arrays run."""
        host = self.host
        with contextlib.ExitStack() as until:
            held = await volumes.prepare_activation(host, self.claims, uuid, name, until)
            record = Record(verbs.START_ARRAY.name, call.uid, [held.label])

            async def work(job: Job) -> Started:
                job.progress(JobStep.START, 0.0)
                volume = await to_the_end(volumes.activate(host, held, record.commands))
                missing = max(members.missing(host, band) for band in host.slaves(volume))
                return Started(uuid, host.node(volume), missing, read_only=False, log=record.log)

            return self._job(call, record, work, until)

    def _start_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the stopped array, by its members' records, and how it would run."""
        try:
            read_only, missing, half, forget = _read_start(values[2])
            if forget is None and volumes.waits_for_activation(self.host, values[0], values[1]):
                return {"array": array_label(values[1], values[0]), "how": ""}
        except InputError:
            return {"array": label_of_stopped(self.host, values[0]), "how": ""}  # refused once polkit has answered
        how = (", only to be read" if read_only else "") + (_MISSING if missing else "")
        if half:
            disk = label_of_disk(self.host, Member(half, 0))
            how += f", of the half with {disk} alone; the other half comes back to it only as new"
        if forget is not None:
            how += f", and count {forget} sectors as good that md's lists call bad"
        return {"array": label_of_stopped(self.host, values[0]), "how": how}

    async def _continue(self, call: AuthorisedCall) -> object:
        uuid, name, options = call.arguments
        missing = _read_continue(options)
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            array = await go_on.prepare(self.host, self.claims, (uuid, name), until, missing=missing)
            record = Record(verbs.CONTINUE_ARRAY.name, call.uid, [array.label])

            async def work(job: Job) -> Continued:
                job.progress(JobStep.START, 0.0)
                found = await to_the_end(go_on.go_on(self.host, array, record.commands))
                return Continued(found.uuid, found.node, members.missing(self.host, found.number), record.log)

            return self._job(call, record, work, until)

    def _continue_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, and that md goes on with what waits."""
        try:
            missing = _read_continue(values[2])
        except InputError:
            missing = False  # refused once polkit has answered
        how = "; md goes on with what waits there, and writes to its disks"
        array = lvm.label_meant(self.host, values[0], values[1])
        return {"array": array, "how": how + (", without members that are missing" if missing else "")}

    async def _take_over(self, call: AuthorisedCall) -> object:
        uuid, name, new_name = call.arguments
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            held = await take_over.prepare(self.host, self.claims, (uuid, name), new_name, until)
            disks = [self.host.kernel_name(device.number) for device in held.devices]
            record = Record(verbs.TAKE_OVER_ARRAY.name, call.uid, [held.label, *disks])

            async def work(job: Job) -> TakenOver:
                job.progress(JobStep.START, 0.0)
                array = await to_the_end(take_over.take_over(self.host, held, record.commands))
                await to_the_end(start.activate_volumes(self.host, array, record.commands))
                homehost = array.full_name.rpartition(":")[0]
                return TakenOver(array.uuid, array.node, array.name, homehost, record.log)

            return self._job(call, record, work, until)

    def _take_over_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the stopped array, by its members' records, and its new name."""
        try:
            take_over.verify_new_name(values[2])
        except InputError:
            return {"array": label_of_stopped(self.host, values[0]), "how": "?"}  # refused once polkit has answered
        return {"array": label_of_stopped(self.host, values[0]), "how": f"as “{values[2]}”"}

    def _job(self, call: AuthorisedCall, record: Record, work: Work, until: contextlib.ExitStack) -> object:
        """Start the job with everything that ``until`` holds."""
        held = until.pop_all()
        return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)


def _read_continue(data: Mapping[str, object]) -> bool:
    options = Fields(data, "The options")
    missing = options.take("missing", bool) or False
    options.finish()
    return missing


def _read_start(data: Mapping[str, object]) -> tuple[bool, bool, str, int | None]:
    """Return ``read_only``, ``missing``, ``half`` ("") and ``forget_bad_blocks``, as of ``StartArray``."""
    options = Fields(data, "The options")
    read_only, missing = options.take("read_only", bool) or False, options.take("missing", bool) or False
    half, forget = options.take("half", str) or "", options.take("forget_bad_blocks", int)
    options.finish()
    if half:
        [half] = arguments.read_disk_ids([half])
    if read_only and forget is not None:
        raise InputError("An array that is only to be read can't forget its bad blocks.", code="usage")
    return read_only, missing, half, forget
