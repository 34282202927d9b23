"""The window: a frame around the stations. It joins view-models to each other and decides nothing itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QGridLayout, QMainWindow, QStackedWidget, QWidget

from ..machine.connection import Connection, Held, PracticeSpec, State
from ..machine.values import Snapshot
from ..session import Session
from .build.phase import Phase
from .command_bar import CommandBar
from .disks.model import DisksModel
from .disks.station import DisksStation
from .disks.words import held_note
from .notices import Notices
from .rail import Rail, Station
from .top_bar import TopBar

if TYPE_CHECKING:
    from ..core.disk import Disk
    from .build.model import BuildModel
    from .measure.model import MeasureModel
    from .past.model import PastModel
    from .plan.model import Draft, PlanModel
    from .repair.model import RepairModel

_SIZE = (1440, 900)
_SMALLEST = (1200, 720)


class MainWindow(QMainWindow):
    """What the first station doesn't need is made when it is first looked at: some bring numpy and plots."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setWindowTitle("Raidwright")
        self.resize(*_SIZE)
        self.setMinimumSize(*_SMALLEST)
        self._session = session
        self.disks = DisksModel(self)
        self._phase = Phase.REVIEW
        middle = QWidget(self)  # all is made where it will stand: moving a widget dresses all that is in it anew
        self._top, self._rail, self._commands = TopBar(middle), Rail(middle), CommandBar(middle)
        self.notices = Notices(middle)
        self._stack = QStackedWidget(middle)
        self._stack.setObjectName("stations")
        self._made: dict[Station, QWidget] = {}
        self._makers: dict[Station, Callable[[], QWidget]] = {
            Station.DISKS: self._make_disks,
            Station.PLAN: self._make_plan,
            Station.PROVE: self._make_prove,
            Station.BUILD: self._make_build,
            Station.MEASURE: self._make_measure,
        }
        self._lay_out(middle)
        self._join_session()
        self._join_models()
        QShortcut(QKeySequence.StandardKey.Quit, self, self.close)
        self.show_station(Station.DISKS)

    @Slot(object)
    def show_station(self, station: Station) -> None:
        """Bring ``station`` into the window."""
        if station not in self._made:
            self._made[station] = self._makers[station]()
            self._stack.addWidget(self._made[station])
            if station is not Station.DISKS:
                self._show_draft(self.plan.draft)
        self._stack.setCurrentWidget(self._made[station])
        self._rail.show_station(station)
        if QApplication.focusWidget() not in self._rail.findChildren(QWidget):
            self._made[station].setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: closing cancels what runs and leaves nothing behind."""
        self._session.close()
        super().closeEvent(event)

    def _lay_out(self, middle: QWidget) -> None:
        grid = QGridLayout(middle)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self._top, 0, 0, 1, 2)
        grid.addWidget(self._rail, 1, 0, 2, 1)
        grid.addWidget(self.notices, 1, 1)
        grid.addWidget(self._stack, 2, 1)
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
        session.connection_changed.connect(self._look_back)
        session.held_changed.connect(self._say_held)
        session.snapshot_changed.connect(self._look_at_arrays)
        self._top.local_wanted.connect(lambda: session.connect_to("local"))
        self.disks.practice_wanted.connect(self._practise)

    def _join_models(self) -> None:
        self._rail.chosen.connect(self.show_station)
        self.disks.chosen_changed.connect(self._plan_on)
        self._top.practice_wanted.connect(self._ask_for_practice)

    @functools.cached_property
    def plan(self) -> PlanModel:
        """The plan, on the disks that are chosen from now on."""
        from .plan.model import PlanModel  # noqa: PLC0415 -- the disks stand before

        model = PlanModel(self)
        self._top.undo.triggered.connect(model.undo)
        self._top.redo.triggered.connect(model.redo)
        model.changed.connect(self._show_draft)
        return model

    @functools.cached_property
    def build(self) -> BuildModel:
        """The build, following the session and the plan from now on."""
        from .build.model import BuildModel  # noqa: PLC0415 -- the disks stand before

        model, session = BuildModel(self._session, self), self._session
        session.connection_changed.connect(model.take_connection)
        session.snapshot_changed.connect(model.take_snapshot)
        model.take_connection(session.connection)
        model.take_snapshot(session.snapshot)
        model.take_draft(self.plan.draft)
        self.plan.changed.connect(model.take_draft)
        model.phase_changed.connect(self._take_phase)
        model.phase_changed.connect(self.past.look)  # a build that ended badly may have been cut off
        model.phase_changed.connect(self.plan.follow_build)
        model.built.connect(self.measure.prefer)
        model.built.connect(self.disks.let_go)
        model.built.connect(lambda _result: self._rail.set_done(Station.BUILD, True))
        return model

    @functools.cached_property
    def measure(self) -> MeasureModel:
        """What is measured, following the session from now on."""
        from .measure.model import MeasureModel  # noqa: PLC0415 -- as above

        model = MeasureModel(self._session, self)
        self._session.snapshot_changed.connect(model.take_snapshot)
        model.take_snapshot(self._session.snapshot)
        model.kept.connect(lambda _run: self._rail.set_done(Station.MEASURE, True))
        return model

    @functools.cached_property
    def past(self) -> PastModel:
        """What was cut off before, said in a notice."""
        from .past.model import PastModel  # noqa: PLC0415 -- as above
        from .past.words import note  # noqa: PLC0415

        model = PastModel(self._session, self)
        model.changed.connect(lambda: self.notices.say("past", note(model)))
        return model

    @functools.cached_property
    def repair(self) -> RepairModel:
        """The arrays that lack a disk, said at every station from now on."""
        from .repair.bars import Bars  # noqa: PLC0415 -- as above
        from .repair.model import RepairModel  # noqa: PLC0415

        model = RepairModel(self._session, self)
        Bars(model, self.notices)
        self._session.connection_changed.connect(model.take_connection)
        model.take_connection(self._session.connection)
        model.take_snapshot(self._session.snapshot)
        model.opened.connect(lambda: self.show_station(Station.BUILD))
        return model

    @Slot(object)
    def _look_at_arrays(self, snapshot: Snapshot) -> None:
        """While every array is whole and nobody asks, there is nothing to follow."""
        if "repair" in vars(self) or any(array.degraded or array.lacks for array in snapshot.arrays):
            self.repair.take_snapshot(snapshot)

    @Slot(object)
    def _look_back(self, connection: Connection) -> None:
        if connection.state is State.CONNECTED:
            self.past.take_connection(connection)

    @Slot(object)
    def _say_held(self, held: Held) -> None:
        self.notices.say("held", held_note(held))

    @Slot(object)
    def _take_phase(self, phase: Phase) -> None:
        self._phase = phase

    @Slot(object)
    def _show_draft(self, draft: Draft) -> None:
        is_at_work = self._phase is not Phase.REVIEW
        self._disks_station.show_draft(draft)
        if draft.assessment is not None:
            self._commands.show_commands(draft.assessment.commands)
        elif draft.refusal and not is_at_work:  # what is being built, or was just built, stays in sight
            self._commands.show_sentence(draft.refusal)
        self._top.undo.setEnabled(self.plan.can_undo)
        self._top.redo.setEnabled(self.plan.can_redo)
        self._top.show_plan_name(draft.plan.name if draft.plan else "")
        self._rail.set_done(Station.DISKS, is_at_work or draft.plan is not None)
        seen = draft.assessment is not None and Station.PLAN in self._made
        self._rail.set_done(Station.PLAN, is_at_work or seen)

    @Slot(object)
    def _plan_on(self, disks: tuple[Disk, ...]) -> None:
        self.plan.set_disks(disks)

    @Slot(object)
    def _practise(self, spec: PracticeSpec) -> None:
        self._session.start_practice(spec)

    @Slot()
    def _ask_for_practice(self) -> None:
        self.show_station(Station.DISKS)
        self.disks.ask_for_practice()

    def _make_disks(self) -> QWidget:
        self._disks_station = DisksStation(self.disks, self._stack)
        self._disks_station.next_wanted.connect(lambda: self.show_station(Station.PLAN))
        return self._disks_station

    def _make_plan(self) -> QWidget:
        from .plan.station import PlanStation  # noqa: PLC0415 -- brings numpy

        station = PlanStation(self.plan, self._stack)
        station.next_wanted.connect(lambda: self.show_station(Station.BUILD))
        station.disks_wanted.connect(lambda: self.show_station(Station.DISKS))
        return station

    def _make_prove(self) -> QWidget:
        from .prove.station import ProveStation  # noqa: PLC0415 -- late as the others

        station = ProveStation(self._stack)
        station.next_wanted.connect(lambda: self.show_station(Station.BUILD))
        return station

    def _make_build(self) -> QWidget:
        from .build.station import BuildStation  # noqa: PLC0415 -- late, so that the disks stand fast

        station = BuildStation(self.build, self.repair, self._stack)
        station.plan_wanted.connect(lambda: self.show_station(Station.PLAN))
        station.measure_wanted.connect(lambda: self.show_station(Station.MEASURE))
        return station

    def _make_measure(self) -> QWidget:
        from .measure.station import MeasureStation  # noqa: PLC0415 -- brings pyqtgraph

        station = MeasureStation(self.measure, self._stack)
        station.build_wanted.connect(lambda: self.show_station(Station.BUILD))
        return station
