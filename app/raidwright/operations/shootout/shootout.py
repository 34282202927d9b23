"""The shoot-out: contestants built one after the other, measured in their states, and removed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.machine.values import Named
from raidwright.operations.file_systems import SETUPS, MeasureFiles, MeasureFileSystem
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.operations.operation import Operation
from raidwright.operations.pace import Pace
from raidwright.operations.suites import samples_to
from raidwright.runs.baselines import Baselines, has_figure, save_baseline
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import ArrayState, RunResult, Series, new_series
from raidwright.suites import warm_up_seconds

from .baseline import kept_streams
from .contest import FILES, Contest, ContestArray, ContestMeasurement
from .predicted import Predicted, of_measured_disk
from .results import Figure, Findings
from .scratch import ScratchArray, scratch_array, trial
from .slices import Contestant

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction
    from raidwright.machine.machine import Machine

_MIN_MOVED_MIB = 64
_MAX_MINUTES = 24 * 60  # the helper's limit
_CAUGHT_UP = say("The disk that came back was only brought up to date, by the bitmap: what was written without it.")
_WITHOUT_BITMAP = say("Without the array's bitmap, by which md would only bring the disk up to date.")
_NOT_REBUILDING = say("md had rebuilt the disk before this was measured to its end: the slice is small.")


@dataclass(frozen=True, slots=True)
class Standing(JobProgress):
    """Progress of a shoot-out: contestant, measurement, ``seconds_left``, and the findings so far.

    ``measurement`` is None while a contestant is built or removed.
    """

    contestant: int
    measurement: ContestMeasurement | None
    seconds_left: float
    so_far: Findings


@dataclass(frozen=True, slots=True)
class Shootout(Operation[Findings]):
    """Run ``contest``; each measurement is stored as a run. Samples of the measurements are passed on, too.

    The streams of the disk that is measured alone are stored as its baseline.

    In any case each array is removed and the disks are as empty as before. On ``unknown``, by-id names, unrecognised
    bytes may be overwritten.
    """

    contest: Contest
    machine_title: str
    is_practice: bool = False
    keep: bool = True
    unknown: frozenset[str] = frozenset()

    async def perform(self, machine: Machine, on_update: OnUpdate = ignore) -> Findings:
        """As ``Operation.perform``; InputError also if a run can't be stored."""
        return await _Course(self, machine, on_update).run()


@dataclass(slots=True)
class _Course:
    """State of one running shoot-out."""

    order: Shootout
    machine: Machine
    on_update: OnUpdate
    done_s: float = 0.0
    findings: Findings = field(init=False)
    pace: Pace = field(init=False)
    series: Series = field(init=False)
    files: dict[FileAct, RunResult] = field(default_factory=dict)  # measured, but not reported yet

    def __post_init__(self) -> None:
        contest = self.order.contest
        parameters = {"seconds": contest.seconds, "repeats": contest.repeats}
        self.series = new_series("shootout", str(contest.suite), parameters)
        self.findings = Findings(contest, series=self.series.id)
        self.pace = Pace(contest.total_s)

    async def run(self) -> Findings:
        contest = self.order.contest
        async with trial(self.machine, _disks(contest), _granted_minutes(contest), self.order.unknown):
            await self._compete(contest)
        return self.findings

    async def _compete(self, contest: Contest) -> None:
        before_s = 0.0
        for place, contestant in enumerate(contest.contestants):
            self.done_s = before_s
            self._tell(JobStep.CREATE, place)
            for stage in contest.stages(contestant):
                async with scratch_array(self.machine, stage.plan, contestant.halved) as array:
                    await self._measure_all(place, stage, array)
                    self._tell(JobStep.STOP, place)
                self.done_s += stage.cost_s
            if contestant.is_alone:
                await self._keep_baseline(place, contestant)
            before_s += contest.cost_s(contestant)

    async def _measure_all(self, place: int, stage: ContestArray, array: ScratchArray) -> None:
        contestant = self.order.contest.contestants[place]
        await self._fill(place, contestant, array)
        lost = tuple([(disk, await array.array_with(disk)) for disk in contestant.lost])
        predicted, stay = Predicted(contestant), _Stay(contestant, array, lost)
        for measurement in stage.measurements:
            self._tell(JobStep.MEASURE, place, measurement)
            await stay.reach(measurement.state)
            figure = await self._measured(place, measurement, predicted, stay)
            self.findings = self.findings.with_result(figure)
            self.done_s += self.order.contest.measuring_s(measurement)

    async def _keep_baseline(self, place: int, contestant: Contestant) -> None:
        """Store the streams of one disk alone as its baseline, at once: the shoot-out may be cancelled later."""
        [member] = contestant.disks
        disk = next((disk for disk in self.machine.snapshot.disks if member.id in (disk.id, *disk.by_id)), None)
        if disk is None or not disk.serial or not self.order.keep:
            return
        before = await asyncio.to_thread(Baselines().of, disk)
        kept = kept_streams(self.findings, place, disk, self.order.machine_title, before)
        if kept is not None:
            await asyncio.to_thread(save_baseline, kept)

    async def _fill(self, place: int, contestant: Contestant, array: ScratchArray) -> None:
        """Write the whole region once, if reads of unwritten blocks would be meaningless."""
        if seconds := self.order.contest.fills[place]:
            request = RunWorkload(array.target, Workload.SEQUENTIAL_WRITE, seconds, contestant.region_mib)
            await request.perform(self.machine)
            self.done_s += seconds

    async def _measured(self, place: int, measurement: ContestMeasurement, predicted: Predicted, stay: _Stay) -> Figure:
        workload, state = measurement.workload, measurement.state
        if isinstance(workload, FileAct):
            if not self.files:
                await self._do_files(measurement, predicted.of(Workload.BUFFERED_WRITE, state), stay)
            return Figure(place, state, workload, (self.files.pop(workload),), None, tuple(stay.remarks(state)))
        said, known = self._predicted(predicted, measurement, stay), self.findings.of(place, state, workload)
        seconds, region_mib = self.order.contest.seconds, stay.contestant.region_mib
        expected = known or said
        if workload.pattern.buffered and expected is not None:  # one pass, including the final flush, within the time
            region_mib = min(region_mib, max(_MIN_MOVED_MIB, int(expected.mb_s * 1e6 * seconds / 2**20)))
        request = RunWorkload(stay.array.target, str(workload), seconds, region_mib, warm_up_seconds(workload) or None)
        measure = Measure(
            request,
            self.order.machine_title,
            self.order.is_practice,
            keep=self.order.keep,
            series=self.series,
            state=state,
            repeat=measurement.repeat + 1,
        )
        run = await measure.perform(self.machine, samples_to(self.on_update))
        seen = remarks_of(run, while_rebuilt=state is ArrayState.REBUILDING)
        return Figure(place, state, workload, (run.result,), said, (*stay.remarks(state), *seen))

    def _predicted(self, predicted: Predicted, measurement: ContestMeasurement, stay: _Stay) -> Prediction | None:
        """Return the prediction: of the disk that was measured here, where no disk had a figure of its own before."""
        workload = measurement.workload
        said, contestant = predicted.of(workload, measurement.state), stay.contestant
        if contestant.is_alone or any(has_figure(disk.baseline) for disk in contestant.plan.disks()):
            return said
        contest = self.order.contest
        alone = self.findings.of(contest.alone_with(contestant), ArrayState.HEALTHY, workload)
        return said if alone is None else of_measured_disk(said, alone.mb_s, alone.predicted)

    def _of_measured_files(
        self, said: Prediction | None, contestant: Contestant, state: ArrayState
    ) -> Prediction | None:
        """Return the prediction of writing a file: of the disk that was measured here, once its file was written."""
        contest = self.order.contest
        place = contest.alone_with(contestant)
        alone = self.findings.of(place, ArrayState.HEALTHY, FileAct.WRITE)
        if alone is None or (contestant.is_alone and state is ArrayState.HEALTHY):
            return said
        expected = Predicted(contest.contestants[place]).of(Workload.BUFFERED_WRITE, ArrayState.HEALTHY)
        return of_measured_disk(said, alone.mb_s, expected)

    async def _do_files(self, measurement: ContestMeasurement, said: Prediction | None, stay: _Stay) -> None:
        """Measure a round of all acts on a new file system; each is reported in its turn."""
        contestant = stay.contestant
        said = self._of_measured_files(said, stay.contestant, measurement.state)
        moved_mib = int((said.mb_s if said else 0.0) * 1e6 * self.order.contest.seconds / 2**20)
        size_mib = min(contestant.region_mib // 2, max(_MIN_MOVED_MIB, moved_mib))
        request = MeasureFileSystem(stay.array.target, contestant.setup or SETUPS[0], size_mib, FILES)
        measure = MeasureFiles(
            request,
            self.order.machine_title,
            self.order.is_practice,
            keep=self.order.keep,
            series=self.series,
            state=measurement.state,
            repeat=measurement.repeat + 1,
        )
        self.files = dict((await measure.perform(self.machine, samples_to(self.on_update))).results)

    def _tell(self, step: JobStep, place: int, measurement: ContestMeasurement | None = None) -> None:
        share = min(1.0, self.done_s / self.order.contest.total_s)
        self.on_update(Standing(step, share, place, measurement, self.pace.left_s(share), self.findings))


def _disks(contest: Contest) -> tuple[Member, ...]:
    """Return each disk once, without its baseline."""
    disks = (replace(disk, baseline=None) for one in contest.contestants for disk in one.disks)
    return tuple({disk.id: disk for disk in disks}.values())


def _granted_minutes(contest: Contest) -> int:
    """Return the minutes to authorise, half as long again as estimated: a slow disk mustn't cause a prompt midway."""
    return min(_MAX_MINUTES, 10 + ceil(contest.total_s / 40))


@dataclass(slots=True)
class _Stay:
    """A contestant's array and its current state; ``lost`` are the disks to fail, each with the array that it is in."""

    contestant: Contestant
    array: ScratchArray
    lost: tuple[tuple[Member, Named], ...]
    state: ArrayState = ArrayState.HEALTHY
    came_back: CameBack | None = None

    async def reach(self, state: ArrayState) -> None:
        """Bring the array into ``state``; if its rebuild has ended, fail the disk once more."""
        is_rebuilt = state is ArrayState.REBUILDING and self.state is state and not self.array.is_rebuilding()
        if is_rebuilt or (state is not ArrayState.HEALTHY and self.state is ArrayState.HEALTHY):
            for disk, inside in self.lost:
                await self.array.lose(disk, inside)
            self.state = ArrayState.DEGRADED
        if state is ArrayState.REBUILDING and self.state is ArrayState.DEGRADED:
            for disk, inside in self.lost:
                self.came_back = await self.array.take_back(disk, inside)
        self.state = state

    def remarks(self, state: ArrayState) -> Iterator[Message]:
        """Yield the notes on a figure that was just measured."""
        if state is ArrayState.REBUILDING:
            if not self.array.is_rebuilding():
                yield _NOT_REBUILDING
            if self.came_back is CameBack.CAUGHT_UP:
                yield _CAUGHT_UP
            if (
                self.array.plan.on(replace(self.array.plan.array, name=self.contestant.plan.name))
                != self.contestant.plan
            ):
                yield _WITHOUT_BITMAP
