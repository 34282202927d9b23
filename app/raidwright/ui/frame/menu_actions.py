"""Actions of the window's menu, and files dropped on the window: opening plans, and the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Slot
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.new_window import open_beside
from raidwright.session import Session
from raidwright.text.catalogue import tr
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.settings.dialog import SettingsDialog
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.stations.disks.welcome import Welcome

from .menu import WindowMenu
from .notices import Notices

if TYPE_CHECKING:
    from raidwright.ui.draft import Draft
    from raidwright.ui.stations.plan.model import PlanModel


class FromMenu(QObject):
    """The menu's actions. ``to_plan`` shows the Plan station, where plans are opened, and returns its model."""

    def __init__(
        self,
        menu: WindowMenu,
        session: Session,
        settings: SettingsStore,
        notices: Notices,
        to_plan: Callable[[], PlanModel],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._menu, self._settings, self._notices, self._to_plan = menu, settings, notices, to_plan
        self._window, self._session = parent, session
        self._first: Path | None = None
        self._dialog: SettingsDialog | None = None
        menu.another.triggered.connect(lambda: open_beside(session.address))
        menu.open.triggered.connect(self._ask_to_open)
        menu.paste.triggered.connect(self._ask_to_paste)
        menu.save.triggered.connect(self._ask_to_save)
        menu.again.triggered.connect(session.turn_again)
        session.connection_changed.connect(self._follow_machine)
        menu.settings.triggered.connect(self._show_settings)
        menu.leave.triggered.connect(parent.close)
        menu.recent_wanted.connect(self.open)
        menu.save.setEnabled(False)
        # Queued, since choosing an entry changes that menu.
        settings.recent_changed.connect(self._show_recent, Qt.ConnectionType.QueuedConnection)
        self._show_recent()
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)

    def follow(self, model: PlanModel) -> None:
        """Remember the files of ``model``'s plans, and show errors of opening them."""
        model.kept_in.connect(self._settings.remember)
        model.kept_in.connect(lambda _path: self._notices.say("file", None))
        model.file_refused.connect(self._refuse)
        model.changed.connect(self._follow)
        self._follow(model.draft)

    def greet(self, welcome: Welcome) -> None:
        """Let ``welcome`` open plans and start the tour, too; once closed it isn't shown again."""
        welcome.open_wanted.connect(self._ask_to_open)
        welcome.tour_wanted.connect(self._menu.tour.trigger)
        welcome.left.connect(self._settings.greeted)

    def open_first(self, path: Path) -> None:
        """Open the plan in the file ``path`` once the machine is known: another machine's disks aren't chosen."""
        self._first = path
        self._follow_machine(self._session.connection)

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open the plan in the file ``path``."""
        self._to_plan().given_file.emit(path)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: accept a plan's file dropped anywhere on the window."""
        if watched is self._window and isinstance(event, QDropEvent):
            path = _file_in(event.mimeData())
            if path is not None and self._menu.open.isEnabled():
                event.acceptProposedAction()
                if event.type() is QEvent.Type.Drop:
                    self.open(path)
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def _ask_to_open(self) -> None:
        self._to_plan().asking_to_open.emit()

    @Slot()
    def _ask_to_paste(self) -> None:
        self._to_plan().pasting.emit()

    @Slot()
    def _ask_to_save(self) -> None:
        self._to_plan().saving.emit()

    @Slot()
    def _show_settings(self) -> None:
        # A parent in Qt doesn't protect a dialog of ours from Python's garbage collector.
        self._dialog = SettingsDialog(self._settings, self._window)
        self._dialog.open()

    @Slot()
    def _show_recent(self) -> None:
        self._menu.show_recent(self._settings.recent)

    @Slot(object)
    def _follow_machine(self, connection: Connection) -> None:
        self._menu.again.setEnabled(connection.state is ConnectionState.FAILED)
        if self._first is not None and connection.state in (ConnectionState.CONNECTED, ConnectionState.FAILED):
            path, self._first = self._first, None
            self.open(path)

    @Slot(object)
    def _follow(self, draft: Draft) -> None:
        self._menu.set_can_open(not draft.is_locked or bool(draft.judged))
        self._menu.save.setEnabled(draft.plan is not None)

    @Slot(str)
    def _refuse(self, why: str) -> None:
        close = Offer("close", tr("Close"), lambda: self._notices.say("file", None))
        # separate from “say”, which Babel doesn't search
        note = Note(Severity.WARN, tr("Not opened"), why, offers=(close,))
        self._notices.say("file", note)


def _file_in(mime: QMimeData) -> Path | None:
    """Return the one local file that is dragged; None for anything else."""
    urls = mime.urls()
    return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None
