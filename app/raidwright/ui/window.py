"""The window: a frame around the stations. It joins view-models to each other and decides nothing itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QMainWindow, QStackedWidget, QWidget

from raidwright.analysis.assessment import Assessment
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.drafts import Drafts
from raidwright.export.removal import removal_commands
from raidwright.export.surroundings import Surroundings
from raidwright.machine.connection import Held, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.disks import held_note
from raidwright.text.exports import Wanted
from raidwright.ui.far.machines import FarMachines
from raidwright.ui.stations.build.model import BuildModel
from raidwright.ui.stations.build.phase import Phase
from raidwright.ui.stations.disks.gone import note as note_of_gone
from raidwright.ui.stations.disks.measuring import DiskMeasuring
from raidwright.ui.stations.disks.model import DisksModel
from raidwright.ui.stations.disks.station import DisksStation
from raidwright.ui.stations.measure.model import MeasureModel
from raidwright.ui.stations.plan.model import Draft, PlanModel
from raidwright.ui.stations.repair.bars import Bars
from raidwright.ui.stations.repair.model import RepairModel
from raidwright.ui.widgets.panel import TabPlace
from raidwright.ui.widgets.scrolling import LastResort

from .command_bar import CommandBar
from .draft_kept import DraftKept
from .exporting import Exporting
from .finished import Finished
from .from_menu import FromMenu
from .leaving import Guard, Way, Work, work_in
from .left_behind import LeftBehind
from .notices import Notices
from .rail import Rail, Station
from .settings.store import Settings
from .top_bar import TopBar

if TYPE_CHECKING:
    from raidwright.ui.stations.prove.model import ProveModel

    from .later_stations import LaterStations

_SIZE = (1440, 900)
_SMALLEST = (1024, 700)
_FRAME = 40  # the height of a title bar, and a little


class MainWindow(QMainWindow):
    """What the first station doesn't need is made when it is first looked at: some bring numpy and plots."""

    def __init__(self, session: Session, settings: Settings | None = None, drafts: Drafts | None = None) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setWindowTitle("Raidwright")
        self.resize(*_SIZE)
        self.setMinimumSize(*_SMALLEST)
        self._session, self._settings = session, settings or Settings(parent=self)
        self.disks = DisksModel(self)
        self.measuring_disks = DiskMeasuring(session, self)
        self._finished = Finished(session, self)
        self._finished.follow_disks(self.measuring_disks)
        self._phase = Phase.REVIEW
        self._is_leaving = False
        self._guard = Guard(self._work, self._save_plan, self)
        middle = QWidget(self)  # all is made where it will stand: moving a widget dresses all that is in it anew
        self._top, self._rail, self.notices = TopBar(middle), Rail(middle), Notices(middle)
        self.left_behind = LeftBehind(session, self.notices, self)
        self._place, self._commands = TabPlace(middle), CommandBar(middle)
        self._area = LastResort("stations-area", middle)
        self._stack = QStackedWidget(self._area.ground)
        self._stack.setObjectName("stations")
        self._made: dict[Station, QWidget] = {}
        self._makers: dict[Station, Callable[[], QWidget]] = {
            Station.DISKS: self._make_disks,
            Station.PLAN: lambda: self._later.plan(self.plan),
            Station.PROVE: lambda: self._later.prove(self.prove, self._plan_winner),
            Station.BUILD: lambda: self._later.build(self.build, self.repair),
            Station.MEASURE: self._make_measure,
        }
        self._lay_out(middle)
        self._join_session()
        self._join_models()
        self._draft = DraftKept(drafts, self.notices, self._to_plan, self._open_plan, self)
        self._from_menu = FromMenu(self._top.menu, session, self._settings, self.notices, self._to_plan, self)
        self.show_station(Station.DISKS)

    def fit_into(self, room: QSize) -> None:
        """Be no larger than a screen with so much ``room``; on a very small one the stations are scrolled."""
        most = room - QSize(0, _FRAME)
        self.setMinimumSize(QSize(*_SMALLEST).boundedTo(most))
        self.resize(QSize(*_SIZE).boundedTo(most))

    @Slot(object)
    def show_station(self, station: Station) -> None:
        """Bring ``station`` into the window."""
        if station not in self._made:
            self._made[station] = self._makers[station]()
            self._stack.addWidget(self._made[station])
            self._place.give(self._made[station])
            if station is not Station.DISKS:
                self._show_draft(self.plan.draft)
        self._stack.setCurrentWidget(self._made[station])
        self._rail.show_station(station)
        self._top.show_station(station)
        if QApplication.focusWidget() not in self._rail.findChildren(QWidget):
            self._made[station].setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: closing asks where something would be lost, and leaves nothing behind."""
        if not self._is_leaving and self._guard.asks(Way.CLOSE, self.close_unasked):
            event.ignore()
            return
        self._draft.drop()
        self._session.close()
        super().closeEvent(event)

    @Slot()
    def close_unasked(self) -> None:
        """Close, whatever is lost."""
        self._is_leaving = True
        self.close()

    def _work(self) -> Work:
        return work_in(vars(self), self._session, self.disks, self.measuring_disks)

    @Slot()
    def _save_plan(self) -> None:
        self._to_plan().saving.emit()

    def _to_plan(self) -> PlanModel:
        self.show_station(Station.PLAN)
        return self.plan

    def _lay_out(self, middle: QWidget) -> None:
        grid = QGridLayout(middle)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self._top, 0, 0, 1, 2)
        grid.addWidget(self._rail, 1, 0, 2, 1)
        grid.addWidget(self.notices, 1, 1)
        grid.addWidget(self._area, 2, 1)
        grid.addWidget(self._commands, 3, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(2, 1)
        self.setCentralWidget(middle)

    def _join_session(self) -> None:
        session = self._session
        for take in (self._top.show_connection, self.disks.take_connection):
            session.connection_changed.connect(take)
            take(session.connection)
        for look in (self._top.show_snapshot, self.disks.take_snapshot):
            session.snapshot_changed.connect(look)
        session.connection_changed.connect(self.left_behind.take_connection)
        session.held_changed.connect(self._say_held)
        self._top.help.report_wanted.connect(lambda: self._later.show_report(session, self))
        self._top.local_wanted.connect(lambda: self._turn_to("local"))
        self._far = FarMachines(self._top, self.notices, session, self._turn_to, self)
        session.snapshot_changed.connect(self._look_at_arrays)
        self.disks.practice_wanted.connect(self._practise)

    def _join_models(self) -> None:
        self._rail.chosen.connect(self.show_station)
        self.disks.chosen_changed.connect(self._plan_on)
        self.disks.chosen_changed.connect(self.measuring_disks.take_chosen)
        self.disks.place_taken.connect(self._put_in_place)
        self.disks.changed.connect(self._say_gone)
        self._top.practice_wanted.connect(self._ask_for_practice)
        self._top.menu.tour.triggered.connect(self._begin_tour)
        self._commands.export.wanted.connect(Exporting(self._session, self._to_export, self.notices, self).ask)

    @functools.cached_property
    def plan(self) -> PlanModel:
        """The plan, on the disks that are chosen from now on."""
        model = PlanModel(self)
        model.first_years = float(self._settings.years)
        self._from_menu.follow(model)
        self._draft.follow(model)
        self._top.undo.triggered.connect(model.undo)
        self._top.redo.triggered.connect(model.redo)
        model.changed.connect(self._show_draft)
        model.opening.connect(self._open_plan)
        self.disks.is_held = lambda: model.is_unsaved
        model.here = lambda: self.disks.snapshot.disks
        return model

    @functools.cached_property
    def build(self) -> BuildModel:
        """The build, following the session and the plan from now on."""
        model, session = BuildModel(self._session, self), self._session
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.take_draft(self.plan.draft)
        self.plan.changed.connect(model.take_draft)
        model.removals.changed.connect(lambda: self._show_draft(self.plan.draft))
        model.phase_changed.connect(self._take_phase)
        model.phase_changed.connect(self.left_behind.builds.look)  # a build that ended badly may have been cut off
        model.look_wanted.connect(self.left_behind.builds.look)
        self.left_behind.builds.listed.connect(model.take_builds)
        model.phase_changed.connect(self.plan.follow_build)
        model.undone.connect(lambda plan: self.disks.choose_members(plan.disks()))
        model.left.connect(lambda: self.plan.set_disks(self.disks.chosen))
        self._finished.follow_build(model)
        model.built.connect(self.measure.prefer)
        self.measure.changed.connect(lambda: model.take_measuring(self.measure.job.is_busy))
        model.built.connect(self.disks.let_go)
        model.built.connect(lambda _result: self._rail.set_done(Station.BUILD, True))
        return model

    @functools.cached_property
    def prove(self) -> ProveModel:
        """The shoot-out, on the disks that are chosen and the plans for them from now on."""
        model = self._later.prove_model(self._session, self.plan)
        self._finished.follow_shootout(model.job)
        self.disks.chosen_changed.connect(model.take_disks)
        model.take_disks(self.disks.chosen)
        model.changed.connect(self._say_gone)
        model.job.ended.connect(self.left_behind.shootout.look)
        model.job.done.connect(lambda _found: self._rail.set_done(Station.PROVE, True))
        return model

    @Slot(object)
    def _plan_winner(self, plan: Plan) -> None:
        self.plan.adopt(plan)
        self.show_station(Station.PLAN)

    @functools.cached_property
    def measure(self) -> MeasureModel:
        """What is measured, following the session from now on."""
        model = MeasureModel(self._session, self)
        self._finished.follow_measuring(model)
        self._session.snapshot_changed.connect(model.take_snapshot)
        model.take_snapshot(self._session.snapshot)
        model.ended.connect(self.left_behind.builds.look)  # a workload that wrote closes the way back
        model.kept.connect(lambda _run: self._rail.set_done(Station.MEASURE, True))
        return model

    @functools.cached_property
    def repair(self) -> RepairModel:
        """The arrays that lack a disk, said at every station from now on."""
        model = RepairModel(self._session, self)
        Bars(model, self.notices)
        self._session.connection_changed.connect(model.take_connection)
        model.take_connection(self._session.connection)
        model.take_snapshot(self._session.snapshot)
        model.opened.connect(lambda: self.show_station(Station.BUILD))
        return model

    @property
    def _is_proving(self) -> bool:
        return "prove" in vars(self) and self.prove.job.is_busy

    @Slot(object)
    def _look_at_arrays(self, snapshot: Snapshot) -> None:
        """While all arrays are whole and nobody asks there is nothing to follow; a shoot-out takes disks on purpose."""
        if self._is_proving:
            return
        if "repair" in vars(self) or any(array.degraded or array.lacks for array in snapshot.arrays):
            self.repair.take_snapshot(snapshot)

    @Slot(object)
    def _say_held(self, held: Held) -> None:
        self.notices.say("held", held_note(held))

    @Slot(object)
    def _take_phase(self, phase: Phase) -> None:
        self._phase = phase
        self._say_gone()

    @Slot()
    def _say_gone(self) -> None:
        """While a plan is built, or tried, its disks come into use, and that is no loss."""
        if self._phase is not Phase.REVIEW or self._is_proving or not self.disks.gone:
            self.notices.say("gone", None)
            gone = frozenset[str]()
        else:
            plan = self.plan.draft.plan
            self.notices.say("gone", note_of_gone(self.disks, plan.name if plan else "", self._seek_another))
            gone = frozenset(disk.id for disk in self.disks.gone)
        if "plan" in vars(self):
            self.plan.mark_absent(gone)

    @Slot()
    def _seek_another(self) -> None:
        self.disks.seek_another()
        self.show_station(Station.DISKS)

    @Slot(object)
    def _open_plan(self, plan: Plan, then: Callable[[], object] = lambda: None) -> None:
        """Put a plan on the stage: on the disks that are chosen, if they are its own, else on its own from now on."""
        if {disk.id for disk in plan.disks()} == {disk.id for disk in self.disks.chosen}:
            self.plan.open(plan, is_anew=False)
            then()
        else:
            self._guard.before(Way.OPEN, lambda: self._open_anew(plan, then))

    def _open_anew(self, plan: Plan, then: Callable[[], object]) -> None:
        self.disks.choose_members(plan.disks())
        self.plan.open(plan, is_anew=True)
        then()

    @Slot(object)
    def _show_draft(self, draft: Draft) -> None:
        is_at_work = self._phase is not Phase.REVIEW
        self._say_gone()
        self._disks_station.show_draft(draft)
        if draft.assessment is not None:
            self._show_commands(draft.assessment)
        elif draft.refusal and not is_at_work:  # what is being built, or was just built, stays in sight
            self._commands.show_sentence(draft.refusal)
        self._top.undo.setEnabled(self.plan.can_undo)
        self._top.redo.setEnabled(self.plan.can_redo)
        self._top.show_plan_name(draft.plan.name if draft.plan else "")
        self._rail.set_done(Station.DISKS, is_at_work or draft.plan is not None)
        seen = draft.assessment is not None and Station.PLAN in self._made
        self._rail.set_done(Station.PLAN, is_at_work or seen)

    def _show_commands(self, assessment: Assessment) -> None:
        """All that the plan means; what stands already has nothing to remove any more."""
        if self._phase is Phase.BUILT:
            self._commands.show_commands(assessment.commands)
            return
        names = self.build.removals.names if "build" in vars(self) else {}
        self._commands.show_commands((*removal_commands(assessment.plan, self.plan.disks, names), *assessment.commands))

    def _to_export(self) -> Wanted | None:
        """The plan as it stands, with what was let go of its disks, and its array's UUID once it is built."""
        plan, build = self.plan.draft.plan, self.build if "build" in vars(self) else None
        if plan is None:
            return None
        if build is not None and build.built_array is not None:
            return Wanted(build.built_array.assessment.plan, uuid=build.built_array.result.uuid)
        return Wanted(plan, Surroundings(removed=build.removals.names if build is not None else {}))

    @Slot(object)
    def _plan_on(self, disks: tuple[Disk, ...]) -> None:
        self.plan.set_disks(disks)

    @Slot(str, object)
    def _put_in_place(self, gone: str, disk: Disk) -> None:
        self.plan.put_in_place(gone, disk)

    def _turn_to(self, address: str) -> None:
        self._guard.before(Way.TURN, lambda: self._session.connect_to(address))

    @Slot(object)
    def _practise(self, spec: PracticeSpec) -> None:
        self._guard.before(Way.TURN, lambda: self._session.start_practice(spec))

    @Slot()
    def _ask_for_practice(self) -> None:
        self.show_station(Station.DISKS)
        self.disks.ask_for_practice()

    def _make_disks(self) -> QWidget:
        self._disks_station = DisksStation(self.disks, self.measuring_disks, self._stack)
        self._disks_station.next_wanted.connect(lambda: self.show_station(Station.PLAN))
        self._disks_station.buying_wanted.connect(self._show_buying)
        if self._settings.is_new:
            self._from_menu.greet(self._disks_station.greet())
        return self._disks_station

    @Slot()
    def _show_buying(self) -> None:
        self._later.show_buying(self._session, self.disks, self._disks_station)

    @Slot()
    def _begin_tour(self) -> None:
        self._later.tour(self._session, self.disks, self.plan, self.build, self.repair, self.notices).begin()

    @functools.cached_property
    def _later(self) -> LaterStations:
        from .later_stations import LaterStations  # noqa: PLC0415 -- brings numpy

        return LaterStations(self.show_station, self._stack)

    def _make_measure(self) -> QWidget:
        from raidwright.ui.stations.measure.station import MeasureStation  # noqa: PLC0415 -- brings pyqtgraph

        station = MeasureStation(self.measure, self._session, self._stack)
        station.build_wanted.connect(lambda: self.show_station(Station.BUILD))
        return station
