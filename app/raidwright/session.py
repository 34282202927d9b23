"""The window's only interface to a machine: its snapshots, and the operations requested of it.

All work runs on the task thread (``operations.watch``); only frozen values and Task handles are returned.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say
from raidwright.machine.bays import KeptBays, use_bays
from raidwright.machine.connection import Connection, ConnectionState, Held, PracticeSpec
from raidwright.machine.prompts import Asking
from raidwright.machine.ssh.host import SCHEME, parse_host
from raidwright.machine.values import Snapshot
from raidwright.operations.operation import Operation, Result

from .log import note_connection, noted
from .tasks import Task, TaskThread

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine
    from raidwright.operations.kept_runs import KeptRuns, LastMeasured
    from raidwright.operations.watch import Watch
    from raidwright.runs.run import BegunRun, Run

Made = TypeVar("Made")
Take = Callable[[Any], object]
Failed = Callable[[RaidwrightError], object]


class _News(NamedTuple):
    """A value from the machine with the given turn number, to discard late values of an earlier machine."""

    turn: int
    value: object


class Session(QObject):
    """A window's connection to a machine. Operations return a Task.

    ``connection_changed(Connection)`` and ``snapshot_changed(Snapshot)`` follow the machine, ``held_changed(Held)`` a
    practice machine whose writes wait for disk space, ``asking_changed(Asking)`` ssh's questions to the user.
    """

    connection_changed = Signal(object)
    snapshot_changed = Signal(object)
    held_changed = Signal(object)
    asking_changed = Signal(object)

    def __init__(self, thread: TaskThread | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = thread or TaskThread()
        self._following: Task | None = None
        self._turn = 0
        self._is_closed = False
        self.has_own_practice = False  # a practice machine that ends when the window turns to another machine or closes
        self.address = "local"  # usable by other windows as well: our own practice machine isn't
        self._turn_again: Callable[[], None] = lambda: None
        self.connection = Connection()
        self.snapshot = Snapshot()

    @functools.cached_property
    def _watch(self) -> Watch:
        from raidwright.operations.watch import Watch  # noqa: PLC0415 -- imports the bus; the window is shown before

        return Watch()

    def connect_to(self, address: str, *, role: str = "admin", opened: Future[Machine] | None = None) -> None:
        """Connect to the machine at ``address`` (``local``, ``lab[:NAME]``, ``ssh://host``, ``unix:path=…``).

        ``opened`` is that machine's pending connection, on the loop of this session's thread.
        """
        self.has_own_practice, self.address = False, address
        use_bays(KeptBays().of(self.machine_name))
        self._turn_again = functools.partial(self.connect_to, address, role=role)
        far = address if address.startswith(SCHEME) else ""
        title = parse_host(address).title if far else address
        connection = Connection(title, address.startswith("lab"), ConnectionState.CONNECTING, far=far)
        self._follow(connection, lambda tell: self._watch.look_at(address, role, tell, opened))

    @property
    def machine_name(self) -> str:
        """The machine's name for what is kept of it (``KeptBays``)."""
        return "practice" if self.has_own_practice else self.address

    def name_bay(self, path: str, name: str) -> None:
        """Name the bay at ``path``, "" to forget its name, and show it everywhere. Raises InputError."""
        bays = KeptBays()
        bays.name(self.machine_name, path, name)
        use_bays(bays.of(self.machine_name))
        self.snapshot_changed.emit(self.snapshot)

    def turn_again(self) -> None:
        """Reconnect to the last machine if it is unreachable; else look for what was missing on it."""
        if self.connection.state is ConnectionState.FAILED:
            self._turn_again()
        else:
            self.look_again()

    def expect(self, connection: Connection, snapshot: Snapshot) -> None:
        """Show a machine's known state before the connection is made."""
        self._take(_News(self._turn, snapshot))
        self._take(_News(self._turn, connection))

    def start_practice(self, spec: PracticeSpec) -> None:
        """Boot a practice machine and connect to it; it ends when the window turns to another machine or closes."""
        self.has_own_practice, self.address = True, "local"
        use_bays(KeptBays().of(self.machine_name))
        self._turn_again = functools.partial(self.start_practice, spec)
        connection = Connection(say("Practice machine"), is_practice=True, state=ConnectionState.STARTING)
        self._follow(connection, lambda tell: self._watch.practise(spec, connection, tell))

    def perform(
        self,
        operation: Operation[Result],
        *,
        update: Take | None = None,
        done: Callable[[Result], object],
        failed: Failed,
    ) -> Task:
        """Run ``operation`` on the machine; ``update`` gets its job's progress."""

        async def work(emit: Take) -> Result:
            with noted(operation):
                # on the loop's thread, where it may be imported first
                return await self._watch.perform(operation, emit)

        return self._thread.run(work, update=update, done=done, failed=failed, parent=self)

    def look_again(self) -> None:
        """Look now for what was missing on the machine: UDisks2, the helper or polkit."""
        self._thread.run(lambda _emit: self._watch.look_again(), parent=self)

    def answer(self, text: str | None) -> None:
        """Answer the question of ``asking_changed``; None cancels."""
        self._thread.run(lambda _emit: self._watch.answer(text), parent=self)

    def notify(self, title: str, text: str) -> None:
        """Show a desktop notification, if the desktop supports that."""
        self._thread.run(lambda _emit: self._watch.notify(title, text), parent=self)

    def load_runs(self, *, done: Callable[[tuple[BegunRun, ...]], object], failed: Failed) -> Task:
        """Read the kept runs, newest first, without their samples; before them, those that never ended."""
        return self.work_out(lambda: _kept().all(), done=done, failed=failed)

    def last_runs(
        self, uuids: Sequence[str], *, done: Callable[[Mapping[str, LastMeasured]], object], failed: Failed
    ) -> Task:
        """Read the last kept run of each array, with its prediction."""
        return self.work_out(lambda: _kept().last_of(uuids), done=done, failed=failed)

    def load_run(self, run_id: str, *, done: Callable[[Run], object], failed: Failed) -> Task:
        """Read one kept run with its samples."""
        return self.work_out(lambda: _kept().one(run_id), done=done, failed=failed)

    def import_runs(self, paths: Sequence[Path], *, done: Callable[[tuple[Run, ...]], object], failed: Failed) -> Task:
        """Store the runs in files of other benchmarks, or exported ones."""
        return self.work_out(lambda: _kept().imported(paths), done=done, failed=failed)

    def work_out(self, make: Callable[[], Made], *, done: Callable[[Made], object], failed: Failed) -> Task:
        """Run ``make`` in the background, for reading and computing."""
        return self._thread.run(lambda _emit: asyncio.to_thread(make), done=done, failed=failed, parent=self)

    def compare(
        self, first: Sequence[str], second: Sequence[str], *, done: Callable[[Any], object], failed: Failed
    ) -> Task:
        """Compare kept runs, by their ids (``runs.comparing.compared_by_id``)."""
        return self.work_out(lambda: _kept().compared(first, second), done=done, failed=failed)

    def warm_up(self, modules: Sequence[str]) -> None:
        """Import ``modules`` in the background, so that opening the next stations is fast."""
        if not self._is_closed:  # a window may close at once
            self._thread.run(lambda _emit: _import(modules), parent=self)

    def close(self) -> None:
        """Disconnect, stop a practice machine of ours, and join the thread.

        The helper stops a workload whose caller has disconnected; it finishes a build, and other changes of an array.
        """
        self._turn += 1
        self._is_closed = True
        self._thread.stop(self._watch.leave if self._following is not None else None)

    def _follow(self, connection: Connection, work: Callable[[Take], Coroutine[Any, Any, None]]) -> None:
        """Switch to another machine: ``work`` watches it until it is cancelled."""
        if self._following is not None:
            self._following.cancel()
        self._turn += 1
        turn = self._turn
        for nothing_yet in (Snapshot(), connection, Held(), Asking()):
            self._take(_News(turn, nothing_yet))

        async def follow(emit: Take) -> None:
            try:
                await work(lambda value: emit(_News(turn, value)))
            except RaidwrightError as error:
                emit(_News(turn, connection._replace(state=ConnectionState.FAILED, sentence=error.sentence)))

        self._following = self._thread.run(follow, update=self._take, failed=self._broke, parent=self)

    @Slot(object)
    def _take(self, news: _News) -> None:
        if news.turn != self._turn:
            return  # from the previous machine
        if isinstance(news.value, Connection):
            note_connection(self.connection, news.value)
            self.connection = news.value
            self.connection_changed.emit(news.value)
        elif isinstance(news.value, Snapshot):
            self.snapshot = news.value
            self.snapshot_changed.emit(news.value)
        elif isinstance(news.value, Held):
            self.held_changed.emit(news.value)
        elif isinstance(news.value, Asking):
            self.asking_changed.emit(news.value)

    @Slot(RaidwrightError)
    def _broke(self, error: RaidwrightError) -> None:
        self._take(_News(self._turn, self.connection._replace(state=ConnectionState.FAILED, sentence=error.sentence)))


def _kept() -> KeptRuns:
    from raidwright.operations.kept_runs import KeptRuns  # noqa: PLC0415 -- imports numpy; the window is shown before

    return KeptRuns()


async def _import(modules: Sequence[str]) -> None:
    for module in modules:
        await asyncio.to_thread(importlib.import_module, module)
