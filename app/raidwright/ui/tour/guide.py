"""The guide: a bar at every station that shows the tour's next step and waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

from raidwright.analysis.imagined import is_imagined
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.errors import RaidwrightError
from raidwright.machine.connection import ConnectionState, PracticeSpec
from raidwright.machine.states.volume import State
from raidwright.operations.members import FailMember
from raidwright.text.array.condition import is_degraded
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.station import Station
from raidwright.ui.widgets.ring import FocusRing

from .steps import TourStep, WindowState, next_buttons, station_of, step_of, words

if TYPE_CHECKING:
    from raidwright.ui.window_stations import WindowStations

SMALL_DISKS = PracticeSpec("5x2GB")  # small, so that a rebuild takes seconds


class Guide(QObject):
    """The guide through a window's stations."""

    def __init__(self, stations: WindowStations, parent: QWidget) -> None:
        super().__init__(parent)
        self._window, self._stations = parent, stations
        self._step: TourStep | None = None  # the step shown
        self._at: Station | None = None
        self._is_reviewed = False  # True once Build showed the plan of the chosen disks
        self._ring: FocusRing | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)  # buttons appear and disappear after the models' signals
        self._soon.timeout.connect(self._put_ring)
        self._session, self._notices = stations.session, stations.notices
        self._disks, self._plan = stations.disks.model, stations.plan.model
        self._build, self._repair = stations.build.model, stations.arrays.repair
        self._is_open = self._is_failing = self._is_starting = False
        self._failed_in = self._failure = ""  # UUID of the array that lost a disk during the tour
        for changed in (self._disks.changed, self._plan.changed, self._build.changed, self._repair.changed):
            changed.connect(self._look)
        self._session.connection_changed.connect(self._look)
        self._session.snapshot_changed.connect(self._look)

    @Slot()
    def begin(self) -> None:
        """Show the first step."""
        self._is_open, self._failed_in, self._failure = True, "", ""
        self._step, self._is_reviewed = None, False
        self._disks.forget_imagined()  # builds on them aren't possible
        self._look()

    @Slot()
    def leave(self) -> None:
        """End the tour."""
        self._is_open = False
        self._notices.say("tour", None)
        self._soon.start()

    @Slot(object)
    def take_station(self, station: Station) -> None:
        """Follow the window to ``station``."""
        self._at = station
        plan = self._plan.draft.plan
        if (
            station is Station.BUILD
            and self._step is TourStep.PLAN
            and plan is not None
            and as_array(plan.top).level.is_redundant
        ):
            self._is_reviewed = True
        self._look()

    @property
    def _array(self) -> State | None:
        """The practice machine's array that can lose a disk."""
        return next((one for one in self._session.snapshot.arrays if one.running and one.level != "raid0"), None)

    def _seen(self) -> WindowState:
        array = self._array
        if array is not None and is_degraded(array) and not any(place.is_coming for place in array.places):
            self._failed_in = array.uuid
        return WindowState(
            self._session.connection,
            sum(not is_imagined(disk.id) for disk in self._disks.chosen),
            sum(disk.is_free for disk in self._disks.others),
            self._plan.draft.plan,
            self._build.phase,
            array,
            self._repair.stage,
            array is not None and array.uuid == self._failed_in,
            self._is_reviewed,
        )

    @Slot()
    def _look(self) -> None:
        if not self._is_open:
            return
        if self._is_starting and self._session.connection.is_practice:
            self._is_starting, self._step = False, None  # to the disks, from any station
            self._disks.forget_imagined()
        seen = self._seen()
        step = step_of(seen)
        self._go_to_station(step)
        sentence, more = words(step, seen)
        tag = tr("Tour {number} of {count}", number=int(step), count=len(TourStep))
        note = Note(Severity.INFO, tag, sentence, more, self._failure, tuple(self._offers(step)))
        self._notices.say("tour", note)
        self._soon.start()

    def _go_to_station(self, step: TourStep) -> None:
        """Ask for the station of a new step, but leave the button to the user while disks are being chosen."""
        before, self._step = self._step, step
        wanted = station_of(step)
        still_chooses = (before, step) == (TourStep.CHOOSE, TourStep.PLAN) and self._at is Station.DISKS
        if step is not before and wanted is not None and wanted is not self._at and not still_chooses:
            self._stations.wanted.emit(wanted)

    @Slot()
    def _put_ring(self) -> None:
        """Move the ring to the next button to press, if it is visible."""
        names = next_buttons(self._step, self._seen()) if self._is_open and self._step is not None else ()
        found = (self._window.window().findChild(QWidget, name) for name in names)
        target = next((one for one in found if one is not None and one.isVisible() and one.isEnabled()), None)
        if self._ring is not None and not Shiboken.isValid(self._ring):  # the ring was deleted with its page
            self._ring = None
        if self._ring is not None and self._ring.target is not target:
            self._ring.leave()
            self._ring = None
        if target is not None and self._ring is None:
            self._ring = FocusRing(target)

    def _offers(self, step: TourStep) -> list[Offer]:
        offers = [Offer("leave", tr("Close the tour"), self.leave)]
        if step is TourStep.START and not self._session.connection.is_practice:
            offers.insert(0, Offer("start", tr("Start it"), self._start, is_primary=True))
        elif step is TourStep.START:
            is_under_way = self._session.connection.state in (ConnectionState.STARTING, ConnectionState.CONNECTING)
            offers.insert(0, Offer("start", tr("Start it"), self._start, is_open=not is_under_way))
        elif step is TourStep.FAIL:
            offers.insert(0, Offer("fail", tr("Let a disk fail"), self._fail, is_primary=True))
        return offers

    def _start(self) -> None:
        self._is_starting = True
        self._disks.practise(SMALL_DISKS)

    def _fail(self) -> None:
        """Fail a disk, only in a practice machine: the step is offered nowhere else, and this checks again."""
        array = self._array
        if self._is_failing or array is None or not array.members or not self._session.connection.is_practice:
            return
        self._is_failing, self._failure = True, ""
        self._session.perform(FailMember(array.named, array.members[-1]), done=self._done, failed=self._refused)
        self._look()

    @Slot(object)
    def _done(self, _result: object) -> None:
        self._is_failing = False
        self._look()

    @Slot(RaidwrightError)
    def _refused(self, error: RaidwrightError) -> None:
        self._is_failing, self._failure = False, translated(error.sentence)
        self._look()
