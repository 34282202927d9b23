"""Spares, empty slots, the partial parity log and nested plans: chosen by hand, and refused in words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QToolTip
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Plan
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import settle


@pytest.fixture
def planning(window: MainWindow, session: FakeSession) -> MainWindow:
    session.show(sample.many_disks(8))
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    return window


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.assessment is not None, window.plan.draft.refusal
    return window.plan.draft.assessment.plan


def _press(window: MainWindow, name: str, qtbot: QtBot) -> None:
    fold = window.findChild(QPushButton, "rare-choices")
    assert fold is not None
    fold.setChecked(True)
    settle()
    button = next(button for button in window.findChildren(QPushButton, name) if button.isVisible())
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _command(window: MainWindow) -> str:
    bar = window.findChild(CommandBar, "command-bar")
    assert bar is not None
    return bar.text


def test_spares_stand_by(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid6", qtbot)
    _press(planning, "spares-2", qtbot)
    plan = _plan(planning)
    assert (len(plan.array.members), len(plan.array.spares)) == (6, 2)
    assert "--spare-devices=2" in _command(planning)
    _press(planning, "level-raid5", qtbot)
    assert len(_plan(planning).array.spares) == 2  # another level keeps them
    _press(planning, "level-raid0", qtbot)
    assert len(_plan(planning).array.members) == 8  # but one without redundancy has no use for them
    planning.show_station(Station.BUILD)
    planning.plan.undo()
    table = planning.findChild(Table, "review-table")
    assert table is not None
    assert table.model().rowCount() == 8
    assert table.model().index(7, 0).data() == "spare"


def test_the_smallest_disks_stand_by() -> None:
    small = sample.disk(0, 4).as_member()
    large = tuple(sample.disk(number).as_member() for number in (1, 2, 3))
    plan = edits.with_spares(Plan(MdArray(Level.RAID5, (small, *large))), 1)
    assert (plan.array.members, plan.array.spares) == (large, (small,))


def test_a_slot_can_be_left_empty(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid5", qtbot)
    _press(planning, "missing-1", qtbot)
    plan = _plan(planning)
    assert len(plan.array.members) == 9
    assert plan.array.members[8] is None
    assert _command(planning).endswith("missing")
    assert planning.plan.gone == {8}
    planning.plan.toggle_failure(8)  # what isn't there can't fail
    assert planning.plan.failed == frozenset()
    sentence = planning.findChild(QLabel, "stage-sentence")
    assert sentence is not None
    assert sentence.text() == "Slots are left empty, so the array starts without them. No other disk may fail now."
    two = next(button for button in planning.findChildren(QPushButton, "missing-2") if button.isVisible())
    assert not two.isEnabled()
    assert "can't start" in two.toolTip()
    assert not planning.grab().isNull()


def test_a_partial_parity_log_is_for_raid5(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid5", qtbot)
    _press(planning, "bitmap-ppl", qtbot)
    assert (_plan(planning).array.bitmap, _plan(planning).array.consistency) == (Bitmap.NONE, Consistency.PPL)
    assert "--consistency-policy=ppl" in _command(planning)
    _press(planning, "level-raid6", qtbot)
    assert (_plan(planning).array.bitmap, _plan(planning).array.consistency) == (Bitmap.INTERNAL, None)
    log = next(button for button in planning.findChildren(QPushButton, "bitmap-ppl") if button.isVisible())
    assert "raid5 alone" in log.toolTip()


@pytest.mark.parametrize(
    ("level", "groups"), [(Level.RAID1, [2, 2, 2, 2]), (Level.RAID5, [4, 4]), (Level.RAID6, [4, 4])]
)
def test_nested_plans_are_chosen_by_hand(planning: MainWindow, qtbot: QtBot, level: Level, groups: list[int]) -> None:
    _press(planning, f"nested-{level}", qtbot)
    inner = [member for member in _plan(planning).array.members if isinstance(member, MdArray)]
    assert [len(one.members) for one in inner] == groups
    assert {one.level for one in inner} == {level}
    assert not planning.grab().isNull()
    planning.show_station(Station.BUILD)
    table = planning.findChild(Table, "review-table")
    assert table is not None
    assert table.model().rowCount() == 8  # every disk that is written is reviewed
    planning.show_station(Station.PLAN)
    _press(planning, "nested-", qtbot)
    assert not _plan(planning).array.is_nested


def test_groups_are_chosen(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "nested-raid1", qtbot)
    combo = planning.findChild(QComboBox, "groups")
    assert combo is not None
    assert [combo.itemText(place) for place in range(combo.count())] == ["2 × 4", "4 × 2"]
    assert combo.currentText() == "4 × 2"
    combo.textActivated.emit("2 × 4")
    assert len(_plan(planning).array.members) == 2
    assert combo.currentText() == "2 × 4"


def test_what_cannot_be_divided_says_so(planning: MainWindow) -> None:
    planning.disks.toggle(sample.many_disks(8).disks[0].id)
    for level in edits.NESTED:
        button = planning.findChild(QPushButton, f"nested-{level}")
        assert button is not None
        assert not button.isEnabled()
        assert "7 disks can't be divided" in button.toolTip()
    assert [edits.group_counts(level, 7) for level in edits.NESTED] == [(), (), ()]
    assert edits.group_counts(Level.RAID1, 12) == (2, 3, 4, 6)
    assert edits.group_counts(Level.RAID6, 12) == (2, 3)


def test_a_level_chosen_again_changes_nothing(planning: MainWindow) -> None:
    planning.plan.choose_level(Level.RAID5)
    planning.plan.edit(lambda plan: edits.with_missing(plan, 1))
    planning.plan.edit(lambda plan: edits.with_spares(plan, 1))
    before = _plan(planning)
    planning.plan.choose_level(Level.RAID5)
    assert _plan(planning) == before
    assert sum(isinstance(member, Member) for member in before.array.members) == 7


@pytest.mark.qt_log_ignore(r"This plugin does not support raise\(\)")
def test_why_a_longer_name_is_not_taken_is_said(planning: MainWindow, qtbot: QtBot) -> None:
    edit = planning.findChild(QLineEdit, "array-name")
    assert edit is not None
    edit.clear()
    qtbot.keyClicks(edit, "a" * 32)
    assert not QToolTip.text()
    qtbot.keyClicks(edit, "b")
    assert edit.text() == "a" * 32
    assert QToolTip.text() == "At most 32 letters, digits, “-” and “_”."
    QToolTip.hideText()
