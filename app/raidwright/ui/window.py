"""The window: a frame around the stations. It connects view-models to each other and decides nothing itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QMainWindow, QStackedWidget, QWidget

from raidwright.core.lvm.whole_disks import disk_ids, whole_disks
from raidwright.lazy import Lazy
from raidwright.machine.connection import Held, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.disks import held_note
from raidwright.ui.far.machines import FarMachines
from raidwright.ui.stations.disks.gone import absent, say_gone
from raidwright.ui.stations.disks.model import DisksModel
from raidwright.ui.stations.disks.page import DisksStation
from raidwright.ui.widgets.panel import TabPlace
from raidwright.ui.widgets.scrolling import LastResort

from .arrays_first import ArraysFirst
from .command_bar import CommandBar
from .from_menu import FromMenu
from .leaving import Guard, LeavingWay, MadeModels, Work
from .missing import MissingNotices
from .notices import Notices
from .phase import Phase
from .rail import Rail, Station
from .settings.store import SettingsStore
from .top_bar import TopBar

if TYPE_CHECKING:
    from raidwright.core.model.disk import Disk
    from raidwright.core.model.plan import Plan
    from raidwright.ui.stations.arrays.model import ArraysModel
    from raidwright.ui.stations.arrays.repair.model import RepairModel
    from raidwright.ui.stations.building.model import BuildModel
    from raidwright.ui.stations.disks.measuring import DiskMeasuring
    from raidwright.ui.stations.measure.model import MeasureModel
    from raidwright.ui.stations.plan.model import PlanModel
    from raidwright.ui.stations.prove.model import ProveModel

    from .draft import Draft
    from .exporting import Exporting
    from .imagined.practice_alike import PracticeAlike
    from .later import Later
    from .left_behind import LeftBehind
    from .models import Models
    from .stations.plan.draft_kept import DraftKept

_SIZE = (1440, 900)
_SMALLEST = (1024, 700)
_FRAME = 40  # the height of a title bar, plus a margin


class MainWindow(QMainWindow):
    """The main window. Parts not needed by the first station are created on first use: some import numpy and plots."""

    def __init__(self, session: Session, settings: SettingsStore | None = None, drafts: Path | None = None) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setWindowTitle("Raidwright")
        self.resize(*_SIZE)
        self.setMinimumSize(*_SMALLEST)
        self._session, self._settings = session, settings or SettingsStore(parent=self)
        self._drafts = drafts  # a folder; without one an unsaved plan is lost with the window
        self.disks = DisksModel(self, session)
        self._phase, self._is_leaving = Phase.REVIEW, False
        self._guard = Guard(self._work, lambda: self._to_plan().saving.emit(), self)  # noqa: PLW0108 -- made on first use
        middle = QWidget(self)  # created in their final parent: reparenting a widget restyles all its children
        self._top, self._rail, self.notices = TopBar(middle), Rail(middle), Notices(middle)
        self._place = TabPlace(middle)
        self._area = LastResort("stations-area", middle)
        self._stack = QStackedWidget(self._area.ground)
        self._stack.setObjectName("stations")
        self._disks_station = DisksStation(self.disks, self._stack)
        self._stack.addWidget(self._disks_station)
        self._commands = CommandBar(middle)  # after the disks in the Tab order
        self._made: dict[Station, QWidget] = {Station.DISKS: self._disks_station}
        self._makers: dict[Station, Callable[[], QWidget]] = {
            Station.PLAN: lambda: self._later.plan(self.plan, self._settings),
            Station.PROVE: lambda: self._later.prove(self.prove, self._alike, self._plan_winner),
            Station.BUILD: lambda: self._later.build(self.build, self._alike, self._models.alerts),
            Station.MEASURE: lambda: self._later.measure(self.measure, self._session),
            Station.ARRAYS: lambda: self._later.arrays(self._models, self._session, self._judge),
        }
        self._lay_out(middle)
        self._join_session()
        self._join_models()
        self._from_menu = FromMenu(self._top.menu, session, self._settings, self.notices, self._to_plan, self)
        if self._settings.is_new:
            self._from_menu.greet(self._disks_station.greet())
        self.show_station(Station.DISKS)

    def fit_into(self, room: QSize) -> None:
        """Limit the size to a screen's ``room``; on a very small screen the stations are scrolled."""
        most = room - QSize(0, _FRAME)
        self.setMinimumSize(QSize(*_SMALLEST).boundedTo(most))
        self.resize(QSize(*_SIZE).boundedTo(most))

    @Slot(object)
    def show_station(self, station: Station) -> None:
        """Show ``station`` in the window."""
        if station not in self._made:
            self._made[station] = self._makers[station]()
            self._stack.addWidget(self._made[station])
            self._place.give(self._made[station])
            self._show_draft(self.plan.draft)
        self._stack.setCurrentWidget(self._made[station])
        self._rail.show_station(station)
        self._commands.show_at(self._rail.station, self._phase)
        self._missing.show_notices()
        self._top.show_station(station)
        if QApplication.focusWidget() not in self._rail.findChildren(QWidget):
            self._made[station].setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: closing asks if work would be lost, and deletes the draft."""
        if not self._is_leaving and self._guard.asks(LeavingWay.CLOSE, self.close_unasked):
            event.ignore()
            return
        if (draft := MainWindow._draft.made(self)) is not None:
            draft.drop()
        self._session.close()
        super().closeEvent(event)

    @Slot()
    def close_unasked(self) -> None:
        """Close without asking, whatever is lost."""
        self._is_leaving = True
        self.close()

    def _work(self) -> Work:
        left_behind, is_ours = MainWindow.left_behind.made(self), self._session.has_own_practice
        arrays = tuple(array.name for array in self.disks.snapshot.arrays if array.running) if is_ours else None
        return Work(
            self._made_models, left_behind.builds if left_behind is not None else None, self._is_proving(), arrays
        )

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
        session.held_changed.connect(self._say_held)
        self._top.local_wanted.connect(lambda: self._turn_to("local"))
        self._far = FarMachines(self._top, self.notices, session, self._turn_to, self)
        self._missing = MissingNotices(session, self.notices, self._rail, self)
        session.snapshot_changed.connect(self._look_at_arrays)
        self._arrays_first = ArraysFirst(session, self._rail, self.disks, self.show_station)
        self.disks.practice_wanted.connect(self._practise)

    def _join_models(self) -> None:
        self._rail.chosen.connect(self.show_station)
        self.disks.chosen_changed.connect(self._plan_on)
        self.disks.place_taken.connect(lambda *taken: self.plan.put_in_place(*taken))  # noqa: PLW0108 -- made on first use
        self.disks.changed.connect(self._say_gone)
        self._disks_station.next_wanted.connect(lambda: self.show_station(Station.PLAN))
        self._disks_station.buying_wanted.connect(self._show_buying)
        self._top.practice_wanted.connect(self._ask_for_practice)
        self._top.menu.tour.triggered.connect(self._begin_tour)
        self._commands.forms.aboutToShow.connect(lambda: self._exporting.fill(self._commands.forms))
        self._top.help.wanted.connect(self._read)
        self._top.help.report_wanted.connect(lambda: self._later.show_report(self._session, self))

    @Lazy
    def _models(self) -> Models:
        from .models import Models  # noqa: PLC0415 -- most of the window; the first station doesn't need it

        models = Models(self._session, self.disks, self.left_behind, self.notices, self)
        models.drafted.connect(self._show_draft)
        models.phase_changed.connect(self._take_phase)
        models.wanted.connect(self.show_station)
        models.done.connect(lambda station: self._rail.set_done(station, True))
        return models

    @property
    def _made_models(self) -> MadeModels:
        models = MainWindow._models.made(self)
        return models.made if models is not None else MadeModels()

    @Lazy
    def plan(self) -> PlanModel:
        """The plan, on the chosen disks."""
        model = self._models.plan
        model.first_years = float(self._settings.years)
        self._from_menu.follow(model)
        self._draft.follow(model)
        self._top.undo.triggered.connect(model.undo)
        self._top.redo.triggered.connect(model.redo)
        model.opening.connect(self._open_plan)
        return model

    @Lazy
    def _draft(self) -> DraftKept:
        return self._models.draft_kept(self._drafts, self._to_plan, self._open_plan)

    def open_file(self, path: Path) -> None:
        """Open the plan in the file ``path``, given on the command line."""
        self._from_menu.open_first(path)

    @Lazy
    def left_behind(self) -> LeftBehind:
        """Interrupted builds and shoot-outs on connected machines, with notices."""
        from .left_behind import LeftBehind  # noqa: PLC0415 -- imports all of the helper's methods

        left_behind = LeftBehind(self._session, self.notices, self)
        self._session.connection_changed.connect(left_behind.take_connection)
        left_behind.take_connection(self._session.connection)
        return left_behind

    @Slot()
    def look_back(self) -> None:
        """Show interrupted builds and shoot-outs, and offer the drafts of windows that ended without being closed."""
        _ = self.left_behind
        if self._drafts and any(self._drafts.glob("*.json")):
            self._draft.offer()

    @Lazy
    def measuring_disks(self) -> DiskMeasuring:
        """Measurements of single disks, shown below the disks."""
        model = self._models.measuring_disks
        self._disks_station.measuring.follow(model)
        return model

    @property
    def build(self) -> BuildModel:
        """The build, following the session and the plan."""
        return self._models.build

    @property
    def arrays(self) -> ArraysModel:
        """The machine's arrays."""
        return self._models.arrays

    @property
    def measure(self) -> MeasureModel:
        """Measurements, following the session."""
        return self._models.measure

    @property
    def repair(self) -> RepairModel:
        """The degraded arrays, with a notice at every station."""
        return self._models.repair

    @Lazy
    def prove(self) -> ProveModel:
        """The shoot-out, on the chosen disks and their plans."""
        model = self._later.prove_model(self._session, self.plan)
        self._models.finished.follow_shootout(model.job)
        self.disks.chosen_changed.connect(model.take_disks)
        model.take_disks(self.disks.chosen)
        model.changed.connect(self._say_gone)
        model.job.ended.connect(self.left_behind.shootout.look)
        model.job.ended.connect(self._models.measure.load_runs)  # those of the shoot-out
        model.job.done.connect(lambda _found: self._rail.set_done(Station.PROVE, True))
        return model

    @Slot(object)
    def _plan_winner(self, plan: Plan) -> None:
        self.plan.take_measured(plan)
        self.show_station(Station.BUILD)

    def _is_proving(self) -> bool:
        prove = MainWindow.prove.made(self)
        return prove is not None and prove.job.is_busy

    @Slot(object)
    def _look_at_arrays(self, snapshot: Snapshot) -> None:
        """Update the repair model, created once an array is degraded; not during a shoot-out, which fails disks."""
        if self._is_proving():
            return
        if self._made_models.repair is not None or any(array.degraded or array.lacks for array in snapshot.arrays):
            self.repair.take_snapshot(snapshot)

    @Slot(object)
    def _say_held(self, held: Held) -> None:
        self.notices.say("held", held_note(held))

    @Slot(object)
    def _take_phase(self, phase: Phase) -> None:
        self._phase = phase
        self._say_gone()
        self._commands.show_at(self._rail.station, self._phase)

    @Slot()
    def _say_gone(self) -> None:
        """Show the notice on missing disks, except during a build or a shoot-out, when the disks come into use."""
        is_ours = self._phase is not Phase.REVIEW or self._is_proving()
        say_gone(self.notices, self.disks, lambda: self.plan.draft, self._seek_another, is_ours=is_ours)
        if (plan := MainWindow.plan.made(self)) is not None:
            plan.mark_absent(*absent(self.disks, is_ours=is_ours))

    @Slot()
    def _seek_another(self) -> None:
        self.disks.seek_another()
        self.show_station(Station.DISKS)

    @Slot(object)
    def _open_plan(self, plan: Plan, then: Callable[[], object] = lambda: None) -> None:
        """Open a plan: on the chosen disks if they are its own, else on its own disks from now on."""
        if disk_ids(plan.top) == {disk.id for disk in self.disks.chosen}:
            self.plan.open(plan, is_anew=False)
            then()
        else:
            self._guard.before(LeavingWay.OPEN, lambda: self._open_anew(plan, then))

    def _open_anew(self, plan: Plan, then: Callable[[], object], judged: str = "") -> None:
        self.disks.choose_members(whole_disks(plan.top), is_judged=bool(judged))
        self.plan.open(plan, is_anew=True, judged=judged)
        then()

    def _judge(self, plan: Plan) -> None:
        self._guard.before(LeavingWay.OPEN, lambda: self._open_anew(plan, self._to_plan, judged=plan.name))

    @Slot(object)
    def _show_draft(self, draft: Draft) -> None:
        is_at_work = self._phase is not Phase.REVIEW
        self._say_gone()
        self._disks_station.show_draft(draft)
        if draft.why_untouchable:
            self._commands.show_sentence(draft.why_untouchable)
        elif draft.assessment is not None:
            self._commands.show_commands(self._models.commands(draft.assessment, in_trial=self._is_proving()))
        elif draft.refusal and not is_at_work:  # a plan being built, or just built, remains visible
            self._commands.show_sentence(draft.refusal)
        self._top.undo.setEnabled(self.plan.can_undo)
        self._top.redo.setEnabled(self.plan.can_redo)
        self._top.show_plan_name(draft.plan.name if draft.plan else "")
        self._rail.set_done(Station.DISKS, is_at_work or draft.plan is not None)
        seen = draft.assessment is not None and Station.PLAN in self._made
        self._rail.set_done(Station.PLAN, is_at_work or seen)

    @Lazy
    def _exporting(self) -> Exporting:
        return self._later.exporting(
            self._session, self.notices, self.plan, lambda: self._made_models.build, self.disks, self._settings
        )

    @Lazy
    def _alike(self) -> PracticeAlike:
        return self._later.alike(self._session, self.disks, self._guard, lambda: self._exporting.show_list())  # noqa: PLW0108 -- made on first use

    @Slot(str)
    def _read(self, document: str) -> None:
        self._later.reader.open_on(document)

    @Slot(object)
    def _plan_on(self, disks: tuple[Disk, ...]) -> None:
        self.plan.set_disks(disks)
        self.measuring_disks.take_chosen(disks)

    def _turn_to(self, address: str) -> None:
        self._guard.before(LeavingWay.TURN, lambda: self._session.connect_to(address))

    @Slot(object)
    def _practise(self, spec: PracticeSpec) -> None:
        self._guard.before(LeavingWay.TURN, lambda: self._session.start_practice(spec))

    @Slot()
    def _ask_for_practice(self) -> None:
        self.show_station(Station.DISKS)
        self.disks.ask_for_practice()

    def _show_buying(self) -> None:
        self._later.show_buying(self._session, self.disks, self._disks_station, lambda: self.plan, self._settings)

    @Slot()
    def _begin_tour(self) -> None:
        self._later.tour(self._session, self.disks, self.plan, self.build, self.repair, self.notices).begin()

    @Lazy
    def _later(self) -> Later:
        from .later import Later  # noqa: PLC0415 -- imports numpy

        return Later(self.show_station, self._rail, self._stack)
