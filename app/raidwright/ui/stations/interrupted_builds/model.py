"""Builds that left disks changed: looked for when a machine is reached, and again when a build of ours ends badly."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.core.protocol.results import UndoResult
from raidwright.machine.connection import Connection, State
from raidwright.operations.builds import ListBuilds, Undo
from raidwright.session import Session
from raidwright.text.catalogue import joined, tr
from raidwright.ui.job import Job

_UNFINISHED = (BuildState.INTERRUPTED, BuildState.FAILED)


class InterruptedBuildsModel(QObject):
    """``changed`` follows everything shown. ``record`` is the latest build that was cut off, or failed and could not
    put all of its disks back; None for none.
    """

    changed = Signal()
    listed = Signal(object)  # tuple[BuildRecord, ...], all of them

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.job = Job(session, self)
        self.job.done.connect(self._undone)
        self.job.changed.connect(self.changed)
        self._left: frozenset[str] = frozenset()  # that a person wants to leave as they are, for now
        self.record: BuildRecord | None = None
        self.said = ""

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Look back when a machine is reached; what was said of the one before is not of this one."""
        if connection.state is State.CONNECTED:
            self.record, self.said, self.job.failure = None, "", ""
            self.changed.emit()
            self.look()

    @Slot()
    def look(self) -> None:
        """Ask what was cut off or could not be put back."""
        # Where no helper answers nothing was built by it; whoever wants to build will hear what is wrong.
        self._session.perform(ListBuilds(), done=self._listed, failed=lambda _error: None)

    @Slot()
    def undo(self) -> None:
        """Put the disks of that build back as they were."""
        if self.record is not None:
            self.job.begin(Undo(self.record.id))

    @Slot()
    def leave(self) -> None:
        """Leave it as it is, until the program starts again."""
        if self.record is not None:
            self._left |= {self.record.id}
        self.record, self.said, self.job.failure = None, "", ""
        self.changed.emit()

    def _listed(self, builds: tuple[BuildRecord, ...]) -> None:
        self.listed.emit(builds)
        if self.job.is_busy:
            return  # the one that is being taken back counts as running
        unfinished = (one for one in builds if one.state in _UNFINISHED and one.has_way_back)
        self.record = next((one for one in unfinished if one.id not in self._left), None)
        self.changed.emit()

    @Slot(object)
    def _undone(self, result: UndoResult) -> None:
        name = self.record.name if self.record else ""
        self.record = None
        said = tr("The build of “{name}” is undone: both ends of its disks read as they did before.", name=name)
        if result.synchronised:
            said = joined(said, tr("What lay between them may have been overwritten by md's first synchronisation."))
        self.said = said
