"""By keys alone: Tab follows the reading order, the focus never moves by accident, and roles are announced."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.ui.frame.rail import RailButton
from raidwright.ui.station import Station
from raidwright.ui.widgets.panel import Panel
from raidwright.ui.widgets.segmented import Segmented
from raidwright.ui.window import MainWindow

from tests.kit import sample
from tests.kit.pictures import still_window

from . import places
from .fake_session import PRACTICE, FakeSession

_SAME_LINE = 14  # pixels
TABBED = (
    places.disks,
    places.asking_for_practice,
    places.buying,
    places.replay,
    places.groups,
    places.loss,
    places.each_disk,
    places.build,
    places.built,
    places.measured,
)


@pytest.fixture
def still(qtbot: QtBot, dressed: QApplication) -> Iterator[MainWindow]:
    made = still_window()
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    with qtbot.waitActive(made):
        made.activateWindow()
    yield made
    made.close()


def _focus() -> QWidget:
    focus = QApplication.focusWidget()
    assert focus is not None
    return focus


def _tabbed(window: MainWindow, qtbot: QtBot) -> list[QWidget]:
    """Return Tab's order, from the rail on, once around; each step inside a panel follows the reading order."""
    rail = next(one for one in window.findChildren(RailButton) if one.isChecked())
    rail.setFocus()
    reached: list[QWidget] = []
    while not reached or _focus() is not rail:
        before = _focus()
        reached.append(before)
        qtbot.keyClick(before, Qt.Key.Key_Tab)
        panel = _panel_of(before)
        if panel is not None and panel is _panel_of(_focus()):
            assert _reads_on(before, _focus()), (before.objectName(), _focus().objectName())
        assert len(reached) < 100
    return reached


def _reads_on(before: QWidget, one: QWidget) -> bool:
    """Return whether ``one`` is further down, further right in the same line, or begins another column on the right."""
    first, second = (each.mapToGlobal(each.rect().center()) for each in (before, one))
    down, across = second.y() - first.y(), second.x() - first.x()
    begins_column = one.mapToGlobal(QPoint()).x() >= before.mapToGlobal(QPoint(before.width(), 0)).x()
    return down > _SAME_LINE or (abs(down) <= _SAME_LINE and across > 0) or begins_column


def _panel_of(widget: QWidget) -> QWidget | None:
    around = widget.parentWidget()
    while around is not None and not isinstance(around, Panel):
        around = around.parentWidget()
    return around


@pytest.mark.parametrize("go", TABBED, ids=lambda go: go.__name__)
def test_tab_goes_as_one_reads(still: MainWindow, go: Callable[[MainWindow], None], qtbot: QtBot) -> None:
    go(still)
    places.settle()
    reached = [one for one in _tabbed(still, qtbot) if not isinstance(one, RailButton)]
    names = [one.objectName() for one in reached]
    # beside an array that runs no command is shown
    ways = [name for name in ("command-words", "command-export", "command-copy") if name in names]
    foot = [*ways, "machine-pill"]
    start = names.index(foot[0])
    assert names[start : start + len(foot)] == foot
    panels = [panel for panel, _parts in itertools.groupby(map(_panel_of, reached[:start]))]
    assert len(set(map(id, panels))) == len(panels)  # none is visited twice


def test_one_of_several_is_a_radio_button_with_a_name(still: MainWindow) -> None:
    for go in (places.replay, places.each_disk):
        go(still)
    places.settle()
    rows = still.findChildren(Segmented)
    buttons: list[QAbstractButton] = [one for row in rows for one in row.findChildren(QPushButton)]
    buttons += still.findChildren(RailButton)
    assert len(buttons) > 40
    for one in buttons:
        interface = QAccessible.queryAccessibleInterface(one)
        assert interface is not None
        assert interface.role() is QAccessible.Role.RadioButton, one.objectName()
        assert interface.text(QAccessible.Text.Name), one.objectName()
    assert all(row.accessibleName() for row in rows)


def test_tab_comes_to_what_is_chosen_and_arrows_choose(still: MainWindow, qtbot: QtBot) -> None:
    places.plan(still)
    level = [one.objectName() for one in _tabbed(still, qtbot) if one.objectName().startswith("level-")]
    assert level == ["level-raid10"]
    chosen = still.findChild(QPushButton, level[0])
    assert chosen is not None
    chosen.setFocus()
    before = still.plan.draft.plan
    qtbot.keyClick(chosen, Qt.Key.Key_Space)
    assert still.plan.draft.plan == before  # Space keeps it
    qtbot.keyClick(chosen, Qt.Key.Key_Left)
    assert still.plan.draft.plan is not None
    assert still.plan.draft.plan.array.level == "raid6"
    assert _focus().objectName() == "level-raid6"


def test_the_focus_stays_with_what_is_measured(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    start = window.findChild(QPushButton, "measure-start")
    assert start is not None
    start.setFocus()
    qtbot.keyClick(start, Qt.Key.Key_Space)
    assert window.stations.measure.model.job.is_busy
    assert _focus().objectName() == "measure-cancel"
    session.record.jobs[-1].task.cancelled.emit()
    assert _focus() is start


def _start_by_keys(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.reach(Connection("This computer", state=ConnectionState.CONNECTED))
    session.show(Snapshot())
    window.disks.ask_for_practice()
    assert _focus().objectName() == "practice-disks"
    qtbot.keyClick(_focus(), Qt.Key.Key_Return)


def _start_by_the_notice(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.reach(Connection("This computer", state=ConnectionState.CONNECTED))
    session.show(Snapshot())
    practise = window.findChild(QPushButton, "disks-notice-button")
    assert practise is not None
    practise.setFocus()
    qtbot.keyClick(practise, Qt.Key.Key_Space)


@pytest.mark.parametrize("start", [_start_by_keys, _start_by_the_notice], ids=["by keys", "by the notice"])
def test_a_practice_machine_that_starts_leaves_the_focus_safe(
    window: MainWindow,
    session: FakeSession,
    qtbot: QtBot,
    start: Callable[[MainWindow, FakeSession, QtBot], None],
) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    start(window, session, qtbot)
    assert session.record.jobs[-1].what == "practise"
    for connection, snapshot, place in (
        (Connection("", is_practice=True, state=ConnectionState.STARTING), Snapshot(), "disks-notice"),
        (PRACTICE, sample.machine(), "disks-table"),
    ):
        session.reach(connection)
        session.show(snapshot)
        places.settle()
        assert _focus().objectName() == place
        qtbot.keyClick(_focus(), Qt.Key.Key_Space)
        assert QApplication.activePopupWidget() is None


def test_not_now_leaves_the_focus_at_the_disks(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitActive(window):
        window.activateWindow()
    window.disks.ask_for_practice()
    close = window.findChild(QPushButton, "practice-close")
    assert close is not None
    close.setFocus()
    qtbot.keyClick(close, Qt.Key.Key_Space)
    assert _focus().objectName() == "disks-table"
