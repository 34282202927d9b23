"""The wheel changes nothing without the focus, at any station; it scrolls."""

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
    QScrollArea,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from raidwright.ui.window import MainWindow

from tests.kit.pictures import still_window

from . import places

# Places with inputs, and their minimum number.
TURNED = (
    (places.plan, 6),  # five wishes and the chunk
    (places.replay, 7),
    (places.groups, 7),
    (places.loss, 7),
    (places.each_disk, 9),
    (places.build, 0),
    (places.built, 1),
    (places.measured, 3),
)


@pytest.fixture
def window(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.show()
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
    """Turn the wheel through the window system, over the middle of a widget that is scrolled into view."""
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


@pytest.mark.parametrize(("go", "least"), TURNED, ids=[go.__name__ for go, _least in TURNED])
def test_the_wheel_turns_nothing_without_the_focus(
    window: MainWindow, go: Callable[[MainWindow], None], least: int
) -> None:
    go(window)
    places.settle()
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
    places.plan(window)
    window.resize(1024, 700)
    places.settle()
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
    places.plan(window)
    wish = window.findChild(QAbstractSlider, "wish-space")
    assert wish is not None
    before = wish.value()
    wish.setFocus()
    _turn(wish, up=True)
    assert wish.value() > before
