"""The Compare page: choosing sides, the result in bars, words and a table, and the picture as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.cli import main
from raidwright.core.errors import InputError
from raidwright.machine.values import Snapshot
from raidwright.runs.comparing import matched
from raidwright.runs.run import ArrayState, Run, Series
from raidwright.runs.store import Runs
from raidwright.session import Session
from raidwright.tasks import TaskThread
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.compare.model import CompareModel
from raidwright.ui.stations.measure.compare.rows import rows_of, rows_of_runs
from raidwright.ui.stations.measure.model import MeasureModel
from raidwright.ui.widgets.bars import ticks
from raidwright.ui.widgets.save_button import SaveButton
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import TableModel
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout

from .fake_session import FakeSession
from .places import press

_BEFORE = [run for run in sample.repeats() if run.id.startswith("before")]
_AFTER = [run for run in sample.repeats() if run.id.startswith("after")]
_BUSY = [run for run in sample.repeats() if run.id == "busy"]


@pytest.fixture
def comparing(window: MainWindow, session: FakeSession) -> MainWindow:
    session.show(Snapshot())
    window.show_station(Station.MEASURE)
    done = session.record.jobs[-1].done
    assert done is not None
    done(sample.repeats())
    press(window, "measure-compare")
    session.record.jobs.clear()
    return window


def _compared(window: MainWindow) -> CompareModel:
    model = window.findChild(CompareModel)
    assert model is not None
    return model


def _find(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisible() else ""


def _click(window: MainWindow, run: Run) -> None:
    table = window.findChild(Table, "compare-runs")
    assert table is not None
    model = table.model()
    assert isinstance(model, TableModel)
    table.row_activated.emit(
        next(place for place, row in enumerate(model.rows) if not isinstance(row, str) and run in row)
    )


def _answer(session: FakeSession, found: object) -> None:
    done = session.record.jobs[-1].done
    assert done is not None
    done(found)


def _seen(window: MainWindow) -> str:
    picture = window.findChild(QWidget, "compare-picture")
    assert picture is not None
    assert picture.isVisible()
    return picture.accessibleDescription()


def test_two_are_picked_and_each_can_be_left_out_again(comparing: MainWindow) -> None:
    model, run = _compared(comparing), _BUSY[0]
    assert "Pick two" in _find(comparing, "compare-hint")

    def sides() -> dict[str, str]:
        return {one.id: model.side_of.get(one.id, "") for one in (run, _BEFORE[0], _AFTER[0])}

    _click(comparing, run)
    _click(comparing, _BEFORE[0])
    assert sides() == {"busy": "A", _BEFORE[0].id: "B", _AFTER[0].id: ""}
    _click(comparing, _AFTER[0])  # a third takes the second's place
    assert sides() == {"busy": "A", _BEFORE[0].id: "", _AFTER[0].id: "B"}
    _click(comparing, run)
    assert sides() == {"busy": "", _BEFORE[0].id: "", _AFTER[0].id: "B"}
    _click(comparing, _BEFORE[0])
    assert sides() == {"busy": "", _BEFORE[0].id: "A", _AFTER[0].id: "B"}


def test_the_list_has_a_row_for_what_is_compared(comparing: MainWindow) -> None:
    table = comparing.findChild(Table, "compare-runs")
    assert table is not None
    model = table.model()
    rows = [[model.index(row, column).data() for column in (1, 2, 3)] for row in range(model.rowCount())]
    assert rows.count(["tank", "healthy", "2 tests × 3"]) == 2
    box = comparing.findChild(QCheckBox, "compare-series")
    assert box is not None
    box.setChecked(False)
    assert model.rowCount() == len(sample.repeats())


def test_a_series_goes_as_one_unless_told_otherwise(comparing: MainWindow, session: FakeSession) -> None:
    _click(comparing, _BEFORE[0])
    assert {run for run, side in _compared(comparing).side_of.items() if side == "A"} == {one.id for one in _BEFORE}
    press(comparing, "compare-clear")
    box = comparing.findChild(QCheckBox, "compare-series")
    assert box is not None
    box.setChecked(False)
    _click(comparing, _BEFORE[0])
    assert set(_compared(comparing).side_of) == {_BEFORE[0].id}
    assert session.record.jobs[-1].arguments == ((_BEFORE[0].id,), ())


def test_two_sides_are_compared_off_the_windows_thread_and_shown(comparing: MainWindow, session: FakeSession) -> None:
    for run in (_BEFORE[0], _AFTER[0]):
        _click(comparing, run)
    asked = session.record.jobs[-1]
    assert asked.what == "compare"
    assert tuple(map(set, asked.arguments)) == ({one.id for one in _BEFORE}, {one.id for one in _AFTER})  # type: ignore[arg-type]
    _answer(session, matched(_BEFORE, _AFTER))
    said = _seen(comparing)
    assert "Sequential read, direct, 1 MiB, depth 8" in said
    assert "13% faster" in said
    assert "No difference beyond noise" in said
    assert _find(comparing, "compare-hint") == ""
    press(comparing, "compare-as-table")
    table = comparing.findChild(Table, "compare-table")
    assert table is not None
    assert table.isVisible()
    assert table.model().rowCount() == 2


def test_what_does_not_compare_is_said(comparing: MainWindow, session: FakeSession) -> None:
    _click(comparing, _BUSY[0])
    _answer(session, matched([run for run in _AFTER if run.workload == "sequential_read"], _BUSY))
    assert "These don't compare: a synchronisation under way (none against resync)" in _seen(comparing)


def test_only_what_was_asked_last_is_shown(comparing: MainWindow, session: FakeSession) -> None:
    _click(comparing, _BEFORE[0])
    first = session.record.jobs[-1].task
    press(comparing, "compare-clear")
    assert first.signalsBlocked()
    assert _compared(comparing).rows == ()


def test_one_side_alone_without_a_prediction_says_so(comparing: MainWindow, session: FakeSession) -> None:
    _click(comparing, _BUSY[0])
    assert "Reading the runs" in _find(comparing, "compare-hint")
    _answer(session, ())
    assert "Nothing is predicted" in _find(comparing, "compare-hint")


def test_what_is_in_the_way_is_a_sentence(comparing: MainWindow, session: FakeSession) -> None:
    _click(comparing, _BUSY[0])
    failed = session.record.jobs[-1].failed
    assert failed is not None
    failed(InputError("The two sides have no workload in common; choose runs of the same workload.", code="test"))
    assert "no workload in common" in _find(comparing, "compare-failure")


def test_a_run_that_ends_later_can_be_chosen(comparing: MainWindow) -> None:
    measure = comparing.stations.measure.model
    measure.runs = tuple(run for run in measure.runs if run.id != "busy")
    comparing.stations.measure.model.runs_changed.emit()
    table = comparing.findChild(Table, "compare-runs")
    assert table is not None
    assert table.model().rowCount() == 2


def test_the_way_back_leads_to_the_curve(comparing: MainWindow) -> None:
    press(comparing, "compare-back")
    start = comparing.findChild(QPushButton, "measure-compare")
    assert start is not None
    assert start.isVisible()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_saved_as_it_is_seen(
    comparing: MainWindow, session: FakeSession, tmp_path: Path, kind: str
) -> None:
    _click(comparing, _BEFORE[0])
    _answer(session, matched(_BEFORE, _AFTER))
    button = comparing.findChild(SaveButton, "compare-save")
    assert button is not None
    path = tmp_path / f"x.{kind}"
    button.wanted.emit(path)
    _is_picture(path)
    button.wanted.emit(tmp_path / "none" / "x.svg")
    assert "can't be written" in _find(comparing, "compare-failure")


def _is_picture(path: Path) -> None:
    if path.suffix == ".svg":
        text = path.read_text(encoding="utf-8")
        assert "13% faster" in text
        assert "<svg" in text
    else:
        image = QImage(str(path))
        colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 3)}
        assert image.width() == 1600
        assert len(colours) > 10


@pytest.mark.parametrize("kind", ["svg", "png"])
@pytest.mark.usefixtures("dressed")
def test_the_command_line_draws_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Runs().add(sample.repeats())
    path = tmp_path / f"x.{kind}"
    assert main(["compare", "suite-before", "--with", "suite-after", "-o", str(path)]) == 0
    _is_picture(path)
    assert main(["runs", "export", "busy", "--as", kind, "-o", str(tmp_path / f"y.{kind}")]) == 0
    assert (tmp_path / f"y.{kind}").stat().st_size > 500
    assert main(["runs", "export", "busy", "--as", kind]) == 2
    assert main(["compare", "suite-before", "--with", "suite-after", "-o", str(tmp_path / "x.bmp")]) == 2


@pytest.mark.usefixtures("dressed")
def test_from_the_store_to_the_verdict_on_the_real_thread(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Runs().add(sample.repeats())
    session = Session(TaskThread())
    model = MeasureModel(session)
    try:
        model.load_runs()
        qtbot.waitUntil(lambda: len(model.runs) == len(sample.repeats()))
        assert not any(run.samples for run in model.runs)
        model.show_run(model.runs[0])
        qtbot.waitUntil(lambda: bool(model.samples))
        before, after = (next(run for run in model.runs if run.id.startswith(side)) for side in ("before", "after"))
        compared = CompareModel(session)
        compared.take_runs(model.runs)
        for run in (before, after):
            compared.pick(run)
        qtbot.waitUntil(lambda: len(compared.rows) == 2)
        assert {row.briefly for row in compared.rows} == {"faster", "no difference"}
    finally:
        session.close()


def test_a_run_of_a_shoot_out_stands_for_its_own_layout_and_state_alone(
    comparing: MainWindow, session: FakeSession
) -> None:
    model = comparing.findChild(CompareModel)
    assert model is not None
    series = Series("s1", "shootout", "quick")
    first = sample.repeats()[0]
    kinds = [(t, s) for t in ("md:a", "md:b") for s in (ArrayState.HEALTHY, ArrayState.DEGRADED)]
    model.runs = tuple(
        replace(first, id=f"{target}-{state}-{repeat}", target=target, state=state, series=series, repeat=repeat)
        for target, state in kinds
        for repeat in (1, 2)
    )
    model.pick(model.runs[0])
    assert set(model.side_of) == {f"md:a-{ArrayState.HEALTHY}-{repeat}" for repeat in (1, 2)}
    assert session.record.jobs[-1].what == "compare"


@pytest.mark.parametrize(
    ("most", "shown"),
    [
        (2238.0, (0, 1000, 2000)),
        (4.0, (0, 1, 2, 3, 4)),
        (0.5, (0, 0.2, 0.4)),
        (999.0, (0, 500)),
        (1200.0, (0, 500, 1000)),
    ],
)
def test_the_axis_has_a_few_round_numbers(most: float, shown: tuple[float, ...]) -> None:
    assert ticks(most) == pytest.approx(shown)


def test_small_accesses_are_compared_in_iops_and_streams_in_mb_s() -> None:
    small, stream = (
        next(run for run in sample.suite() if run.workload == name) for name in ("random_read_4k", "sequential_read")
    )
    counted, weighed = rows_of_runs((small, stream))
    assert (counted.unit, weighed.unit) == ("IOPS", "MB/s")
    assert counted.lines[0].bar.likely == pytest.approx(small.result.mb_s * 1e6 / 4096)
    assert weighed.lines[0].bar.likely == stream.result.mb_s


def test_unlike_workloads_share_the_unit_of_their_scale() -> None:
    (row,) = rows_of(matched(_AFTER[:3], _BUSY))  # random reads and a stream, which the warning says
    assert row.unit == "MB/s"
    assert [line.figure.rpartition(" ")[2] for line in row.lines] == ["MB/s", "MB/s"]
    assert row.lines[1].bar.likely / row.lines[0].bar.likely == pytest.approx(float(row.ratio), rel=0.01)
    assert row.warning


def test_a_shoot_outs_layouts_are_listed_under_its_title(comparing: MainWindow) -> None:
    model = _compared(comparing)
    plan = sample.plan()
    model.take_runs((*sample_shootout.own_runs(plan, None), *sample_shootout.trial_runs(plan)))
    table = comparing.findChild(Table, "compare-runs")
    assert table is not None
    rows = table.model()
    assert isinstance(rows, TableModel)
    listed = [
        str(row) if isinstance(row, str) else ", ".join(cell.text for cell in rows.cells_of(at)[1:3])
        for at, row in enumerate(rows.rows)
    ]
    assert listed[0] == "tank, healthy"
    assert listed[1].startswith("Shoot-out · 2026-11-20")
    assert listed[2:] == ["RAID 10, far · 4 disks · 256 KiB, degraded", "RAID 10, far · 4 disks · 256 KiB, healthy"]
    table.row_activated.emit(1)  # a heading is nothing to compare
    assert not model.side_of
    table.row_activated.emit(3)
    assert set(model.side_of.values()) == {"A"}
