"""Builds that left disks changed: searched for when a machine is connected, and after a failed build."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.core.protocol.results import UndoResult
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.operations.builds import ListBuilds, Undo
from raidwright.session import Session
from raidwright.text.catalogue import joined, tr
from raidwright.ui.job import RunningOperation
from raidwright.ui.station import Leftovers, Loss, Stake

_UNFINISHED = (BuildState.INTERRUPTED, BuildState.FAILED)


class InterruptedBuildsModel(Leftovers):
    """Interrupted builds. ``changed`` follows everything shown.

    ``record`` is the latest build that was interrupted, or failed without restoring all of its disks; None for none.
    """

    changed = Signal()
    listed = Signal(object)  # tuple[BuildRecord, ...], all of them

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.job.done.connect(self._undone)
        self.job.changed.connect(self.changed)
        self._left: frozenset[str] = frozenset()  # dismissed by the user for now
        self.record: BuildRecord | None = None
        self.said = ""

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Search for builds when a machine is connected; the previous machine's results are cleared."""
        if connection.state is ConnectionState.CONNECTED:
            self.record, self.said, self.job.failure = None, "", ""
            self.changed.emit()
            self.look()

    def stakes(self) -> Iterable[Stake]:
        """Return the undoing of a build."""
        if self.job.is_busy:
            yield Stake(Loss.CHANGE, tr("A build is being undone"))

    @Slot()
    def look(self) -> None:
        """Ask for builds that were interrupted or couldn't be undone."""
        # Without a helper nothing was built; an error is shown when a build is started.
        self._session.perform(ListBuilds(), done=self._listed, failed=lambda _error: None)

    @Slot()
    def undo(self) -> None:
        """Restore the disks of that build."""
        if self.record is not None:
            self.job.begin(Undo(self.record.id))

    @Slot()
    def leave(self) -> None:
        """Dismiss it, until the program starts again."""
        if self.record is not None:
            self._left |= {self.record.id}
        self.record, self.said, self.job.failure = None, "", ""
        self.changed.emit()

    def _listed(self, builds: tuple[BuildRecord, ...]) -> None:
        self.listed.emit(builds)
        if self.job.is_busy:
            return  # the build being undone counts as running
        unfinished = (one for one in builds if one.state in _UNFINISHED and one.has_way_back)
        self.record = next((one for one in unfinished if one.id not in self._left), None)
        self.changed.emit()

    @Slot(object)
    def _undone(self, result: UndoResult) -> None:
        name = self.record.name if self.record else ""
        self.record = None
        said = tr("The build of “{name}” is undone: both ends of its disks read as they did before.", name=name)
        if result.synchronised:
            said = joined(said, tr("What lay between them may have been overwritten by md's first sync."))
        self.said = said
