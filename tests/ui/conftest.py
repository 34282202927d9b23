"""The window without a machine: fixed values as input, and a record of its requests."""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Iterator, Mapping

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice import working_out
from raidwright.analysis.advice.candidates import Prepared, enumerate_plans
from raidwright.analysis.reliability import drivers
from raidwright.analysis.reliability.loss import likely_loss, loss_of
from raidwright.colours import LIGHT
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member
from raidwright.ui import theme
from raidwright.ui.stations.disks.buying import model as buying
from raidwright.ui.stations.plan import model as plan
from raidwright.ui.stations.plan.loss import model as loss
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
def _worked_out_once() -> Iterator[None]:
    """Work out once which plans the samples' disks allow, and how likely each is lost: half of the time at planning."""

    @functools.cache
    def known(members: tuple[Member, ...], disks: tuple[tuple[str, Disk], ...], joined: bool) -> tuple[Prepared, ...]:
        return enumerate_plans(members, dict(disks), joined=joined)

    def plans(members: tuple[Member, ...], disks: Mapping[str, Disk], *, joined: bool) -> tuple[Prepared, ...]:
        return known(members, tuple(disks.items()), joined)

    likely = functools.cache(likely_loss)
    with pytest.MonkeyPatch.context() as patch:
        for asking in (buying, plan):
            patch.setattr(asking, "enumerate_plans", plans)
        for reckoning in (working_out, drivers, loss):
            patch.setattr(reckoning, "likely_loss", likely)
        patch.setattr(loss, "loss_of", functools.cache(loss_of))
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
    window.stations.look_back()  # as the program does once the window is shown
    session.reach(PRACTICE)
    session.show(sample.machine())
    return window
