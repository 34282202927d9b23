"""Stations are made when they are wanted, or in parts before; what is prepared is the same, and no person notices."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from raidwright.ui.rail import RailButton, Station
from raidwright.ui.stations.plan.station import PlanStation
from raidwright.ui.window import MainWindow

from .places import settle

_MOST_PARTS = 30


def _names(window: MainWindow) -> set[str]:
    return {part.objectName() for part in window.findChildren(QWidget) if part.objectName()}


def test_all_is_prepared_in_parts_and_stands_as_if_it_were_made_at_once(window: MainWindow) -> None:
    window.disks.choose_all()
    parts = 0
    while window.stations.prepare_part():
        settle()
        parts += 1
        assert parts < _MOST_PARTS
    assert all(window.stations.is_made(station) for station in Station)
    assert {"plan-next", "build-button", "measure-start", "prove-begin"} <= _names(window)
    for station in Station:
        window.show_station(station)
        settle()
        shown = window.findChild(QWidget, f"{station}-station")
        assert shown is not None
        assert shown.isVisible()
    assert len(window.findChildren(PlanStation)) == 1


def test_what_is_prepared_counts_as_done_only_once_it_was_seen(window: MainWindow) -> None:
    window.disks.choose_all()
    while window.stations.prepare_part():
        settle()
    plan = window.findChild(RailButton, "rail-plan")
    assert plan is not None
    assert plan.accessibleDescription() == ""
    window.show_station(Station.PLAN)
    assert plan.accessibleDescription() == "done"


def test_a_half_prepared_page_is_finished_when_it_is_wanted(window: MainWindow) -> None:
    window.disks.choose_all()
    for _part in range(3):
        assert window.stations.prepare_part()
    window.show_station(Station.PLAN)
    settle()
    table = window.findChild(QWidget, "candidates-table")
    assert table is not None
    assert table.isVisible()


def test_preparing_waits_while_somebody_types(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    window.stations.prepare()
    qtbot.keyClick(window, Qt.Key.Key_F13)
    assert window.stations._soon.interval() == 400
    qtbot.waitUntil(lambda: all(window.stations.is_made(station) for station in Station), timeout=30000)
