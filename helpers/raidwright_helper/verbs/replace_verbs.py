"""The verbs by which an array gets a disk in place of another, and those that tell what it lacks.

As all verbs on arrays (``array_verbs``) each names the array by UUID and name, and disks by what a plan says of them.
The prompt names what the kernel and udev say of them (``seen``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.model.plan import Member
from raidwright.core.model.plan_json import read_member

from raidwright_helper.acts import replace
from raidwright_helper.host import members
from raidwright_helper.host.array_facts import examine_arrays, examine_memberships
from raidwright_helper.host.arrays import find_array, verify_shape_stays
from raidwright_helper.host.host import Host
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.runner import to_the_end
from raidwright_helper.host.seen import label_of_array, label_of_disk
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.service.claims import Claims
from raidwright_helper.service.dispatcher import Call, Verb
from raidwright_helper.service.jobs import Job, Jobs, Work
from raidwright_helper.service.journal import Record
from raidwright_helper.service.wire import ACTIONS

from . import arguments

_LIMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class ReplaceVerbs:
    """What can be done with arrays of ``host`` that lack a member, or are to be rid of one."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    power: PowerStates

    def table(self) -> Mapping[str, Verb]:
        """Every method: what it takes and gives, what polkit is asked, and what runs."""
        # fmt: off
        return {
            "ExamineArrays": Verb("", "aa{sv}", f"{ACTIONS}.examine", self._examine),
            "ExamineMemberships": Verb("asb", "a{sa{sv}}", f"{ACTIONS}.examine-signatures", self._memberships),
            "AddMember": Verb("ssa{sv}as", "o", add_action, self._add, self._add_details),
            "ReplaceMember": Verb("ssa{sv}a{sv}as", "o", replace_action, self._replace, self._replace_details),
            "RemoveVanished": Verb("ss", "o", f"{ACTIONS}.remove-vanished", self._remove_vanished, self._array_details),
        }
        # fmt: on

    async def _examine(self, _call: Call) -> Sequence[object]:
        return [examine_arrays(self.host)]

    async def _memberships(self, call: Call) -> Sequence[object]:
        ids = arguments.read_disk_ids(call.arguments[0])
        return [await examine_memberships(self.host, self.power, ids, wake=call.arguments[1])]

    async def _add(self, call: Call) -> Sequence[object]:
        uuid, name, new, confirmed = call.arguments
        return await self._join("AddMember", call, (uuid, name), read_member(new), None, confirmed)

    async def _replace(self, call: Call) -> Sequence[object]:
        uuid, name, old, new, confirmed = call.arguments
        return await self._join("ReplaceMember", call, (uuid, name), read_member(new), read_member(old), confirmed)

    async def _join(
        self,
        verb: str,
        call: Call,
        array_of: tuple[str, str],
        new: Member,
        old: Member | None,
        confirmed: list[str],
    ) -> Sequence[object]:
        names = arguments.read_signatures(confirmed)
        self._verify_real(array_of[0])
        with contextlib.ExitStack() as until:
            held = await replace.hold_newcomer(self.host, self.claims, array_of, new, names, until, old=old)
            disks = [f"{self.host.kernel_name(held.device.number)}: {held.who}"]
            if held.old:
                disks.append(f"{self.host.kernel_name(held.old.device.number)}: {held.old.who}")
            record = Record(verb, call.uid, [held.array.label, *disks])

            async def work(job: Job) -> Mapping[str, object]:
                job.progress("stage-change", 0.0)
                joined = await to_the_end(replace.join(self.host, held, record.commands))
                missing = members.missing(self.host, held.array.array.number)
                return {"joined": joined, "missing": missing, "log": _log(record)}

            return self._start(call, record, work, until)

    async def _remove_vanished(self, call: Call) -> Sequence[object]:
        uuid, name = call.arguments
        self._verify_real(uuid)
        with contextlib.ExitStack() as until:
            held = await find_array(self.host, uuid, name, until)
            number = held.array.number
            until.enter_context(self.claims.hold({number, *self.host.leaves(number)}))
            verify_shape_stays(self.host, held)
            replace.verify_may_forget(self.host, held)
            record = Record("RemoveVanished", call.uid, [held.label])

            async def work(job: Job) -> Mapping[str, object]:
                job.progress("stage-change", 0.0)
                await to_the_end(replace.forget_vanished(self.host, held, record.commands))
                return {"missing": members.missing(self.host, number), "log": _log(record)}

            return self._start(call, record, work, until)

    def _verify_real(self, uuid: str) -> None:
        if any(scratch.uuid == uuid for scratch in self.scratch.all()):
            raise InputError("This is a scratch array; it is never repaired.", code="is-scratch")

    def _start(self, call: Call, record: Record, work: Work, until: contextlib.ExitStack) -> Sequence[object]:
        """Start the job with all that ``until`` holds."""
        held = until.pop_all()
        return [self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)]

    def _add_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        return {**self._array_details(values), "disk": self._label(values[2]), **_removed(values[3])}

    def _replace_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        old, new = self._label(values[2]), self._label(values[3])
        return {**self._array_details(values), "old": old, "disk": new, **_removed(values[4])}

    def _array_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        return {"array": label_of_array(self.host, values[0])}

    def _label(self, data: object) -> str:
        try:
            return label_of_disk(self.host, read_member(data))
        except InputError:
            return "?"  # refused once polkit has answered


def add_action(values: Sequence[Any]) -> str:
    """Removing what a disk holds is an action of its own."""
    return f"{ACTIONS}.add-member-wiping" if values[3] else f"{ACTIONS}.add-member"


def replace_action(values: Sequence[Any]) -> str:
    """As ``add_action``."""
    return f"{ACTIONS}.replace-member-wiping" if values[4] else f"{ACTIONS}.replace-member"


def _removed(names: Sequence[str]) -> Mapping[str, str]:
    return {"removed": arguments.listed(map(printable, names))} if names else {}


def _log(record: Record) -> list[str]:
    return [*record.disks, *record.commands]
