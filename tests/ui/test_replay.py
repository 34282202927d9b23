"""The replay: the disks and blocks of an access are counted, described and marked; cells show their content."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.analysis.geometry.of_plan import geometry_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Plan
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.stage.picture import Touched
from raidwright.ui.stations.plan.stage.replay import Access, replay, stripe_bytes
from raidwright.ui.stations.plan.stage.stage import PlanStage
from raidwright.ui.window import MainWindow

from tests.kit import sample

_KIB = 1024
_READ, _WRITTEN, _BOTH = Touched(reads=True), Touched(writes=True), Touched(reads=True, writes=True)


def _plan(level: Level, count: int, layout: str | None = None) -> Plan:
    return Plan(
        MdArray(level, tuple(sample.disk(number).as_member() for number in range(count)), layout=layout, chunk_kib=64)
    )


@pytest.fixture
def replaying(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID10)
    window.show_station(Station.PLAN)
    toggle = window.findChild(QPushButton, "stage-replay")
    assert toggle is not None
    toggle.setFocus()
    qtbot.keyClick(toggle, Qt.Key.Key_Space)
    return window


def _stage(window: MainWindow) -> PlanStage:
    stage = window.findChild(PlanStage, "stage")
    assert stage is not None
    return stage


def _told(window: MainWindow) -> str:
    label = window.findChild(QLabel, "replay-sentence")
    assert label is not None
    assert label.isVisible()
    return label.text()


def _touches(window: MainWindow) -> object:
    picture = _stage(window).picture
    assert picture is not None
    return picture.touches


def test_a_small_write_reads_what_the_parity_needs() -> None:
    told = replay(geometry_of(_plan(Level.RAID5, 6)), Access(0, 4 * _KIB, write=True), ())
    assert told.sentence.startswith("This 4 KiB write reads 2 blocks (8 KiB) and writes 2 blocks (8 KiB), on 2 disks.")
    assert "old data and parity" in told.sentence
    assert set(told.touches.values()) == {_BOTH}
    assert told.first_row == 0


def test_a_full_stripe_is_written_without_reading() -> None:
    geometry = geometry_of(_plan(Level.RAID6, 6))
    told = replay(geometry, Access(0, stripe_bytes(geometry), write=True), ())
    assert told.sentence == (
        "This 256 KiB write writes 6 blocks (384 KiB) on 6 disks. It fills whole stripes, so nothing has to be read "
        "first."
    )
    assert set(told.touches.values()) == {_WRITTEN}


def test_what_is_wanted_twice_is_counted_once() -> None:
    geometry = geometry_of(_plan(Level.RAID5, 4))
    whole = replay(geometry, Access(0, stripe_bytes(geometry)), failed={0})
    assert "touches 3 blocks (192 KiB) on 3 disks" in whole.sentence  # the two that are left, and the parity
    assert "computed from the others" in whole.sentence
    assert set(whole.touches.values()) == {_READ}


def test_a_read_goes_to_the_copy_that_works() -> None:
    geometry = geometry_of(_plan(Level.RAID10, 4, "f2"))
    assert [slot for _row, slot in replay(geometry, Access(), ()).touches] == [0]
    assert [slot for _row, slot in replay(geometry, Access(), {0}).touches] == [1]


def test_behind_the_end_there_is_nothing() -> None:
    told = replay(geometry_of(_plan(Level.RAID5, 4)), Access(10**15), ())
    assert told.sentence.startswith("The array ends at ")
    assert told.touches == {}
    assert told.first_row is None


def test_the_replay_is_off_until_it_is_asked_for(replaying: MainWindow, qtbot: QtBot) -> None:
    assert _told(replaying).startswith("Reading 4 KiB touches 1 block (4 KiB) on 1 disk.")
    assert _touches(replaying) == {(0, 0): _READ}
    toggle = replaying.findChild(QPushButton, "stage-replay")
    qtbot.mouseClick(toggle, Qt.MouseButton.LeftButton)
    assert _touches(replaying) is None


def test_it_follows_the_failures_and_the_level(replaying: MainWindow, qtbot: QtBot) -> None:
    replaying.plan.choose_level(Level.RAID5)
    write = replaying.findChild(QPushButton, "replay-kind-write")
    qtbot.mouseClick(write, Qt.MouseButton.LeftButton)
    assert "and writes 2 blocks" in _told(replaying)
    before = _stage(replaying).grab().toImage()
    replaying.plan.toggle_failure(3)
    assert "and writes 1 block (4 KiB), on 3 disks" in _told(replaying)  # the parity's disk is gone
    assert _stage(replaying).grab().toImage() != before
    replaying.plan.toggle_failure(2)
    assert _told(replaying) == "The array has stopped: nothing can be read or written."
    assert _touches(replaying) == {}


def test_sizes_and_offsets_are_typed(replaying: MainWindow, qtbot: QtBot) -> None:
    offset = replaying.findChild(QLineEdit, "replay-offset")
    size = replaying.findChild(QComboBox, "replay-size")
    on = replaying.findChild(QPushButton, "replay-on")
    assert offset is not None
    assert size is not None
    offset.selectAll()
    qtbot.keyClicks(offset, "1 TiB")
    stage = _stage(replaying)
    assert stage.first > 10**5  # the place is scrolled into view
    edit = size.lineEdit()
    assert edit is not None
    edit.selectAll()
    qtbot.keyClicks(edit, "12 KiB")
    assert "Reading 12 KiB" in _told(replaying)
    qtbot.mouseClick(on, Qt.MouseButton.LeftButton)
    assert offset.text() == f"{2**30 + 12} KiB"
    offset.setText("")
    qtbot.keyClicks(offset, "12 parsecs")
    assert "is not a size" in _told(replaying)
    assert _touches(replaying) is None


def test_a_typed_place_is_brought_into_sight(replaying: MainWindow, qtbot: QtBot) -> None:
    place = replaying.findChild(QLineEdit, "stage-go-to")
    assert place is not None
    stage = _stage(replaying)
    for text in ("1,000", "1 GiB"):
        place.clear()
        qtbot.keyClicks(place, text)
        qtbot.keyClick(place, Qt.Key.Key_Return)
    picture = stage.picture
    assert picture is not None
    row = 2**30 // (2 * 512 * _KIB)  # two data chunks of 512 KiB a row in raid10 n2
    assert row in picture.scene.bands[0].rows
    place.setText("1000")
    qtbot.keyClick(place, Qt.Key.Key_Return)
    assert stage.first == 1000


@pytest.mark.parametrize("level", list(Level))
def test_every_cell_says_what_it_holds(window: MainWindow, level: Level) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(level)
    stage = _stage(window)
    words = {stage.words_at(stage.cell_rect(0, 1, slot).center()) for slot in range(4)}
    assert len(words) == 4
    for text in words:
        assert text.startswith(("Chunk ", "P: ", "Q: "))
        assert "row 1: byte " in text
    assert sample.disk(0).id in stage.words_at(stage.column_rect(0).topLeft())


def test_a_cell_names_its_other_copies(window: MainWindow) -> None:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    window.plan.choose_level(Level.RAID10)
    window.plan.edit(lambda plan: edits.with_arrangement(plan, "o"))
    stage = _stage(window)
    assert "Also on Slot 1 row 1" in stage.words_at(stage.cell_rect(0, 0, 0).center())
