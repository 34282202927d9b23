"""Access of the scenes to the window's parts."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget
from raidwright.core.errors import RaidwrightError
from raidwright.ui.window import MainWindow

from tests.ui.fake_session import Asked, FakeSession


def session_of(window: MainWindow) -> FakeSession:
    """Return the window's session."""
    assert isinstance(window._session, FakeSession)
    return window._session


def asked(window: MainWindow, what: str) -> Asked:
    return [job for job in session_of(window).record.jobs if job.what == what][-1]


def fail(window: MainWindow, what: str, error: RaidwrightError) -> None:
    failed = asked(window, what).failed
    assert failed is not None
    failed(error)


def find(window: MainWindow, name: str) -> QWidget:
    found = window.findChild(QWidget, name)
    assert found is not None, name
    return found


def trigger(window: MainWindow, name: str) -> None:
    action = window.findChild(QAction, name)
    assert action is not None, name
    action.trigger()


def pop_up(window: MainWindow, menu: QMenu | None) -> None:
    assert menu is not None
    menu.popup(window.mapToGlobal(QPoint(80, 60)))
