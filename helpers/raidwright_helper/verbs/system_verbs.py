"""The verbs on an array's surroundings: its file system, its settings, the system's files that name it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol import verbs
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.protocol.verb import Verb
from raidwright.core.system.tuning import Lasting

from raidwright_helper.acts import configuration, filesystem, mounting, tune
from raidwright_helper.host.arrays import find_array
from raidwright_helper.host.etc_files import EtcFiles
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import array_label
from raidwright_helper.jobs.claims import SYSTEM_FILES, Claims
from raidwright_helper.jobs.jobs import Job, Jobs, Work
from raidwright_helper.jobs.journal import Record
from raidwright_helper.jobs.trials import Trials
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.occupants import Occupants
from raidwright_helper.records.scratch import ScratchArrays

from . import system_arguments as arguments
from .method import AuthorisedCall, Method
from .tried import tries_own

_JOB_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class SystemVerbs:
    """The verbs on the surroundings of the arrays of ``host``."""

    host: Host
    jobs: Jobs
    claims: Claims
    changes: Changes
    occupants: Occupants
    etc: EtcFiles
    scratch: ScratchArrays
    trials: Trials

    def table(self) -> tuple[Method, ...]:
        """Return these verbs, and their implementations."""
        of_array = partial(arguments.array_details, self.host)
        configured = partial(arguments.configuration_details, self.host)
        return (
            Method(verbs.MAKE_FILESYSTEM, self._make, partial(arguments.filesystem_details, self.host)),
            Method(verbs.MOUNT, self._mount, partial(arguments.mount_details, self.host)),
            Method(verbs.UNMOUNT, self._unmount, of_array),
            Method(verbs.EXAMINE_SETTINGS, self._settings),
            Method(verbs.TUNE, self._tune, partial(arguments.tune_details, self.host), is_let=self._may_tune),
            Method(verbs.BEGIN_SWEEP, self._begin_sweep, partial(arguments.sweep_details, self.host)),
            Method(verbs.PREVIEW_CONFIGURATION, self._preview, configured),
            Method(verbs.WRITE_CONFIGURATION, self._write, configured),
            Method(verbs.RESTORE_CONFIGURATION, self._restore, self._restore_details),
        )

    async def _make(self, call: AuthorisedCall) -> object:
        request = arguments.read_filesystem(call.arguments)
        self.scratch.verify_real(request.array_uuid)
        with contextlib.ExitStack() as held:
            array = await filesystem.prepare(self.host, self.claims, request, held)
            work = partial(filesystem.make, self.host, array, request)
            return self._start(call, verbs.MAKE_FILESYSTEM, array.pinned.label, work, held.pop_all())

    async def _mount(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            uuid, name, place = call.arguments
            self.scratch.verify_real(uuid)
            what = await mounting.prepare_mount(self.host, self.claims, (uuid, name, place), held)

            work = partial(mounting.mount, self.host, what)
            return self._start(call, verbs.MOUNT, what.pinned.label, work, held.pop_all())

    async def _unmount(self, call: AuthorisedCall) -> object:
        with contextlib.ExitStack() as held:
            uuid, name = call.arguments
            what = await mounting.prepare_unmount(self.host, self.claims, uuid, name, held)

            work = partial(mounting.unmount, self.host, what)
            return self._start(call, verbs.UNMOUNT, what.pinned.label, work, held.pop_all())

    async def _settings(self, call: AuthorisedCall) -> object:
        uuid, name = call.arguments
        return tune.settings_of(self.host, uuid, name)

    async def _tune(self, call: AuthorisedCall) -> object:
        request = arguments.read_tune(call.arguments)
        if request.lasting is Lasting.ALWAYS:
            self.scratch.verify_real(request.array_uuid)
        with contextlib.ExitStack() as held:
            target = await tune.prepare(self.host, self.claims, request, held)

            async def work(job: Job) -> ArraySettings:
                if (scratch := self.scratch.over(request.array_uuid)) is not None:
                    before = await tune.disk_settings(self.host, target, scratch.members)
                    self.scratch.keep_settings(scratch.uuid, before)
                return await tune.tune(self.host, self.etc, target, job)

            return self._start(call, verbs.TUNE, target.pinned.label, work, held.pop_all())

    def _may_tune(self, sender: str, values: Sequence[Any]) -> bool:
        """Return whether a sweep or trial covers the call; persistent settings always need authorisation."""
        uuid, _, settings = values
        if settings.get("lasting", Lasting.NOW) != Lasting.NOW:
            return False
        named = settings.keys() - {"lasting"}
        return self.trials.sweeps(sender, uuid, named) or tries_own(self.trials, self.scratch, sender, uuid)

    async def _begin_sweep(self, call: AuthorisedCall) -> None:
        request = arguments.read_sweep(call.arguments)
        with contextlib.ExitStack() as until:
            found = await find_array(self.host, request.array_uuid, request.array_name, until)
            record = Record(verbs.BEGIN_SWEEP.name, call.uid, [found.label])
        self.trials.begin_sweep(call.sender, request.array_uuid, request.settings, request.minutes)
        record.write("done")

    async def _preview(self, call: AuthorisedCall) -> object:
        request = arguments.read_configuration(call.arguments)
        self.scratch.verify_real(request.array_uuid)
        shown = await configuration.preview(self.host, self.changes, request)
        return shown.for_the_bus()

    async def _write(self, call: AuthorisedCall) -> object:
        request, token = arguments.read_configuration(call.arguments), call.arguments[3]
        self.scratch.verify_real(request.array_uuid)
        work = partial(configuration.write, self.host, self.changes, self.occupants, request, token)
        return self._start(
            call,
            verbs.WRITE_CONFIGURATION,
            array_label(request.array_name, request.array_uuid),
            work,
            self._have_files(),
        )

    async def _restore(self, call: AuthorisedCall) -> object:
        change = self.changes.last()

        work = partial(configuration.restore, self.changes)
        return self._start(
            call, verbs.RESTORE_CONFIGURATION, f"{change.array}: {change.paths}", work, self._have_files()
        )

    def _have_files(self) -> contextlib.ExitStack:
        held = contextlib.ExitStack()
        held.enter_context(self.claims.hold({SYSTEM_FILES}))
        return held

    def _restore_details(self, _arguments: Sequence[Any]) -> Mapping[str, str]:
        try:
            change = self.changes.last()
        except RaidwrightError:
            return {"array": "?", "files": "?"}  # refused once polkit has answered
        return {"array": change.array, "files": change.paths}

    def _start(self, call: AuthorisedCall, verb: Verb[Any], who: str, work: Work, held: contextlib.ExitStack) -> str:
        record = Record(verb.name, call.uid, [who])
        return self.jobs.start(call.sender, record, work, limit_s=_JOB_SECONDS, until=held, ends_with_owner=False)
