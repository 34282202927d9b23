"""The window without a machine: fixed values as input, and a record of its requests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raidwright.colours import LIGHT
from raidwright.ui import theme
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """Really delete a test's widgets: outside of an event loop Qt defers that for ever."""
    yield
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    gc.freeze()  # what other tests keep (syntax trees of the whole program) isn't gone through again after each test
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, MainWindow)]


@pytest.fixture(scope="session")
def installed(qapp: QApplication) -> QApplication:
    """The application as in the program: only once, since each follows the desktop's colour scheme anew."""
    theme.install(qapp)
    return qapp


@pytest.fixture
def dressed(installed: QApplication) -> QApplication:
    theme.apply(installed, LIGHT)
    return installed


@pytest.fixture
def session(dressed: QApplication) -> FakeSession:
    return FakeSession()


@pytest.fixture
def window(session: FakeSession, qtbot: QtBot) -> MainWindow:
    """The window, shown on a practice machine with four free disks and three used ones."""
    window = MainWindow(session)
    qtbot.addWidget(window)
    window.show()
    window.look_back()  # as the program does once the window is shown
    session.reach(PRACTICE)
    session.show(sample.machine())
    return window
