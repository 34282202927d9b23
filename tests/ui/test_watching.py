"""The dialog of a watch: live figures, the workload, its prediction, and the way to measure it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPushButton
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.operations.load import LoadProgress, WatchedLoad, WatchLoad
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.watching import WatchDialog
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout

from .fake_session import FakeSession
from .places import press

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
LOAD = WatchedLoad(10.0, 1000, 4000, 1000 * 16384, 4000 * 16384, 5.0, 20.0, 900.0)


@pytest.fixture
def watching(window: MainWindow, session: FakeSession) -> WatchDialog:
    session.reach(Connection("", state=ConnectionState.CONNECTED))
    session.show(replace(sample.machine(), arrays=(sample_shootout.array_of(sample.plan()),)))
    window.show_station(Station.MEASURE)
    entry = window.findChild(QAction, "measure-more-watch")
    assert entry is not None
    entry.trigger()
    dialog = window.findChild(WatchDialog)
    assert dialog is not None
    return dialog


def _text(dialog: WatchDialog, name: str) -> str:
    found = dialog.findChild(QLabel, name)
    assert found is not None
    return found.text()


def test_what_is_asked_becomes_the_stations_workload(
    watching: WatchDialog, window: MainWindow, session: FakeSession
) -> None:
    press(window, "watching-go")
    asked = session.record.jobs[-1]
    [order] = asked.arguments
    assert isinstance(order, WatchLoad)
    assert (order.target, order.seconds) == (window.stations.measure.model.target, 300.0)
    assert asked.update is not None
    assert asked.done is not None
    asked.update(LoadProgress("measure", 0.5, LOAD))
    table = watching.findChild(Table, "watching-figures")
    assert table is not None
    assert table.model().index(2, 1).data() == "20%"
    assert _text(watching, "watching-said") == ""
    asked.done(LOAD)
    assert "randrw, 20% reads, 16.0 KiB, depth 4" in _text(watching, "watching-said")
    assert _text(watching, "watching-predicted").startswith("Predicted ")
    take = watching.findChild(QPushButton, "watching-take")
    assert take is not None
    take.click()
    assert [str(job.workload) for job in window.stations.measure.model.jobs] == [
        "own_randrw_20_16k_q4",
        "own_randread_16k_q4",
    ]


def test_an_idle_device_has_no_workload_to_take(
    watching: WatchDialog, window: MainWindow, session: FakeSession
) -> None:
    press(window, "watching-go")
    asked = session.record.jobs[-1]
    assert asked.done is not None
    asked.done(WatchedLoad(10.0, 0, 0, 0, 0, 0.0, 0.0))
    assert _text(watching, "watching-said") == "Nothing was asked of it in this time."
    take = watching.findChild(QPushButton, "watching-take")
    assert take is not None
    assert not take.isVisible()
    watching.reject()
