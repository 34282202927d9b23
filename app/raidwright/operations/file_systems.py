"""File system benchmarks on an empty array: aligned to its stripes and not, each removed afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from raidwright.analysis.comparison.groups import Measured
from raidwright.analysis.comparison.verdict import Comparison, compare
from raidwright.core.layers.capacity import stripe_of_layer
from raidwright.core.model.plan import Plan
from raidwright.core.protocol import verbs
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.protocol.results import FileSystemMeasured
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.file_acts import FILES, FileAct
from raidwright.core.system.filesystem import ALIGNED_KINDS, Alignment, FileSystemKind
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.runs.run import RunResult, finished_run, new_series
from raidwright.runs.store import Runs

from .operation import Operation, Request
from .recorded import Recorded, with_load
from .suites import samples_to

if TYPE_CHECKING:
    from raidwright.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Setup:
    """A kind of file system, and whether it is created with the array's stripe geometry."""

    kind: FileSystemKind
    aligned: bool


SETUPS = tuple(Setup(kind, aligned) for kind in ALIGNED_KINDS for aligned in (False, True))


def setups_for(plan: Plan, kinds: Sequence[FileSystemKind] = ALIGNED_KINDS) -> tuple[Setup, ...]:
    """Return the setups of ``kinds`` that differ on the array of ``plan``: without a stripe there is no alignment."""
    has_stripe = stripe_of_layer(plan.top) is not None
    return tuple(
        Setup(kind, aligned)
        for kind in kinds
        for aligned in ((False, True) if has_stripe and kind in ALIGNED_KINDS else (False,))
    )


@dataclass(frozen=True, slots=True)
class MeasureFileSystem(Request[FileSystemMeasured]):
    """Create the file system on the empty array ``target`` (``md:UUID``); do each act; remove it again."""

    verb = verbs.MEASURE_FILE_SYSTEM
    target: str
    setup: Setup
    size_mib: int
    files: int = FILES

    def arguments(self) -> tuple[object, ...]:
        options = {"aligned": self.setup.aligned, "size_mib": self.size_mib, "files": self.files}
        return (self.target, str(self.setup.kind), options)


@dataclass(frozen=True, slots=True)
class FileSystemRound:
    """One pass through all acts on one file system. ``alignment`` is as the file system reports it."""

    setup: Setup
    alignment: Alignment
    results: Mapping[FileAct, RunResult]


@dataclass(frozen=True, slots=True)
class MeasureFiles(Recorded[MeasureFileSystem, FileSystemRound]):
    """Perform ``request``, with a run of each act ``Recorded``."""

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> FileSystemRound:
        """As ``Operation.perform``; InputError also if a run can't be stored."""
        seen, request = machine.snapshot, self.request
        begun = {act: self.begun(seen, request.target, act, request.size_mib) for act in FileAct}
        load = await self.load()
        found = await request.perform(machine, samples_to(on_update))
        runs = [finished_run(one, with_load(_result(act, found), load)) for act, one in begun.items()]
        if self.keep:
            await asyncio.to_thread(Runs().add, runs)
        alignment = Alignment(found.unit_kib, found.width_kib, found.log_unit_kib)
        return FileSystemRound(request.setup, alignment, {FileAct(one.workload): one.result for one in runs})


def _result(act: FileAct, found: FileSystemMeasured) -> WorkloadResult:
    figures = asdict(found.figures[act])
    return WorkloadResult(str(act), command=found.commands[act], surroundings=found.surroundings, **figures)


@dataclass(frozen=True, slots=True)
class Rounds:
    """All rounds on one array, in their order."""

    rounds: tuple[FileSystemRound, ...]

    @property
    def setups(self) -> tuple[Setup, ...]:
        """The distinct setups."""
        return tuple(dict.fromkeys(one.setup for one in self.rounds))

    def of(self, setup: Setup) -> tuple[FileSystemRound, ...]:
        """Return the repeats of one setup."""
        return tuple(one for one in self.rounds if one.setup == setup)

    def aligned_against_not(self, kind: FileSystemKind, act: FileAct) -> Comparison | None:
        """Compare aligned with unaligned; None unless both were measured."""
        plain, aligned = (
            [Measured(rate_of(act, one.results[act])) for one in self.of(Setup(kind, is_aligned))]
            for is_aligned in (False, True)
        )
        return compare(plain, aligned) if plain and aligned else None


def rate_of(act: FileAct, result: RunResult) -> float:
    """Return MB/s, or files per second."""
    return result.iops if act.counts_files else result.mb_s


@dataclass(frozen=True, slots=True)
class FileSystemSuite(Operation[Rounds]):
    """Measure each of ``setups`` on the array ``target`` ``repeats`` times, with a file of ``size_mib``."""

    target: str
    size_mib: int
    machine_title: str
    repeats: int = 1
    files: int = FILES
    is_practice: bool = False
    keep: bool = True
    setups: tuple[Setup, ...] = SETUPS

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Rounds:
        """As ``Operation.perform``."""
        parameters = {"size_mib": self.size_mib, "files": self.files, "repeats": self.repeats}
        series, rounds = new_series("suite", "filesystem", parameters), list(self._rounds())
        found = []
        for done, (repeat, setup) in enumerate(rounds):
            on_update(JobProgress(str(JobStep.MEASURE), done / len(rounds)))
            request = MeasureFileSystem(self.target, setup, self.size_mib, self.files)
            measure = MeasureFiles(request, self.machine_title, self.is_practice, self.keep, series)
            found.append(await replace(measure, repeat=repeat).perform(machine, on_update))
        return Rounds(tuple(found))

    def _rounds(self) -> Iterator[tuple[int, Setup]]:
        """Alternate the setups, so that changes over time favour none."""
        return ((repeat + 1, setup) for repeat in range(self.repeats) for setup in self.setups)
