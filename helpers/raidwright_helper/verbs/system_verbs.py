"""The verbs on what surrounds an array: its file system, its settings, the system's files that know of it."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from raidwright.core.errors import RaidwrightError

from raidwright_helper.acts import configuration, filesystem, mounting, tune
from raidwright_helper.acts.etc_files import EtcFiles
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import array_label
from raidwright_helper.records.changes import Changes
from raidwright_helper.service.claims import SYSTEM_FILES, Claims
from raidwright_helper.service.dispatcher import Call, Verb
from raidwright_helper.service.jobs import Job, Jobs, Work
from raidwright_helper.service.journal import Record
from raidwright_helper.service.wire import ACTIONS, to_wire

from . import system_arguments as arguments

_JOB_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class SystemVerbs:
    """What the helper can do around the arrays of ``host``."""

    host: Host
    jobs: Jobs
    claims: Claims
    changes: Changes
    etc: EtcFiles

    def table(self) -> Mapping[str, Verb]:
        """These verbs: what each takes and gives, what polkit is asked, and what runs."""
        of_array = partial(arguments.array_details, self.host)
        configured = partial(arguments.configuration_details, self.host)
        # fmt: off
        return {
            "MakeFileSystem": Verb(
                "sssa{sv}", "o", f"{ACTIONS}.make-filesystem", self._make,
                partial(arguments.filesystem_details, self.host),
            ),
            "Mount": Verb("sss", "o", f"{ACTIONS}.mount", self._mount, partial(arguments.mount_details, self.host)),
            "Unmount": Verb("ss", "o", f"{ACTIONS}.unmount", self._unmount, of_array),
            "ExamineSettings": Verb("ss", "a{sv}", f"{ACTIONS}.examine", self._settings),
            "Tune": Verb("ssa{sv}", "o", f"{ACTIONS}.tune", self._tune, partial(arguments.tune_details, self.host)),
            "PreviewConfiguration": Verb(
                "ssa{sv}", "a{sv}", f"{ACTIONS}.preview-configuration", self._preview, configured
            ),
            "WriteConfiguration": Verb("ssa{sv}s", "o", f"{ACTIONS}.write-configuration", self._write, configured),
            "RestoreConfiguration": Verb(
                "", "o", f"{ACTIONS}.restore-configuration", self._restore, self._restore_details
            ),
        }
        # fmt: on

    async def _make(self, call: Call) -> Sequence[object]:
        request = arguments.read_filesystem(call.arguments)
        with contextlib.ExitStack() as held:
            array = await filesystem.prepare(self.host, self.claims, request, held)

            async def work(job: Job) -> Mapping[str, object]:
                return await filesystem.make(self.host, array, request, job)

            return [self._start(call, Record("MakeFileSystem", call.uid, [array.pinned.label]), work, held.pop_all())]

    async def _mount(self, call: Call) -> Sequence[object]:
        with contextlib.ExitStack() as held:
            uuid, name, place = call.arguments
            what = await mounting.prepare_mount(self.host, self.claims, (uuid, name, place), held)

            async def work(job: Job) -> Mapping[str, object]:
                return await mounting.mount(self.host, what, job)

            return [self._start(call, Record("Mount", call.uid, [what.pinned.label]), work, held.pop_all())]

    async def _unmount(self, call: Call) -> Sequence[object]:
        with contextlib.ExitStack() as held:
            uuid, name = call.arguments
            what = await mounting.prepare_unmount(self.host, self.claims, uuid, name, held)

            async def work(job: Job) -> Mapping[str, object]:
                return await mounting.unmount(self.host, what, job)

            return [self._start(call, Record("Unmount", call.uid, [what.pinned.label]), work, held.pop_all())]

    async def _settings(self, call: Call) -> Sequence[object]:
        uuid, name = call.arguments
        return [to_wire(tune.settings_of(self.host, uuid, name))]

    async def _tune(self, call: Call) -> Sequence[object]:
        request = arguments.read_tune(call.arguments)
        with contextlib.ExitStack() as held:
            target = await tune.prepare(self.host, self.claims, request, held)

            async def work(job: Job) -> Mapping[str, object]:
                return await tune.tune(self.host, self.etc, target, job)

            return [self._start(call, Record("Tune", call.uid, [target.pinned.label]), work, held.pop_all())]

    async def _preview(self, call: Call) -> Sequence[object]:
        request = arguments.read_configuration(call.arguments)
        shown = await configuration.preview(self.host, self.changes, request)
        return [to_wire(shown.for_the_bus())]

    async def _write(self, call: Call) -> Sequence[object]:
        request, token = arguments.read_configuration(call.arguments), call.arguments[3]
        record = Record("WriteConfiguration", call.uid, [array_label(request.array_name, request.array_uuid)])

        async def work(job: Job) -> Mapping[str, object]:
            return await configuration.write(self.host, self.changes, request, token, job)

        return [self._start(call, record, work, self._have_files())]

    async def _restore(self, call: Call) -> Sequence[object]:
        change = self.changes.last()

        async def work(job: Job) -> Mapping[str, object]:
            return await configuration.restore(self.changes, job)

        record = Record("RestoreConfiguration", call.uid, [f"{change.array}: {change.paths}"])
        return [self._start(call, record, work, self._have_files())]

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

    def _start(self, call: Call, record: Record, work: Work, held: contextlib.ExitStack) -> str:
        return self.jobs.start(call.sender, record, work, limit_s=_JOB_SECONDS, until=held, ends_with_owner=False)
