"""The window: a frame around the stations. It decides nothing itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QMainWindow, QStackedWidget, QWidget

from raidwright.lazy import Lazy
from raidwright.machine.connection import Held, PracticeSpec
from raidwright.session import Session
from raidwright.text.disk.facts import held_note
from raidwright.ui.remote.machines import FarMachines
from raidwright.ui.stations.disks.model import DisksModel
from raidwright.ui.widgets.panel import TabPlace
from raidwright.ui.widgets.scrolling import LastResort

from .frame.command_bar import CommandBar
from .frame.first_station import ArraysFirst
from .frame.leaving import LeavingWay
from .frame.menu_actions import FromMenu
from .frame.missing_services import MissingNotices
from .frame.notices import Notices
from .frame.rail import Rail
from .frame.top_bar import TopBar
from .phase import Phase
from .settings.store import SettingsStore
from .station import Station
from .window_stations import WindowStations

if TYPE_CHECKING:
    from .draft import Draft
    from .help.reader import HelpReader
    from .stations.plan.model import PlanModel
    from .tour.guide import Guide

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
        self._is_leaving = False
        middle = QWidget(self)  # created in their final parent: reparenting a widget restyles all its children
        self._top, self._rail, self.notices = TopBar(middle), Rail(middle), Notices(middle)
        self._place = TabPlace(middle)
        self._area = LastResort("stations-area", middle)
        self._stack = QStackedWidget(self._area.ground)
        self._stack.setObjectName("stations")
        # ``drafts`` is a folder; without one an unsaved plan is lost with the window
        self.stations = WindowStations(session, self._settings, self.notices, self._stack, drafts)
        self._shown = {Station.DISKS}
        self._stack.addWidget(self.stations.disks.page)
        self._commands = CommandBar(middle)  # after the disks in the Tab order
        self._lay_out(middle)
        self._join_session()
        self._join_stations()
        to_plan = self.stations.to_plan
        self._from_menu = FromMenu(self._top.menu, session, self._settings, self.notices, to_plan, self)
        self.stations.planned.connect(self._take_plan)
        if self._settings.is_new:
            self._from_menu.greet(self.stations.disks.page.greet())
        self.show_station(Station.DISKS)

    def fit_into(self, room: QSize) -> None:
        """Limit the size to a screen's ``room``; on a very small screen the stations are scrolled."""
        most = room - QSize(0, _FRAME)
        self.setMinimumSize(QSize(*_SMALLEST).boundedTo(most))
        self.resize(QSize(*_SIZE).boundedTo(most))

    @property
    def disks(self) -> DisksModel:
        """The disks, and the choice."""
        return self.stations.disks.model

    @property
    def plan(self) -> PlanModel:
        """The plan, on the chosen disks."""
        return self.stations.plan.model

    @Slot(object)
    def show_station(self, station: Station) -> None:
        """Show ``station`` in the window."""
        page = self.stations.parts(station).page
        if station not in self._shown:
            self._shown.add(station)
            self._stack.addWidget(page)
            self._place.give(page)
            self.stations.drafted.emit(self.plan.draft)
        self._stack.setCurrentWidget(page)
        self._rail.show_station(station)
        self._commands.show_at(self._rail.station, self.stations.phase)
        self._missing.show_notices()
        self._top.show_station(station)
        if QApplication.focusWidget() not in self._rail.findChildren(QWidget):
            page.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: closing asks if work would be lost, and deletes the draft."""
        if not self._is_leaving and self.stations.guard.asks(LeavingWay.CLOSE, self.close_unasked):
            event.ignore()
            return
        self.stations.close()
        self._session.close()
        super().closeEvent(event)

    @Slot()
    def close_unasked(self) -> None:
        """Close without asking, whatever is lost."""
        self._is_leaving = True
        self.close()

    def open_file(self, path: Path) -> None:
        """Open the plan in the file ``path``, given on the command line."""
        self._from_menu.open_first(path)

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
        session.snapshot_changed.connect(self.stations.see)
        self._arrays_first = ArraysFirst(session, self._rail, self.disks, self.show_station)
        self.disks.practice_wanted.connect(self._practise)

    def _join_stations(self) -> None:
        stations = self.stations
        self._rail.chosen.connect(self.show_station)
        stations.wanted.connect(self.show_station)
        stations.done.connect(lambda station: self._rail.set_done(station, True))
        stations.drafted.connect(self._show_draft)
        stations.phase_changed.connect(self._show_phase)
        self._top.practice_wanted.connect(self._ask_for_practice)
        self._top.menu.tour.triggered.connect(lambda: self._guide.begin())  # noqa: PLW0108 -- made on first use
        self._commands.forms.aboutToShow.connect(lambda: stations.plan.exporting.fill(self._commands.forms))
        self._top.help.wanted.connect(self._read)
        self._top.help.report_wanted.connect(self._report)

    @Slot(object)
    def _take_plan(self, plan: PlanModel) -> None:
        self._from_menu.follow(plan)
        self._top.undo.triggered.connect(plan.undo)
        self._top.redo.triggered.connect(plan.redo)

    @Slot(object)
    def _say_held(self, held: Held) -> None:
        self.notices.say("held", held_note(held))

    @Slot(object)
    def _show_phase(self, phase: Phase) -> None:
        self._commands.show_at(self._rail.station, phase)

    @Slot(object)
    def _show_draft(self, draft: Draft) -> None:
        is_at_work = self.stations.phase is not Phase.REVIEW
        if draft.why_untouchable:
            self._commands.show_sentence(draft.why_untouchable)
        elif draft.assessment is not None:
            commands = self.stations.plan.commands(draft.assessment, in_trial=self.stations.is_proving)
            self._commands.show_commands(commands)
        elif draft.refusal and not is_at_work:  # a plan being built, or just built, remains visible
            self._commands.show_sentence(draft.refusal)
        self._top.undo.setEnabled(self.plan.can_undo)
        self._top.redo.setEnabled(self.plan.can_redo)
        self._top.show_plan_name(draft.plan.name if draft.plan else "")
        self._rail.set_done(Station.DISKS, is_at_work or draft.plan is not None)
        seen = draft.assessment is not None and Station.PLAN in self._shown
        self._rail.set_done(Station.PLAN, is_at_work or seen)

    def _turn_to(self, address: str) -> None:
        self.stations.guard.before(LeavingWay.TURN, lambda: self._session.connect_to(address))

    @Slot(object)
    def _practise(self, spec: PracticeSpec) -> None:
        self.stations.guard.before(LeavingWay.TURN, lambda: self._session.start_practice(spec))

    @Slot()
    def _ask_for_practice(self) -> None:
        self.show_station(Station.DISKS)
        self.disks.ask_for_practice()

    @Lazy
    def _reader(self) -> HelpReader:
        from .help.reader import HelpReader  # noqa: PLC0415 -- few read while they start

        return HelpReader(self)

    @Slot(str)
    def _read(self, document: str) -> None:
        self._reader.open_on(document)

    @Slot()
    def _report(self) -> None:
        from .help.bug_report import BugReportDialog  # noqa: PLC0415 -- few report while they start

        BugReportDialog(self._session, self).open()

    @Lazy
    def _guide(self) -> Guide:
        from .tour.guide import Guide  # noqa: PLC0415 -- imports numpy

        guide = Guide(self.stations, self._stack)
        guide.take_station(self._rail.station)
        self._rail.chosen.connect(guide.take_station)
        return guide
