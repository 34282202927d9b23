"""The measurement's view-model: subject and workload, the running one, and the kept runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.likeness import likeness
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.results import BuildResult
from raidwright.core.system.workload import AnyWorkload, Workload
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot
from raidwright.operations.job_file import read_job_file
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.operations.suites import RunSuite, SuiteRuns
from raidwright.reading.fio_job import OwnJob, read_fio_job
from raidwright.runs.plan_meant import plan_here, plan_meant
from raidwright.runs.region import region_mib
from raidwright.runs.run import BegunRun, Run, array_meant, run_context, state_of
from raidwright.runs.trials import Trial, trial_of
from raidwright.session import Session
from raidwright.suites import Suite
from raidwright.text.catalogue import ntr, tr, translated
from raidwright.ui.job import RunningOperation

OFFERED_SUITES = tuple(suite for suite in Suite if suite is not Suite.FILESYSTEM)  # that suite makes file systems


@dataclass(frozen=True, slots=True)
class Target:
    """A measurable array or disk: the helper's name for it and a title. Only arrays can be written to."""

    key: str
    title: str
    is_array: bool


class MeasureModel(QObject):
    """The measurement. ``changed`` follows choices and state, ``sampled`` each Sample, ``kept`` a finished Run.

    ``ended`` follows any end. ``trial_wanted(Trial)`` asks for the comparison of an array with its trial.
    """

    changed = Signal()
    sampled = Signal(object)
    kept = Signal(object)
    ended = Signal()
    runs_changed = Signal()
    trial_wanted = Signal(object)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.job.sampled.connect(self._sampled)
        self.job.done.connect(self._done)
        self.job.cancelled.connect(self._cancelled)
        self.job.ended.connect(self.ended)
        self.job.changed.connect(self._progressed)
        self._preferred = ""
        self._by_hand = False
        self.targets: tuple[Target, ...] = ()
        self.target = ""
        self.workload = Workload.SEQUENTIAL_READ
        self.suite: Suite | None = None  # all workloads of a suite instead
        self.jobs: tuple[OwnJob, ...] = ()  # of the user's file instead
        self.job_name = ""
        self.seconds, self.repeats = 15, 1  # repeats of a suite's workloads
        self._planned: tuple[object, BegunRun] | None = None
        self._region_mib: int | None = None  # of the running suite; None for the machine's default
        self._trial: Trial | None = None
        self._trial_of: object = None  # the target, and its layout
        self._trial_runs: tuple[Run, ...] = ()
        self.begun: BegunRun | None = None  # the running measurement
        self.samples: list[Sample] = []  # grows during a measurement
        self.last: Run | None = None
        self.shown: Run | None = None
        self.runs: tuple[Run, ...] = ()
        self.never_ended = 0  # number of runs from before this window that have no end
        self._since = datetime.now(UTC)
        self.said = ""  # the last run's result, unless it failed

    @property
    def why_not(self) -> str:
        """The reason why Measure is disabled; "" if it isn't."""
        target = self.chosen_target
        if target is None:
            return tr("There is nothing to measure yet: build an array first.")
        if not self.is_series and self.workload.writes and not target.is_array:
            return tr("Writing is measured on arrays only, never on a bare disk.")
        return ""

    @property
    def chosen_target(self) -> Target | None:
        """The target; None if there is none."""
        return next((target for target in self.targets if target.key == self.target), None)

    @property
    def array(self) -> State | None:
        """The target, if it is a single running array."""
        arrays = (one for one in self._session.snapshot.arrays if one.running and f"md:{one.uuid}" == self.target)
        return next(arrays, None)

    @property
    def is_series(self) -> bool:
        """True if several workloads are measured, one after the other: a suite's, or the user's own jobs."""
        return self.suite is not None or bool(self.jobs)

    @property
    def _series(self) -> tuple[AnyWorkload, ...]:
        return self.suite.workloads if self.suite is not None else tuple(job.workload for job in self.jobs)

    @Slot(object)
    def take_snapshot(self, snapshot: Snapshot) -> None:
        """Offer the running arrays, and the disks for reading."""
        arrays = [
            Target(f"md:{array.uuid}", array.name or array.device, is_array=True)
            for array in with_volumes(snapshot.arrays)
            if array.running
        ]
        disks = [
            Target(disk.id, f"{disk.model} {disk.serial}".strip() or disk.id, is_array=False) for disk in snapshot.disks
        ]
        targets = (*arrays, *disks)
        if targets != self.targets:
            self.targets = targets
            self._settle()
            self.changed.emit()

    @Slot(object)
    def prefer(self, result: BuildResult) -> None:
        """Select the newly built array once it appears."""
        self.prefer_array(result.uuid)

    def prefer_array(self, uuid: str) -> None:
        """Select the array of that UUID, once it appears."""
        self._preferred, self._by_hand = uuid, False
        self._settle()
        self.changed.emit()

    def choose_target(self, key: str) -> None:
        """Set the target."""
        self._preferred, self._by_hand, self.target = "", True, key
        self.changed.emit()

    def choose_workload(self, workload: Workload) -> None:
        """Set the workload."""
        self.workload, self.suite, self.jobs = workload, None, ()
        self.changed.emit()

    def choose_suite(self, suite: Suite) -> None:
        """Set the suite, whose workloads run one after the other."""
        self.suite, self.jobs = suite, ()
        self.changed.emit()

    def take_job(self, path: Path) -> None:
        """Choose the jobs of a fio job file; an invalid one is refused, and the previous choice stays."""
        self.job.failure, self.said = "", ""
        try:
            jobs = read_fio_job(read_job_file(path))
        except InputError as error:
            self.job.failure = translated(error.sentence)
        else:
            self.take_jobs(jobs, path.name)
        self.changed.emit()

    def take_jobs(self, jobs: tuple[OwnJob, ...], name: str) -> None:
        """Choose these jobs, under a name."""
        self.suite, self.jobs, self.job_name = None, jobs, name
        self.changed.emit()

    def import_files(self, paths: Sequence[Path]) -> None:
        """Keep the runs in files of other benchmarks, or exported ones."""
        self.job.failure, self.said = "", ""
        self._session.import_runs(paths, done=self._imported, failed=self._not_loaded)

    @Slot(object)
    def _imported(self, found: tuple[Run, ...]) -> None:
        known = {run.id for run in self.runs}
        new = [run for run in found if run.id not in known]
        self.said = ntr("{count} new run is kept.", "{count} new runs are kept.", len(new))
        self.runs = tuple(sorted((*self.runs, *new), key=lambda run: run.started, reverse=True))
        self.runs_changed.emit()
        if found and not self.job.is_busy:
            self.shown, self.samples = found[0], list(found[0].samples)
        self.changed.emit()

    @Slot(int)
    def choose_repeats(self, repeats: int) -> None:
        """Set the repeats of a suite's workloads."""
        self.repeats = repeats

    @Slot(int)
    def choose_seconds(self, seconds: int) -> None:
        """Set the duration."""
        self.seconds = seconds

    @Slot()
    def start(self) -> None:
        """Run the workload, or the suite's workloads."""
        self._start(None)

    def _start(self, region_mib: int | None) -> None:
        if self.job.is_busy or self.why_not:
            return
        self._region_mib = region_mib
        self.samples, self.said, self.last, self.shown = [], "", None, None
        connection = self._session.connection
        if self.is_series:
            self._expect(str(self._series[0]), 1)
            self.job.begin(
                RunSuite(
                    self.target,
                    self.suite or self.jobs,
                    self.seconds,
                    connection.title,
                    self.repeats,
                    region_mib,
                    is_practice=connection.is_practice,
                )
            )
            return
        self._expect(self.workload, 1)
        request = RunWorkload(self.target, str(self.workload), self.seconds)
        self.job.begin(Measure(request, connection.title, connection.is_practice))

    @Slot()
    def _progressed(self) -> None:
        """Start a new curve at a suite's next measurement."""
        if self.job.is_busy and self.is_series and self.begun is not None:
            count = len(self._series) * self.repeats
            place = min(count - 1, round(self.job.progress.fraction * count))
            workload, repeat = str(self._series[place // self.repeats]), place % self.repeats + 1
            if (self.begun.workload, self.begun.repeat) != (workload, repeat):
                self.samples = []
                self._expect(workload, repeat)
        self.changed.emit()

    def _expect(self, workload: str, repeat: int) -> None:
        """Record the running measurement's data, as they will be kept."""
        self.begun = self.meant(workload, repeat)

    def meant(self, workload: str, repeat: int = 1) -> BegunRun:
        """Return the run of ``workload`` on the target, as it would begin now."""
        seen, connection = self._session.snapshot, self._session.connection
        return BegunRun(
            id="",
            started=datetime.now(UTC),
            machine=connection.title,
            target=self.target,
            workload=str(workload),
            region_mib=self._region_mib or region_mib(seen, self.target, is_practice=connection.is_practice),
            is_practice=connection.is_practice,
            state=state_of(array_meant(seen, self.target)),
            repeat=repeat,
            context={**run_context(seen, self.target), "plan": plan_meant(seen, self.target)},
        )

    @property
    def planned(self) -> BegunRun | None:
        """The measurement that Measure would begin, for its prediction; None for a suite, or if there is none."""
        if self.is_series or self.why_not:
            return None
        key = (self.target, self.workload, self._session.snapshot)
        if self._planned is None or self._planned[0] != key:
            self._planned = (key, self.meant(self.workload))
        return self._planned[1]

    @property
    def trial(self) -> Trial | None:
        """The trial of the target in a shoot-out; None for a disk, or if its layout wasn't tried on its disks."""
        plan = plan_here(self._session.snapshot, self.target)
        like = likeness(plan.top) if plan is not None else None
        if self._trial_of != (self.target, like) or self._trial_runs is not self.runs:
            self._trial_of, self._trial_runs = (self.target, like), self.runs
            self._trial = trial_of(self.runs, plan, self.target) if plan is not None else None
        return self._trial

    @Slot()
    def compare_trial(self) -> None:
        """Ask for the comparison of the target with its trial, if both are measured."""
        if (trial := self.trial) is not None and trial.as_built:
            self.trial_wanted.emit(trial)

    @Slot()
    def measure_as_tried(self) -> None:
        """Run the trial's suite on the array, in the same part of its disks, as long and as often."""
        trial = self.trial
        series = trial.runs[0].series if trial is not None else None
        if trial is None or series is None or series.name not in OFFERED_SUITES:
            return
        self.suite, self.jobs = Suite(series.name), ()
        self.seconds = int(series.parameters.get("seconds", self.seconds))
        self.repeats = int(series.parameters.get("repeats", self.repeats))
        self._start(trial.region_mib)

    def load_runs(self) -> None:
        """Read the kept runs."""
        self._session.load_runs(done=self._loaded, failed=self._not_loaded)

    def show_run(self, run: Run) -> None:
        """Show a kept run."""
        if not self.job.is_busy:
            self.shown, self.samples, self.job.failure, self.said = run, list(run.samples), "", ""
            if not run.samples:
                self._session.load_run(run.id, done=self._whole_run, failed=self._not_loaded)
            self.changed.emit()

    def _settle(self) -> None:
        keys = [target.key for target in self.targets]
        wanted = next((key for key in keys if self._preferred and key == f"md:{self._preferred}"), "")
        if wanted:
            self.target = wanted
        elif self.target not in keys or not self._by_hand:
            self.target = keys[0] if keys else ""

    @Slot(object)
    def _sampled(self, sample: Sample) -> None:
        self.samples.append(sample)
        self.sampled.emit(sample)

    @Slot(object)
    def _done(self, result: Run | SuiteRuns) -> None:
        found = result.runs if isinstance(result, SuiteRuns) else (result,)
        if isinstance(result, SuiteRuns) and result.only_read:
            self.said = tr("Only reading was measured. {why}", why=translated(result.only_read))
        self.begun = None
        if not found:
            return
        self.last = self.shown = found[-1]
        self.samples = list(found[-1].samples)
        # an hour's samples are many; they are read when the run is shown
        self.runs = (*(replace(run, samples=()) for run in reversed(found)), *self.runs)
        self.kept.emit(found[-1])
        self.runs_changed.emit()

    @Slot()
    def _cancelled(self) -> None:
        self.said = tr("Stopped; nothing was kept.")

    @Slot(RaidwrightError)
    def _not_loaded(self, error: RaidwrightError) -> None:
        self.job.failure = translated(error.sentence)
        self.changed.emit()

    @Slot(object)
    def _whole_run(self, run: Run) -> None:
        if self.shown is not None and self.shown.id == run.id and not self.job.is_busy:
            self.samples = list(run.samples)
            self.changed.emit()

    @Slot(object)
    def _loaded(self, kept: tuple[BegunRun, ...]) -> None:
        known = {run.id for run in self.runs}
        new = [run for run in kept if isinstance(run, Run) and run.id not in known]
        self.runs = tuple(sorted((*self.runs, *new), key=lambda run: run.started, reverse=True))
        self.never_ended = sum(not isinstance(run, Run) and run.started < self._since for run in kept)
        self.runs_changed.emit()
