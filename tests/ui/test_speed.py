"""A plan's speed in the window: beside the plan, on its page, among the candidates; and read aloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice.speeds import predictions_of
from raidwright.analysis.performance.of_plan import alone_of, performance_of
from raidwright.analysis.performance.question import Question
from raidwright.colours import LIGHT
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, Bitmap, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.reading.workload_words import read_workload
from raidwright.text.plan.how_fast import against_one_disk, rebuild_in_brief, rebuild_sentence, with_one_lost
from raidwright.text.plan.speed import WISHED, figure, figure_with_range, figure_with_unit
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.speed.rows import COLOURS
from raidwright.ui.widgets.bars import Bar, Bars
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .places import settle

Kind = TypeVar("Kind", bound=QWidget)
MEASURED = Baseline(
    kind="hdd",
    rpm=7200,
    sequential_read_mb_s=180,
    sequential_write_mb_s=175,
    random_read_4k_iops=75,
    random_write_4k_iops=160,
    random_read_4k_q32_iops=190,
    random_write_4k_q32_iops=210,
)


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    return window


def _found(window: MainWindow, kind: type[Kind], name: str) -> Kind:
    found = window.findChild(kind, name)
    assert found is not None, name
    return found


def _text(window: MainWindow, name: str) -> str:
    settle()
    return _found(window, QLabel, name).text()


def _hint(window: MainWindow, name: str) -> str:
    settle()
    return _found(window, QLabel, name).toolTip()


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _measured(disk: Member) -> Member:
    return replace(disk, baseline=MEASURED)


PLANS: tuple[tuple[str, Callable[[MainWindow], None]], ...] = (
    ("raid5", lambda window: window.plan.choose_level(Level.RAID5)),
    ("raid0", lambda window: window.plan.choose_level(Level.RAID0)),
    ("linear", lambda window: window.plan.choose_level(Level.LINEAR)),
    ("raid10", lambda window: window.plan.choose_level(Level.RAID10)),
    ("nested", lambda window: window.plan.choose_nested(Level.RAID1, 2)),
)


@pytest.mark.parametrize("go", [go for _name, go in PLANS], ids=[name for name, _go in PLANS])
def test_beside_the_plan_stands_what_is_predicted(planning: MainWindow, go: Callable[[MainWindow], None]) -> None:
    go(planning)
    plan = _plan(planning)
    predicted = performance_of(plan)
    assert _hint(planning, "speed-lost") == against_one_disk(plan, predicted, alone_of(plan)) != ""
    assert _text(planning, "speed-lost") == with_one_lost(plan, predicted)
    assert _text(planning, "speed-rebuild") == rebuild_in_brief(predicted)
    assert _hint(planning, "speed-rebuild") == rebuild_sentence(predicted)
    assert _found(planning, QLabel, "speed-rebuild").isVisible() == (predicted.rebuild_hours is not None)
    for workload in WISHED:
        normal = predicted.speeds[workload].normal
        if workload is Workload.RANDOM_WRITE_4K_Q32:  # of a working set, as among the candidates
            normal = predictions_of(plan).random_write
        assert normal is not None
        assert _text(planning, f"speed-{workload}") == figure_with_unit(normal)
        assert _hint(planning, f"speed-{workload}") == figure_with_range(normal)


def test_small_writes_are_as_many_in_the_tile_as_in_the_row(planning: MainWindow) -> None:
    """The bitmap slows those all over the array: that is said beside, and only where it does."""
    first = _first(planning)
    settle()
    scattered = performance_of(first).speeds[Workload.RANDOM_WRITE_4K_Q32].normal
    working_set = predictions_of(first).random_write
    assert scattered is not None
    assert working_set is not None
    assert working_set.iops > 1.5 * scattered.iops
    assert _text(planning, "speed-random_write_4k_q32") == figure_with_unit(working_set)
    assert _text(planning, "speed-scattered") == f"Small writes all over the array: {figure_with_unit(scattered)}."
    planning.plan.edit_fields(bitmap=Bitmap.NONE)
    settle()
    assert not _found(planning, QLabel, "speed-scattered").isVisible()
    assert _text(planning, "speed-random_write_4k_q32") == figure_with_unit(working_set)


def test_no_figure_stands_without_its_band(planning: MainWindow) -> None:
    """It is a shade and a hint on the tile, and stands beside the figure when read aloud and in the page's table."""
    _found(planning, QPushButton, "speed-details").click()
    settle()
    table = _found(planning, Table, "speeds-table").model()
    cells = [table.index(row, column).data() for row in range(table.rowCount()) for column in range(1, 5)]
    assert len(cells) == 4 * len(Workload)
    said = [_hint(planning, f"speed-{workload}") for workload in WISHED]
    said += [_found(planning, Bars, f"speed-bars-{one}").accessibleDescription() for one in WISHED]
    for text in (*cells, *said):
        figures = text.count("MB/s") + text.count("IOPS")
        assert figures == text.count("(") > 0, text
    assert "(" in _text(planning, "speed-rebuild")


def test_bars_are_read_aloud(planning: MainWindow) -> None:
    planning.plan.choose_level(Level.RAID5)
    settle()
    speeds = performance_of(_plan(planning)).speeds[Workload.BUFFERED_READ]
    bars = _found(planning, Bars, f"speed-bars-{Workload.BUFFERED_READ}")
    assert bars.accessibleName() == "Reading files"
    assert speeds.normal is not None
    assert speeds.degraded is not None
    for one in (speeds.normal, speeds.degraded, alone_of(_plan(planning))[Workload.BUFFERED_READ]):
        assert figure_with_range(one) in bars.accessibleDescription()


def test_what_a_lost_disk_leaves_is_said_or_that_nothing_is(planning: MainWindow) -> None:
    planning.plan.choose_level(Level.RAID0)
    assert _text(planning, "speed-lost") == "With one disk lost nothing is left."
    assert "one disk lost" not in _found(planning, Bars, "speed-bars-buffered_read").accessibleDescription()
    assert not _found(planning, QLabel, "speed-rebuild").isVisible()
    planning.plan.choose_level(Level.RAID5)
    assert _text(planning, "speed-lost").startswith("With one disk lost, ")
    assert _found(planning, QLabel, "speed-rebuild").isVisible()
    planning.plan.edit(lambda plan: edits.with_missing(plan, 1))
    assert _text(planning, "speed-lost") == "With one more disk lost nothing is left."
    assert not _found(planning, QLabel, "speed-rebuild").isVisible()


def test_what_it_rests_on_is_said(planning: MainWindow, qtbot: QtBot) -> None:
    assert "typical disks" in _hint(planning, "speed-basis")
    reading = _found(planning, QSlider, "wish-reading")
    assert "typical disks" in reading.accessibleDescription()
    qtbot.mouseClick(_found(planning, QPushButton, "speed-details"), Qt.MouseButton.LeftButton)
    assumed = _text(planning, "speeds-assumed")
    for sentence in performance_of(_plan(planning)).assumes:
        assert sentence in assumed
    assert "with a disk lost: measured on practice disks alone" in assumed
    assert "what is left beside it: measured on practice disks alone" in assumed
    planning.plan.edit(lambda plan: plan.each_disk(_measured))
    assert _hint(planning, "speed-basis").endswith("Predicted from what was measured of these disks.")
    assert "typical of" not in _text(planning, "speeds-assumed").replace("typical of today's", "")


def test_the_page_stands_in_the_stage_s_place_and_goes_back(planning: MainWindow, qtbot: QtBot) -> None:
    stage = _found(planning, QWidget, "stage")
    qtbot.mouseClick(_found(planning, QPushButton, "speed-details"), Qt.MouseButton.LeftButton)
    assert _found(planning, QWidget, "speed-page").isVisible()
    assert not stage.isVisible()
    qtbot.mouseClick(_found(planning, QPushButton, "loss-assumptions"), Qt.MouseButton.LeftButton)
    assert not _found(planning, QWidget, "speed-page").isVisible()
    assert _found(planning, QWidget, "loss-page").isVisible()
    qtbot.mouseClick(_found(planning, QPushButton, "speed-details"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(_found(planning, QPushButton, "speeds-back"), Qt.MouseButton.LeftButton)
    assert stage.isVisible()


def test_the_page_follows_the_plan_and_has_a_table(planning: MainWindow) -> None:
    _found(planning, QPushButton, "speed-details").click()
    _found(planning, QPushButton, "speeds-as-table").click()
    table = _found(planning, Table, "speeds-table")
    assert table.isVisible()
    planning.plan.choose_level(Level.RAID0)
    settle()
    rows = table.model()
    assert {rows.index(row, 2).data() for row in range(rows.rowCount())} == {"nothing is left"}
    normal = performance_of(_plan(planning)).speeds[Workload.SEQUENTIAL_READ].normal
    assert normal is not None
    assert rows.index(0, 1).data() == figure_with_range(normal)


def test_nothing_is_predicted_that_nobody_looks_at(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """And once per plan for those shown."""
    asked: list[Plan] = []
    monkeypatch.setattr("raidwright.ui.stations.plan.speed.model.performance_of", lambda plan: _noted(asked, plan))
    window.disks.choose_all()
    settle()
    assert asked == []
    window.show_station(Station.PLAN)
    for _again in range(3):
        settle()
        _found(window, QPushButton, "speed-details").click()
    assert asked == [_plan(window)]
    window.plan.choose_level(Level.RAID5)
    window.plan.choose_level(Level.RAID0)  # before any other event
    settle()
    assert len(asked) == 2


def _noted(asked: list[Plan], plan: Plan) -> object:
    asked.append(plan)
    return performance_of(plan)


def _is_ink(image: QImage, x: int, y: int) -> bool:
    return image.pixelColor(QPoint(x, y)).lightness() < QColor(LIGHT.accent).lightness() - 15


def test_the_mark_of_one_disk_and_the_bar_s_end_lie_where_the_figures_say(planning: MainWindow) -> None:
    planning.plan.choose_level(Level.RAID0)
    settle()
    plan = _plan(planning)
    predicted, alone = performance_of(plan), alone_of(plan)
    times = {}
    for workload in WISHED:
        normal = predicted.speeds[workload].normal
        assert normal is not None
        times[workload] = (normal.mb_s / alone[workload].mb_s, normal.high_mb_s / alone[workload].mb_s)
    most = max(high for _likely, high in times.values())
    for workload, (likely, high) in times.items():
        bars = _found(planning, Bars, f"speed-bars-{workload}")
        image, width = bars.grab().toImage(), bars.width() - 1
        dark = [x for x in range(image.width()) if _is_ink(image, x, 0)]  # above the bar there is only the mark
        assert dark, workload
        assert sum(dark) / len(dark) == pytest.approx(1 / most * width, abs=1.5)
        middle = image.height() // 2
        full = [x for x in range(image.width()) if image.pixelColor(x, middle) == QColor(COLOURS["normal"])]
        assert max(full) == pytest.approx(likely / most * width, abs=2)
        ground = image.pixelColor(image.width() - 1, 0)
        shaded = [x for x in range(image.width()) if image.pixelColor(x, middle) != ground]
        assert max(shaded) == pytest.approx(high / most * width, abs=2)


def test_bars_without_anything_are_drawn(qtbot: QtBot) -> None:
    bars = Bars("none")
    qtbot.addWidget(bars)
    bars.show()
    assert not bars.grab().isNull()
    bars.show_bars([Bar(0.0, 0.0, 0.0)], 1.0, 1.0)
    assert not bars.grab().isNull()


@pytest.mark.parametrize(
    ("wish", "title"), [("reading", "Read, MB/s"), ("writing", "Write, MB/s"), ("random", "Small IOPS")]
)
def test_candidates_have_the_speed_that_is_wished_for(planning: MainWindow, wish: str, title: str) -> None:
    planning.resize(1024, 700)
    table = _found(planning, Table, "candidates-table")
    _found(planning, QSlider, f"wish-{wish}").setValue(80)
    settle()
    rows = table.model()
    titles = [rows.headerData(place, Qt.Orientation.Horizontal) for place in range(rows.columnCount())]
    place = titles.index(title)
    assert not table.isColumnHidden(place)
    first = _first(planning)
    predicted = performance_of(first)
    wanted = {
        "reading": [Workload.BUFFERED_READ],
        "writing": [Workload.BUFFERED_WRITE],
        "random": [Workload.RANDOM_READ_4K_Q32, Workload.RANDOM_WRITE_4K_Q32],
    }[wish]
    found = [predicted.speeds[workload].normal for workload in wanted]
    if wish == "random":  # of a working set, whose bits in the bitmap are set, as the footnote says
        found[1] = predictions_of(first).random_write
    there = [one for one in found if one is not None]
    assert rows.index(0, place).data() == ", ".join(map(figure, there))
    hint = rows.index(0, place).data(Qt.ItemDataRole.ToolTipRole)
    for one in there:
        assert figure_with_range(one) in hint
    assert "typical disks" in hint


def _first(window: MainWindow) -> Plan:
    """The plan ranked first."""
    _found(window, Table, "candidates-table").row_activated.emit(0)
    return _plan(window)


def test_a_full_case_is_compared_as_well(window: MainWindow) -> None:
    window.disks.take_snapshot(sample.many_disks(24))
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    plan = _plan(window)
    assert _hint(window, "speed-lost") == against_one_disk(plan, performance_of(plan), alone_of(plan))


def test_workloads_of_ones_own_are_added_and_taken_away(planning: MainWindow) -> None:
    _found(planning, QPushButton, "speed-details").click()
    settle()
    field, add = _found(planning, QLineEdit, "speeds-own-words"), _found(planning, QPushButton, "speeds-own-add")
    words = "randread,bs=16k,depth=8"
    field.setText(words)
    add.click()
    settle()
    plan = _plan(planning)
    normal = performance_of(plan, question=Question((read_workload(words),))).own[words].normal
    assert normal is not None
    assert _text(planning, f"speeds-own-{words}") == figure_with_range(normal)
    assert field.text() == ""
    rows = _found(planning, Table, "speeds-table").model()
    assert rows.index(len(Workload), 0).data() == words
    assert rows.index(len(Workload), 1).data() == figure_with_range(normal)
    assert "limited by" in _text(planning, "speeds-own-limits")
    planning.plan.choose_level(Level.RAID5)  # the row stays, with the present plan's figure
    changed = performance_of(_plan(planning), question=Question((read_workload(words),))).own[words].normal
    assert changed is not None
    assert _text(planning, f"speeds-own-{words}") == figure_with_range(changed)
    _found(planning, QPushButton, "speeds-own-remove").click()
    settle()
    assert rows.rowCount() == len(Workload)
    assert not _found(planning, QLabel, "speeds-own-limits").isVisible()


def test_what_cant_be_predicted_is_said_below_the_field(planning: MainWindow) -> None:
    _found(planning, QPushButton, "speed-details").click()
    settle()
    field = _found(planning, QLineEdit, "speeds-own-words")
    field.setText("randread,zipf=1.2")
    _found(planning, QPushButton, "speeds-own-add").click()
    assert "zipf=1.2" in _text(planning, "speeds-own-error")
    assert _found(planning, QLabel, "speeds-own-error").isVisible()
    assert field.text() == "randread,zipf=1.2"
