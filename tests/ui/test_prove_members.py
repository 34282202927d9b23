"""Speed over the number of disks at the Prove station: lines instead of bars, what is laid over them, and reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QLabel
from raidwright.analysis.advice.matrix import read_shapes
from raidwright.operations.shootout.shootout import Shootout
from raidwright.suites import Suite
from raidwright.text.curves.chart import Look
from raidwright.text.curves.geometry import plot_of
from raidwright.ui.station import Station
from raidwright.ui.stations.prove.chart import ShootoutChart
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout

from .fake_session import FakeSession
from .places import press, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def held(window: MainWindow, session: FakeSession) -> MainWindow:
    session.show(sample.many_disks(8))
    window.disks.choose_all()
    window.show_station(Station.PROVE)
    model = window.stations.prove.model
    for place in model.chosen:
        model.toggle(place)
    model.make(model.matrix(read_shapes("raid0,raid5"), (64,), (3, 4, 5, 6, 8)))
    model.choose_suite(Suite.BUFFERED)
    model.choose_minutes(600)
    model.allow(True)
    press(window, "prove-begin")
    asked = session.record.jobs[-1]
    operation = asked.arguments[0]
    assert isinstance(operation, Shootout)
    assert asked.done is not None
    asked.done(sample_shootout.over_members(operation.contest))
    kept = sample_shootout.kept_runs(operation.contest, "6.1.176", 0.5)
    for job in session.record.jobs:
        if job.what == "runs" and job.done is not None:
            job.done(kept)
    settle()
    return window


def _lines(window: MainWindow) -> LineChartView:
    view = window.findChild(LineChartView, "prove-lines")
    assert view is not None
    return view


def test_several_numbers_of_disks_are_lines_and_bars_by_choice(held: MainWindow) -> None:
    view = _lines(held)
    assert view.isVisible()
    assert view.chart is not None
    assert [line.name for line in view.chart.lines][:2] == ["RAID 0", "RAID 5"]
    said = held.findChild(QLabel, "prove-lines-said")
    assert said is not None
    assert "RAID 5: up to 6 disks each more brings" in said.text()
    assert "RAID 5: 3: " in view.accessibleDescription()
    press(held, "prove-view-buffered_read")
    assert view.chart.title.startswith("Reading files")
    press(held, "prove-drawn-bars")
    bars = held.findChild(ShootoutChart, "prove-chart")
    assert bars is not None
    assert (view.isVisible(), bars.isVisible()) == (False, True)


def test_another_kernel_is_laid_over_it_from_the_store(held: MainWindow) -> None:
    over = held.findChild(ComboBox, "prove-over")
    assert over is not None
    assert over.itemText(1).startswith("Linux 6.1.176 · This computer")
    over.setCurrentIndex(1)
    over.activated.emit(1)
    chart = _lines(held).chart
    assert chart is not None
    assert "RAID 5 · Linux 6.1.176" in [line.name for line in chart.lines if line.look is Look.BEFORE]
    said = held.findChild(QLabel, "prove-lines-said")
    assert said is not None
    assert "RAID 5 against Linux 6.1.176: 2.01 times as fast" in said.text()


def test_the_table_is_the_charts_twin(held: MainWindow) -> None:
    press(held, "prove-lines-as-table")
    table = held.findChild(Table, "prove-lines-figures")
    chart = _lines(held).chart
    assert table is not None
    assert chart is not None
    assert table.isVisible()
    assert table.model().rowCount() == sum(len(line.points) for line in chart.lines)


def test_a_point_says_its_figures(held: MainWindow) -> None:
    view = _lines(held)
    assert view.chart is not None
    plot, first = plot_of(view.chart, view.width(), view.height()), view.chart.lines[0].points[0]
    found = view.point_at(QPointF(plot.x(first.x) + 3, plot.y(first.y)))
    assert found == (view.chart.lines[0], first)
    assert view.point_at(QPointF(0, 0)) is None


@pytest.mark.parametrize(
    ("kind", "begins"), [("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")]
)
def test_it_is_saved_as_a_picture_and_as_a_report(held: MainWindow, tmp_path: Path, kind: str, begins: bytes) -> None:
    save = held.findChild(QAction, f"prove-save-{kind}")
    assert save is not None
    save.trigger()
    dialog = held.findChild(QFileDialog, "prove-save-dialog")
    assert dialog is not None
    file = tmp_path / f"members.{kind}"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    settle()
    assert file.read_bytes().startswith(begins)
