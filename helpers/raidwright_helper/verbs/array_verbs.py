"""The verbs on existing arrays: members, stopping, and dismantling (starting: ``start_verbs``).

Each names the array by its UUID and by its name, as a person typed or read it, and each disk by its fields in a plan;
the verb verifies that these match, after polkit has answered. The prompt shows the targets of the UUID and the disks'
by-id names.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError
from raidwright.core.json_fields import Fields
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member
from raidwright.core.protocol import actions, verbs
from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.results import Dismantled, MemberChange, Stopped
from raidwright.core.protocol.steps import JobStep
from raidwright.core.protocol.verb import Verb

from raidwright_helper.acts import (
    configuration,
    dismantle,
    joined_members,
    replace_joined,
    volumes,
)
from raidwright_helper.host import bad_blocks, lvm, members
from raidwright_helper.host.arrays import verify_starts_again
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.members import HeldMember
from raidwright_helper.host.seen import (
    label_of_disk,
    labels_of_disks,
)
from raidwright_helper.jobs.claims import SYSTEM_FILES, Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.jobs.trials import Trials
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.parity import verify_parity_is_known
from raidwright_helper.records.scratch import ScratchArrays

from . import arguments
from .method import AuthorisedCall, Method
from .tried import tries_own

_LIMIT_SECONDS = 300.0
_MAX_MEMBERS = 64

Verify = Callable[[Host, HeldMember], Awaitable[None]]
Act = Callable[[Host, HeldMember, list[str]], Awaitable[CameBack | None]]
SlicesAct = Callable[[Host, joined_members.HeldSlices, list[str]], Coroutine[Any, Any, CameBack | None]]
DoForCall = Callable[[AuthorisedCall], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class ArrayVerbs:
    """The verbs on existing arrays of ``host``."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    builds: Builds
    checks: Checks
    changes: Changes
    trials: Trials

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        # fmt: off
        return (
            self._of_member(verbs.FAIL_MEMBER, self._fail, actions.FAIL_MEMBER),
            self._of_member(verbs.REMOVE_MEMBER, self._remove, actions.REMOVE_MEMBER),
            self._of_member(verbs.RE_ADD_MEMBER, self._re_add, actions.RE_ADD_MEMBER),
            Method(verbs.STOP_ARRAY, self._stop, self._array_details),
            Method(verbs.DISMANTLE_ARRAY, self._dismantle, self._dismantle_details, dismantle_action),
        )
        # fmt: on

    def _of_member(self, verb: Verb[MemberChange], run: DoForCall, real: Action) -> Method:
        return Method(verb, run, self._member_details, member_action(real), is_let=self._may_change)

    def _may_change(self, sender: str, values: Sequence[Any]) -> bool:
        return values[3] is True and tries_own(self.trials, self.scratch, sender, values[0])

    def _array_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, by name and UUID; a joined volume if it is named so."""
        return {"array": lvm.label_meant(self.host, values[0], values[1])}

    def _member_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, and the disk by model, serial and size."""
        try:
            disk = label_of_disk(self.host, read_member(values[2]))
        except InputError:
            disk = "?"  # refused once polkit has answered
        return {**self._array_details(values), "disk": disk}

    def _dismantle_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, its disks by model, serial and size, and the released signatures."""
        try:
            disks = arguments.listed(_read_members(values[2]), partial(labels_of_disks, self.host))
            given_up = arguments.listed(arguments.read_signatures(values[3]), tuple)
        except InputError:
            disks = given_up = "?"  # refused once polkit has answered
        lines = "; its lines in fstab and mdadm.conf go, too" if values[4] else ""
        return {**self._array_details(values), "disks": disks, "lines": lines, "removed": given_up}

    async def _fail(self, call: AuthorisedCall) -> object:
        uuid, name, data, is_scratch = call.arguments

        async def verify(host: Host, held: HeldMember) -> None:
            await members.verify_may_fail(host, held)
            if not is_scratch:  # it holds nothing
                await self.checks.reconcile()
                verify_parity_is_known(host, held, self.builds.all(), self.checks.all(), self.checks.copies)

        if is_scratch or not volumes.volume_meant(self.host, uuid, name):
            return await self._change_member(verbs.FAIL_MEMBER, call, verify, members.fail)
        with contextlib.ExitStack() as until:
            held = await joined_members.hold_failing(self.host, self.claims, (uuid, name), read_member(data), until)
            for one in held.slices:
                await verify(self.host, one)
            return self._change_slices(verbs.FAIL_MEMBER, call, held, joined_members.fail, until)

    async def _remove(self, call: AuthorisedCall) -> object:
        uuid, name, data, is_scratch = call.arguments
        if is_scratch or not volumes.volume_meant(self.host, uuid, name):
            return await self._change_member(verbs.REMOVE_MEMBER, call, members.verify_may_leave, members.remove)
        disk, host = read_member(data), self.host
        with contextlib.ExitStack() as until:
            held = await replace_joined.hold_leaver(host, self.claims, (uuid, name), disk, until)
            record = Record(verbs.REMOVE_MEMBER.name, call.uid, [held.volume.label, person_name(disk)])

            async def work(job: Job) -> MemberChange:
                job.progress(JobStep.CHANGE, 0.0)
                await to_the_end(replace_joined.remove(host, held, record.commands))
                return MemberChange(replace_joined.missing(host, held.volume), None, record.log)

            return self._start(call, record, work, until)

    async def _re_add(self, call: AuthorisedCall) -> object:
        uuid, name, data, is_scratch = call.arguments
        if is_scratch or not volumes.volume_meant(self.host, uuid, name):
            return await self._change_member(verbs.RE_ADD_MEMBER, call, members.verify_may_return, bad_blocks.re_add)
        with contextlib.ExitStack() as until:
            held = await joined_members.hold_returning(self.host, self.claims, (uuid, name), read_member(data), until)
            return self._change_slices(verbs.RE_ADD_MEMBER, call, held, joined_members.re_add, until)

    def _change_slices(
        self,
        verb: Verb[MemberChange],
        call: AuthorisedCall,
        held: joined_members.HeldSlices,
        act: SlicesAct,
        until: contextlib.ExitStack,
    ) -> object:
        """Start ``act`` on all slices of a joined volume's disk."""
        host = self.host
        record = Record(verb.name, call.uid, [held.volume.label, person_name(held.member)])

        async def work(job: Job) -> MemberChange:
            job.progress(JobStep.CHANGE, 0.0)
            came_back = await to_the_end(act(host, held, record.commands))
            return MemberChange(replace_joined.missing(host, held.volume), came_back, record.log)

        return self._start(call, record, work, until)

    async def _change_member(self, verb: Verb[MemberChange], call: AuthorisedCall, verify: Verify, act: Act) -> object:
        uuid, name, data, is_scratch = call.arguments
        member = read_member(data)
        if is_scratch:
            self.scratch.verify_covers(uuid)
        with contextlib.ExitStack() as until:
            held = await members.hold_member(self.host, self.claims, uuid, name, member, until)
            await verify(self.host, held)
            disk = f"{self.host.kernel_name(held.device.number)}: {held.who}"
            record = Record(verb.name, call.uid, [held.array.label, disk])

            async def work(job: Job) -> MemberChange:
                job.progress(JobStep.CHANGE, 0.0)
                came_back = await act(self.host, held, record.commands)
                return MemberChange(members.missing(self.host, held.array.array.number), came_back, record.log)

            return self._start(call, record, work, until)

    async def _stop(self, call: AuthorisedCall) -> object:
        uuid, name = call.arguments
        self.scratch.verify_real(uuid)
        host, is_volume = self.host, volumes.volume_meant(self.host, uuid, name)
        with contextlib.ExitStack() as until:
            if is_volume:
                volume = await volumes.prepare_stop(host, self.claims, uuid, name, until)
                array, stop = volume.array, partial(volumes.stop, host, volume)
            else:
                found = await dismantle.prepare_stop(host, self.claims, uuid, name, until)
                array, stop = found.array, partial(dismantle.stop, host, found)
            if not members.has_failed(host, array.array.number):  # then a rescue starts it, and no stop can harm
                verify_starts_again(host, array)
            record = Record(verbs.STOP_ARRAY.name, call.uid, [array.label])

            async def work(job: Job) -> Stopped:
                job.progress(JobStep.STOP, 0.0)
                await to_the_end(stop(record.commands))
                return Stopped(record.log)

            return self._start(call, record, work, until)

    async def _dismantle(self, call: AuthorisedCall) -> object:
        uuid, name, disks, given_up, options = call.arguments
        confirmed, with_lines = _read_members(disks), _read_with_lines(options)
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            names, array_of = arguments.read_signatures(given_up), (uuid, name)
            if volumes.volume_meant(self.host, uuid, name):
                volume = await volumes.prepare_dismantle(
                    self.host, self.claims, array_of, confirmed, names, until, with_lines=with_lines
                )
                held, act = volume.held, partial(volumes.take_apart, self.host, self.builds, volume)
            else:
                held = await dismantle.prepare_dismantle(
                    self.host, self.claims, array_of, confirmed, names, until, with_lines=with_lines
                )
                act = partial(dismantle.dismantle, self.host, self.builds, held)
            if with_lines:
                until.enter_context(self.claims.hold({SYSTEM_FILES}))
            record = Record(verbs.DISMANTLE_ARRAY.name, call.uid, [held.top.array.label, *map(person_name, confirmed)])

            async def work(job: Job) -> Dismantled:
                build = await act(call.uid, job)
                if with_lines:
                    called = held.top.array.array.name
                    await configuration.take_out(self.changes, called, held.entries, held.sources, job)
                return Dismantled(build.id, record.log)

            return self._start(call, record, work, until)

    def _start(self, call: AuthorisedCall, record: Record, work: Work, until: contextlib.ExitStack) -> object:
        """Start the job with everything that ``until`` holds."""
        held = until.pop_all()
        return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)


def member_action(real: Action) -> Callable[[Sequence[Any]], Action]:
    """Return the chooser of a member verb's action; scratch arrays, which hold nothing, share one of their own."""

    def action(values: Sequence[Any]) -> Action:
        return actions.CHANGE_SCRATCH_MEMBER if values[3] is True else real

    return action


def dismantle_action(values: Sequence[Any]) -> Action:
    """Return the action: releasing an array's signatures has its own."""
    return actions.DISMANTLE_ARRAY_HOLDING if values[3] else actions.DISMANTLE_ARRAY


def _read_members(data: Sequence[object]) -> tuple[Member, ...]:
    if not 0 < len(data) <= _MAX_MEMBERS:
        raise InputError("Name the array's disks, {most} at most.", code="members", most=_MAX_MEMBERS)
    return tuple(map(read_member, data))


def _read_with_lines(data: Mapping[str, object]) -> bool:
    options = Fields(data, "The options")
    with_lines = options.take("with_lines", bool) or False
    options.finish()
    return with_lines
