"""The window's one door to a machine: what it looks like now, and the jobs that are asked of it.

All of the work runs on the task thread; only frozen values and Task handles come out.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, Signal, Slot

from .core.errors import RaidwrightError, Unreachable
from .core.plan import Plan
from .machine.values import BuildResult, JobProgress, Sample, Snapshot
from .tasks import Task, TaskThread

if TYPE_CHECKING:
    from .bench.runs import Run
    from .lab.machine import Lab
    from .machine.machine import Machine

Update = Callable[[Any], object]
Role = Literal["root", "admin", "user"]  # whose line to a practice machine is taken
Failed = Callable[[RaidwrightError], object]

_NEEDED_NEXT = (".core.assessment", ".core.candidates", ".core.geometry")


class State(StrEnum):
    """How far the way to the machine is."""

    NONE = "none"
    STARTING = "starting"  # the practice machine boots
    CONNECTING = "connecting"
    CONNECTED = "connected"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Connection:
    """Which machine the window looks at and how far the way there is; ``sentence`` says why it failed."""

    title: str = ""
    is_practice: bool = False
    state: State = State.NONE
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class PracticeSpec:
    """A practice machine to start: its disks as text (``4x8TB``), Debian's generation, and who we are there."""

    disks: str = "4x8TB"
    generation: str = "bookworm"
    role: Role = "admin"


@dataclass(frozen=True, slots=True)
class _News:
    """A value from the machine of the given turn, so that what comes late from an earlier one is known."""

    turn: int
    value: object


class Session(QObject):
    """``connection_changed(Connection)`` and ``snapshot_changed(Snapshot)`` follow the machine; jobs give a Task."""

    connection_changed = Signal(object)
    snapshot_changed = Signal(object)

    def __init__(self, thread: TaskThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = thread
        self._machine: Machine | None = None  # the loop's own; never touched from the GUI's thread
        self._following: Task | None = None
        self._turn = 0
        self.connection = Connection()
        self.snapshot = Snapshot()

    def connect_to(self, address: str, *, role: str = "admin") -> None:
        """Turn to the machine at ``address`` (``local``, ``lab[:NAME]``, ``unix:path=…``)."""

        async def work(tell: Update) -> None:
            from .machine.address import parse_machine  # noqa: PLC0415 -- keeps the window's start light

            meant = await asyncio.to_thread(parse_machine, address, role=role)
            connection = Connection(meant.title, meant.is_practice, State.CONNECTING)
            tell(connection)
            await self._watch(meant.bus_address, connection, tell)

        self._follow(Connection(address, address.startswith("lab"), State.CONNECTING), work)

    def start_practice(self, spec: PracticeSpec) -> None:
        """Boot a practice machine and look at it; it ends when the window looks elsewhere or closes."""
        connection = Connection("Practice machine", is_practice=True, state=State.STARTING)

        async def work(tell: Update) -> None:
            def say(words: str) -> None:
                tell(replace(connection, sentence=words))

            lab = await _booted(spec, say)
            try:
                tell(replace(connection, state=State.CONNECTING))
                await self._watch(lab.bus_address(spec.role), connection, tell)
            finally:
                await asyncio.to_thread(lab.stop)

        self._follow(connection, work)

    def build(
        self, plan: Plan, confirmed_name: str, *, update: Update, done: Callable[[BuildResult], object], failed: Failed
    ) -> Task:
        """Create the array; ``update`` gets JobProgress."""

        async def work(emit: Update) -> BuildResult:
            return await self._seen().helper.create_array(plan, confirmed_name=confirmed_name, on_update=emit)

        return self._thread.run(work, update=update, done=done, failed=failed, parent=self)

    def measure(
        self,
        target: str,
        workload: str,
        seconds: int,
        *,
        update: Update,
        done: Callable[[Run], object],
        failed: Failed,
    ) -> Task:
        """Run ``workload`` on ``target`` (``md:<uuid>`` or a disk's id); ``update`` gets Samples, the run is kept."""

        async def work(emit: Update) -> Run:
            return await _measured(self._seen(), self.connection.title, target, workload, seconds, emit)

        return self._thread.run(work, update=update, done=done, failed=failed, parent=self)

    def load_runs(self, *, done: Callable[[tuple[Run, ...]], object], failed: Failed) -> Task:
        """Read the kept runs, newest first."""

        async def work(_emit: Update) -> tuple[Run, ...]:
            from .bench import runs  # noqa: PLC0415 -- keeps the window's start light

            return await asyncio.to_thread(runs.list_runs)

        return self._thread.run(work, done=done, failed=failed, parent=self)

    def warm_up(self) -> None:
        """Import in the background what the next stations need, so that going there doesn't wait."""

        async def work(_emit: Update) -> None:
            for module in _NEEDED_NEXT:
                await asyncio.to_thread(importlib.import_module, module, __package__)

        self._thread.run(work, parent=self)

    def close(self) -> None:
        """Let go of the machine, stop a practice machine, and join the thread; jobs that run are cancelled."""
        self._turn += 1
        self._thread.stop()

    def _follow(self, connection: Connection, work: Callable[[Update], Coroutine[Any, Any, None]]) -> None:
        """Turn to another machine: ``work`` watches it until it is cancelled."""
        if self._following is not None:
            self._following.cancel()
        self._turn += 1
        turn = self._turn
        self._take(_News(turn, Snapshot()))
        self._take(_News(turn, connection))

        async def follow(emit: Update) -> None:
            try:
                await work(lambda value: emit(_News(turn, value)))
            except RaidwrightError as error:
                emit(_News(turn, replace(connection, state=State.FAILED, sentence=error.sentence)))

        self._following = self._thread.run(follow, update=self._take, failed=self._broke, parent=self)

    async def _watch(self, bus_address: str, connection: Connection, tell: Update) -> None:
        from .machine.machine import Machine  # noqa: PLC0415 -- keeps the window's start light

        machine = await Machine.open(bus_address)
        self._machine = machine
        try:
            tell(replace(connection, state=State.CONNECTED))
            machine.watch(tell)
            tell(machine.snapshot)
            await asyncio.get_running_loop().create_future()  # until this task is cancelled
        finally:
            if self._machine is machine:
                self._machine = None
            await machine.close()

    def _seen(self) -> Machine:
        if self._machine is None:
            raise Unreachable("No machine is connected. Choose one at the top of the window.", code="no-machine")
        return self._machine

    @Slot(object)
    def _take(self, news: _News) -> None:
        if news.turn != self._turn:
            return  # of the machine that we turned away from
        if isinstance(news.value, Connection):
            self.connection = news.value
            self.connection_changed.emit(news.value)
        elif isinstance(news.value, Snapshot):
            self.snapshot = news.value
            self.snapshot_changed.emit(news.value)

    @Slot(RaidwrightError)
    def _broke(self, error: RaidwrightError) -> None:
        self._take(_News(self._turn, replace(self.connection, state=State.FAILED, sentence=error.sentence)))


async def _booted(spec: PracticeSpec, say: Callable[[str], None]) -> Lab:
    """A running practice machine; one that comes up after we were cancelled is stopped again."""
    from .lab import machine as lab  # noqa: PLC0415 -- only who practises pays for importing the lab
    from .lab.image import Generation  # noqa: PLC0415
    from .lab.shelf import disks_from_text  # noqa: PLC0415

    order = lab.LabSpec(disks_from_text(spec.disks), Generation(spec.generation))
    booting = asyncio.ensure_future(asyncio.to_thread(lab.start, order, say=say))
    try:
        return await asyncio.shield(booting)
    except asyncio.CancelledError:
        booting.add_done_callback(_stop_again)
        raise


def _stop_again(booting: asyncio.Future[Lab]) -> None:
    if not booting.cancelled() and booting.exception() is None:
        booting.result().stop()


async def _measured(machine: Machine, title: str, target: str, workload: str, seconds: int, emit: Update) -> Run:
    """The finished run, kept in the run store."""
    from .bench import runs  # noqa: PLC0415 -- keeps the window's start light

    samples: list[Sample] = []

    def on_update(update: JobProgress | Sample) -> None:
        if isinstance(update, Sample):
            samples.append(update)
        emit(update)

    started = datetime.now(UTC)
    result = await machine.helper.run_workload(target, workload, seconds=seconds, on_update=on_update)
    run = runs.Run(
        id=runs.new_run_id(started, workload),
        started=started,
        machine=title,
        target=target,
        region_mib=None,
        result=result,
        samples=tuple(samples),
        context=runs.run_context(machine.snapshot, target),
    )
    await asyncio.to_thread(runs.save_run, run)
    return run
