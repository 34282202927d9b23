"""Scratch arrays left by an interrupted shoot-out: searched for when a machine is connected, and when one ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from raidwright.core.protocol.facts import ScratchRecord
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.operations.builds import ListScratch, StopScratch
from raidwright.session import Session
from raidwright.text.catalogue import ntr, tr, translated
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.job import RunningOperation
from raidwright.ui.station import Leftovers

if TYPE_CHECKING:
    from raidwright.ui.window_stations import WindowStations

_LOOKS, _LOOK_MS = 45, 2000  # the helper may still be retrying: for busy devices half a minute


class LeftOver(Leftovers):
    """The scratch arrays that the helper couldn't remove, as ``records``. ``changed`` follows everything shown."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.job.ended.connect(self.look)
        self.job.changed.connect(self.changed)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._ask)
        self._looks_left, self._takes_all = 0, False
        self._leave: frozenset[str] = frozenset()  # dismissed by the user for now
        self.records: tuple[ScratchRecord, ...] = ()
        self.taken_away = 0

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Search when a machine is connected; the previous machine's results are cleared."""
        self._again.stop()
        if connection.state is ConnectionState.CONNECTED:
            self._forget()
            self.look()

    @Slot()
    def look(self) -> None:
        """Ask for leftovers."""
        self._looks_left = _LOOKS
        self._ask()

    @Slot()
    def take_away(self) -> None:
        """Remove them, one after the other, until one fails."""
        if self.records:
            self._takes_all = True
            self.job.begin(StopScratch(self.records[0].uuid))

    @Slot()
    def leave(self) -> None:
        """Dismiss them, until the program starts again."""
        self._leave |= {one.uuid for one in self.records}
        self._forget()

    def _forget(self) -> None:
        self.records, self.taken_away, self._takes_all, self.job.failure = (), 0, False, ""
        self.changed.emit()

    @Slot()
    def _ask(self) -> None:
        # Without a helper nothing was built.
        self._session.perform(ListScratch(), done=self._listed, failed=lambda _error: None)

    def _listed(self, standing: tuple[ScratchRecord, ...]) -> None:
        if self._takes_all:  # removed by us, or by the helper's own retries
            self.taken_away += len({one.uuid for one in self.records} - {one.uuid for one in standing})
        self.records = tuple(one for one in standing if one.why_left and one.uuid not in self._leave)
        self._looks_left -= 1
        if self.records or (self._looks_left > 0 and any(not one.why_left for one in standing)):
            self._again.start(_LOOK_MS)  # while a notice is shown, so that it isn't outdated
        self.changed.emit()
        if self._takes_all and not self.job.failure:
            self.take_away()


def told(stations: WindowStations) -> LeftOver:
    """Return a model that tells of such arrays in the window's notices."""
    model = LeftOver(stations.session, stations)
    model.changed.connect(lambda: stations.notices.say("left-over", note(model)))
    return model


def note(model: LeftOver) -> Note | None:
    """Return the notice; None for none."""
    if not model.records:
        if not model.taken_away:
            return None
        said = ntr("{count} scratch array was taken away.", "{count} scratch arrays were taken away.", model.taken_away)
        return Note(Severity.INFO, tr("Done"), said, offers=(Offer("leave", tr("Close"), model.leave),))
    first, count = model.records[0], len(model.records)
    go = tr("Cleaning up …") if model.job.is_busy else tr("Clean up")
    return Note(
        Severity.WARN,
        tr("Left over"),
        ntr(
            "A shoot-out that was cut off has left a trial array.",
            "A shoot-out that was cut off has left {count} trial arrays.",
            count,
        ),
        tr("On {disks}: {why}", disks=first.disks, why=translated(first.why_left)),
        model.job.failure,
        (
            Offer("go", go, model.take_away, is_primary=True, is_open=not model.job.is_busy),
            Offer("leave", tr("Not now"), model.leave, is_open=not model.job.is_busy),
        ),
    )
