"""A practice machine's writes waiting for space are shown at every station, until they continue."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget
from raidwright.machine.connection import Held
from raidwright.ui.station import Station
from raidwright.ui.window import MainWindow

from .fake_session import FakeSession


def test_waiting_writes_are_said_until_they_go_on(window: MainWindow, session: FakeSession) -> None:
    session.held_changed.emit(Held(11, "/places/raidwright-store"))
    bar = window.findChild(QWidget, "held-bar")
    assert bar
    for station in Station:
        window.show_station(station)
        assert bar.isVisible()
    said = " ".join(label.text() for label in bar.findChildren(QLabel))
    assert "No disk has failed" in said
    assert "/places/raidwright-store" in said
    session.held_changed.emit(Held(12, "/places/raidwright-store"))
    assert window.findChild(QWidget, "held-bar") is bar
    session.held_changed.emit(Held())
    assert not bar.isVisible()
