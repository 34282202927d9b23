"""What the session has done for it on the loop's side: a machine watched, and the jobs that are asked of it.

No Qt here, and imported late: by the time of the first errand the window stands.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from raidwright.core.errors import MachineError, Unreachable
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import BuildRecord, Check, DiskSignature
from raidwright.core.protocol.results import BuildResult, Sample, UndoResult
from raidwright.lab.image import Generation
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.address import parse_machine
from raidwright.machine.connection import Connection, Held, PracticeSpec, State
from raidwright.machine.helper.array_acts import ArrayActs
from raidwright.machine.helper.array_steps import ArrayStep, ArrayStepResult
from raidwright.machine.helper.confirmed import Confirmed
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.helper.system_acts import SystemActs
from raidwright.machine.helper.system_steps import Step, StepResult
from raidwright.machine.machine import Machine
from raidwright.machine.roll import Roll, roll_path
from raidwright.runs.region import region_mib

from .lab import machine as lab
from .runs import store as runs

Update = Callable[[Any], object]
_ALIVE_SECONDS = 1.0  # how soon the window learns that a practice machine has died, or has no room


class Errands:
    """Watches one machine at a time; ``tell`` gets Connections, Snapshots and Held, ``emit`` a job's news."""

    def __init__(self) -> None:
        self._machine: Machine | None = None
        self._is_practice = False

    async def look_at(self, text: str, role: str, tell: Update) -> None:
        """Watch the machine that ``text`` names (``parse_machine``) until cancelled."""
        meant = await asyncio.to_thread(parse_machine, text, role=role)
        connection = Connection(meant.title, meant.is_practice, State.CONNECTING)
        if meant.is_practice:
            await self._watch_practice(lab.find(meant.lab), meant.bus_address, connection, tell)
        else:
            await self._watch(meant.bus_address, connection, tell)

    async def practise(self, spec: PracticeSpec, connection: Connection, tell: Update) -> None:
        """Boot a practice machine, watch it until cancelled, and stop it."""

        def say(words: str) -> None:
            tell(connection._replace(sentence=words))

        machine = await _booted(spec, say)
        try:
            address = machine.bus_address(spec.role)
            await self._watch_practice(machine, address, connection._replace(state=State.CONNECTING), tell)
        finally:
            await asyncio.to_thread(machine.stop)

    async def leave(self) -> None:
        """Hang up, without a word to the helper: a workload ends there then, and what changes an array goes on."""
        if self._machine is not None:
            await self._machine.close()

    async def examine(self, ids: tuple[str, ...]) -> dict[str, tuple[DiskSignature, ...]]:
        """What these disks carry; one that sleeps is woken."""
        return await self._seen().helper.examine_signatures(ids, wake=True)

    async def build(self, plan: Plan, confirmed: Confirmed, emit: Update) -> BuildResult:
        """Create the array through the helper."""
        wipe = {disk: set(names) for disk, names in confirmed.removed}
        helper = self._seen().helper
        return await helper.create_array(plan, confirmed_name=confirmed.name, on_update=emit, wipe=wipe)

    async def undo(self, build_id: str, emit: Update) -> UndoResult:
        """Take a build back."""
        return await self._seen().helper.undo(build_id, on_update=emit)

    async def take_step(self, step: Step, emit: Update) -> StepResult:
        """Do what comes after a build."""
        return await SystemActs(self._seen().helper).take(step, on_update=emit)

    async def look_after(self, step: ArrayStep, emit: Update) -> ArrayStepResult:
        """Do something with an array that exists."""
        return await ArrayActs(self._seen().helper).take(step, on_update=emit)

    async def list_checks(self) -> tuple[Check, ...]:
        """The checks of arrays that are kept, the latest first; never prompts."""
        return await ArrayActs(self._seen().helper).checks()

    async def list_builds(self) -> tuple[BuildRecord, ...]:
        """The builds of before, the latest first; never prompts."""
        return await self._seen().helper.builds()

    async def measure(self, title: str, target: str, workload: str, seconds: int, emit: Update) -> runs.Run:
        """Run ``workload`` on ``target`` and keep the run."""
        machine = self._seen()
        samples: list[Sample] = []

        def on_update(update: JobProgress | Sample) -> None:
            if isinstance(update, Sample):
                samples.append(update)
            emit(update)

        region = region_mib(machine.snapshot, target, is_practice=self._is_practice)
        started = datetime.now(UTC)
        result = await machine.helper.run_workload(
            target, workload, seconds=seconds, region_mib=region, on_update=on_update
        )
        run = runs.Run(
            id=runs.new_run_id(started, workload),
            started=started,
            machine=title,
            target=target,
            region_mib=region,
            result=result,
            samples=tuple(samples),
            context=runs.run_context(machine.snapshot, target),
        )
        await asyncio.to_thread(runs.save_run, run)
        return run

    async def load_runs(self) -> tuple[runs.Run, ...]:
        """The kept runs, newest first."""
        return await asyncio.to_thread(runs.list_runs)

    async def warm_up(self, modules: Sequence[str]) -> None:
        """Import ``modules``, so that going to the next stations doesn't wait."""
        for module in modules:
            await asyncio.to_thread(importlib.import_module, module)

    async def _watch(self, bus_address: str, connection: Connection, tell: Update) -> None:
        tell(connection)
        machine = await Machine.open(bus_address, Roll(roll_path()))
        self._machine, self._is_practice = machine, connection.is_practice
        try:
            tell(connection._replace(state=State.CONNECTED))
            machine.watch(tell)
            tell(machine.snapshot)
            await asyncio.get_running_loop().create_future()  # until this task is cancelled
        finally:
            if self._machine is machine:
                self._machine = None
            await machine.close()

    async def _watch_practice(self, practice: lab.Lab, bus_address: str, connection: Connection, tell: Update) -> None:
        """Watch a practice machine and its store; raises Unreachable with its last words when it ends by itself."""
        held = Held()
        watching = asyncio.ensure_future(self._watch(bus_address, connection, tell))
        try:
            while not watching.done() and practice.is_alive():
                await asyncio.wait([watching], timeout=_ALIVE_SECONDS)
                was_held, held = held, await asyncio.to_thread(_held, practice)
                if held != was_held:
                    tell(held)
            if not watching.done():
                raise practice.ended()
            await watching
        finally:
            watching.cancel()
            await asyncio.wait([watching])

    def _seen(self) -> Machine:
        if self._machine is None:
            raise Unreachable("No machine is connected. Choose one at the top of the window.", code="no-machine")
        return self._machine


def _held(practice: lab.Lab) -> Held:
    try:
        store = practice.store()
    except MachineError:
        return Held()  # it is ending, which is told elsewhere
    return Held(store.held_writes, store.folder)


async def _booted(spec: PracticeSpec, say: Callable[[str], None]) -> lab.Lab:
    """A running practice machine; one that comes up after we were cancelled is stopped again."""
    order = lab.LabSpec(disks_from_text(spec.disks), Generation(spec.generation))
    booting = asyncio.ensure_future(asyncio.to_thread(lab.start, order, say=say))
    try:
        return await asyncio.shield(booting)
    except asyncio.CancelledError:
        booting.add_done_callback(_stop_again)
        raise


def _stop_again(booting: asyncio.Future[lab.Lab]) -> None:
    if not booting.cancelled() and booting.exception() is None:
        booting.result().stop()
