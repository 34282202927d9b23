"""Starting and ending the program with its window."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from raidwright.session import Session

from . import theme
from .window import MainWindow

_WARM_UP_AFTER_MS = 1500  # once the disks stand
NEEDED_NEXT = ("raidwright.ui.stations.plan.station", "raidwright.analysis.reliability.loss_json")


def run(session: Session) -> int:
    """Open the window on what ``session`` has turned to; returns the exit code."""
    app = QApplication([sys.argv[0], "-style", "fusion"])
    app.setApplicationName("raidwright")
    app.setApplicationDisplayName("Raidwright")
    app.setDesktopFileName("org.raidwright.Raidwright")
    theme.install(app)
    window = MainWindow(session)
    window.fit_into(app.primaryScreen().availableSize())
    window.show()
    QTimer.singleShot(_WARM_UP_AFTER_MS, lambda: session.warm_up(NEEDED_NEXT))
    code = app.exec()
    session.close()
    return code
