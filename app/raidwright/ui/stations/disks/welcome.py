"""The welcome at the first start: the program's purpose in three lines, and the ways to begin."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.core.messages import say
from raidwright.machine.connection import Connection
from raidwright.text.catalogue import tr, translated
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import WholePanel, button, label

_LINES = (
    say("Raidwright shows every layout that your disks allow: what it holds, survives, and how fast it will be."),
    say("It shows what will be written before it writes anything, builds the array that you choose, and measures it."),
    say("A practice machine is a real Linux with disks of its own: nothing that you try there can touch a real disk."),
)


class Welcome(WholePanel):
    """The welcome, with a signal for each way to begin; ``left`` says that it was closed, and asks for a new focus."""

    practice_wanted = Signal()
    tour_wanted = Signal()
    buying_wanted = Signal()
    open_wanted = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Welcome"), parent=parent)
        self.setObjectName("welcome")
        for line in _LINES:
            self.body.addWidget(label(translated(line), wrap=True))
        ways = (
            (tr("Try it on a practice machine"), "welcome-practice", self.practice_wanted),
            (tr("Lose a disk on purpose: a tour of 3 minutes"), "welcome-tour", self.tour_wanted),
            (tr("Compare disks to buy …"), "welcome-buying", self.buying_wanted),
            (tr("Open a plan …"), "welcome-open", self.open_wanted),
        )
        buttons = []
        for text, name, wanted in ways:
            way = button(text, name, primary=wanted is self.practice_wanted)
            way.clicked.connect(self._leave)  # first, so that the opened page gets the focus
            way.clicked.connect(wanted)
            buttons.append(way)
        self._practice = buttons[0]
        close = button(tr("Close"), "welcome-close")
        close.clicked.connect(self._leave)
        self.body.addWidget(wrapping(*buttons, close))

    def show_connection(self, connection: Connection) -> None:
        """Hide the offer of a practice machine on a practice machine."""
        self._practice.setVisible(not connection.is_practice)

    @Slot()
    def _leave(self) -> None:
        self.hide()
        self.left.emit()
