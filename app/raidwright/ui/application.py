"""Starting and ending the program with its window."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from ..session import PracticeSpec, Session
from ..tasks import TaskThread
from . import theme
from .window import MainWindow

_WARM_UP_AFTER_MS = 1500  # once the disks stand


def run(machine: str, *, role: str = "admin", practice: PracticeSpec | None = None) -> int:
    """Open the window on ``machine``, or on a practice machine of its own; returns the exit code."""
    thread = TaskThread()
    thread.start()
    session = Session(thread)
    # The way to the machine starts before Qt's widgets are made, so that both go on side by side.
    if practice is not None:
        session.start_practice(practice)
    else:
        session.connect_to(machine, role=role)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)  # noqa: S101 -- narrows the type
    app.setApplicationName("raidwright")
    app.setApplicationDisplayName("Raidwright")
    app.setDesktopFileName("org.raidwright.Raidwright")
    theme.install(app)
    window = MainWindow(session)
    window.show()
    QTimer.singleShot(_WARM_UP_AFTER_MS, session.warm_up)
    if path := os.environ.get("RAIDWRIGHT_LOCATOR"):
        from .locator import Locator  # noqa: PLC0415 -- for journeys only

        Locator(path, window)
    code = app.exec()
    session.close()
    return code
