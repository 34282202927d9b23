"""Before buying: imagined disks compared and planned without a machine, mixed with real ones, and never built on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.tasks import Task
from raidwright.text.catalogue import decimal_size
from raidwright.ui.rail import Station
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.stations.plan.plan_file import read_plan_file, write_plan_file
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import press, settle


class Prompt(FakeSession):
    """Computes results at once."""

    def work_out(self, make: Callable[[], Any], **slots: Any) -> Task:
        slots["done"](make())
        return Task(self)


@pytest.fixture
def session(dressed: QApplication) -> FakeSession:
    return Prompt()


@pytest.fixture
def alone(session: FakeSession, qtbot: QtBot) -> MainWindow:
    """The window without a reachable machine."""
    window = MainWindow(session)
    qtbot.addWidget(window)
    window.show()
    session.reach(Connection("local", state=ConnectionState.FAILED, sentence="There is no system bus here."))
    return window


def _compare(window: MainWindow, pool: str, kind: str = "", model: str = "", price: float = 0.0) -> None:
    field, kinds, name = (
        window.findChild(QLineEdit, "buying-pool"),
        window.findChild(QComboBox, "buying-kind"),
        window.findChild(QLineEdit, "buying-model"),
    )
    cost = window.findChild(QDoubleSpinBox, "buying-price")
    assert field is not None
    assert kinds is not None
    assert name is not None
    assert cost is not None
    field.setText(pool)
    kinds.setCurrentIndex(kinds.findData(kind))
    name.setText(model)
    cost.setValue(price)
    press(window, "buying-add")


def _rows(window: MainWindow) -> list[list[str]]:
    table = window.findChild(Table, "buying-table")
    assert table is not None
    model = table.model()
    return [[model.index(row, place).data() for place in range(model.columnCount())] for row in range(model.rowCount())]


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def test_pools_are_compared_without_any_machine(alone: MainWindow, qtbot: QtBot) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB", "hdd7200", price=160)
    _compare(alone, "6x6TB", "hdd5400", model="WD60EFRX", price=130)
    _compare(alone, "2x20TB")
    first, second, third = _rows(alone)
    assert first[:3] == ["4 × 8 TB · 7200 rpm", "RAID 6", "16.0 TB"]
    assert first[7:9] == ["640.00", "39.99"]  # 640 for 16.0 TB, less what md keeps
    assert second[0] == "6 × 6 TB · WD60EFRX"
    assert second[7:9] == ["780.00", "32.49"]
    assert third[1:3] == ["RAID 1", "20.0 TB"]
    assert third[7:9] == ["–", "–"]
    assert all(row[5] for row in (first, second, third))  # predicted speeds
    must = alone.findChild(QPushButton, "buying-survive-2")
    assert must is not None
    qtbot.mouseClick(must, Qt.MouseButton.LeftButton)
    assert _rows(alone)[2][1] == "none"  # two disks survive no two failures, and the reason is shown
    assert _text(alone, "buying-hint")
    press(alone, "buying-remove")
    assert len(_rows(alone)) == 2


@pytest.mark.parametrize("pool", ["", "four", "4x", "0x8TB", "30x8TB"])
def test_what_is_no_pool_is_refused_at_the_field(alone: MainWindow, pool: str) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, pool)
    assert _rows(alone) == []
    refusal = alone.findChild(QLabel, "buying-refusal")
    assert refusal is not None
    assert refusal.isVisible()
    assert refusal.text()


def test_a_pool_is_planned_and_saved_but_not_built(alone: MainWindow, tmp_path: Path) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB")
    press(alone, "buying-plan")
    plan = alone.plan.draft.plan
    assert plan is not None
    assert [disk.id for disk in plan.disks()] == [f"disk-{number}" for number in (1, 2, 3, 4)]
    station = alone.findChild(QWidget, "plan-station")
    assert station is not None
    assert station.isVisible()
    assert alone.build.why_not.startswith("Some of these disks are imagined")
    assert alone.prove.why_not.startswith("Some of these disks are imagined")
    assert not alone.disks.gone  # no machine has lost disks that it never had
    write_plan_file(plan, tmp_path / "tank.json")
    alone.disks.forget_imagined()
    assert alone.plan.draft.plan is None
    alone._open_plan(read_plan_file(tmp_path / "tank.json"))
    assert alone.plan.draft.plan == plan
    assert not alone.disks.gone


def test_imagined_disks_stay_when_a_machine_comes_and_are_never_measured(
    alone: MainWindow, session: FakeSession
) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "2x8TB")
    press(alone, "buying-plan")
    session.reach(PRACTICE)
    session.show(sample.machine())
    assert [disk.id for disk in alone.disks.chosen] == ["disk-1", "disk-2"]
    alone.disks.toggle(sample.disk(0).id)
    assert len(alone.disks.chosen) == 3
    assert [disk.id for disk in alone.measuring_disks.disks] == [sample.disk(0).id]
    alone.show_station(Station.DISKS)
    press(alone, "buying-back")
    table = alone.findChild(Table, "disks-table")
    assert table is not None
    shown = [table.model().index(row, 0).siblingAtColumn(10) for row in range(2)]
    assert all("imagined" in index.data() for index in shown)
    press(alone, "disks-forget-imagined")
    assert [disk.id for disk in alone.disks.chosen] == [sample.disk(0).id]


def test_pools_are_mixed_with_the_disks_that_one_has(window: MainWindow) -> None:
    for number in (0, 1):
        window.disks.toggle(sample.disk(number).id)
    press(window, "disks-buying")
    _compare(window, "2x8TB", price=100)
    assert _rows(window)[0][1] == "RAID 1"
    mixed = window.findChild(QWidget, "buying-mixed")
    assert mixed is not None
    assert mixed.isVisible()
    mixed.setProperty("checked", True)
    row = _rows(window)[0]
    assert row[0] == "4 × 8 TB"
    assert row[1] != "RAID 1"
    assert row[7] == "200.00"  # only new disks cost
    press(window, "buying-plan")
    assert [disk.id for disk in window.disks.chosen if disk.device] == [sample.disk(0).id, sample.disk(1).id]
    assert len(window.disks.chosen) == 4


def _best_and_planned(window: MainWindow) -> tuple[list[str], list[str]]:
    """Return the best layout, its space and its loss as compared, and as in Plan's marked candidate."""
    compared = _rows(window)[-1]
    press(window, "buying-plan")
    table = window.findChild(Table, "candidates-table")
    assert table is not None
    model = table.model()
    plan, loss = window.plan.draft.plan, ""
    assert plan is not None
    heads = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(model.columnCount())]
    first = [model.index(0, place).data() for place in range(model.columnCount())]
    layout, space, loss = (first[heads.index(head)] for head in ("Layout", "Space", "Lost in 5 y"))
    assert window.plan.draft.assessment is not None
    usable = decimal_size(window.plan.draft.assessment.capacity.array_bytes)
    assert usable == space
    return [*compared[1:3], compared[4]], [layout, space, loss]


def test_what_is_planned_is_what_the_comparison_showed(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB", "hdd7200")
    press(alone, "buying-plan")
    alone.plan.choose_level(Level.RAID5)  # a choice for that pool, not for the next
    alone.plan.edit_fields(chunk_kib=64, name="films")
    alone.plan.edit(lambda plan: plan.each_disk(lambda disk: replace(disk, afr=0.2)))
    alone.show_station(Station.DISKS)
    _compare(alone, "12x4TB")
    compared, planned = _best_and_planned(alone)
    assert planned == compared
    plan = alone.plan.draft.plan
    assert plan is not None
    assert plan.level is not Level.RAID5
    assert plan.name == "films"
    assert {disk.afr for disk in plan.disks()} == {None}  # said of other disks
    alone.plan.undo()
    assert alone.plan.draft.plan is not None
    assert alone.plan.draft.plan.level is Level.RAID5


def test_how_many_failures_are_to_be_survived_goes_along(alone: MainWindow, qtbot: QtBot) -> None:
    press(alone, "disks-notice-also")
    alone.show_station(Station.PLAN)  # made before
    alone.show_station(Station.DISKS)
    _compare(alone, "3x8TB")
    must = alone.findChild(QPushButton, "buying-survive-2")
    assert must is not None
    qtbot.mouseClick(must, Qt.MouseButton.LeftButton)
    compared, planned = _best_and_planned(alone)
    assert planned == compared
    asked = alone.findChild(QPushButton, "must-survive-2")
    assert asked is not None
    assert asked.isChecked()


def test_one_disk_is_not_planned(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "1x8TB")
    plan = alone.findChild(QPushButton, "buying-plan")
    assert plan is not None
    assert not plan.isEnabled()
    assert "two disks or more" in _text(alone, "buying-hint")
    _compare(alone, "2x8TB")
    assert plan.isEnabled()


def test_the_first_start_says_what_this_is_once(session: FakeSession, qtbot: QtBot, tmp_path: Path) -> None:
    store = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, SettingsStore(store))
    qtbot.addWidget(window)
    window.resize(1024, 700)
    window.show()
    settle()
    welcome = window.findChild(QWidget, "welcome")
    assert welcome is not None
    assert welcome.isVisible()
    press(window, "welcome-practice")
    assert [asked.what for asked in session.record.jobs] == ["practise"]
    assert not welcome.isVisible()
    window.close_unasked()
    again = MainWindow(session, SettingsStore(store))
    qtbot.addWidget(again)
    assert again.findChild(QWidget, "welcome") is None
    again.close_unasked()
