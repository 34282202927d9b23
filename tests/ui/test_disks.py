"""The Disks station: disks that can be chosen, reasons against others, and disks that appear and disappear."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.colours import LIGHT
from raidwright.core.errors import InputError
from raidwright.core.model.disk import Use, UseKind
from raidwright.core.model.plan import Baseline
from raidwright.lab.disks.kinds import kinds
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.connection import Connection, ConnectionState, PracticeSpec
from raidwright.machine.values import Snapshot
from raidwright.text.disk import facts as words
from raidwright.ui.stations.disks.model import DisksModel
from raidwright.ui.stations.disks.page import DisksStation
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import settle


def _table(window: MainWindow) -> Table:
    table = window.findChild(Table, "disks-table")
    assert table is not None
    return table


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def _click_row(window: MainWindow, row: int, qtbot: QtBot) -> None:
    table = _table(window)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.row_rect(row).topLeft() + QPoint(60, 10))


def test_a_click_chooses_and_another_lets_go(window: MainWindow, qtbot: QtBot) -> None:
    _click_row(window, 1, qtbot)
    assert [disk.serial for disk in window.disks.chosen] == ["VK0ABCD1"]
    _click_row(window, 1, qtbot)
    assert window.disks.chosen == ()


def test_the_keyboard_alone_is_enough(window: MainWindow, qtbot: QtBot) -> None:
    table = _table(window)
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(table, key)
    assert [disk.serial for disk in window.disks.chosen] == ["VK0ABCD0", "VK0ABCD2"]


def _is_outlined(table: Table) -> bool:
    picture, top = table.viewport().grab().toImage(), table.row_rect(table.currentIndex().row()).topLeft()
    return picture.pixelColor(top + QPoint(300, 0)).name().upper() == LIGHT.accent


def test_the_row_with_the_focus_is_outlined_for_who_goes_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    table = _table(window)
    table.setFocus()
    assert not _is_outlined(table)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert _is_outlined(table)
    _click_row(window, 2, qtbot)
    assert not _is_outlined(table)
    window.setFocus()
    table.setFocus(Qt.FocusReason.BacktabFocusReason)
    assert _is_outlined(table)


@pytest.mark.parametrize("row", [5, 6])
def test_a_disk_in_use_is_not_chosen_and_says_why(window: MainWindow, qtbot: QtBot, row: int) -> None:
    _click_row(window, row, qtbot)
    assert window.disks.chosen == ()
    assert _text(window, "disks-why-not").endswith(window.disks.rows[row].why_not)
    assert window.disks.rows[row].why_not
    spoken = _table(window).model().index(row, 1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert window.disks.rows[row].why_not in spoken


def test_a_disk_that_holds_something_idle_can_be_taken_and_says_so(window: MainWindow, qtbot: QtBot) -> None:
    window.disks.choose_all()
    assert "57KBX3" not in [disk.serial for disk in window.disks.chosen]  # only when it is meant
    _click_row(window, 4, qtbot)
    assert window.disks.chosen[-1].serial == "57KBX3"
    assert "old array member “store”" in _text(window, "disks-why-not")


@pytest.mark.parametrize("kind", list(UseKind))
def test_every_use_has_words_and_a_reason(kind: UseKind) -> None:
    used = sample.disk(0, uses=(Use(kind, "this", partition=2),))
    assert words.holds(used).endswith("(partition 2)")
    assert words.mind(used)
    assert words.standing(used)
    assert "{" not in words.holds(used) + words.mind(used)


def _column(window: MainWindow, title: str) -> list[str]:
    model = _table(window).model()
    places = range(model.columnCount())
    place = next(one for one in places if model.headerData(one, Qt.Orientation.Horizontal) == title)
    return [model.index(row, place).data() for row in range(model.rowCount())]


def test_a_vanished_disk_stays_chosen_and_keeps_its_row(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    whole = sample.machine()
    session.show(replace(whole, disks=(whole.disks[0], *whole.disks[2:])))
    assert [disk.serial for disk in window.disks.chosen] == ["VK0ABCD0", "VK0ABCD1", "VK0ABCD2", "VK0ABCD3"]
    assert [disk.serial for disk in window.disks.gone] == ["VK0ABCD1"]
    assert _column(window, "Serial")[:4] == ["VK0ABCD0", "VK0ABCD1", "VK0ABCD2", "VK0ABCD3"]
    assert _column(window, "")[:4] == ["✓", "✕", "✓", "✓"]
    assert _column(window, "Device")[1] == "–"
    session.show(whole)
    assert window.disks.gone == ()
    assert _column(window, "")[:4] == ["✓"] * 4


def test_a_chosen_disk_that_comes_into_use_stays_chosen_and_is_told(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    whole = sample.machine()
    taken = replace(whole.disks[0], uses=(Use(UseKind.MOUNTED, "/mnt"),))
    session.show(replace(whole, disks=(taken, *whole.disks[1:])))
    assert window.disks.gone == (whole.disks[0],)
    assert _column(window, "")[0] == "✕"
    assert "VK0ABCD0 (mounted at /mnt)" in _text(window, "gone-what")


def test_all_that_are_free_are_chosen_besides_what_is_chosen(window: MainWindow, session: FakeSession) -> None:
    window.disks.choose_all()
    session.show(replace(sample.machine(), disks=sample.machine().disks[1:]))
    window.disks.choose_all()
    assert len(window.disks.chosen) == 4


def test_another_machines_disks_are_not_chosen(session: FakeSession) -> None:
    model = DisksModel()
    model.take_connection(PRACTICE)
    model.take_snapshot(sample.machine())
    model.choose_all()
    model.take_connection(Connection("This computer", state=ConnectionState.CONNECTED))
    assert model.chosen == ()
    assert model.gone == ()


def test_two_disks_are_needed_to_go_on(window: MainWindow, qtbot: QtBot) -> None:
    following = window.findChild(QPushButton, "disks-next")
    assert following is not None
    _click_row(window, 0, qtbot)
    assert not following.isEnabled()
    _click_row(window, 1, qtbot)
    assert following.isEnabled()
    qtbot.mouseClick(following, Qt.MouseButton.LeftButton)
    station = window.findChild(QWidget, "plan-station")
    assert station is not None
    assert station.isVisible()


def test_one_click_plans_all_that_are_free_while_none_is_chosen(
    window: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    following = window.findChild(QPushButton, "disks-next")
    assert following is not None
    assert "all 4 free disks" in following.text()
    _click_row(window, 0, qtbot)
    assert (following.text(), following.isEnabled()) == ("Plan the array →", False)
    _click_row(window, 0, qtbot)
    session.show(replace(session.snapshot, disks=session.snapshot.disks[3:]))
    assert not following.isEnabled()  # one is free
    session.show(sample.machine())
    qtbot.mouseClick(following, Qt.MouseButton.LeftButton)
    assert len(window.disks.chosen) == 4
    station = window.findChild(QWidget, "plan-station")
    assert station is not None
    assert station.isVisible()


def test_the_practice_bar_stays_while_the_machine_changes(window: MainWindow, session: FakeSession) -> None:
    window.disks.ask_for_practice()
    bar = window.findChild(QWidget, "practice-bar")
    assert bar is not None
    for share in (0.1, 0.2):  # a resync: news several times a second
        session.show(replace(sample.machine(), arrays=(sample.array(10**12, sync_fraction=share),)))
        session.reach(PRACTICE)
        assert bar.isVisible()
    window.disks.practise(PracticeSpec())  # ordered, here or by another button
    assert not bar.isVisible()


def test_a_full_case_is_listed(window: MainWindow, session: FakeSession) -> None:
    session.show(sample.many_disks(24))
    assert _table(window).model().rowCount() == 24
    window.disks.choose_all()
    assert _text(window, "disks-chosen") == "24 × 10.0 TB"


@pytest.mark.parametrize(
    ("connection", "problem", "headline", "offers"),
    [
        (Connection("This computer", state=ConnectionState.CONNECTING), "", "Looking for disks …", False),
        (
            Connection("This computer", state=ConnectionState.FAILED, sentence="No UDisks2."),
            "",
            "The disks can't be seen",
            True,
        ),
        (
            Connection("This computer", state=ConnectionState.CONNECTED),
            "UDisks2 went away.",
            "The disks can't be seen",
            True,
        ),
        (Connection("This computer", state=ConnectionState.CONNECTED), "", "No disks here", True),
        (
            Connection("", is_practice=True, state=ConnectionState.STARTING),
            "",
            "The practice machine is starting",
            False,
        ),
    ],
)
def test_an_empty_place_says_why_and_has_a_way_out(
    window: MainWindow, session: FakeSession, connection: Connection, problem: str, headline: str, offers: bool
) -> None:
    session.reach(connection)
    session.show(Snapshot(problem=problem))
    assert _text(window, "disks-notice-headline") == headline
    button = window.findChild(QPushButton, "disks-notice-button")
    assert button is not None
    assert button.isVisible() == offers
    if offers:
        button.click()
        assert session.record.jobs[-1].arguments == (PracticeSpec(),)


def test_a_practice_machine_is_ordered_in_the_window(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    window.disks.ask_for_practice()
    edit = window.findChild(QWidget, "practice-disks")
    assert edit is not None
    qtbot.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(edit, "many")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert "many" in _text(window, "practice-refusal")
    qtbot.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(edit, "2x4TB")
    trixie = window.findChild(QPushButton, "practice-generation-trixie")
    assert trixie is not None
    trixie.click()
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert session.record.jobs[-1].arguments == (PracticeSpec("2x4TB", "trixie"),)


@pytest.mark.parametrize("disks", ["4x8TB:hdd72", "4x8TB:hdd7200@usb9", "2x4TB:memory@usb3", "2x40TB"])
def test_kinds_and_links_are_refused_at_the_field_in_the_command_line_s_words(
    window: MainWindow, session: FakeSession, qtbot: QtBot, disks: str
) -> None:
    with pytest.raises(InputError) as refused:
        disks_from_text(disks)
    window.disks.ask_for_practice()
    jobs = len(session.record.jobs)
    edit = window.findChild(QLineEdit, "practice-disks")
    assert edit is not None
    edit.setText(disks)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert _text(window, "practice-refusal") == refused.value.sentence
    assert len(session.record.jobs) == jobs
    assert edit.hasFocus()
    qtbot.keyClick(edit, Qt.Key.Key_Backspace)
    refusal = window.findChild(QLabel, "practice-refusal")
    assert refusal is not None
    assert not refusal.isVisible()


def test_disks_of_a_kind_and_a_pace_are_ordered(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    window.disks.ask_for_practice()
    edit = window.findChild(QLineEdit, "practice-disks")
    assert edit is not None
    edit.setText("4x8TB:hdd7200+1x8TB:smr+2x4TB:hdd5400@usb3")
    lapse = window.findChild(QPushButton, "practice-pace-10")
    assert lapse is not None
    qtbot.mouseClick(lapse, Qt.MouseButton.LeftButton)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert session.record.jobs[-1].arguments == (PracticeSpec(edit.text(), pace=10.0),)
    bar = window.findChild(QWidget, "practice-bar")
    assert bar is not None
    hint = " ".join(label.text() for label in bar.findChildren(QLabel))
    assert all(kind in hint for kind in kinds())


def test_a_choice_moves_no_button(window: MainWindow) -> None:
    window.resize(1440, 900)
    settle()
    button = window.findChild(QPushButton, "disks-choose-all")
    assert button is not None
    before = button.mapToGlobal(QPoint())
    window.disks.choose_all()
    settle()
    assert button.mapToGlobal(QPoint()) == before


def test_it_says_while_more_is_read(window: MainWindow, session: FakeSession) -> None:
    hint = window.findChild(QLabel, "disks-hint")
    assert hint is not None
    session.show(replace(session.snapshot, is_reading=True))
    assert "being read" in hint.text()
    session.show(replace(session.snapshot, is_reading=False))
    assert "choose those" in hint.text()


def test_the_rate_has_a_column_once_a_disk_was_measured(window: MainWindow, session: FakeSession) -> None:
    """Until then what a disk holds has the room."""
    window.resize(1366, 740)
    settle()
    table = _table(window)
    titles = [table.model().headerData(n, Qt.Orientation.Horizontal) for n in range(table.model().columnCount())]
    reads, holds = titles.index("Reads"), titles.index("Now holds")
    assert table.isColumnHidden(reads)
    before = table.columnWidth(holds)
    first, *others = session.snapshot.disks
    measured = replace(first, baseline=Baseline("hdd", sequential_read_mb_s=249.0))
    session.show(Snapshot((measured, *others)))
    settle()
    assert not table.isColumnHidden(reads)
    assert table.columnWidth(holds) < before


def test_what_the_welcome_offers_is_not_offered_again_below(window: MainWindow, session: FakeSession) -> None:
    station = window.findChild(DisksStation)
    assert station is not None
    station.greet()
    session.reach(Connection("This computer", state=ConnectionState.CONNECTED))
    session.show(Snapshot())
    below = window.findChild(QPushButton, "disks-notice-button")
    assert below is not None
    assert not below.isVisible()
