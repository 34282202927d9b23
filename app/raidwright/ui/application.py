"""Start and end of the program with its window."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from raidwright.loop_thread import LoopThread
from raidwright.resources import resource
from raidwright.session import Session
from raidwright.state import draft_folder
from raidwright.tasks import TaskThread
from raidwright.text import catalogue

from . import language, theme
from .settings.store import SettingsStore, Units
from .station import Station
from .window import MainWindow

_WARM_UP_AFTER_MS = 1500  # once the disks are shown
_OFFER_AFTER_MS = 300  # leftovers are searched for once the window is shown
NEEDED_NEXT = ("raidwright.analysis.reliability.loss_json", *(each.kind.parts.partition(":")[0] for each in Station))


def speak(settings: SettingsStore) -> None:
    """Set the language and the units of all text; call it before any text is made."""
    wanted = [settings.language] if settings.language else None
    catalogue.choose(wanted, binary_sizes=settings.units is Units.BINARY)


def session_on(thread: LoopThread) -> Session:
    """Return a window's session, with its work done on ``thread``."""
    return Session(TaskThread(thread))


def run(session: Session, plan: Path | None = None) -> int:
    """Open the window on the machine of ``session``, with the plan in the file ``plan``; return the exit code."""
    app = QApplication([sys.argv[0], "-style", "fusion"])
    app.setApplicationName("raidwright")
    app.setApplicationDisplayName("Raidwright")
    app.setDesktopFileName("org.raidwright.Raidwright")
    settings = SettingsStore.of_user()
    app.setWindowIcon(QIcon(str(resource("icons/org.raidwright.Raidwright.svg"))))
    theme.install(app)
    speak(settings)
    if lacking := language.without_font():
        catalogue.choose(["en"], binary_sizes=settings.units is Units.BINARY)
    language.follow(app)
    theme.choose(app, settings.theme.scheme)
    settings.theme_changed.connect(lambda: theme.choose(app, settings.theme.scheme))
    window = MainWindow(session, settings, draft_folder())
    window.fit_into(app.primaryScreen().availableSize())
    window.restoreGeometry(settings.geometry)
    app.aboutToQuit.connect(lambda: setattr(settings, "geometry", window.saveGeometry()))
    if lacking:
        note = language.note_without_font(lacking)
        print(f"raidwright: {note.sentence} {note.more}", file=sys.stderr)
        window.notices.say("language", note)
    window.show()
    QTimer.singleShot(_OFFER_AFTER_MS, window.stations.look_back)
    if plan is not None:
        QTimer.singleShot(0, lambda: window.open_file(plan))
    QTimer.singleShot(_WARM_UP_AFTER_MS, lambda: session.warm_up(NEEDED_NEXT))
    code = app.exec()
    session.close()
    return code
