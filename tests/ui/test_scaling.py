"""The dialog of a scaling: predictions before and beside the measured points, the chart, and its end by closing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyqtgraph import PlotDataItem
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel
from raidwright.core.system.workload import Workload
from raidwright.machine.values import Snapshot
from raidwright.operations.scaling import SCALED, LoadPoint, Scaled, Scaling, ScalingProgress, scaled_workloads
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.load_chart import LoadChart
from raidwright.ui.stations.measure.scaling import ScalingDialog
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout

from .fake_session import FakeSession
from .places import press, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

_GAIN = (1.0, 1.7, 2.6, 3.4, 4.1, 4.2, 4.2)  # of the first prediction, at each depth


def show_array(window: MainWindow, session: FakeSession) -> None:
    """Show an array of timed disks at Measure."""
    timed = tuple(replace(disk, model="Seagate ST8000NM000A") for disk in sample.machine().disks)
    session.show(Snapshot(timed, (sample_shootout.array_of(sample.plan()),)))
    window.show_station(Station.MEASURE)
    window.stations.measure.model.prefer_array(sample.ARRAY_UUID)
    settle()


def scaled(window: MainWindow) -> Scaled:
    """Return a scaling of random reads whose last steps gain nothing."""
    names = scaled_workloads(Workload.RANDOM_READ_4K, "depth", SCALED["depth"])
    steps = zip(SCALED["depth"], map(str, names), _GAIN, strict=True)
    return Scaled("depth", tuple(_point(window, value, name, 160.0 * gain) for value, name, gain in steps))


def _point(window: MainWindow, value: int, workload: str, iops: float) -> LoadPoint:
    first, begun = sample.runs()[0], window.stations.measure.model.meant(workload)
    result = replace(first.result, workload=workload, mb_s=iops * 4096e-6, iops=iops, latency_ms=1e3 * value / iops)
    run = replace(
        first,
        id=f"scaled-{value}",
        workload=workload,
        target=begun.target,
        context=begun.context,
        region_mib=begun.region_mib,
        result=result,
    )
    return LoadPoint(value, workload, (run,))


@pytest.fixture
def dialog(window: MainWindow, session: FakeSession) -> ScalingDialog:
    show_array(window, session)
    session.record.jobs.clear()
    return _open(window)


def _open(window: MainWindow) -> ScalingDialog:
    entry = window.findChild(QAction, "measure-more-scaling")
    assert entry is not None
    entry.trigger()
    found = [one for one in window.findChildren(ScalingDialog) if one.isVisible()]
    return found[-1]


def _rows(dialog: ScalingDialog) -> list[list[str]]:
    table = dialog.findChild(Table, "scaling-values")
    assert table is not None
    model = table.model()
    return [[model.index(row, place).data() for place in range(5)] for row in range(model.rowCount())]


def _text(dialog: ScalingDialog) -> str:
    said = dialog.findChild(QLabel, "scaling-said")
    assert said is not None
    return said.text()


def _drawn(dialog: ScalingDialog) -> list[int]:
    chart = dialog.findChild(LoadChart)
    assert chart is not None
    curves = [item for item in chart._plot.listDataItems() if isinstance(item, PlotDataItem)]
    return [0 if (xs := curve.getData()[0]) is None else len(xs) for curve in curves]


def test_predictions_are_there_first_and_the_figures_beside_them(
    dialog: ScalingDialog, window: MainWindow, session: FakeSession
) -> None:
    rows = _rows(dialog)
    assert [row[0] for row in rows] == [str(depth) for depth in SCALED["depth"]]
    assert all(row[1] == "–" and row[2].endswith(" IOPS") for row in rows)
    assert _drawn(dialog) == [7, 7, 7, 7, 0]  # range, one disk, prediction; nothing measured
    press(window, "scaling-go")
    asked = session.record.jobs[-1]
    order = asked.arguments[0]
    assert isinstance(order, Scaling)
    assert (order.workload, order.scaled, order.values) == (Workload.RANDOM_READ_4K, "depth", SCALED["depth"])
    result = scaled(window)
    assert asked.update is not None
    assert asked.done is not None
    asked.update(ScalingProgress("measure", 0.3, 4, (*result.points[:2], *map(_unmeasured, result.points[2:]))))
    assert _drawn(dialog)[-1] == 2
    assert "4" in _text(dialog)
    asked.done(result)
    assert _rows(dialog)[0][1] == "160 IOPS"
    assert _rows(dialog)[0][3].rstrip(" !").endswith("%")
    assert _drawn(dialog)[-1] == 7
    assert "From 16 requests in flight on" in _text(dialog)
    assert session.record.jobs[-1].what == "runs"  # they are kept, and listed


def _unmeasured(point: LoadPoint) -> LoadPoint:
    return replace(point, runs=())


def test_other_choices_have_their_own_predictions(dialog: ScalingDialog) -> None:
    what, workload = (dialog.findChild(QComboBox, f"scaling-{name}") for name in ("what", "workload"))
    assert what is not None
    assert workload is not None
    small = [row[2] for row in _rows(dialog)]
    what.setCurrentIndex(what.findData("jobs"))
    assert [row[0] for row in _rows(dialog)] == [str(jobs) for jobs in SCALED["jobs"]]
    what.setCurrentIndex(what.findData("depth"))
    assert [row[2] for row in _rows(dialog)] == small
    workload.setCurrentIndex(workload.findData(str(Workload.SEQUENTIAL_READ)))
    assert all(row[2].endswith(" MB/s") for row in _rows(dialog))


def test_opened_again_it_shows_how_it_was_ended(
    dialog: ScalingDialog, window: MainWindow, session: FakeSession
) -> None:
    press(window, "scaling-go")
    asked, points = session.record.jobs[-1], scaled(window).points
    assert asked.update is not None
    asked.update(ScalingProgress("measure", 0.3, 4, (*points[:2], *map(_unmeasured, points[2:]))))
    dialog.reject()
    settle()
    again = _open(window)
    assert "Ending" in _text(again)
    asked.task.cancelled.emit()
    assert "2 values were measured, and their runs are kept" in _text(again)
    assert _rows(again)[1][1].endswith(" IOPS")
    assert session.record.jobs[-1].what == "runs"


def test_a_disk_is_only_read(window: MainWindow, session: FakeSession) -> None:
    session.show(sample.machine())
    window.show_station(Station.MEASURE)
    workload = _open(window).findChild(QComboBox, "scaling-workload")
    assert workload is not None
    assert not any(Workload(workload.itemData(place)).writes for place in range(workload.count()))
