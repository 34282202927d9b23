"""Interrupted builds and shoot-outs: searched for when a machine is connected, each with a notice."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.session import Session
from raidwright.ui.stations.building.interrupted.model import InterruptedBuildsModel
from raidwright.ui.stations.building.interrupted.words import note
from raidwright.ui.stations.prove.left_over import LeftOver
from raidwright.ui.stations.prove.left_over import note as note_of_shootout

from .notices import Notices


class LeftBehind(QObject):
    """Interrupted or failed ``builds``, and the scratch arrays left by a ``shootout``."""

    def __init__(self, session: Session, notices: Notices, parent: QObject) -> None:
        super().__init__(parent)
        self.builds = InterruptedBuildsModel(session, self)
        self.builds.changed.connect(lambda: notices.say("interrupted", note(self.builds)))
        self.shootout = LeftOver(session, self)
        self.shootout.changed.connect(lambda: notices.say("left-over", note_of_shootout(self.shootout)))

    @Slot(object)
    def take_connection(self, connection: Connection) -> None:
        """Search each machine once it is connected."""
        if connection.state is ConnectionState.CONNECTED:
            self.builds.take_connection(connection)
            self.shootout.take_connection(connection)
