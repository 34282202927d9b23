"""Machines over ssh in the window: the menu, the dialogs, and the notice on a lost connection."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.prompts import Asking
from raidwright.machine.recent import RecentMachines
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.frame.notices import Notices
from raidwright.ui.frame.top_bar import TopBar

from .address import AddressDialog
from .password import PasswordDialog


class FarMachines(QObject):
    """Connects the window's menu and dialogs to the session. ``turn`` switches to an address, once confirmed."""

    def __init__(
        self, top: TopBar, notices: Notices, session: Session, turn: Callable[[str], object], window: QWidget
    ) -> None:
        super().__init__(window)
        self._notices, self._session, self._turn, self._window = notices, session, turn, window
        self._password: PasswordDialog | None = None
        top.recent = RecentMachines().addresses
        top.far_wanted.connect(turn)
        top.another_wanted.connect(self.ask_for_another)
        session.asking_changed.connect(self._ask)
        session.snapshot_changed.connect(self._say_lost)
        session.connection_changed.connect(self._say_lost)

    @Slot()
    def ask_for_another(self) -> None:
        """Ask for a machine's address."""
        dialog = AddressDialog(self._session.connection.far, self._window)
        dialog.wanted.connect(self._turn)
        dialog.wanted.connect(lambda _address: dialog.follow(self._session.connection))  # a confirmation may come first
        self._session.connection_changed.connect(dialog.follow)
        dialog.open()

    @Slot(object)
    def _ask(self, asking: Asking) -> None:
        if self._password is not None:
            self._password.take_back()
            self._password = None
        if asking.question is not None:
            self._password = PasswordDialog(asking.question, self._window)
            self._password.answered.connect(self._answer)
            self._password.open()

    @Slot(object)
    def _answer(self, text: str | None) -> None:
        self._password = None  # the dialog deletes itself
        self._session.answer(text)

    @Slot()
    def _say_lost(self) -> None:
        now, problem = self._session.connection, self._session.snapshot.problem
        if now.far and now.state is ConnectionState.FAILED:
            self._notices.say("link", self._not_reached(now))
            return
        if not now.far or now.state is not ConnectionState.CONNECTED or not problem:
            self._notices.say("link", None)
            return
        again = Offer("again", tr("Connect anew"), lambda: self._turn(now.far), is_primary=True)
        note = Note(
            Severity.WARN,
            tr("Link lost"),
            tr("{machine} can't be seen just now. Builds and rebuilds there go on.", machine=now.title),
            translated(problem),
            offers=(again,),
        )
        self._notices.say("link", note)

    def _not_reached(self, now: Connection) -> Note:
        """Return the notice on a failed connection, with ssh's own error, and two offers."""
        again = Offer("again", tr("Try again"), lambda: self._turn(now.far), is_primary=True)
        other = Offer("address", tr("Another address …"), self.ask_for_another)
        sentence = tr("{machine} can't be reached.", machine=now.title)
        return Note(Severity.BAD, tr("Not reached"), sentence, translated(now.sentence), offers=(again, other))
