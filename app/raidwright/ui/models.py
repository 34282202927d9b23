"""The view-models beyond the disks, each created on first use and connected to the others.

Imported late: the first station needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.analysis.assessment import Assessment
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.mdadm import Command
from raidwright.core.model.plan import Plan
from raidwright.export.removal import removal_commands
from raidwright.lazy import Lazy
from raidwright.machine.states.volume import State
from raidwright.session import Session
from raidwright.ui.stations.alerts.model import AlertsModel
from raidwright.ui.stations.arrays.model import ArraysModel
from raidwright.ui.stations.build.model import BuildModel
from raidwright.ui.stations.build.phase import Phase
from raidwright.ui.stations.disks.measuring import DiskMeasuring
from raidwright.ui.stations.disks.model import DisksModel
from raidwright.ui.stations.measure.model import MeasureModel
from raidwright.ui.stations.plan.model import PlanModel
from raidwright.ui.stations.repair.bars import DegradedNotices
from raidwright.ui.stations.repair.model import RepairModel

from .draft_kept import DraftKept
from .finished import FinishedNotices
from .leaving import MadeModels
from .left_behind import LeftBehind
from .notices import Notices
from .rail import Station


class Models(QObject):
    """The view-models. ``drafted(Draft)`` follows the plan, ``phase_changed(Phase)`` the build.

    ``wanted(Station)`` asks for a station, ``done(Station)`` says that a station's task is done.
    """

    drafted = Signal(object)
    phase_changed = Signal(object)
    wanted = Signal(Station)
    done = Signal(Station)

    def __init__(
        self, session: Session, disks: DisksModel, left_behind: LeftBehind, notices: Notices, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session, self._disks, self._left_behind, self._notices = session, disks, left_behind, notices
        self.finished = FinishedNotices(session, parent)

    @Lazy
    def plan(self) -> PlanModel:
        """The plan, on the chosen disks."""
        model = PlanModel(self)
        model.changed.connect(self.drafted)
        self._disks.is_held = lambda: model.is_unsaved
        model.here = lambda: self._disks.snapshot.disks
        return model

    @Lazy
    def measuring_disks(self) -> DiskMeasuring:
        """Measurements of single disks."""
        model = DiskMeasuring(self._session, self)
        self.finished.follow_disks(model)
        return model

    @Lazy
    def build(self) -> BuildModel:
        """The build, following the session and the plan."""
        model, session, builds = BuildModel(self._session, self.arrays, self), self._session, self._left_behind.builds
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.take_draft(self.plan.draft)
        self.plan.changed.connect(model.take_draft)
        model.removals.changed.connect(lambda: self.drafted.emit(self.plan.draft))
        model.phase_changed.connect(self.phase_changed)
        model.phase_changed.connect(builds.look)  # a build that ended badly may have been interrupted
        model.look_wanted.connect(builds.look)
        builds.listed.connect(model.take_builds)
        model.phase_changed.connect(self.plan.follow_build)
        model.undone.connect(lambda plan: self._disks.choose_members(whole_disks(plan.top)))
        model.left.connect(lambda: self.plan.set_disks(self._disks.chosen))
        self.finished.follow_build(model)
        model.built.connect(self.measure.prefer)
        model.built.connect(lambda _result: model.take_runs(self.measure.runs))
        self.measure.runs_changed.connect(lambda: model.take_runs(self.measure.runs))
        model.trial_wanted.connect(self._compare_trial)
        self.measure.changed.connect(lambda: model.take_measuring(self.measure.job.is_busy))
        model.built.connect(self._disks.let_go)
        model.built.connect(lambda _result: self.done.emit(Station.BUILD))
        return model

    @Lazy
    def arrays(self) -> ArraysModel:
        """The machine's arrays, and what is done to one of them."""
        model, session = ArraysModel(self._session, self), self._session
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.measure_wanted.connect(self._measure_array)
        return model

    def _measure_array(self, array: State) -> None:
        self.measure.prefer_array(array.uuid)
        self.wanted.emit(Station.MEASURE)

    @Slot()
    def _compare_trial(self) -> None:
        built = self.build.built_array
        if built is not None:
            self.measure.prefer_array(built.result.uuid)
            self.wanted.emit(Station.MEASURE)
            self.measure.compare_trial()

    @Lazy
    def measure(self) -> MeasureModel:
        """Measurements, following the session."""
        model = MeasureModel(self._session, self)
        self.finished.follow_measuring(model)
        self._session.snapshot_changed.connect(model.take_snapshot)
        model.take_snapshot(self._session.snapshot)
        model.ended.connect(self._left_behind.builds.look)  # after a workload that writes, undo isn't possible
        model.kept.connect(lambda _run: self.done.emit(Station.MEASURE))
        model.kept.connect(lambda _run: self.arrays.look_at_runs())
        return model

    @Lazy
    def alerts(self) -> AlertsModel:
        """Messages about failing disks: their receivers and tests."""
        return AlertsModel(self._session, self)

    @Lazy
    def repair(self) -> RepairModel:
        """The degraded arrays, with a notice at every station."""
        model = RepairModel(self._session, self)
        DegradedNotices(model, self._notices)
        self._session.connection_changed.connect(model.take_connection)
        model.take_connection(self._session.connection)
        model.take_snapshot(self._session.snapshot)
        model.opened.connect(lambda: self.wanted.emit(Station.ARRAYS))
        return model

    @property
    def made(self) -> MadeModels:
        """The view-models created so far."""
        return MadeModels(
            plan=Models.plan.made(self),
            build=Models.build.made(self),
            arrays=Models.arrays.made(self),
            measure=Models.measure.made(self),
            measuring_disks=Models.measuring_disks.made(self),
            repair=Models.repair.made(self),
        )

    def draft_kept(
        self,
        folder: Path | None,
        to_plan: Callable[[], PlanModel],
        open_plan: Callable[[Plan, Callable[[], object]], object],
    ) -> DraftKept:
        """Return the autosave of the plan in ``folder`` while it isn't in a file."""
        return DraftKept(folder, self._notices, to_plan, open_plan, self)

    def commands(self, assessment: Assessment, *, in_trial: bool = False) -> tuple[Command, ...]:
        """Return the plan's commands; for a built array without the removal of signatures.

        Nor while trials come and go on its disks (``in_trial``): those are their signatures.
        """
        build = Models.build.made(self)
        if in_trial or (build is not None and build.phase is Phase.BUILT):
            return assessment.commands
        names = build.removals.names if build is not None else {}
        return (*removal_commands(assessment.plan, self.plan.disks, names), *assessment.commands)
