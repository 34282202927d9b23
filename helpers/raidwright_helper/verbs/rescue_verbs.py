"""The verbs that rescue an array: an attempt tried on overlays, and the same for real.

The prompt names the array by the attempt, which the verb compares with the members' superblocks, and the disks by the
kernel's and udev's names of them.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.md.rescue.question import read_question
from raidwright.core.model.names import is_array_name
from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay, read_attempt
from raidwright.core.protocol import looking, verbs
from raidwright.core.protocol.results import Rescued, RescueTried

from raidwright_helper.acts import rescue, rescue_trial
from raidwright_helper.acts.rescue_disks import HeldAttempt, digest_of, hold_attempt
from raidwright_helper.acts.take_over import verify_new_name
from raidwright_helper.host.guards import person_name
from raidwright_helper.host.host import Host
from raidwright_helper.host.overlays import Overlays
from raidwright_helper.host.power import PowerStates
from raidwright_helper.host.sampled import examine_stripes
from raidwright_helper.host.seen import label_of_stopped, labels_of_disks
from raidwright_helper.jobs.claims import OVERLAYS, Claims
from raidwright_helper.jobs.jobs import Job, Jobs
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.records.tried import TriedRescues

from . import arguments
from .method import AuthorisedCall, Method

_LIMIT_SECONDS = 600.0
_HOW = {
    RescueWay.ASSEMBLE: "",
    RescueWay.FORCE: ", by force",
    RescueWay.CREATE: ", with superblocks made anew",
    RescueWay.ORIGINAL: ", with the layout of Linux up to 3.13",
    RescueWay.ALTERNATE: ", with the layout of Linux from 3.14 on",
}


@dataclass(frozen=True, slots=True)
class RescueVerbs:
    """The verbs on arrays of ``host`` that don't start any more."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    builds: Builds
    overlays: Overlays
    tried: TriedRescues
    power: PowerStates
    looks: asyncio.Lock = field(default_factory=asyncio.Lock)

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(looking.EXAMINE_STRIPES, self._stripes),
            Method(verbs.TRY_RESCUE, self._try, self._details),
            Method(verbs.RESCUE_ARRAY, self._rescue, self._details),
        )

    def _details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, and its disks by model, serial and size."""
        try:
            attempt = read_attempt(values[0])
        except InputError:
            return {"array": "?", "disks": "?", "how": ""}  # refused once polkit has answered
        disks = arguments.listed(attempt.members, partial(labels_of_disks, self.host))
        return {"array": self._label(attempt), "disks": disks, "how": _HOW[attempt.way]}

    def _label(self, attempt: RescueAttempt) -> str:
        if attempt.way is not RescueWay.CREATE:
            return label_of_stopped(self.host, attempt.uuid)
        return printable(attempt.name) if is_array_name(attempt.name) else "?"

    async def _stripes(self, call: AuthorisedCall) -> object:
        ids, wake, shape, orders = call.arguments
        question = read_question(arguments.read_disk_ids(ids), shape, orders)
        async with self.looks:  # one at a time: whoever may look keeps no disk busy
            return await examine_stripes(self.host, self.power, question, wake=wake)

    async def _try(self, call: AuthorisedCall) -> object:
        attempt = read_attempt(call.arguments[0])
        with contextlib.ExitStack() as until:
            until.enter_context(self.claims.hold({OVERLAYS}))
            held = await self._held(attempt, until)
            record = Record(verbs.TRY_RESCUE.name, call.uid, [held.label, *self._disks(held)])

            async def work(job: Job) -> RescueTried:
                disks = await asyncio.to_thread(digest_of, self.host, held)
                result = await rescue_trial.try_on_overlays(self.host, self.overlays, held, job)
                if result.verdict.is_success:
                    self.tried.note(attempt, disks)
                return result

            return self.jobs.start(
                call.sender,
                record,
                work,
                limit_s=rescue_trial.LIMIT_SECONDS,
                until=until.pop_all(),
                ends_with_owner=True,
            )

    async def _held(self, attempt: RescueAttempt, until: contextlib.ExitStack) -> HeldAttempt:
        self._verify_real(attempt)
        return await hold_attempt(self.host, self.claims, attempt, until)

    def _verify_real(self, attempt: RescueAttempt) -> None:
        if attempt.uuid:
            self.scratch.verify_real(attempt.uuid)
        if attempt.way is RescueWay.CREATE:
            verify_new_name(attempt.name)

    async def _rescue(self, call: AuthorisedCall) -> object:
        attempt, name = read_attempt(call.arguments[0]), call.arguments[1]
        self._verify_real(attempt)
        with contextlib.ExitStack() as until:
            rescuing = await rescue.prepare(self.host, self.claims, self.tried, attempt, name, until)
            record = Record(verbs.RESCUE_ARRAY.name, call.uid, [rescuing.held.label, *self._disks(rescuing.held)])

            async def work(job: Job) -> Rescued:
                doing = rescue.rescue(self.host, self.builds, self.tried, rescuing, call.uid, job)
                return (await to_the_end(doing))[1]

            held = until.pop_all()
            return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)

    def _disks(self, held: HeldAttempt) -> list[str]:
        pairs = zip(held.devices, held.attempt.members, strict=True)
        return [f"{self.host.kernel_name(device.number)}: {person_name(member)}" for device, member in pairs]
