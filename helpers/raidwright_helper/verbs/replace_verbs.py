"""The verbs that give an array a disk in place of another, and those that list its missing members.

As all verbs on arrays (``array_verbs``) each names the array by UUID and name, and disks by their fields in a plan. The
prompt shows the kernel's and udev's names of them (``seen``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_field
from functools import partial
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member
from raidwright.core.protocol import actions, looking, verbs
from raidwright.core.protocol.actions import Action
from raidwright.core.protocol.results import MemberChange, MemberJoined
from raidwright.core.protocol.signature_names import for_prompt
from raidwright.core.protocol.steps import JobStep
from raidwright.core.protocol.verb import Verb

from raidwright_helper.acts import replace, replace_joined, volumes
from raidwright_helper.host import lvm, members
from raidwright_helper.host.array_facts import examine_arrays, examine_memberships
from raidwright_helper.host.arrays import find_array, verify_shape_stays
from raidwright_helper.host.device_load import examine_load
from raidwright_helper.host.examine import examine_superblocks
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.host_facts import examine_host
from raidwright_helper.host.lvm_table import with_pieces
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.seen import label_of_disk
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.parity import parity_state
from raidwright_helper.records.scratch import ScratchArrays

from . import arguments
from .method import AuthorisedCall, Method

_LIMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class ReplaceVerbs:
    """The verbs on arrays of ``host`` that lack a member, or must lose one."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    power: PowerStates
    builds: Builds
    checks: Checks

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(looking.EXAMINE_ARRAYS, self._examine),
            Method(looking.EXAMINE_HOST, self._host_facts),
            Method(looking.EXAMINE_LOAD, self._load),
            Method(looking.EXAMINE_MEMBERSHIPS, self._memberships),
            Method(looking.EXAMINE_SUPERBLOCKS, self._superblocks),
            Method(verbs.ADD_MEMBER, self._add, self._add_details, add_action),
            Method(verbs.REPLACE_MEMBER, self._replace, self._replace_details, replace_action),
            Method(verbs.REMOVE_VANISHED, self._remove_vanished, self._array_details),
        )

    async def _examine(self, _call: AuthorisedCall) -> object:
        await self.checks.reconcile()
        builds, checks = self.builds.all(), self.checks.all()
        found = await with_pieces(self.host, examine_arrays(self.host))
        arrays = ((self.host.number_of(facts.device), facts) for facts in found)
        return [
            replace_field(
                facts,
                parity=parity_state(self.host, number, builds, checks, self.checks.copies) if number else None,
                claimed=number is not None and self.claims.has_any(self.host.leaves(number)),
            )
            for number, facts in arrays
        ]

    async def _host_facts(self, _call: AuthorisedCall) -> object:
        return await examine_host(self.host)

    async def _load(self, _call: AuthorisedCall) -> object:
        return examine_load(self.host)

    async def _memberships(self, call: AuthorisedCall) -> object:
        ids = arguments.read_disk_ids(call.arguments[0])
        return await examine_memberships(self.host, self.power, ids, wake=call.arguments[1])

    async def _superblocks(self, call: AuthorisedCall) -> object:
        ids = arguments.read_disk_ids(call.arguments[0])
        return await examine_superblocks(self.host, self.power, ids, wake=call.arguments[1])

    async def _add(self, call: AuthorisedCall) -> object:
        uuid, name, new, confirmed = call.arguments
        return await self._join(verbs.ADD_MEMBER, call, (uuid, name), read_member(new), None, confirmed)

    async def _replace(self, call: AuthorisedCall) -> object:
        uuid, name, old, new, confirmed = call.arguments
        return await self._join(verbs.REPLACE_MEMBER, call, (uuid, name), read_member(new), read_member(old), confirmed)

    async def _join(
        self,
        verb: Verb[MemberJoined],
        call: AuthorisedCall,
        array_of: tuple[str, str],
        new: Member,
        old: Member | None,
        confirmed: list[str],
    ) -> object:
        names = arguments.read_signatures(confirmed)
        self.scratch.verify_real(array_of[0])
        if volumes.volume_meant(self.host, *array_of):
            return await self._join_volume(verb, call, array_of, new, old, names)
        with contextlib.ExitStack() as until:
            held = await replace.hold_newcomer(self.host, self.claims, array_of, new, names, until, old=old)
            disks = [f"{self.host.kernel_name(held.device.number)}: {held.who}"]
            if held.old:
                disks.append(f"{self.host.kernel_name(held.old.device.number)}: {held.old.who}")
            record = Record(verb.name, call.uid, [held.array.label, *disks])

            async def work(job: Job) -> MemberJoined:
                job.progress(JobStep.CHANGE, 0.0)
                if old:
                    self.checks.copies.note(held.array.array.uuid)
                joined = await to_the_end(replace.join(self.host, self.builds, held, call.uid, record.commands))
                return MemberJoined(members.missing(self.host, held.array.array.number), joined, record.log)

            return self._start(call, record, work, until)

    async def _join_volume(
        self,
        verb: Verb[MemberJoined],
        call: AuthorisedCall,
        array_of: tuple[str, str],
        new: Member,
        old: Member | None,
        names: Collection[str],
    ) -> object:
        """Give a joined volume a disk: its partition table, and a slice in each array that lacks one."""
        host, builds = self.host, self.builds
        with contextlib.ExitStack() as until:
            exchange = replace_joined.Exchange(new, names, old)
            held = await replace_joined.hold_newcomer(host, self.claims, builds, array_of, exchange, until)
            disks = [f"{host.kernel_name(held.device.number)}: {held.who}", *([person_name(old)] if old else [])]
            record = Record(verb.name, call.uid, [held.volume.label, *disks])

            async def work(job: Job) -> MemberJoined:
                job.progress(JobStep.CHANGE, 0.0)
                for part in held.slices if old else ():
                    self.checks.copies.note(part.array.array.uuid)
                joined = await to_the_end(replace_joined.join(host, builds, held, call.uid, record.commands))
                arrays = replace_joined.joined_by(host, held)
                return MemberJoined(replace_joined.missing(host, held.volume), joined, record.log, arrays)

            return self._start(call, record, work, until)

    async def _remove_vanished(self, call: AuthorisedCall) -> object:
        uuid, name = call.arguments
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            held = await find_array(self.host, uuid, name, until)
            number = held.array.number
            until.enter_context(self.claims.hold({number, *self.host.leaves(number)}))
            verify_shape_stays(self.host, held)
            replace.verify_may_forget(self.host, held)
            record = Record(verbs.REMOVE_VANISHED.name, call.uid, [held.label])

            async def work(job: Job) -> MemberChange:
                job.progress(JobStep.CHANGE, 0.0)
                await to_the_end(replace.forget_vanished(self.host, held, record.commands))
                return MemberChange(members.missing(self.host, number), None, record.log)

            return self._start(call, record, work, until)

    def _start(self, call: AuthorisedCall, record: Record, work: Work, until: contextlib.ExitStack) -> object:
        """Start the job with everything that ``until`` holds."""
        held = until.pop_all()
        return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)

    def _add_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        return {**self._array_details(values), "disk": self._label(values[2]), "removed": _removed(values[3])}

    def _replace_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        old, new = self._label(values[2]), self._label(values[3])
        return {**self._array_details(values), "old": old, "disk": new, "removed": _removed(values[4])}

    def _array_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        return {"array": lvm.label_meant(self.host, values[0], values[1])}

    def _label(self, data: object) -> str:
        try:
            return label_of_disk(self.host, read_member(data))
        except InputError:
            return "?"  # refused once polkit has answered


def add_action(values: Sequence[Any]) -> Action:
    """Return the action: erasing a disk's signatures has its own."""
    return actions.ADD_MEMBER_WIPING if values[3] else actions.ADD_MEMBER


def replace_action(values: Sequence[Any]) -> Action:
    """Return the action, as ``add_action``."""
    return actions.REPLACE_MEMBER_WIPING if values[4] else actions.REPLACE_MEMBER


def _removed(names: Sequence[str]) -> str:
    return arguments.listed(names, partial(map, for_prompt))
