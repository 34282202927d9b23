"""The dialog of a sweep: what it asks for, the growing table, the result, and its end by closing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.system.tuning import Lasting
from raidwright.core.system.workload import Workload
from raidwright.operations.sweep import SWEPT, Point, Sweep, SweepProgress, Swept
from raidwright.operations.system import Tune
from raidwright.runs.run import RunResult
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.sweep import SweepDialog
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.save_button import SaveButton
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import press, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def _point(value: int, *rates: float) -> Point:
    return Point(value, tuple(RunResult("buffered_read", 8.0, rate, rate, 1.0) for rate in rates))


@pytest.fixture
def sweep(window: MainWindow, session: FakeSession) -> SweepDialog:
    array = replace(sample.array(16 * 10**12), level="raid10")
    session.show(replace(sample.machine(), arrays=(array,)))
    window.show_station(Station.MEASURE)
    session.record.jobs.clear()
    _entry(window).trigger()
    dialog = window.findChild(SweepDialog)
    assert dialog is not None
    return dialog


def _entry(window: MainWindow) -> QAction:
    entry = window.findChild(QAction, "measure-more-sweep")
    assert entry is not None
    return entry


def _rows(dialog: SweepDialog) -> list[list[str]]:
    table = dialog.findChild(Table, "sweep-values")
    assert table is not None
    model = table.model()
    return [[model.index(row, place).data() for place in range(4)] for row in range(model.rowCount())]


def _text(dialog: SweepDialog, name: str) -> str:
    label = dialog.findChild(QLabel, name)
    assert label is not None
    return label.text()


def test_each_value_is_measured_and_the_fastest_is_said(sweep: SweepDialog, session: FakeSession) -> None:
    setting = sweep.findChild(QComboBox, "sweep-setting")
    assert setting is not None
    assert setting.findData("stripe_cache_size") < 0  # parity alone has that
    go = sweep.findChild(QPushButton, "sweep-go")
    assert go is not None
    go.click()
    asked = session.record.jobs[-1]
    order = asked.arguments[0]
    assert isinstance(order, Sweep)
    assert (order.setting, order.values) == ("read_ahead_kib", SWEPT["read_ahead_kib"])
    assert (order.workload, order.repeats, order.keep) == (Workload.BUFFERED_READ, 3, False)
    assert asked.update is not None
    assert asked.done is not None
    asked.update(SweepProgress("measure", 0.4, 512, (_point(128, 300.0), _point(512, 600.0))))
    assert _rows(sweep)[1][:2] == ["512", "600"]
    assert "512" in _text(sweep, "sweep-said")
    points = (_point(128, 300.0, 303.0, 297.0), _point(512, 600.0, 602.0, 598.0))
    asked.done(Swept("read_ahead_kib", Workload.BUFFERED_READ, points, before=128))
    assert _rows(sweep)[1] == ["512", "600", "1%", "2.00×"]
    said = _text(sweep, "sweep-said")
    assert "The fastest on average: 512" in said
    assert "set back to 128" in said
    assert session.record.jobs[-1].what == "runs"  # they are kept, and listed
    sweep.close()


def test_the_best_is_kept_by_one_click_and_put_back_by_the_next(sweep: SweepDialog, session: FakeSession) -> None:
    _click(sweep, "sweep-go")
    asked = session.record.jobs[-1]
    assert asked.done is not None
    alone = (RunResult("buffered_read", 8.0, 210.0, 210.0),)
    points = (_point(128, 300.0, 303.0), _point(512, 400.0, 402.0))
    asked.done(Swept("read_ahead_kib", Workload.BUFFERED_READ, points, before=128, alone=alone))
    chart = sweep.findChild(LineChartView, "sweep-chart")
    assert chart is not None
    assert chart.chart is not None
    assert [guide.words for guide in chart.chart.guides] == ["one disk: 210", "twice one disk: 420"]
    assert "That is 1.91× one disk alone. It is set back to 128." in _text(sweep, "sweep-said")
    for words, value, lasting, then in (
        ("Keep 512 KiB", 512, Lasting.ALWAYS, "Kept for each boot: 512."),
        ("Put 128 KiB back", 128, Lasting.FORGET, "It is set back to 128."),
    ):
        assert _click(sweep, "sweep-set") == words
        tune = session.record.jobs[-1]
        assert tune.done is not None
        [order] = tune.arguments
        assert isinstance(order, Tune)
        assert (order.tuning.read_ahead_kib, order.lasting) == (value, lasting)
        tune.done(ArraySettings({"read_ahead_kib": str(value)}, (), ()))
        assert then in _text(sweep, "sweep-said")
    sweep.close()


def test_the_curve_is_saved_as_a_report(sweep: SweepDialog, session: FakeSession, tmp_path: Path) -> None:
    _click(sweep, "sweep-go")
    asked = session.record.jobs[-1]
    assert asked.done is not None
    asked.done(Swept("read_ahead_kib", Workload.BUFFERED_READ, (_point(128, 300.0), _point(512, 400.0)), before=128))
    save = sweep.findChild(SaveButton, "sweep-save")
    assert save is not None
    for kind, begins in (("html", b"<!DOCTYPE"), ("png", b"\x89PNG")):
        save.wanted.emit(tmp_path / f"sweep.{kind}")
        assert (tmp_path / f"sweep.{kind}").read_bytes().startswith(begins)
    sweep.close()


def _click(dialog: SweepDialog, name: str) -> str:
    found = dialog.findChild(QPushButton, name)
    assert found is not None
    words = found.text()
    found.click()
    settle()
    return words


def test_closing_ends_it(sweep: SweepDialog, session: FakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    go = sweep.findChild(QPushButton, "sweep-go")
    assert go is not None
    go.click()
    ended: list[bool] = []
    monkeypatch.setattr(session.record.jobs[-1].task, "cancel", lambda: ended.append(True))
    close = sweep.findChild(QPushButton, "sweep-close")
    assert close is not None
    close.click()
    settle()
    assert ended == [True]


def test_closed_midway_its_runs_are_listed_and_it_says_so_when_opened_again(
    sweep: SweepDialog, window: MainWindow, session: FakeSession
) -> None:
    press(window, "sweep-go")
    asked = session.record.jobs[-1]
    assert asked.update is not None
    asked.update(SweepProgress("measure", 0.4, 512, (_point(128, 300.0), _point(512))))
    sweep.reject()
    settle()
    asked.task.cancelled.emit()  # once the value is set back
    assert session.record.jobs[-1].what == "runs"
    _entry(window).trigger()
    [again] = [one for one in window.findChildren(SweepDialog) if one.isVisible()]
    assert _rows(again)[0][:2] == ["128", "300"]
    assert "1 value was measured, and its runs are kept" in _text(again, "sweep-said")


def test_a_disk_is_not_swept(window: MainWindow, session: FakeSession) -> None:
    session.show(sample.machine())
    window.show_station(Station.MEASURE)
    more = window.findChild(QPushButton, "measure-more")
    assert more is not None
    more.menu().aboutToShow.emit()
    assert not _entry(window).isEnabled()
