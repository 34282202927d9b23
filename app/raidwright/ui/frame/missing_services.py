"""Notices on what is missing on a machine, UDisks2 or the helper, with a button to look for it again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Note, Offer, Severity

from .notices import Notices
from .rail import Rail


class MissingNotices(QObject):
    """The notices; that on the helper at the stations where planning begins and ends."""

    def __init__(self, session: Session, notices: Notices, rail: Rail, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._notices, self._rail = session, notices, rail
        session.snapshot_changed.connect(self.show_notices)
        session.connection_changed.connect(self.show_notices)

    @Slot()
    def show_notices(self) -> None:
        """Show what is missing now, at the present station."""
        now, seen, again = self._session.connection, self._session.snapshot, self._session.look_again
        self._notices.say("unseen", unseen_note(now, seen, again))
        is_said = self._rail.station.kind.says_planning_only
        self._notices.say("helper", helper_note(now, seen, again) if is_said else None)


def unseen_note(connection: Connection, snapshot: Snapshot, look_again: Callable[[], object]) -> Note | None:
    """Return the notice while the disks and arrays shown are as last seen; None while they are seen, or none are."""
    is_shown = bool(snapshot.disks or snapshot.arrays) and connection.state is ConnectionState.CONNECTED
    if not snapshot.problem or not is_shown:
        return None
    return Note(
        Severity.WARN,
        tr("Not seen now"),
        translated(snapshot.problem),
        tr("Disks and arrays are shown as last seen; nothing is built or measured meanwhile."),
        offers=(Offer("again", tr("Try again"), look_again),),
    )


def helper_note(connection: Connection, snapshot: Snapshot, look_again: Callable[[], object]) -> Note | None:
    """Return the notice while the helper can't be asked; None while it can, or the machine isn't seen at all."""
    is_shown = not snapshot.problem and connection.state is ConnectionState.CONNECTED
    if not snapshot.helper_problem or not is_shown:
        return None
    return Note(
        Severity.INFO,
        tr("Planning only"),
        translated(snapshot.helper_problem),
        tr("Nothing can be built or measured until then; Raidwright notices by itself once it is there."),
        offers=(Offer("again", tr("Try again"), look_again),),
    )
