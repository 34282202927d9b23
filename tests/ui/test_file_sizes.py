"""The dialog of files by size: what it asks for, the curve as it grows, and the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel
from raidwright.core.system.file_acts import FileAct
from raidwright.operations.file_sizes import ACTS, FileSizes, FileSizesFound, FileSizesProgress, SizePoint
from raidwright.runs.run import RunResult
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.file_sizes import FileSizesDialog
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.save_button import SaveButton
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import FakeSession
from .places import press

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def _point(size_mib: int, mb_s: float) -> SizePoint:
    rates = dict(zip(ACTS, (mb_s, 2 * mb_s, 3000.0), strict=True))
    return SizePoint(size_mib, ({act: RunResult(str(act), 1.0, rate, rate) for act, rate in rates.items()},))


def test_files_by_size_are_a_curve_and_a_report(window: MainWindow, session: FakeSession, tmp_path: Path) -> None:
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    entry = window.findChild(QAction, "measure-more-file-sizes")
    assert entry is not None
    entry.trigger()
    dialog = window.findChild(FileSizesDialog)
    assert dialog is not None
    press(window, "file-sizes-go")
    asked = session.record.jobs[-1]
    [order] = asked.arguments
    assert isinstance(order, FileSizes)
    assert order.sizes_mib == (1, 4, 16, 64, 256, 1024)
    assert asked.update is not None
    assert asked.done is not None
    asked.update(FileSizesProgress("measure", 0.5, 4, (_point(1, 20.0), SizePoint(4)), 120.0))
    said = dialog.findChild(QLabel, "file-sizes-said")
    assert said is not None
    assert said.text() == "Measuring at 4, about 2 min left"
    asked.done(FileSizesFound(order.setup, (_point(1, 20.0), _point(4, 60.0))))
    chart = dialog.findChild(LineChartView, "file-sizes-chart")
    assert chart is not None
    assert chart.chart is not None
    assert [len(line.points) for line in chart.chart.lines] == [2] * len(ACTS)
    assert "60.0 MB/s written" in said.text()
    assert FileAct.READ_CACHED in ACTS
    save = dialog.findChild(SaveButton, "file-sizes-save")
    assert save is not None
    save.wanted.emit(tmp_path / "files.html")
    assert (tmp_path / "files.html").read_text().count("<svg") == 1
    dialog.reject()
