"""Watching a machine for the user interface, and performing operations on it.

Without Qt; imported late, since it imports the bus and the practice machine, after the window is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from raidwright.core.errors import Unreachable
from raidwright.machine.address import parse_machine
from raidwright.machine.connection import Connection, ConnectionState, Held, PracticeSpec
from raidwright.machine.desktop import notify
from raidwright.machine.helper.job_progress import OnUpdate
from raidwright.machine.machine import Machine
from raidwright.machine.prompts import Asking, PromptRequest
from raidwright.machine.recent import RecentMachines
from raidwright.machine.seen_members import Roll, roll_path
from raidwright.machine.transport import is_far
from raidwright.machine.values import Snapshot
from raidwright.runs.baselines import Baselines

from .operation import Operation
from .practice import practice_room

if TYPE_CHECKING:
    from raidwright.lab.machine import Lab

Tell = Callable[[Connection | Snapshot | Held | Asking], object]
_Result = TypeVar("_Result")
_ALIVE_SECONDS = 1.0  # polling interval for the end of a practice machine, or a lack of space


class AtWindow:
    """The person at the window: ``tell`` gets the question, and ``say`` brings the answer."""

    has_terminal = False  # the terminal that started the window may be out of sight
    looks_on = True

    def __init__(self, tell: Callable[[Asking], object] = lambda _asking: None) -> None:
        self._tell = tell
        self._answer: asyncio.Future[str | None] | None = None

    async def answer(self, question: PromptRequest) -> str | None:
        """Return the text passed to ``say``."""
        self._answer = asyncio.get_running_loop().create_future()
        self._tell(Asking(question))
        try:
            return await self._answer
        finally:
            self._answer = None
            self._tell(Asking())

    def say(self, text: str | None) -> None:
        """Answer the current question; a withdrawn one needs no answer."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(text)


class Watch:
    """Watches one machine at a time; ``tell`` gets its changes."""

    def __init__(self) -> None:
        self._machine: Machine | None = None
        self._person = AtWindow()
        self._look_again: Callable[[], None] = lambda: None

    async def look_at(self, text: str, role: str, tell: Tell, opened: Future[Machine] | None = None) -> None:
        """Watch the machine ``text`` (``parse_machine``) until cancelled.

        ``opened`` is that machine while it is being opened, if the caller has started that on this loop.
        """
        meant = await asyncio.to_thread(parse_machine, text, role=role)
        far = meant.bus_address if is_far(meant.bus_address) else ""
        connection = Connection(meant.title, meant.is_practice, ConnectionState.CONNECTING, far=far)
        if meant.is_practice:
            await self._watch_practice(practice_room().find(meant.lab), meant.bus_address, connection, tell)
        else:
            await self._watch(meant.bus_address, connection, tell, opened)

    async def practise(self, spec: PracticeSpec, connection: Connection, tell: Tell) -> None:
        """Start a practice machine, watch it until cancelled, and stop it."""

        def say(words: str) -> None:
            tell(connection._replace(sentence=words))

        machine = await _booted(spec, say)
        try:
            address = machine.bus_address(spec.role)
            await self._watch_practice(machine, address, connection._replace(state=ConnectionState.CONNECTING), tell)
        finally:
            await asyncio.to_thread(machine.stop)

    async def leave(self) -> None:
        """Close the connection without cancelling jobs: the helper ends a workload, but completes array changes."""
        if self._machine is not None:
            await self._machine.close()

    async def look_again(self) -> None:
        """Look now for what was missing on the watched machine."""
        if self._machine is not None:
            self._machine.look_again()

    async def answer(self, text: str | None) -> None:
        """Answer the last question passed to ``tell``; None for no answer."""
        self._person.say(text)

    async def notify(self, title: str, text: str) -> None:
        """Show a desktop notification."""
        await notify(title, text)

    async def perform(self, operation: Operation[_Result], on_update: OnUpdate) -> _Result:
        """Perform ``operation`` on the watched machine; raises Unreachable while there is none."""
        if self._machine is None:
            raise Unreachable("No machine is connected. Choose one at the top of the window.", code="no-machine")
        try:
            return await operation.perform(self._machine, on_update)
        finally:
            self._look_again()  # baselines may be new, which no signal reports

    async def _watch(
        self, bus_address: str, connection: Connection, tell: Tell, opened: Future[Machine] | None = None
    ) -> None:
        tell(connection)
        self._person = AtWindow(tell)
        if opened is None:
            machine = await Machine.open(bus_address, Roll(roll_path()), self._person)
        else:
            machine = await asyncio.wrap_future(opened)
        self._machine = machine
        try:
            tell(connection._replace(state=ConnectionState.CONNECTED))
            if connection.far:
                await asyncio.to_thread(RecentMachines().note, connection.far)
            baselines = Baselines()

            told = Snapshot()

            def tell_measured(seen: Snapshot) -> None:
                nonlocal told
                if told.problem and not seen.problem:  # reconnected: CONNECTED is reported again
                    tell(connection._replace(state=ConnectionState.CONNECTED))
                told = replace(seen, disks=tuple(map(baselines.with_measured, seen.disks)))
                tell(told)

            def look_again() -> None:
                if tuple(map(baselines.with_measured, machine.snapshot.disks)) != told.disks:
                    tell_measured(machine.snapshot)

            machine.watch(tell_measured)
            tell_measured(machine.snapshot)
            self._look_again = look_again
            await asyncio.get_running_loop().create_future()  # until this task is cancelled
        finally:
            if self._machine is machine:
                self._machine, self._look_again = None, lambda: None
            await machine.close()

    async def _watch_practice(self, practice: Lab, bus_address: str, connection: Connection, tell: Tell) -> None:
        """Watch a practice machine and its store; raises Unreachable with the reason if it ends by itself."""
        held = Held()
        watching = asyncio.ensure_future(self._watch(bus_address, connection, tell))
        try:
            while not watching.done() and practice.is_alive():
                await asyncio.wait([watching], timeout=_ALIVE_SECONDS)
                was_held, held = held, await asyncio.to_thread(practice_room().held, practice)
                if held != was_held:
                    tell(held)
            if not watching.done():
                raise practice.ended()
            await watching
        finally:
            watching.cancel()
            await asyncio.wait([watching])


async def _booted(spec: PracticeSpec, say: Callable[[str], None]) -> Lab:
    """Start a practice machine; if cancelled meanwhile, stop it once it has started."""
    booting = asyncio.ensure_future(asyncio.to_thread(practice_room().start, spec, say))
    try:
        return await asyncio.shield(booting)
    except asyncio.CancelledError:
        booting.add_done_callback(_stop_again)
        raise


def _stop_again(booting: asyncio.Future[Lab]) -> None:
    if not booting.cancelled() and booting.exception() is None:
        booting.result().stop()
