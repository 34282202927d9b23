"""Starting and ending the program with its window."""

from __future__ import annotations

import gc
import os
import sys

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from raidwright.machine.connection import Connection, PracticeSpec, State
from raidwright.machine.udisks.first_look import FirstLook
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.tasks import TaskThread

from . import theme
from .window import MainWindow

_CONNECT_AFTER_MS = 50  # once the disks are painted: the bus library is large
_WARM_UP_AFTER_MS = 1500  # once the disks stand


def _warm_up(session: Session) -> None:
    gc.freeze()  # what stands now stays until the end
    gc.enable()
    session.warm_up((".ui.plan.station",))


def run(look: FirstLook | None, practice: PracticeSpec | None) -> int:
    """Open the window on the machine that ``look`` is at, or on a ``practice`` machine; returns the exit code."""
    app = QApplication([sys.argv[0], "-style", "fusion"])
    app.setApplicationName("raidwright")
    app.setApplicationDisplayName("Raidwright")
    app.setDesktopFileName("org.raidwright.Raidwright")
    theme.install(app)
    session = Session(TaskThread())
    window = MainWindow(session)
    window.fit_into(app.primaryScreen().availableSize())
    if look is not None:
        _turn_to(session, look)
    elif practice is not None:
        session.start_practice(practice)
    window.show()
    QTimer.singleShot(_WARM_UP_AFTER_MS, lambda: _warm_up(session))
    if path := os.environ.get("RAIDWRIGHT_LOCATOR"):
        from .locator import Locator  # noqa: PLC0415 -- for journeys only

        Locator(path, window)
    code = app.exec()
    if look is not None:
        look.end()
    session.close()
    return code


def _turn_to(session: Session, look: FirstLook) -> None:
    """Show what the first look sees as soon as it is there, and go on from it once that is painted."""
    notifier = QSocketNotifier(look.fd, QSocketNotifier.Type.Read, session)
    on_the_way = Connection(look.meant.title, look.meant.is_practice, State.CONNECTING)

    def seen() -> None:
        notifier.setEnabled(False)
        session.expect(on_the_way, look.take() or Snapshot())
        QTimer.singleShot(_CONNECT_AFTER_MS, session, lambda: session.connect_on(look.machine, look.role))

    if look.is_ready:
        seen()
    else:
        session.expect(on_the_way, Snapshot())
        notifier.activated.connect(seen)
