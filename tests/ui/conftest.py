"""The window without a machine: fixed values as input, and a record of its requests."""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice import working_out
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.colours import LIGHT
from raidwright.ui import theme
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """Really delete a test's widgets: outside of an event loop Qt defers that for ever.

    What earlier tests keep (syntax trees of the whole program) isn't gone through again.
    """
    gc.collect()
    gc.freeze()
    yield
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert not [widget for widget in QApplication.allWidgets() if isinstance(widget, MainWindow)]


@pytest.fixture(scope="session", autouse=True)
def _losses_once() -> Iterator[None]:
    """Work out once how likely each of the samples' plans is lost: a quarter of the window's time at planning."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(working_out, "likely_loss", functools.cache(likely_loss))
        yield


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
