"""The Plan station: one plan edited by every control, undone and redone, refused in words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QSlider
from pytestqt.qtbot import QtBot
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, Metadata, Plan
from raidwright.machine.values import Snapshot
from raidwright.text.plan.candidates import why_words
from raidwright.text.plan.names import long_name
from raidwright.text.plan.survival import share
from raidwright.text.shown import Cell
from raidwright.ui.frame.command_bar import CommandBar
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.model import PlanModel
from raidwright.ui.stations.plan.pairs import PairMatrix
from raidwright.ui.stations.plan.ranking import RankingModel
from raidwright.ui.stations.plan.stage.stage import PlanStage
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import settle


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    return window


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _press(window: MainWindow, name: str, qtbot: QtBot) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None
    fold = window.findChild(QPushButton, "rare-choices")
    if fold is not None and not button.isVisible():
        fold.setChecked(True)
        settle()
    qtbot.waitUntil(button.isVisible)
    assert button.isEnabled(), button.toolTip()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def _stage(window: MainWindow) -> PlanStage:
    stage = window.findChild(PlanStage, "stage")
    assert stage is not None
    return stage


def test_the_journey_of_clicks_gives_raid10_far(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid5", qtbot)
    _press(planning, "level-raid10", qtbot)
    _press(planning, "arrangement-f", qtbot)
    _press(planning, "metadata-1.0", qtbot)
    _press(planning, "bitmap-none", qtbot)
    slider = planning.findChild(QSlider, "chunk")
    assert slider is not None
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    plan = _plan(planning)
    assert (plan.array.level, plan.array.layout, plan.array.chunk_kib) == (Level.RAID10, "f2", 256)
    assert (plan.array.metadata, plan.array.bitmap) == (Metadata.V1_0, Bitmap.NONE)
    bar = planning.findChild(CommandBar, "command-bar")
    assert bar is not None
    assert "--level=10 --layout=f2 --chunk=256K" in bar.text
    _press(planning, "command-copy", qtbot)
    assert QGuiApplication.clipboard().text() == bar.text


def test_every_edit_can_be_taken_back(planning: MainWindow, qtbot: QtBot) -> None:
    steps = [_plan(planning)]
    for name in ("level-raid5", "level-raid0", "level-raid6", "bitmap-none"):
        _press(planning, name, qtbot)
        steps.append(_plan(planning))
    for earlier in reversed(steps[:-1]):
        planning.plan.undo()
        assert _plan(planning) == earlier
    assert not planning.plan.can_undo
    for later in steps[1:]:
        planning.plan.redo()
        assert _plan(planning) == later
    assert not planning.plan.can_redo


def test_a_level_that_the_disks_cannot_make_says_why(window: MainWindow) -> None:
    for number in range(2):
        window.disks.toggle(sample.disk(number).id)
    window.show_station(Station.PLAN)
    button = window.findChild(QPushButton, "level-raid6")
    assert button is not None
    assert not button.isEnabled()
    assert button.toolTip() == window.plan.why_not_level(Level.RAID6) != ""
    assert button.accessibleDescription() == button.toolTip()


def test_fewer_disks_keep_the_plan_as_far_as_they_can(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid4", qtbot)
    planning.disks.toggle(sample.disk(3).id)
    assert _plan(planning).array.level is Level.RAID4
    planning.disks.toggle(sample.disk(3).id)
    planning.plan.undo()
    assert (
        len(_plan(planning).array.members) == 4
    )  # undo never restores disks that aren't chosen, nor loses chosen ones
    for number in range(3):
        planning.disks.toggle(sample.disk(number).id)
    assert planning.plan.draft.plan is None


@pytest.mark.qt_log_ignore(r"This plugin does not support raise\(\)")
def test_the_name_is_typed(planning: MainWindow, qtbot: QtBot) -> None:
    edit = planning.findChild(QLineEdit, "array-name")
    assert edit is not None
    edit.selectAll()
    before = planning.plan.draft.plan
    qtbot.keyClicks(edit, "my pool!")
    assert planning.plan.draft.plan is before  # keys that come at once are taken at once
    settle()
    assert _plan(planning).name == "mypool"  # names that md doesn't accept aren't accepted here


@pytest.mark.parametrize("level", list(Level))
def test_every_level_stands_on_the_stage(planning: MainWindow, level: Level) -> None:
    planning.plan.choose_level(level)
    assert _plan(planning).array.level is level
    assert planning.plan.draft.assessment is not None
    assert not planning.grab().isNull()
    planning.plan.toggle_failure(1)
    assert not planning.grab().isNull()


def test_a_column_is_failed_by_click_and_brought_back(planning: MainWindow, qtbot: QtBot) -> None:
    stage = _stage(planning)
    middle = stage.column_rect(2).center().toPoint()
    qtbot.mouseClick(stage, Qt.MouseButton.LeftButton, pos=middle)
    assert planning.plan.failed == {2}
    assert "Nothing is lost" in _text(planning, "stage-sentence")
    qtbot.mouseClick(stage, Qt.MouseButton.LeftButton, pos=middle)
    assert planning.plan.failed == frozenset()


def test_slots_are_where_they_are_drawn(planning: MainWindow) -> None:
    stage = _stage(planning)
    for slot in range(4):
        rect = stage.column_rect(slot)
        assert stage.column_at(rect.center()) == slot
        assert rect.contains(stage.cell_rect(0, 0, slot))
    assert stage.column_at(QPointF(-5, 20)) == -1
    assert stage.column_at((stage.column_rect(0).topRight() + stage.column_rect(1).topLeft()) / 2) == -1


def test_the_stage_works_from_the_keyboard(planning: MainWindow, qtbot: QtBot) -> None:
    stage = _stage(planning)
    stage.setFocus()
    qtbot.keyClick(stage, Qt.Key.Key_Right)
    qtbot.keyClick(stage, Qt.Key.Key_Space)
    qtbot.keyClicks(stage, "3")
    assert planning.plan.failed == {1, 3}
    qtbot.keyClick(stage, Qt.Key.Key_PageDown)
    assert stage.first == stage.rows_in_sight
    qtbot.keyClick(stage, Qt.Key.Key_End)
    assert stage.first == stage.last_first > 10**6
    assert not planning.grab().isNull()
    qtbot.keyClick(stage, Qt.Key.Key_Home)
    assert stage.first == 0


def test_lost_data_is_said(planning: MainWindow, qtbot: QtBot) -> None:
    _press(planning, "level-raid5", qtbot)
    for slot in (0, 1):
        planning.plan.toggle_failure(slot)
    assert _text(planning, "stage-sentence").startswith("The array stops.")
    _press(planning, "level-raid6", qtbot)
    assert planning.plan.failed == frozenset()  # another layout begins healthy


def test_the_result_is_exact(planning: MainWindow, qtbot: QtBot) -> None:
    planning.plan.choose_level(Level.RAID10)
    assessment = planning.plan.draft.assessment
    assert assessment is not None
    usable = planning.findChild(QLabel, "usable")
    assert usable is not None
    assert f"{assessment.capacity.array_sectors:,}" in usable.toolTip()
    _press(planning, "usable-why", qtbot)
    pairs = planning.findChild(PairMatrix, "pairs")
    assert pairs is not None
    assert pairs.isVisible()
    assert "0 + 1" in pairs.accessibleDescription()


def test_a_candidate_is_put_on_the_stage(planning: MainWindow, session: FakeSession) -> None:
    session.show(sample.many_disks(8))
    planning.disks.leave_out_gone()
    planning.disks.choose_all()
    table = planning.findChild(Table, "candidates-table")
    assert table is not None
    for row in range(table.model().rowCount()):
        table.row_activated.emit(row)
        assert planning.plan.draft.assessment is not None
        assert not planning.grab().isNull()
        assert "1" in table.model().index(0, 0).data()


def test_nothing_of_a_full_case_is_cut_off(planning: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    session.show(sample.many_disks(24))
    planning.disks.leave_out_gone()
    planning.disks.choose_all()
    table = planning.findChild(Table, "candidates-table")
    assert table is not None
    model = table.model()
    qtbot.waitUntil(lambda: "any 2" in {model.index(row, 3).data() for row in range(model.rowCount())})
    for place in (place for place in range(model.columnCount()) if not table.isColumnHidden(place)):
        assert table.sizeHintForColumn(place) <= table.columnWidth(place), model.headerData(
            place, Qt.Orientation.Horizontal
        )
    assert (
        model.index(0, 3).data(Qt.ItemDataRole.ToolTipRole).endswith("Of 2,024 ways to lose one more, 1,584 are safe.")
    )


@pytest.mark.parametrize(
    ("survived", "ways", "words"),
    [(4, 6, "4 of 6"), (0, 2024, "0%"), (1, 2024, "< 1%"), (144, 276, "52%"), (2023, 2024, "99%"), (276, 276, "100%")],
)
def test_a_share_promises_no_more_than_there_is(survived: int, ways: int, words: str) -> None:
    assert share(survived, ways) == words


def test_wishes_move_the_candidates(planning: MainWindow, qtbot: QtBot) -> None:
    table = planning.findChild(Table, "candidates-table")
    space = planning.findChild(QSlider, "wish-space")
    assert table is not None
    assert space is not None
    ranking = planning.findChild(RankingModel)
    assert ranking is not None

    def names() -> list[str]:
        return [table.model().index(row, 1).data() for row in range(table.model().rowCount())]

    before = names()
    with qtbot.waitSignal(ranking.changed):
        for value in range(space.value(), -1, -1):  # faster than they can be shown
            space.setValue(value)
    assert ranking.wishes.space == 0
    assert before != names()
    assert sorted(before) == sorted(names())


def test_hints_are_made_when_they_are_looked_at_and_follow_the_wishes(planning: MainWindow, qtbot: QtBot) -> None:
    table, ranking = planning.findChild(Table, "candidates-table"), planning.findChild(RankingModel)
    assert table is not None
    assert ranking is not None
    hints = []
    for wish in ({"space": 100, "safety": 0}, {"space": 0, "safety": 100}):
        ranking.wish(**wish)
        for one, row in zip(ranking.ranking.candidates, range(table.model().rowCount()), strict=True):
            hint = table.model().index(row, 1).data(Qt.ItemDataRole.ToolTipRole)
            assert hint == why_words(one, long_name)
            hints.append(hint)
    assert len(set(hints)) > len(hints) // 2


def test_moves_between_two_frames_are_ranked_once(planning: MainWindow, qtbot: QtBot) -> None:
    ranking = planning.findChild(RankingModel)
    assert ranking is not None
    ranked: list[int] = []
    ranking.changed.connect(lambda: ranked.append(ranking.wishes.space))
    for name in ("wish-space", "wish-safety"):
        slider = planning.findChild(QSlider, name)
        assert slider is not None
        for value in range(10, 30):
            slider.setValue(value)
    qtbot.waitUntil(lambda: bool(ranked))
    QApplication.processEvents()
    assert ranked == [29]
    assert ranking.wishes.safety == 29


def test_a_table_paints_only_what_reads_anew(dressed: object) -> None:
    model = TableModel((Column("", lambda one: Cell(str(one[1]))),))
    model.show_rows([("a", 1), ("b", 2), ("c", 3)])
    assert [model.index(row, 0).data() for row in range(3)] == ["1", "2", "3"]
    changed: list[int] = []
    model.dataChanged.connect(lambda first, last: changed.extend(range(first.row(), last.row() + 1)))
    model.show_rows([("x", 1), ("b", 5), ("z", 3)])
    assert changed == [1]
    assert [model.index(row, 0).data() for row in range(3)] == ["1", "5", "3"]


def test_a_refused_plan_is_a_sentence(dressed: object) -> None:
    model = PlanModel()
    model.set_disks(tuple(sample.disk(number) for number in range(4)))
    model.edit_fields(component_size_kib=10**12)
    assert model.draft.assessment is None
    assert model.draft.refusal.endswith(".")
    model.undo()
    assert model.draft.assessment is not None


def test_first_plans_suit_the_disks() -> None:
    members = tuple(sample.disk(number).as_member() for number in range(6))
    levels = [edits.first_plan(members[:count]).array.level for count in (2, 3, 4, 5, 6)]
    assert levels == [Level.RAID1, Level.RAID5, Level.RAID10, Level.RAID6, Level.RAID6]


def _choose(window: MainWindow, session: FakeSession, *terabytes: int) -> Table:
    """Choose disks of these sizes, go to the Plan station, and return its candidates."""
    disks = (sample.disk(number, size) for number, size in enumerate(terabytes))
    session.show(Snapshot(tuple(disks)))
    window.disks.leave_out_gone()
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    table = window.findChild(Table, "candidates-table")
    assert table is not None
    return table


def _column(table: Table, title: str) -> list[str]:
    model = table.model()
    titles = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(model.columnCount())]
    return [model.index(row, titles.index(title)).data().removeprefix("⚠ ") for row in range(model.rowCount())]


def _marked(table: Table) -> list[int]:
    model = table.model()
    assert isinstance(model, TableModel)
    return [row for row in range(model.rowCount()) if model.look_at(model.index(row, 0)).marked]


@pytest.mark.parametrize("pool", [(8, 8), (8, 8, 8, 8), (8, 8, 4, 4), (8, 8, 8, 5, 5), (10,) * 12])
def test_disks_begin_with_the_plan_that_is_ranked_first(
    window: MainWindow, session: FakeSession, pool: tuple[int, ...]
) -> None:
    table = _choose(window, session, *pool)
    assert _marked(table) == [0]
    assert table.viewport().rect().contains(table.row_rect(0).center())
    assert _text(window, "candidates-count").endswith("yours ranks first")


def test_the_first_plan_follows_the_disks_until_somebody_makes_it_theirs(
    window: MainWindow, session: FakeSession
) -> None:
    table = _choose(window, session, 8, 8, 8, 8)
    levels = []
    for number in (3, 2):
        window.disks.toggle(sample.disk(number).id)
        levels.append(_plan(window).array.level)
        assert _marked(table) == [0]
    assert levels == [Level.RAID10, Level.RAID1]  # three disks, and two
    assert not window.plan.can_undo
    window.plan.choose_level(Level.RAID0)
    window.disks.toggle(sample.disk(2).id)
    assert _plan(window).array.level is Level.RAID0
    assert _text(window, "candidates-count").endswith("yours is no. 8")


def test_a_plan_that_is_not_the_first_is_brought_into_sight(window: MainWindow, session: FakeSession) -> None:
    table = _choose(window, session, *(8,) * 8)
    last = table.model().rowCount() - 1
    table.row_activated.emit(last)
    assert _marked(table) == [last]
    assert table.viewport().rect().contains(table.row_rect(last).center())
    assert _text(window, "candidates-count").endswith(f"yours is no. {last + 1}")
    window.plan.choose_level(Level.RAID4)
    assert _marked(table) == []
    assert _text(window, "candidates-count").endswith("yours isn't one of them")


def test_the_first_plan_follows_what_was_wished_before(window: MainWindow, session: FakeSession) -> None:
    _choose(window, session, 8, 8, 8, 8)
    survive = window.findChild(QPushButton, "must-survive-3")
    assert survive is not None
    survive.click()
    assert _plan(window).array.level is Level.RAID6  # the current plan is unchanged
    window.disks.toggle(sample.disk(3).id)
    window.disks.toggle(sample.disk(3).id)
    assert _plan(window).array.level is Level.RAID1


def test_mixed_sizes_say_which_disks_and_what_lies_idle(window: MainWindow, session: FakeSession) -> None:
    table = _choose(window, session, 8, 8, 8, 5, 5)
    layouts, unused = _column(table, "Layout"), _column(table, "Unused")
    assert len(set(layouts)) == len(layouts)
    assert unused[layouts.index("RAID 5 of 3 × 8 TB")] == "2 × 5 TB"
    assert unused[layouts.index("RAID 5 of all 5")] == "3 × 3 TB"
    said = window.findChild(QLabel, "usable-beside")
    assert said is not None
    assert _plan(window).volume  # what ranks first uses all of them
    assert said.property("role") == "dim"
    table.row_activated.emit(layouts.index("RAID 5 of all 5"))
    assert said.property("role") == "warning"  # not in grey
    assert said.text() == "9 TB unused"
    assert "Of each of 3 × 8 TB, 3 TB stay unused" in said.toolTip()
    table.row_activated.emit(layouts.index("RAID 5 of 3 × 8 TB"))
    assert "2 × 5 TB are left free." in said.toolTip()
    more = window.findChild(QPushButton, "usable-remedy")
    assert more is not None
    assert more.isVisibleTo(window)
    assert more.toolTip().startswith("Joined arrays: ")
    more.click()
    assert _plan(window).volume
    assert not more.isVisibleTo(window)
    table.row_activated.emit(layouts.index("RAID 5 of 3 × 8 TB"))
    window.plan.choose_level(Level.RAID6)
    assert len(_plan(window).array.members) == 5  # a level is one of all the disks that are chosen
    table.row_activated.emit(layouts.index("RAID 0 of all 5"))
    assert said.property("role") == "dim"


def test_disks_of_one_size_leave_nothing_to_say(window: MainWindow, session: FakeSession) -> None:
    table = _choose(window, session, 8, 8, 8, 8)
    assert table.isColumnHidden(8)
    assert not any(" of " in layout for layout in _column(table, "Layout"))


def test_speed_is_an_estimate_for_who_asks(planning: MainWindow, qtbot: QtBot) -> None:
    table = planning.findChild(Table, "candidates-table")
    reading = planning.findChild(QSlider, "wish-reading")
    assert table is not None
    assert reading is not None
    assert reading.value() == 0
    assert not table.isColumnHidden(5)  # reading and writing always
    assert not table.isColumnHidden(6)
    ranking = planning.findChild(RankingModel)
    assert ranking is not None
    with qtbot.waitSignal(ranking.changed):
        reading.setValue(40)
    assert _column(table, "Read, MB/s")
    hint = table.model().index(0, 5).data(Qt.ItemDataRole.ToolTipRole)
    assert "Predicted for typical disks of these kinds" in hint


def test_the_present_plan_stays_in_sight_of_the_list(window: MainWindow, session: FakeSession) -> None:
    """The sentence about it appears below the list afterwards, and a smaller window has fewer rows."""
    window.resize(1366, 1000)
    table = _choose(window, session, 8, 8, 8, 8)
    last = table.model().rowCount() - 1
    table.row_activated.emit(last)
    settle()
    assert table.viewport().rect().contains(table.row_rect(last).center())
    window.resize(1366, 740)
    settle()
    assert table.viewport().rect().contains(table.row_rect(last).center())
    table.verticalScrollBar().setValue(0)
    window.resize(1366, 760)
    settle()
    assert table.verticalScrollBar().value() == 0  # the user's scrolling stays


def test_a_narrow_list_keeps_the_layouts_apart(window: MainWindow, session: FakeSession) -> None:
    """Rather without the speed of writing than all rows called “RAID 6…”."""
    window.resize(1024, 700)
    table = _choose(window, session, *[8] * 24)
    settle()
    titles = [table.model().headerData(n, Qt.Orientation.Horizontal) for n in range(table.model().columnCount())]
    assert table.columnWidth(titles.index("Layout")) >= 160
    assert table.isColumnHidden(titles.index("Write, MB/s"))
    wish = window.findChild(QSlider, "wish-writing")
    assert wish is not None
    wish.setValue(80)
    settle()
    assert not table.isColumnHidden(titles.index("Write, MB/s"))
    window.resize(1366, 740)
    settle()
    assert not any(table.isColumnHidden(titles.index(one)) for one in ("Read, MB/s", "Write, MB/s"))
