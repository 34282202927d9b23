"""The verbs on md's checks of existing arrays, and of joined volumes as one.

Each names the array by its UUID and its name, as the other verbs on arrays do (``array_verbs``).
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raidwright.core.ending import to_the_end
from raidwright.core.protocol import facts, verbs
from raidwright.core.protocol.verb import Verb

from raidwright_helper.acts import joined_checks, volumes
from raidwright_helper.host import lvm
from raidwright_helper.host.arrays import PinnedArray, pin_array
from raidwright_helper.host.host import Host
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records.checks import Checks, KeptCheck
from raidwright_helper.records.scratch import ScratchArrays

from .method import AuthorisedCall, Method

_LIMIT_SECONDS = 300.0
HoldChecked = Callable[
    [Host, Claims, Checks, tuple[str, str], contextlib.ExitStack], Awaitable[joined_checks.CheckedVolume]
]
CheckAct = Callable[[PinnedArray], Coroutine[Any, Any, KeptCheck]]


@dataclass(frozen=True, slots=True)
class CheckVerbs:
    """The verbs on checks of ``host``'s arrays."""

    host: Host
    jobs: Jobs
    claims: Claims
    scratch: ScratchArrays
    checks: Checks

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        return (
            Method(verbs.START_CHECK, self._start_check, self._array_details),
            Method(verbs.PAUSE_CHECK, self._pause_check, self._array_details),
            Method(verbs.LIST_CHECKS, self._list_checks),
        )

    def _array_details(self, values: Sequence[Any]) -> Mapping[str, str]:
        """Return the prompt's values: the array, by name and UUID; a joined volume if it is named so."""
        return {"array": lvm.label_meant(self.host, values[0], values[1])}

    async def _start_check(self, call: AuthorisedCall) -> object:
        if volumes.volume_meant(self.host, *call.arguments):
            return await self._check_volume(verbs.START_CHECK, call, joined_checks.hold_startable, self.checks.start)
        return await self._check(verbs.START_CHECK, call, self.checks.verify_may_start, self.checks.start)

    async def _pause_check(self, call: AuthorisedCall) -> object:
        if volumes.volume_meant(self.host, *call.arguments):
            return await self._check_volume(verbs.PAUSE_CHECK, call, joined_checks.hold_pausable, self.checks.pause)
        return await self._check(verbs.PAUSE_CHECK, call, self.checks.verify_may_pause, self.checks.pause)

    async def _check_volume(
        self, verb: Verb[facts.Check], call: AuthorisedCall, hold: HoldChecked, act: CheckAct
    ) -> object:
        """Start or pause the checks of a joined volume's arrays."""
        uuid, name = call.arguments
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            held = await hold(self.host, self.claims, self.checks, (uuid, name), until)

            async def work(_job: Job) -> facts.Check:
                return await to_the_end(joined_checks.of_each(held, act))

            return self._start(call, Record(verb.name, call.uid, [held.volume.label]), work, until)

    async def _check(
        self,
        verb: Verb[facts.Check],
        call: AuthorisedCall,
        verify: Callable[[PinnedArray], None],
        act: CheckAct,
    ) -> object:
        uuid, name = call.arguments
        self.scratch.verify_real(uuid)
        with contextlib.ExitStack() as until:
            array = await pin_array(self.host, self.claims, uuid, name, until)
            verify(array)

            async def work(_job: Job) -> facts.Check:
                return joined_checks.told(await to_the_end(act(array)))

            return self._start(call, Record(verb.name, call.uid, [array.label]), work, until)

    async def _list_checks(self, _call: AuthorisedCall) -> object:
        await self.checks.reconcile()
        return [joined_checks.told(check) for check in self.checks.all()]

    def _start(self, call: AuthorisedCall, record: Record, work: Work, until: contextlib.ExitStack) -> object:
        """Start the job with everything that ``until`` holds."""
        held = until.pop_all()
        return self.jobs.start(call.sender, record, work, limit_s=_LIMIT_SECONDS, until=held, ends_with_owner=False)
