"""A write journal: chosen, moved, kept through other choices, drawn, reviewed and given up again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Consistency, Plan
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.stations.plan.details import DetailsPage
from raidwright.ui.stations.plan.stage.stage import PlanStage
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import settle


@pytest.fixture
def logged(window: MainWindow, session: FakeSession) -> MainWindow:
    """Five disks as a raid5 on four, with the journal on the last."""
    session.show(sample.many_disks(5))
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID5)
    _choose(window, window.plan.pool[-1].id)
    return window


def _button(window: MainWindow, name: str) -> QPushButton:
    fold = window.findChild(QPushButton, "rare-choices")
    assert fold is not None
    fold.setChecked(True)
    settle()
    return next(button for button in window.findChildren(QPushButton, name) if button.isVisible())


def _combo(window: MainWindow) -> QComboBox:
    combo = window.findChild(QComboBox, "journal")
    assert combo is not None
    return combo


def _choose(window: MainWindow, disk_id: str) -> None:
    combo = _combo(window)
    combo.setCurrentIndex(combo.findData(disk_id))
    combo.textActivated.emit(combo.currentText())
    settle()


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.assessment is not None, window.plan.draft.refusal
    return window.plan.draft.assessment.plan


def _on(plan: Plan) -> tuple[str | None, int, Bitmap]:
    return plan.array.journal.id if plan.array.journal else None, len(plan.array.members), plan.array.bitmap


def test_it_takes_a_disk_of_its_own(logged: MainWindow) -> None:
    last = logged.plan.pool[-1].id
    assert _on(_plan(logged)) == (last, 4, Bitmap.NONE)
    bar = logged.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert bar.text.endswith(f"--write-journal=/dev/disk/by-id/{last}")
    _button(logged, "bitmap-none")
    assert _combo(logged).isVisible()
    assert _combo(logged).currentData() == last
    details = DetailsPage(logged.plan)
    space = details.findChild(QLabel, "details-space")
    assert space is not None
    assert "of 40.0 TB" in space.text()  # the journal's own 8 TB aren't counted
    assert space.text().endswith("; beside it a write journal")


def test_another_disk_can_be_it(logged: MainWindow) -> None:
    first = logged.plan.pool[0].id
    _choose(logged, first)
    assert _on(_plan(logged)) == (first, 4, Bitmap.NONE)
    assert {disk.id for disk in _plan(logged).disks()} == {disk.id for disk in logged.plan.pool}


def test_everything_else_can_be_chosen_beside_it(logged: MainWindow, qtbot: QtBot) -> None:
    last = logged.plan.pool[-1].id
    for name, members in (("level-raid6", 4), ("level-raid4", 4), ("level-raid5", 4), ("spares-1", 3), ("spares-0", 4)):
        choice = _button(logged, name)
        assert choice.isEnabled(), choice.toolTip()
        qtbot.mouseClick(choice, Qt.MouseButton.LeftButton)
        assert _on(_plan(logged)) == (last, members, Bitmap.NONE), name
    qtbot.mouseClick(_button(logged, "missing-1"), Qt.MouseButton.LeftButton)
    assert _on(_plan(logged)) == (last, 5, Bitmap.NONE)


@pytest.mark.parametrize(
    ("choice", "members", "bitmap", "consistency"),
    [
        ("bitmap-internal", 5, Bitmap.INTERNAL, None),
        ("bitmap-ppl", 5, Bitmap.NONE, Consistency.PPL),
        ("level-raid1", 5, Bitmap.INTERNAL, None),
        ("level-raid0", 5, Bitmap.NONE, None),
    ],
)
def test_its_disk_becomes_a_member_again(
    logged: MainWindow, choice: str, members: int, bitmap: Bitmap, consistency: Consistency | None, qtbot: QtBot
) -> None:
    qtbot.mouseClick(_button(logged, choice), Qt.MouseButton.LeftButton)
    assert _on(_plan(logged)) == (None, members, bitmap)
    assert _plan(logged).array.consistency is consistency
    assert _combo(logged).currentData() == ""


def test_without_it_a_bitmap_takes_its_place(logged: MainWindow) -> None:
    _choose(logged, "")
    assert _on(_plan(logged)) == (None, 5, Bitmap.INTERNAL)


def test_it_needs_no_bitmap(logged: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(_button(logged, "bitmap-none"), Qt.MouseButton.LeftButton)
    assert _on(_plan(logged)) == (logged.plan.pool[-1].id, 4, Bitmap.NONE)


def test_it_goes_with_its_disk(logged: MainWindow, session: FakeSession) -> None:
    kept = logged.plan.pool[:-1]
    logged.plan.set_disks(tuple(logged.plan.disks[disk.id] for disk in kept))
    assert _on(_plan(logged)) == (None, 4, Bitmap.INTERNAL)


def test_too_few_disks_are_refused_in_words(logged: MainWindow) -> None:
    logged.plan.set_disks(tuple(logged.plan.disks[disk.id] for disk in logged.plan.pool[:3]))
    assert not _combo(logged).isEnabled()
    assert "takes one of its own" in _combo(logged).toolTip()


def test_only_parity_has_one(logged: MainWindow) -> None:
    _button(logged, "bitmap-none")
    for level, is_offered in ((Level.RAID10, False), (Level.RAID6, True), (Level.RAID4, True), (Level.RAID1, False)):
        logged.plan.choose_level(level)
        assert _combo(logged).isVisible() is is_offered, level


def test_it_is_drawn_beside_the_slots(logged: MainWindow) -> None:
    stage = logged.findChild(PlanStage, "stage")
    assert stage is not None
    assert stage.picture is not None
    journal = _plan(logged).array.journal
    assert journal is not None
    assert [column.title for column in stage.picture.asides] == ["Journal"]
    area = stage.picture.layout.column(4)
    assert stage.column_rect(3).right() < area.left() < area.right() <= stage.width()
    assert journal.serial in stage.words_at(area.center())
    assert stage.column_at(area.center()) == -1  # a click there fails no member
    assert stage.words_at(QPointF(-1, 5)) == ""
    assert not logged.grab().isNull()


def test_the_review_names_it(logged: MainWindow) -> None:
    logged.show_station(Station.BUILD)
    table = logged.findChild(Table, "review-table")
    assert table is not None
    assert table.model().rowCount() == 5
    assert table.model().index(4, 0).data() == "journal"
