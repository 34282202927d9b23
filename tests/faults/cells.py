"""Cells of the matrix: a build interrupted at a step by a fault, the state it leaves, and the recovery."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from raidwright.core.errors import JobFailed, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.operations.builds import Undo

from tests.kit.asking import ask
from tests.kit.two_bands import two_bands

from .bench import CARRIED, MEMBERS, Bench
from .steps import OF_JOINED, WAITED_FOR, Step, hold, wait_until_held
from .strikes import WITHOUT_PROGRAM, Strike, strike
from .window import Told, Window

_SECONDS_TO_END = 120.0  # of a busy host
_NO_BUILD = "no build"
_STOPS_ALL = (Strike.HELPER, Strike.POWER)
_STOPS_NOTHING = (Strike.WINDOW, Strike.BUS)


def _plans(disks: tuple[Member, ...]) -> Mapping[str, Plan]:
    """Shapes whose members md leaves alone afterwards, so that they can be compared from end to end."""
    a, b, c, d = disks
    pairs = tuple(MdArray(Level.RAID1, pair, assume_clean=True) for pair in ((a, b), (c, d)))
    return {
        "raid0": Plan(MdArray(Level.RAID0, disks, name="tank")),
        "raid6": Plan(MdArray(Level.RAID6, disks, name="tank", assume_clean=True)),
        "raid0 of raid1": Plan(MdArray(Level.RAID0, pairs, name="tank")),
        JOINED: two_bands(disks, 20, 16),
    }


JOINED = "joined"
SHAPES = ("raid0", "raid6", "raid0 of raid1", JOINED)


@dataclass(frozen=True, slots=True)
class Cell:
    """Shape of the array, step of the build, and fault."""

    shape: str
    step: Step
    strike: Strike


@dataclass(frozen=True, slots=True)
class Found:
    """State of an interrupted build by ListBuilds and by md, and the disks whose contents have changed."""

    record: BuildRecord | None
    arrays: int
    changed: tuple[int, ...]

    @property
    def state(self) -> str:
        """The build's state, in a word."""
        return str(self.record.state) if self.record else _NO_BUILD


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a cell: the helper's answer to the window, the state found, the recovery, and the faults."""

    told: Told
    found: Found
    way_on: str
    faults: tuple[str, ...]


def matrix(seed: int) -> Iterator[Cell]:
    """Each step and each fault once, on a shape that the seed draws."""
    for step, kind in product(Step, Strike):
        if kind is not Strike.PROGRAM or step not in WITHOUT_PROGRAM:
            shapes = (JOINED,) if step in OF_JOINED else SHAPES
            yield Cell(Random(f"{seed} {step} {kind}").choice(shapes), step, kind)  # noqa: S311  (to be repeatable)


def try_cell(bench: Bench, cell: Cell, random: Random) -> Outcome:
    """Build, inject the fault, recover, and judge; raises MachineError when the lab itself fails."""
    bench.reset()
    victim = WAITED_FOR.get(cell.step, random.randrange(MEMBERS))
    plan = _plans(bench.members)[cell.shape]
    hold(bench, cell.step)
    window = _window(bench, plan)
    try:
        if cell.step is Step.DONE:
            window.told()
        wait_until_held(bench, cell.step)
        strike(bench, cell.step, cell.strike, window, victim)
        if cell.strike is not Strike.POWER:
            window.told()
    finally:
        window.kill()
    found = _found(bench, cell)
    faults = [*_misfits(cell, found, victim)]
    try:
        bench.heal()
        way_on = _go_on(bench, plan, found.record)
    except RaidwrightError as error:
        way_on = f"none: {error.sentence}"
        faults.append("no way on")
    faults += _not_as_at_first(bench)
    return Outcome(window.told(), found, way_on, tuple(faults))


def _window(bench: Bench, plan: Plan) -> Window:
    wipe = {member.id: names for member, names in zip(bench.members, CARRIED, strict=True) if names}
    return Window(bench.lab.bus_address("admin"), plan, wipe)


def _found(bench: Bench, cell: Cell) -> Found:
    """Return the state once nothing works on the build any more."""
    until = time.monotonic() + _SECONDS_TO_END
    while (record := bench.latest()) is None or record.state is BuildState.RUNNING:
        if (record is None and cell.strike not in _STOPS_NOTHING) or time.monotonic() > until:
            break
    return Found(record, len(bench.arrays()), bench.changed())


def _misfits(cell: Cell, found: Found, victim: int) -> Iterator[str]:
    """Yield the differences from the expected outcome."""
    if found.state not in _wanted_states(cell):
        yield f"the state is {found.state}"
    if strangers := [number for number in found.changed if number >= MEMBERS]:
        yield f"the disks {strangers}, of which nobody spoke, were written to"
    if extra := set(found.changed) - _may_have_changed(cell, found, victim):
        yield f"the disks {sorted(extra)} aren't as they were"
    if found.state in (BuildState.FAILED, _NO_BUILD) and found.arrays:
        yield "an array is left"
    if cell.strike is Strike.PROGRAM and found.record and found.record.has_way_back:
        yield "something is said to be left"


def _wanted_states(cell: Cell) -> tuple[str, ...]:
    if cell.step is Step.DONE or cell.strike in _STOPS_NOTHING:
        return (BuildState.DONE,)
    if cell.step is Step.SAVE:
        return (_NO_BUILD,)
    return (BuildState.INTERRUPTED,) if cell.strike in _STOPS_ALL else (BuildState.FAILED,)


def _may_have_changed(cell: Cell, found: Found, victim: int) -> set[int]:
    """Of the members; what holds nothing known is not wiped, and what failed was put back where that could be."""
    if found.state == _NO_BUILD:
        return set()
    if found.state == BuildState.FAILED:
        return {victim} if cell.strike in (Strike.GONE, Strike.ERRORS) else set()
    everything = set(range(MEMBERS))
    if found.state == BuildState.INTERRUPTED:
        wiped = {0, 1, 2}
        tables = everything if cell.shape == JOINED else wiped  # written before the first array
        return {Step.WIPE: {0}, Step.PARTITION: wiped, Step.CREATE: tables}.get(cell.step, everything)
    return everything


def _go_on(bench: Bench, plan: Plan, record: BuildRecord | None) -> str:
    """Recover in the way that the build's record offers; raises RaidwrightError when that fails."""
    if record is None:
        told = _window(bench, plan).told()
        record = bench.latest()
        if told.code or record is None:
            raise JobFailed(told.sentence, code=told.code)
        way = "built again, taken back"
    else:
        way = "taken back" if record.has_way_back else "nothing left to do"
    if record.has_way_back:
        build_id = record.id
        bench.ask(lambda helper: ask(helper, Undo(build_id)))
    return way


def _not_as_at_first(bench: Bench) -> Iterator[str]:
    record = bench.latest()
    if record is not None and (record.has_way_back or record.state not in (BuildState.UNDONE, BuildState.FAILED)):
        yield f"in the end the state is {record.state}"
    if bench.arrays():
        yield "in the end an array runs"
    if changed := bench.changed():
        yield f"in the end the disks {list(changed)} aren't as at first"
