"""The service's life cycle: request the name, answer, watch for callers that leave, and exit when idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dbus_fast import BusType, Message, MessageType, NameFlag, RequestNameReply
from dbus_fast.aio import MessageBus
from raidwright.core.errors import RaidwrightError
from raidwright.core.model.plan import Member
from raidwright.core.protocol.names import BUS_NAME

from raidwright_helper.host.etc_files import ByUnit, EtcFiles
from raidwright_helper.host.host import Host
from raidwright_helper.host.md import uuid_path
from raidwright_helper.host.overlays import Overlays
from raidwright_helper.host.power import PowerStates
from raidwright_helper.jobs.claims import OVERLAYS, Claims
from raidwright_helper.jobs.jobs import Jobs
from raidwright_helper.jobs.trials import Trials
from raidwright_helper.records.alerts import AlertRecords
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.changes import Changes
from raidwright_helper.records.checks import Checks
from raidwright_helper.records.ends import HiddenEnds
from raidwright_helper.records.occupants import Occupants
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.records.tried import TriedRescues
from raidwright_helper.verbs.alert_verbs import AlertVerbs
from raidwright_helper.verbs.array_verbs import ArrayVerbs
from raidwright_helper.verbs.change_verbs import ChangeVerbs
from raidwright_helper.verbs.check_verbs import CheckVerbs
from raidwright_helper.verbs.disk_verbs import Verbs
from raidwright_helper.verbs.replace_verbs import ReplaceVerbs
from raidwright_helper.verbs.rescue_verbs import RescueVerbs
from raidwright_helper.verbs.start_verbs import StartVerbs
from raidwright_helper.verbs.system_verbs import SystemVerbs

from .dispatcher import Dispatcher
from .polkit import Authority
from .reading import BusReader, MessageHeader
from .wire import send, wait_for_room

_LOG = logging.getLogger("raidwright-helper")
_DBUS = "org.freedesktop.DBus"
_DBUS_PATH = "/org/freedesktop/DBus"
_REMOVAL_PAUSES_S = (0.0, 1.0, 5.0, 20.0)  # for other jobs in the way, or a name that udev is just changing
_LEAVERS = f"type='signal',sender='{_DBUS}',interface='{_DBUS}',member='NameOwnerChanged',arg2=''"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings of the service: its bus (None: the system's), host, files, and idle timeout."""

    address: str | None = None
    host: Host = field(default_factory=Host)
    notes: Path = Path("/var/lib/raidwright/scratch")
    backups: Path = Path("/var/lib/raidwright/backups")
    checks: Path = Path("/var/lib/raidwright/checks")
    changes: Path = Path("/var/lib/raidwright/configuration")
    idle_s: float = 60.0
    etc: EtcFiles = field(default_factory=ByUnit)
    members: Path = Path("/var/lib/raidwright/members")
    rescue: Path = Path("/var/lib/raidwright/rescue")
    alerts: Path = Path("/var/lib/raidwright/alerts")
    ends: Path = Path("/var/lib/raidwright/ends")


class Service:
    """A run of the helper, from requesting the name to releasing it."""

    def __init__(self, bus: MessageBus, settings: ServiceSettings) -> None:
        self._bus = bus
        self._idle_s = settings.idle_s
        self._host = settings.host
        self._activity = asyncio.Event()
        self._leaving: set[asyncio.Task[None]] = set()
        self._claims = claims = Claims()
        self._jobs = Jobs(partial(send, bus), self._activity.set)
        self._scratch = ScratchArrays(settings.host, claims, settings.notes)
        self._builds = Builds(settings.backups)
        self._checks = Checks(settings.host, settings.checks)
        self._trials = Trials()
        power = PowerStates(bus)
        verbs = Verbs(settings.host, self._jobs, claims, self._scratch, self._builds, power, self._trials).table()
        changes = Changes(settings.changes, settings.host.root, settings.etc)
        arrays = ArrayVerbs(
            settings.host, self._jobs, claims, self._scratch, self._builds, self._checks, changes, self._trials
        ).table()
        starting = StartVerbs(settings.host, self._jobs, claims, self._scratch).table()
        checking = CheckVerbs(settings.host, self._jobs, claims, self._scratch, self._checks).table()
        replacing = ReplaceVerbs(
            settings.host, self._jobs, claims, self._scratch, power, self._builds, self._checks
        ).table()
        self._ends = HiddenEnds(settings.host, settings.ends)
        changing = ChangeVerbs(
            settings.host, self._jobs, claims, self._scratch, self._builds, self._checks, changes, power, self._ends
        ).table()
        system = SystemVerbs(
            settings.host,
            self._jobs,
            claims,
            changes,
            Occupants(settings.host, settings.members),
            settings.etc,
            self._scratch,
            self._trials,
        ).table()
        self._overlays, tried = Overlays(settings.host, settings.rescue), TriedRescues(settings.rescue)
        rescuing = RescueVerbs(
            settings.host, self._jobs, claims, self._scratch, self._builds, self._overlays, tried, power
        ).table()
        alerting = AlertVerbs(settings.host, AlertRecords(settings.alerts), self._jobs, claims, changes).table()
        table = (*verbs, *arrays, *starting, *checking, *replacing, *changing, *system, *rescuing, *alerting)
        self._dispatcher = Dispatcher(bus, Authority(bus), table, self._activity.set, self._jobs.have_ended)

    async def run(self) -> None:
        """Serve until idle, SIGTERM, or disconnected; uninterruptible work is finished first."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        BusReader(self._bus, self._on_call)
        self._bus.add_message_handler(self._on_message)
        await self._call_bus("AddMatch", "s", _LEAVERS)
        if await self._bus.request_name(BUS_NAME, NameFlag.DO_NOT_QUEUE) is not RequestNameReply.PRIMARY_OWNER:
            raise SystemExit(f"{BUS_NAME} is taken or may not be owned by this user.")
        self._builds.forget_unbegun()  # with the name taken: no other helper is saving anything
        self._forget_old_builds()
        self._drop_joined()
        await self._ends.show_left(self._claims)
        await self._remove_overlays()
        await self._remove_orphans()
        await self._look_at_checks()
        ways_to_end = [
            asyncio.create_task(self._until_idle()),
            asyncio.create_task(stop.wait()),
            asyncio.create_task(self._until_cut_off()),
        ]
        _, others = await asyncio.wait(ways_to_end, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        for ended in await asyncio.gather(*ways_to_end, return_exceptions=True):
            if isinstance(ended, Exception):
                _LOG.warning("the bus went away: %r", ended)
        await self._jobs.shut_down()

    def _on_call(self, call: MessageHeader) -> None:
        self._activity.set()
        self._dispatcher.handle(call)

    def _on_message(self, message: Message) -> bool:
        """Handle the bus's signal that a caller has left (``_LEAVERS``); the reader accepts it from the bus only."""
        if message.message_type is not MessageType.SIGNAL or message.body[2]:
            return False
        if self._is_known(name := str(message.body[0])):  # others don't postpone the idle exit
            self._activity.set()
            task = asyncio.get_running_loop().create_task(self._caller_vanished(name))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
        return False

    def _is_known(self, name: str) -> bool:
        parts = (self._dispatcher.has_call_of, self._jobs.has_job_of, self._trials.knows, self._scratch.may_be_of)
        return any(knows(name) for knows in parts)

    async def _caller_vanished(self, name: str) -> None:
        self._trials.end(name)
        await self._dispatcher.caller_vanished(name)
        await self._jobs.owner_vanished(name)
        for pause_s in _REMOVAL_PAUSES_S:
            await asyncio.sleep(pause_s)
            if await self._scratch.remove_of(name):
                return

    async def _remove_orphans(self) -> None:
        """Remove scratch arrays whose owners left unobserved, or when something was in the way.

        Those from before a reboot have no owner, whoever has that bus name now.
        """
        await self._scratch.remove_all([one for one in self._scratch.all() if not self._scratch.is_of_now(one)])
        for owner in {one.owner for one in self._scratch.all() if self._scratch.is_of_now(one)}:
            if not (await self._call_bus("NameHasOwner", "s", owner))[0]:
                await self._scratch.remove_of(owner)

    async def _remove_overlays(self) -> None:
        """Take down the trial of a rescue that a killed helper, or a power cut, has left."""
        try:
            if self._overlays.are_left:
                log: list[str] = []
                with self._claims.hold({OVERLAYS}):
                    await self._overlays.take_down(log)
                _LOG.info("the overlays of a cut-off trial are gone: %s", "; ".join(log))
        except RaidwrightError as error:  # the next trial tries again
            _LOG.warning("the overlays of a cut-off trial can't be taken down: %s", error)

    def _forget_old_builds(self) -> None:
        try:
            self._builds.forget_old(time.time())
        except RaidwrightError as error:
            _LOG.warning("what old builds have saved can't be deleted: %s", error)

    def _drop_joined(self) -> None:
        """Drop the records of disks that md has taken, if the helper was killed before it could."""
        try:
            self._builds.drop_joined(self._is_member)
        except RaidwrightError as error:
            _LOG.warning("what was saved of a disk that has joined an array can't be deleted: %s", error)

    def _is_member(self, uuid: str, disk: Member) -> bool:
        array, number = (self._host.number_of(path) for path in (uuid_path(uuid), f"/dev/disk/by-id/{disk.id}"))
        if array is None or number is None:
            return False
        slaves = self._host.slaves(array)
        return number in slaves or number in map(self._host.whole, slaves)

    async def _look_at_checks(self) -> None:
        try:
            await self._checks.reconcile()
        except RaidwrightError as error:  # callers of ListChecks get the error
            _LOG.warning("the checks can't be followed: %s", error)

    async def _until_idle(self) -> None:
        while True:
            self._activity.clear()
            try:
                async with asyncio.timeout(self._idle_s):
                    await self._activity.wait()
            except TimeoutError:
                await self._remove_orphans()
                await self._look_at_checks()
                self._forget_old_builds()
                self._drop_joined()
                # Without the name no new call can come; earlier ones are in the dispatcher by now.
                if not self._is_busy:
                    await self._bus.release_name(BUS_NAME)
                    if not self._is_busy:
                        return
                    await self._bus.request_name(BUS_NAME, NameFlag.DO_NOT_QUEUE)

    async def _until_cut_off(self) -> None:
        try:
            await self._bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
        except Exception as error:  # noqa: BLE001  # whatever the reader broke at, there is no bus any more
            _LOG.warning("the bus went away: %r", error)

    @property
    def _is_busy(self) -> bool:
        scratch = any(map(self._scratch.is_of_now, self._scratch.all()))  # somebody has to see its owner leave
        return (
            scratch
            or self._checks.are_running
            or bool(self._leaving)
            or len(self._jobs) > 0
            or self._dispatcher.is_busy
        )

    async def _call_bus(self, member: str, signature: str, *body: object) -> list[object]:
        reply = await self._bus.call(
            Message(
                destination=_DBUS, path=_DBUS_PATH, interface=_DBUS, member=member, signature=signature, body=list(body)
            )
        )
        if reply.message_type is not MessageType.METHOD_RETURN:
            raise SystemExit(f"The bus refused {member}.")
        return list(reply.body)


async def serve(settings: ServiceSettings) -> None:
    """Run the service on the bus of ``settings``, and disconnect at the end."""
    bus = await MessageBus(bus_address=settings.address, bus_type=BusType.SYSTEM).connect()
    wait_for_room(bus)
    try:
        await Service(bus, settings).run()
    finally:
        with contextlib.suppress(OSError, EOFError):  # the bus itself may have gone
            bus.disconnect()
