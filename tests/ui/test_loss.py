"""The loss in the window: beside the plan, among the candidates, and in detail on its page."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QLabel, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot
from raidwright.analysis.advice.candidates import enumerate_plans
from raidwright.analysis.reliability.loss import loss_of
from raidwright.colours import DARK
from raidwright.core.md.layouts import Level
from raidwright.core.model.assumed import ASSUMED
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.text.plan.loss import chance_in_brief, chance_in_words, chance_with_range, range_in_words, unbroken
from raidwright.ui import theme
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.loss import overrides as said
from raidwright.ui.stations.plan.loss.model import LossModel
from raidwright.ui.stations.plan.loss.scales import scales, stated
from raidwright.ui.stations.plan.model import PlanModel
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

Kind = TypeVar("Kind", bound=QWidget)


@pytest.fixture
def planning(window: MainWindow) -> MainWindow:
    window.disks.choose_all()
    window.show_station(Station.PLAN)
    return window


@pytest.fixture
def page(planning: MainWindow, qtbot: QtBot) -> MainWindow:
    qtbot.mouseClick(_found(planning, QPushButton, "loss-assumptions"), Qt.MouseButton.LeftButton)
    return planning


def _found(window: MainWindow, kind: type[Kind], name: str) -> Kind:
    found = window.findChild(kind, name)
    assert found is not None, name
    return found


def _text(window: MainWindow, name: str) -> str:
    return _found(window, QLabel, name).text()


def _plan(window: MainWindow) -> Plan:
    assert window.plan.draft.plan is not None
    return window.plan.draft.plan


def _cells(window: MainWindow, name: str, column: int) -> list[str]:
    rows = _found(window, Table, name).model()
    return [rows.index(row, column).data() for row in range(rows.rowCount())]


def test_beside_the_plan_stands_what_the_core_says(planning: MainWindow) -> None:
    loss = loss_of(_plan(planning))
    assert _text(planning, "loss-array") == chance_in_words(loss.array.probability)
    assert _text(planning, "loss-range") == unbroken(range_in_words(loss.array.low, loss.array.high))
    assert f"At least one sector: {chance_with_range(loss.sectors)}" in _found(planning, QLabel, "loss-array").toolTip()
    assert "3 days until a replacement" in _text(planning, "loss-cause")
    assert _text(planning, "loss-title") == "Lost within 5 years"


@pytest.mark.parametrize("level", [Level.RAID0, Level.RAID5, Level.RAID6])
def test_odds_have_one_form_everywhere(page: MainWindow, qtbot: QtBot, level: Level) -> None:
    """A stripe's are high, raid6's low: none is in percent, alone or in a range."""
    page.plan.choose_level(level)
    for kind in ("array", "sectors"):
        qtbot.mouseClick(_found(page, QPushButton, f"loss-of-{kind}"), Qt.MouseButton.LeftButton)
        texts = [_text(page, name) for name in ("loss-array", "loss-range", "loss-sentence", "loss-buys")]
        cells = [cell for column in (2, 3) for cell in _cells(page, "loss-years-table", column)]
        cells += [cell for column in (1, 2) for cell in _cells(page, "loss-swings-table", column)]
        assert cells
        assert not any("%" in text for text in (*texts, *cells, *_cells(page, "candidates-table", 4)))
        assert all(" in " in cell or "never" in cell for cell in cells)


def test_the_plan_is_shown_without_the_library_for_plots() -> None:
    said = (
        "import sys; from PySide6.QtWidgets import QApplication, QWidget; from raidwright.ui import theme\n"
        "from raidwright.ui.station import Station; from tests.kit.pictures import *\n"
        "app = QApplication([]); theme.install(app); window = still_window(); plan_raid10_far(window)\n"
        "window.show_station(Station.PLAN); window.show(); app.processEvents(); print('pyqtgraph' in sys.modules)\n"
        "show_assumptions(window); print('pyqtgraph' in sys.modules)\n"
        "while not window.findChild(QWidget, 'loss-chart'): app.processEvents()\n"
        "print('pyqtgraph' in sys.modules)"
    )
    child = subprocess.run(
        [sys.executable, "-c", said],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={"QT_QPA_PLATFORM": "offscreen", "PATH": "/usr/bin:/bin"},
    )
    assert child.stdout.split() == ["False", "False", "True"]


def test_the_curve_is_drawn_once_the_page_stands(page: MainWindow, qtbot: QtBot) -> None:
    waits = "Drawing the curve…"
    assert waits in {one.text() for one in page.findChildren(QLabel) if one.isVisible()}
    qtbot.waitUntil(lambda: page.findChild(QWidget, "loss-chart") is not None)
    chart = _found(page, QWidget, "loss-chart")
    qtbot.waitUntil(chart.isVisible)
    assert waits not in {one.text() for one in page.findChildren(QLabel) if one.isVisible()}
    assert {one.text() for one in chart.findChildren(QLabel) if one.isVisible()} == set(
        _cells(page, "loss-years-table", 1)
    )


def test_the_page_stands_in_the_stage_s_place_and_goes_back(page: MainWindow, qtbot: QtBot) -> None:
    stage = _found(page, QWidget, "stage")
    assert _found(page, QWidget, "loss-page").isVisible()
    assert _found(page, QWidget, "loss-summary").isVisible()
    assert not stage.isVisible()
    qtbot.mouseClick(_found(page, QPushButton, "loss-back"), Qt.MouseButton.LeftButton)
    assert stage.isVisible()


def test_a_key_on_a_slider_is_a_step_of_the_plan(page: MainWindow, qtbot: QtBot) -> None:
    before, slider = _text(page, "loss-array"), _found(page, QSlider, "assume-failure_rate")
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert dict(_plan(page).assumptions).keys() == {"failure_rate"}
    assert _text(page, "loss-array") != before
    assert "given by you" in _text(page, "assume-failure_rate-range")
    page.plan.undo()
    assert _plan(page).assumptions == ()
    assert _text(page, "loss-array") == before
    page.plan.redo()
    assert dict(_plan(page).assumptions).keys() == {"failure_rate"}


def test_while_a_slider_moves_the_loss_follows_and_the_plan_waits(page: MainWindow) -> None:
    before, slider = _text(page, "loss-sentence"), _found(page, QSlider, "assume-replacement_hours")
    slider.setSliderDown(True)
    seen = {before}
    for place in (slider.maximum() - 1, slider.maximum()):
        slider.setSliderPosition(place)
        seen.add(_text(page, "loss-sentence"))
    assert len(seen) == 3
    assert _plan(page).assumptions == ()
    slider.setSliderDown(False)
    assert _plan(page).assumptions == (("replacement_hours", 720.0),)
    kept = loss_of(_plan(page)).array  # with the range from all draws
    assert unbroken(chance_with_range(kept)) in _text(page, "loss-sentence")
    page.plan.undo()
    assert _text(page, "loss-sentence") == before
    assert not dict(_plan(page).assumptions)


def test_years_move_the_answer_and_are_no_step_of_the_plan(page: MainWindow) -> None:
    plan = _plan(page)
    _found(page, QSlider, "loss-years").setValue(12)
    assert _text(page, "loss-title") == "Lost within 12 years"
    assert chance_in_words(loss_of(plan, years=12).array.probability) in _text(page, "loss-array")
    assert _plan(page) is plan


def test_choices_are_taken_and_reset(page: MainWindow, qtbot: QtBot) -> None:
    for name, value in (("check_days", 3650.0), ("batch_factor", 1.0), ("replacement_hours", 24.0)):
        button = _found(page, QPushButton, f"assume-{name}-choice-{value!r}")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert dict(_plan(page).assumptions)[name] == value
        assert button.isChecked()
    kept = _plan(page)
    assert read_plan(dump_plan(kept)).assumptions == kept.assumptions  # in the order of files
    reset = _found(page, QPushButton, "assume-check_days-reset")
    assert reset.isVisible()
    reset.click()
    assert dict(_plan(page).assumptions).keys() == {"batch_factor", "replacement_hours"}
    _found(page, QPushButton, "loss-reset-all").click()
    assert _plan(page).assumptions == ()


def test_a_hot_spare_is_spoken_of_where_replacements_are(page: MainWindow) -> None:
    assert _text(page, "assume-replacement_hours-range").startswith("no hot spare in this plan · 24 hours to 14 days")
    before = _text(page, "loss-array")
    page.plan.choose_level(Level.RAID5)
    page.plan.edit(lambda plan: edits.with_spares(plan, 1))
    assert _text(page, "assume-replacement_hours-range").startswith("1 hot spare in this plan · ")
    assert _text(page, "loss-array") != before


def test_another_layout_keeps_what_is_assumed(page: MainWindow) -> None:
    page.plan.edit(lambda plan: replace(plan, assumptions=(("failure_rate", 0.05),)))
    kept = _plan(page).assumptions
    page.plan.choose_nested(Level.RAID1, 2)
    assert _plan(page).assumptions == kept
    page.plan.choose_level(Level.RAID6)
    _found(page, Table, "candidates-table").row_activated.emit(0)
    assert _plan(page).assumptions == kept
    page.disks.toggle(sample.disk(3).id)
    assert _plan(page).assumptions == kept


def test_candidates_have_their_loss(planning: MainWindow) -> None:
    disks = tuple(sample.disk(number).as_member() for number in range(4))
    by_core = {chance_in_brief(loss_of(one.plan).array.probability) for one in enumerate_plans(disks)}
    shown = _cells(planning, "candidates-table", 4)
    assert len(shown) > 4
    assert set(shown) <= by_core
    planning.plan.edit(lambda plan: replace(plan, assumptions=(("failure_rate", 0.2),)))
    worse = _cells(planning, "candidates-table", 4)
    assert len(worse) == len(shown)
    assert set(worse) != set(shown)


def test_candidates_follow_the_years_and_each_disk(page: MainWindow, qtbot: QtBot) -> None:
    _found(page, QSlider, "loss-years").setValue(12)
    unlucky = sample.disk(1).id
    page.plan.edit(lambda plan: said.rate_of_disk(plan, unlucky, 0.3))
    qtbot.mouseClick(_found(page, QPushButton, "loss-back"), Qt.MouseButton.LeftButton)
    rows = _found(page, Table, "candidates-table").model()
    assert rows.headerData(4, Qt.Orientation.Horizontal) == "Lost in 12 y"
    members = tuple(replace(disk, afr=0.3 if disk.id == unlucky else None) for disk in page.plan.pool)
    by_core = {chance_in_brief(loss_of(one.plan, years=12).array.probability) for one in enumerate_plans(members)}
    assert set(_cells(page, "candidates-table", 4)) <= by_core


def test_every_plot_has_its_table(page: MainWindow, qtbot: QtBot) -> None:
    for name, table in (("loss-curve", "loss-years-table"), ("loss-matters", "loss-swings-table")):
        assert not _found(page, Table, table).isVisible()
        qtbot.mouseClick(_found(page, QPushButton, f"{name}-as-table"), Qt.MouseButton.LeftButton)
        assert _found(page, Table, table).isVisible()
        assert _cells(page, table, 1)
    assert len(set(_cells(page, "loss-years-table", 1))) == 3  # the plan and the two next to it
    assert chance_in_words(loss_of(_plan(page)).array.probability) in _cells(page, "loss-years-table", 2)


def test_arrays_and_sectors_are_told_apart(page: MainWindow, qtbot: QtBot) -> None:
    assert "whole array" in _text(page, "loss-sentence")
    of_arrays = _cells(page, "loss-swings-table", 0)
    curve = _cells(page, "loss-years-table", 2)
    assert of_arrays[0] == "how often disks fail"
    assert "how often the array is checked" not in of_arrays
    qtbot.mouseClick(_found(page, QPushButton, "loss-of-sectors"), Qt.MouseButton.LeftButton)
    assert "at least one sector" in _text(page, "loss-sentence")
    assert "how often the array is checked" in _cells(page, "loss-swings-table", 0)
    loss = loss_of(_plan(page))
    sectors = _cells(page, "loss-years-table", 2)
    assert sectors[-3] == chance_in_words(loss.sector_curve[-1].probability) != curve[-3]
    assert len(set(sectors)) > 5  # it grows with the years
    assert "backup" in _text(page, "loss-backup")


def test_what_a_change_buys_depends_on_the_plan(page: MainWindow) -> None:
    page.plan.choose_level(Level.RAID5)
    said = _text(page, "loss-buys")
    assert "raid6 instead" in said
    assert "A spare" in said
    page.plan.choose_level(Level.RAID0)
    assert "raid5 instead" in _text(page, "loss-buys")
    assert "A spare" not in _text(page, "loss-buys")
    assert "any disk that fails takes it" in _text(page, "loss-sentence")


@pytest.mark.parametrize("level", list(Level))
def test_every_level_is_drawn_in_both_schemes(page: MainWindow, level: Level) -> None:
    page.plan.choose_level(level)
    assert not page.grab().isNull()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, DARK)
    assert not page.grab().isNull()


def test_where_a_value_comes_from_is_a_click_away(page: MainWindow) -> None:
    source = _found(page, QLabel, "assume-failure_rate-source")
    assert "Backblaze" in source.text()
    assert source.isHidden()
    why = _found(page, QPushButton, "assume-failure_rate-why")
    why.click()
    assert not source.isHidden()
    _found(page, QSlider, "assume-failure_rate").setValue(0)  # the user's own value has no other source
    assert source.isHidden()
    assert why.isHidden()
    assert "given by you" in _text(page, "assume-failure_rate-range")


def test_an_age_lets_disks_wear_unless_they_are_said_not_to(page: MainWindow) -> None:
    before, age = _text(page, "loss-array"), _found(page, QSlider, "assume-age_years")
    age.setValue(age.maximum())
    assert _text(page, "loss-array") != before
    assert "Elerath" in _text(page, "assume-wear-range")
    _found(page, QPushButton, "assume-wear-choice-1.0").click()
    assert _text(page, "loss-array") == before


@pytest.fixture
def disks(page: MainWindow, qtbot: QtBot) -> MainWindow:
    """The page with each disk's own numbers visible."""
    qtbot.mouseClick(_found(page, QPushButton, "loss-assumed-of-each"), Qt.MouseButton.LeftButton)
    return page


def _number(window: MainWindow, disk: int, what: str) -> QDoubleSpinBox:
    return _found(window, QDoubleSpinBox, f"own-{sample.disk(disk).id}-{what}")


def _own(window: MainWindow) -> dict[str, tuple[float | None, float | None]]:
    return {disk.id: (disk.afr, disk.age_years) for disk in _plan(window).disks()}


def test_each_disk_has_its_rate_and_its_age(disks: MainWindow, qtbot: QtBot) -> None:
    before, rate = _text(disks, "loss-array"), _number(disks, 1, "rate")
    assert rate.value() == 1.36
    assert "until 2025-12-31" in _text(disks, "own-source-WDC WD80EFZX")
    rate.setFocus()
    rate.selectAll()
    qtbot.keyClicks(rate, "12.5")
    assert _own(disks)[sample.disk(1).id] == (None, None)  # not at every digit
    qtbot.keyClick(rate, Qt.Key.Key_Return)
    _number(disks, 2, "age").setValue(4)
    own = _own(disks)
    assert own[sample.disk(1).id] == (0.125, None)
    assert own[sample.disk(2).id] == (None, 4.0)
    assert _text(disks, "loss-array") != before
    loss = loss_of(_plan(disks))
    assert chance_in_words(loss.array.probability) in _text(disks, "loss-array")
    disks.plan.undo()
    assert _number(disks, 2, "age").value() == 0
    disks.plan.undo()
    assert rate.value() == 1.36
    assert _text(disks, "loss-array") == before


def test_what_is_said_of_a_disk_stays_with_it(disks: MainWindow) -> None:
    _number(disks, 1, "rate").setValue(9)
    second = sample.disk(1).id
    disks.plan.choose_nested(Level.RAID1, 2)
    assert _own(disks)[second] == (0.09, None)
    disks.plan.choose_level(Level.RAID6)
    _found(disks, Table, "candidates-table").row_activated.emit(0)
    assert _own(disks)[second] == (0.09, None)
    disks.disks.toggle(second)
    assert second not in _own(disks)
    disks.disks.toggle(second)
    assert _own(disks)[second] == (0.09, None)
    assert [afr for afr, _age in _own(disks).values()].count(0.09) == 1
    assert read_plan(dump_plan(_plan(disks))) == _plan(disks)


def test_all_disks_can_be_made_alike(disks: MainWindow, qtbot: QtBot) -> None:
    _number(disks, 0, "rate").setValue(3)
    _number(disks, 2, "age").setValue(7)
    _number(disks, 3, "rate").setValue(8)
    qtbot.mouseClick(_found(disks, QPushButton, "loss-all-alike"), Qt.MouseButton.LeftButton)
    assert set(_own(disks).values()) == {(0.03, None)}
    reset = _found(disks, QPushButton, f"own-{sample.disk(0).id}-reset")
    assert reset.isVisible()
    reset.click()
    assert not reset.isVisible()
    qtbot.mouseClick(_found(disks, QPushButton, "loss-all-alike"), Qt.MouseButton.LeftButton)
    assert set(_own(disks).values()) == {(None, None)}
    assert not _found(disks, QPushButton, "loss-reset-all").isEnabled()


def test_ages_are_taken_from_what_the_disks_count(disks: MainWindow, qtbot: QtBot) -> None:
    qtbot.mouseClick(_found(disks, QPushButton, "loss-ages-run"), Qt.MouseButton.LeftButton)
    assert set(_own(disks).values()) == {(None, 1.2)}  # 10,500 hours
    _found(disks, QPushButton, "loss-reset-all").click()
    assert set(_own(disks).values()) == {(None, None)}


def test_what_is_said_of_all_disks_goes_for_each(disks: MainWindow) -> None:
    _number(disks, 0, "rate").setValue(3)
    assert "given by you, disk by disk" in _text(disks, "assume-failure_rate-range")
    assert _text(disks, "assume-failure_rate-value") == "by disk"
    slider = _found(disks, QSlider, "assume-failure_rate")
    slider.setValue(slider.maximum())
    assert set(_own(disks).values()) == {(None, None)}
    assert _number(disks, 0, "rate").value() == 20


def test_what_is_built_has_its_numbers(disks: MainWindow) -> None:
    disks.plan.follow_build(Phase.BUILT)
    assert not _number(disks, 0, "rate").isEnabled()
    assert not _found(disks, QPushButton, "loss-all-alike").isEnabled()


def test_what_is_built_is_not_assumed_anew(page: MainWindow) -> None:
    page.plan.follow_build(Phase.BUILT)
    assert not _found(page, QSlider, "assume-failure_rate").isEnabled()
    _found(page, QSlider, "assume-failure_rate").setValue(3)
    assert _plan(page).assumptions == ()


def test_a_refused_plan_has_no_loss(dressed: object) -> None:
    plan = PlanModel()
    model = LossModel(plan)
    assert model.loss is None
    assert model.bought() == ()
    plan.set_disks(tuple(sample.disk(number) for number in range(4)))
    assert model.loss is not None
    plan.edit_fields(component_size_kib=10**12)
    assert model.loss is None


@pytest.mark.parametrize("scale", scales(), ids=lambda scale: scale.name)
def test_every_place_of_every_slider_is_an_answer(dressed: object, scale: object) -> None:
    plan = PlanModel()
    plan.set_disks(tuple(sample.disk(number) for number in range(4)))
    plan.edit(lambda old: edits.with_level(old, Level.RAID5, plan.pool))
    model = LossModel(plan)
    one = next(each for each in scales() if each is scale or each.name == getattr(scale, "name", ""))
    assert one.name in ASSUMED
    for value in (*one.stops, *(value for value, _text in one.choices)):
        assert ASSUMED[one.name].refusal(value) is None
        model.assume(one.name, value)
        assert model.loss is not None
        assert 0 <= model.loss.array.low <= model.loss.array.probability <= model.loss.array.high <= 1
        ((_model, assumed),) = stated(model.loss, one.name)
        assert assumed.likely == value
        assert one.say(value)


def test_the_wheel_scrolls_the_list_and_moves_no_slider(page: MainWindow) -> None:
    slider = _found(page, QSlider, "assume-failure_rate")
    place, middle = slider.value(), QPointF(slider.rect().center())
    turned = QWheelEvent(
        middle,
        slider.mapToGlobal(middle),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(slider, turned)
    assert slider.value() == place
    assert _plan(page).assumptions == ()


def test_every_assumption_can_be_moved(dressed: object) -> None:
    assert {scale.name for scale in scales()} == set(ASSUMED)
