"""The wheel changes nothing that hasn't the focus, at any station; it scrolls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QPushButton,
    QScrollArea,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.ui.pictures import measure, plan_raid10_far, show_assumptions, stand, still_window
from raidwright.ui.rail import Station
from raidwright.ui.window import MainWindow


def _press(window: MainWindow, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None
    button.click()


def _at_disks(window: MainWindow) -> None:
    window.show_station(Station.DISKS)


def _at_plan(window: MainWindow) -> None:
    window.show_station(Station.PLAN)
    _press(window, "stage-replay")


def _at_groups(window: MainWindow) -> None:
    window.show_station(Station.PLAN)
    _press(window, "nested-raid1")


def _at_loss(window: MainWindow) -> None:
    window.show_station(Station.PLAN)
    show_assumptions(window)


def _at_each_disk(window: MainWindow) -> None:
    _at_loss(window)
    _press(window, "loss-assumed-of-each")


def _at_build(window: MainWindow) -> None:
    window.show_station(Station.BUILD)


def _at_built(window: MainWindow) -> None:
    stand(window)
    window.show_station(Station.BUILD)


def _at_measure(window: MainWindow) -> None:
    stand(window)
    measure(window)
    window.show_station(Station.MEASURE)


PLACES: tuple[tuple[Callable[[MainWindow], None], int], ...] = (
    (_at_disks, 0),
    (_at_plan, 7),  # five wishes, the chunk, a replay's size
    (_at_groups, 7),  # and how many arrays
    (_at_loss, 7),
    (_at_each_disk, 9),
    (_at_build, 0),
    (_at_built, 1),
    (_at_measure, 3),
)


@pytest.fixture
def window(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.show()
    plan_raid10_far(made)
    with qtbot.waitActive(made):
        made.activateWindow()
    yield made
    made.close()


def _inputs(window: MainWindow) -> list[QWidget]:
    kinds: tuple[type[QWidget], ...] = (QAbstractSlider, QComboBox, QAbstractSpinBox)
    found = [one for kind in kinds for one in window.findChildren(kind) if one.isVisible()]
    return [one for one in found if not isinstance(one, QScrollBar)]


def _value(one: QWidget) -> object:
    return one.currentText() if isinstance(one, QComboBox) else one.value()  # type: ignore[attr-defined]


def _turn(over: QWidget, *, up: bool) -> None:
    """Turn the wheel as the window system tells it, over the middle of a widget that is brought into sight."""
    around = over.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(over)
        around = around.parentWidget()
    QApplication.processEvents()
    window = over.window()
    spot = over.mapTo(window, over.rect().center())
    QTest.wheelEvent(window.windowHandle(), spot, QPoint(0, 120 if up else -120))
    QApplication.processEvents()


@pytest.mark.parametrize(("go", "least"), PLACES, ids=[go.__name__.removeprefix("_at_") for go, _least in PLACES])
def test_the_wheel_turns_nothing_without_the_focus(
    window: MainWindow, go: Callable[[MainWindow], None], least: int
) -> None:
    go(window)
    QApplication.processEvents()
    inputs = _inputs(window)
    assert len(inputs) >= least
    window.setFocus()
    before, plan = [_value(one) for one in inputs], window.plan.draft.plan
    for one in inputs:
        for up in (True, False):
            _turn(one, up=up)
            assert [_value(each) for each in inputs] == before, one.objectName()
            assert not one.hasFocus(), one.objectName()
    assert window.plan.draft.plan == plan


def test_over_a_slider_the_column_scrolls(window: MainWindow) -> None:
    window.show_station(Station.PLAN)
    window.resize(window.minimumSize())
    QApplication.processEvents()
    chunk = window.findChild(QAbstractSlider, "chunk")
    assert chunk is not None
    column = chunk.parentWidget()
    while not isinstance(column, QScrollArea):
        assert column is not None
        column = column.parentWidget()
    bar = column.verticalScrollBar()
    assert bar.maximum() > 0
    _turn(chunk, up=False)
    bar.setValue(bar.maximum() // 2)
    place = bar.value()
    _turn(chunk, up=True)
    assert bar.value() != place


def test_what_has_the_focus_is_turned(window: MainWindow) -> None:
    window.show_station(Station.PLAN)
    wish = window.findChild(QAbstractSlider, "wish-space")
    assert wish is not None
    before = wish.value()
    wish.setFocus()
    _turn(wish, up=True)
    assert wish.value() > before
