"""Drawing of the pages: each place in its own window, light, then dark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from raidwright.colours import DARK, LIGHT
from raidwright.text import catalogue
from raidwright.ui import language, theme
from raidwright.ui.window import MainWindow

from tests.kit import sample
from tests.ui.fake_session import PRACTICE, FakeSession
from tests.ui.places import settle

from .fitting import faults
from .scenes import PAGES


def draw(
    to: Path, scale: int, size: tuple[int, int], only: Sequence[str] = (), languages: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Draw the pages at ``scale`` into the folder ``to``; return the unreadable texts, by their picture's name."""
    app = QApplication.instance() or QApplication(["raidwright", "-style", "fusion"])
    assert isinstance(app, QApplication)
    theme.install(app)
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as nobodys:
        os.environ["XDG_CONFIG_HOME"] = nobodys
        for code in languages or catalogue.languages():
            catalogue.choose([code])
            language.follow(app)
            for name in only or PAGES:
                with Opened(app, name, size) as window:
                    for scheme, suffix in ((LIGHT, "light"), (DARK, "dark")):
                        theme.apply(app, scheme)
                        settle()
                        page = f"{name}.{code}-{suffix}-{scale}00"
                        found[page] = look(window, to / f"{page}.png")
    return found


class Opened:
    """A window of ``size``, at the place ``name``, with whatever stands over it."""

    def __init__(self, app: QApplication, name: str, size: tuple[int, int]) -> None:
        theme.apply(app, LIGHT)
        session = FakeSession()
        self.window = window = MainWindow(session)
        session.setParent(window)
        window.resize(*size)
        window.show()
        window.stations.look_back()
        session.reach(PRACTICE)
        session.show(sample.machine())
        PAGES[name](window)
        settle()

    def close(self) -> None:
        """Close it, unasked."""
        for one in QApplication.topLevelWidgets():
            if one is not self.window:
                one.hide()
        self.window.close_unasked()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        settle()

    def __enter__(self) -> MainWindow:
        return self.window

    def __exit__(self, *_error: object) -> None:
        self.close()


def look(window: MainWindow, path: Path | None = None) -> list[str]:
    """Return the texts that can't be read in ``window`` and the windows over it; save its picture to ``path``."""
    found, picture = faults(window)
    for over in _over(window):
        more, part = faults(over)
        found += more
        _lay(part, picture, over, window)
    if path is not None:
        picture.save(str(path))
    return found


def _over(window: MainWindow) -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not window]


def _lay(part: QPixmap, picture: QPixmap, over: QWidget, window: MainWindow) -> None:
    corner = over.frameGeometry().topLeft() - window.frameGeometry().topLeft()
    if not window.rect().contains(corner) or over.isModal():
        corner = QPoint((window.width() - over.width()) // 2, (window.height() - over.height()) // 3)
    painter = QPainter(picture)
    painter.drawPixmap(corner, part)
    painter.setPen(QColor("#888888"))
    painter.drawRect(corner.x(), corner.y(), over.width() - 1, over.height() - 1)
