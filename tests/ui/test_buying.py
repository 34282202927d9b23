"""Before buying: imagined disks compared and planned without a machine, mixed with real ones, and never built on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.tasks import Task
from raidwright.text.catalogue import decimal_size
from raidwright.ui.settings.store import SettingsStore
from raidwright.ui.station import Station
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
    assert alone.stations.build.model.why_not.startswith("Some of these disks are imagined")
    assert alone.stations.prove.model.why_not.startswith("Some of these disks are imagined")
    assert not alone.disks.gone  # no machine has lost disks that it never had
    write_plan_file(plan, tmp_path / "tank.json")
    alone.disks.forget_imagined()
    assert alone.plan.draft.plan is None
    alone.stations.plan.open(read_plan_file(tmp_path / "tank.json"))
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
    assert [disk.id for disk in alone.stations.disks.measuring.disks] == [sample.disk(0).id]
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
    assert plan.array.level is not Level.RAID5
    assert plan.name == "films"
    assert {disk.afr for disk in plan.disks()} == {None}  # said of other disks
    alone.plan.undo()
    assert alone.plan.draft.plan is not None
    assert alone.plan.draft.plan.array.level is Level.RAID5


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


def _need(window: MainWindow, terabytes: float, failures: int = 1) -> None:
    space, survive = window.findChild(QDoubleSpinBox, "buying-space"), f"buying-survive-{failures}"
    assert space is not None
    space.setValue(terabytes)
    press(window, survive)
    press(window, "buying-suggest")


def test_sets_are_suggested_for_a_space_and_failures(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    _need(alone, 20, failures=2)
    rows = _rows(alone)
    assert [row[0] for row in rows] == ["3 × 20 TB", "4 × 10 TB", "5 × 8 TB", "6 × 6 TB", "7 × 4 TB"]
    assert all(float(row[2].split()[0]) >= 20 and row[2].endswith("TB") for row in rows)
    assert {row[3] for row in rows} == {"any 2"}
    press(alone, "buying-suggest")
    assert len(_rows(alone)) == 5  # the same aren't added twice
    table, price = alone.findChild(Table, "buying-table"), alone.findChild(QDoubleSpinBox, "buying-price")
    assert table is not None
    assert price is not None
    table.row_activated.emit(2)
    price.setValue(160)
    press(alone, "buying-add")
    assert [row[7] for row in _rows(alone)] == ["–", "–", "800.00", "–", "–"]
    press(alone, "buying-plan")
    assert alone.plan.draft.assessment is not None
    assert alone.plan.draft.assessment.capacity.array_bytes >= 20e12
    assert alone.plan.draft.assessment.survival.most() == 2


def test_a_set_with_too_little_space_says_how_much_it_holds(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "3x4TB")
    press(alone, "buying-suggest")
    refusal = alone.findChild(QLabel, "buying-refusal")
    assert refusal is not None
    assert refusal.isVisible()  # no space is asked for
    _need(alone, 12)
    assert _rows(alone)[0][1] == "none"
    press(alone, "buying-suggest")
    assert "8.00 TB at most" in _text(alone, "buying-hint")
    _need(alone, 500)
    assert refusal.isVisible()
    assert "12 disks" in refusal.text()


def test_a_set_of_two_sizes_has_two_prices(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    pool, first = alone.findChild(QLineEdit, "buying-pool"), alone.findChild(QDoubleSpinBox, "buying-price")
    second = alone.findChild(QDoubleSpinBox, "buying-price-2")
    assert pool is not None
    assert first is not None
    assert second is not None
    assert not second.isVisible()
    pool.setText("2x8TB+2x4TB")
    assert second.isVisible()
    assert (first.accessibleName(), second.accessibleName()) == ("Price of 8 TB", "Price of 4 TB")
    first.setValue(160)
    press(alone, "buying-add")
    assert _rows(alone)[0][7] == "–"  # the other price isn't known
    second.setValue(90)
    press(alone, "buying-add")
    assert [row[7] for row in _rows(alone)] == ["500.00"]  # the same disks, priced
    pool.setText("4x4TB")
    assert (first.value(), second.isVisible()) == (90, False)  # the price of that size is kept
    currency = alone.findChild(QLineEdit, "buying-currency")
    table = alone.findChild(Table, "buying-table")
    assert currency is not None
    assert table is not None
    currency.setText("EUR")
    currency.editingFinished.emit()
    heads = [table.model().headerData(place, Qt.Orientation.Horizontal) for place in (7, 8)]
    assert heads == ["Price, EUR", "Per usable TB"]


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_the_shopping_list_tells_prices_and_is_copied(alone: MainWindow) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB", "hdd7200", price=160)
    press(alone, "buying-plan")
    alone.show_station(Station.BUILD)
    press(alone, "ways-on-list")
    text = alone.findChild(QPlainTextEdit, "shopping-text")
    assert text is not None
    told = text.toPlainText()
    assert "4 × 8 TB, 7200 rpm" in told
    assert "Sum: 640.00" in told
    press(alone, "shopping-copy")
    assert QApplication.clipboard().text() == told
    press(alone, "shopping-close")


def test_the_plan_moves_to_a_practice_machine_with_the_same_disks(alone: MainWindow, session: FakeSession) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB", "hdd7200")
    press(alone, "buying-plan")
    alone.plan.choose_level(Level.RAID5)
    alone.plan.edit_fields(chunk_kib=64, name="films")
    alone.plan.edit(lambda plan: plan.each_disk(lambda disk: replace(disk, afr=0.2)))
    before = alone.plan.draft.plan
    assert before is not None
    alone.show_station(Station.BUILD)
    build = alone.findChild(QPushButton, "build-button")
    hint = alone.findChild(QLabel, "build-hint")
    assert hint is not None
    assert hint.text() == "· these disks are planned and not here yet; nothing is done"
    practise = alone.findChild(QPushButton, "ways-on-practice")
    assert build is not None
    assert practise is not None
    assert practise.isVisible()
    assert not build.isVisible()
    practise.click()
    asked = session.record.jobs[-1]
    assert asked.what == "practise"
    assert asked.arguments[0] == PracticeSpec("4x8TB:hdd7200")
    session.reach(PRACTICE._replace(state=ConnectionState.STARTING))
    assert not practise.isEnabled()
    session.reach(PRACTICE)
    session.show(Snapshot(sample.machine().disks[:2]))  # the others follow
    assert alone.plan.draft.plan == before
    session.show(sample.machine())
    plan = alone.plan.draft.plan
    assert plan is not None
    assert [disk.id for disk in plan.disks()] == [sample.disk(number).id for number in range(4)]
    assert (plan.array.level, plan.array.chunk_kib, plan.name) == (before.array.level, 64, "films")
    assert {disk.afr for disk in plan.disks()} == {0.2}
    assert not practise.isVisible()
    assert build.isVisible()
    assert not alone.disks.imagined
    alone.stations.build.model.type_name("films")
    assert not alone.stations.build.model.why_not
    alone.plan.undo()
    assert alone.plan.draft.plan is not None
    assert {disk.afr for disk in alone.plan.draft.plan.disks()} == {None}


def test_a_practice_machine_that_fails_leaves_the_plan(alone: MainWindow, session: FakeSession) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "4x8TB")
    press(alone, "buying-plan")
    plan = alone.plan.draft.plan
    alone.show_station(Station.PROVE)
    press(alone, "ways-on-practice")
    session.reach(PRACTICE._replace(state=ConnectionState.FAILED, sentence="No room on this computer."))
    station = alone.findChild(QWidget, "prove-station")
    assert station is not None
    failure = station.findChild(QLabel, "ways-on-failure")
    assert failure is not None
    assert "No room" in failure.text()
    assert alone.plan.draft.plan == plan
    session.reach(PRACTICE)
    session.show(sample.machine())  # another machine, started later
    assert alone.plan.draft.plan == plan


def test_disks_that_no_practice_machine_can_have_are_refused(alone: MainWindow, session: FakeSession) -> None:
    press(alone, "disks-notice-also")
    _compare(alone, "2x30TB")
    press(alone, "buying-plan")
    alone.show_station(Station.BUILD)
    press(alone, "ways-on-practice")
    assert "24 TB at most" in _text(alone, "ways-on-failure")
    assert not session.record.jobs


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
