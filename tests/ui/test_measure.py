"""The Measure station: its targets, the growing run, and its end."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyqtgraph import PlotWidget
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Snapshot
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.operations.suites import RunSuite, SuiteRuns
from raidwright.runs.run import BegunRun
from raidwright.suites import Suite
from raidwright.text.run.measurements import short
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.beside import Expected, verdict
from raidwright.ui.stations.measure.curve import Curve
from raidwright.ui.stations.measure.model import OFFERED_SUITES
from raidwright.ui.stations.measure.strips import Strips, bands
from raidwright.ui.stations.measure.thinned import MAX_POINTS, without_partial
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from tests.kit import sample

from .fake_session import PRACTICE, FakeSession
from .places import press, settle


@pytest.fixture
def measuring(window: MainWindow, session: FakeSession) -> MainWindow:
    session.show(replace(sample.machine(), arrays=(sample.array(16 * 10**12),)))
    window.show_station(Station.MEASURE)
    session.record.jobs.clear()
    return window


def _text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def _start(window: MainWindow, qtbot: QtBot) -> None:
    start = window.findChild(QPushButton, "measure-start")
    assert start is not None
    qtbot.mouseClick(start, Qt.MouseButton.LeftButton)


def test_a_run_grows_and_is_kept(measuring: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _start(measuring, qtbot)
    (job,) = session.record.jobs
    assert job.arguments == (
        Measure(RunWorkload(f"md:{sample.ARRAY_UUID}", "sequential_read", 15), PRACTICE.title, True),
    )
    assert job.update is not None
    assert job.done is not None
    for one in sample.samples(2):
        job.update(one)
    assert len(measuring.stations.measure.model.samples) == 8
    assert _text(measuring, "measure-mb-s") not in ("", "–")
    assert "2 of 15 s" in _text(measuring, "measure-title")
    press(measuring, "measure-as-table")
    twin = measuring.findChild(Table, "measure-samples")
    assert twin is not None
    assert twin.model().rowCount() == 8
    job.done(sample.runs()[0])
    assert _text(measuring, "measure-mb-s") == "798"
    runs = measuring.findChild(Table, "measure-runs")
    assert runs is not None
    assert runs.model().rowCount() == 2
    assert [runs.model().data(runs.model().index(row, 0), Qt.ItemDataRole.AccessibleTextRole) for row in (0,)] == [
        "tank · healthy"
    ]


def test_the_axis_stays_while_the_last_point_goes_up_and_down(
    measuring: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    """With many samples to a point, the last one is a mean that is still growing."""
    _start(measuring, qtbot)
    (job,) = session.record.jobs
    assert job.update is not None
    curve = measuring.findChild(Curve, "curve")
    assert curve is not None
    tops = set()
    for step in range(5 * MAX_POINTS):
        job.update(Sample(step / 8, 800.0 + 30 * (not step % 8), 0.0, 800.0, 0.0, 1.0))
        if step > 4 * MAX_POINTS:
            QApplication.processEvents()
            tops.add(curve.top)
    assert len(tops) == 1


def test_what_went_on_beside_lies_on_the_same_axis_with_a_twin_in_the_table(
    measuring: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    _start(measuring, qtbot)
    (job,) = session.record.jobs
    assert job.update is not None
    assert job.done is not None
    strips = measuring.findChild(Strips, "strips")
    assert strips is not None
    plain, busy, rebuilt = (Sample(second, 400.0, 0.0, 400.0, 0.0, 1.0) for second in (0.5, 1.0, 2.0))
    job.update(plain)
    assert not strips.shown
    assert not strips.isVisible()
    busy = replace(busy, busy={"sda": 0.5, "sdb": 0.875}, celsius={"sda": 41.0}, sync_action="idle")
    rebuilt = replace(rebuilt, busy={"sda": 1.0, "sdb": 1.0}, sync_action="recover")
    job.update(busy)
    assert "md" not in strips.shown
    job.update(rebuilt)
    assert list(strips.shown) == ["load", "°C", "md"]
    press(measuring, "measure-as-table")
    twin = measuring.findChild(Table, "measure-samples")
    assert twin is not None
    model = twin.model()
    told = [[model.index(row, column).data() for column in (6, 7, 8)] for row in range(3)]
    assert told == [["", "", ""], ["50 to 88", "41", "idle"], ["100", "", "rebuild"]]
    assert model.index(1, 6).data(Qt.ItemDataRole.ToolTipRole) == "sda: 50\nsdb: 88"
    press(measuring, "measure-as-table")
    job.done(replace(sample.runs()[0], samples=(plain, busy, rebuilt)))
    assert strips.isVisible()
    assert "A rebuild was running: expect more once it is done." in _text(measuring, "measure-beside")
    measuring.stations.measure.model.show_run(replace(sample.runs()[1], samples=(plain,)))  # kept before anybody looked
    assert strips.isHidden()


def test_what_md_did_is_told_in_spans() -> None:
    told = [(1.0, "idle"), (2.0, "resync"), (3.0, "resync"), (4.0, "idle"), (5.0, "check")]
    assert bands(told) == [(1.0, 3.0, "resync"), (4.0, 5.0, "check")]
    assert bands([]) == bands([(1.0, ""), (9.0, "frozen")]) == []


def test_cancelling_reaches_the_task(measuring: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _start(measuring, qtbot)
    cancel = measuring.findChild(QPushButton, "measure-cancel")
    assert cancel is not None
    assert cancel.isVisible()
    session.record.jobs[0].task.cancelled.emit()
    assert not measuring.stations.measure.model.job.is_busy
    assert _text(measuring, "measure-failure") == ""  # a person's own stop is no failure
    assert "Stopped; nothing was kept" in _text(measuring, "measure-why-not")


def test_a_refusal_is_a_sentence(measuring: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    _start(measuring, qtbot)
    failed = session.record.jobs[0].failed
    assert failed is not None
    failed(DiskRefused("tank holds an ext4 file system; writing would destroy it.", code="holds-data"))
    assert "tank holds an ext4 file system" in _text(measuring, "measure-failure")
    assert not measuring.stations.measure.model.job.is_busy


def test_a_bare_disk_is_never_written_to(measuring: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    measuring.stations.measure.model.choose_target(sample.disk(0).id)
    measuring.stations.measure.model.choose_workload(Workload.SEQUENTIAL_WRITE)
    start = measuring.findChild(QPushButton, "measure-start")
    assert start is not None
    assert not start.isEnabled()
    measuring.stations.measure.model.start()
    assert not session.record.jobs
    assert "never on a bare disk" in _text(measuring, "measure-why-not")


def test_workloads_are_all_offered_in_words(measuring: MainWindow) -> None:
    combo = measuring.findChild(QComboBox, "measure-workload")
    assert combo is not None
    assert [combo.itemData(place) for place in range(combo.count())] == [*map(str, Workload), *map(str, OFFERED_SUITES)]
    assert not any("_" in combo.itemText(place) for place in range(combo.count()))


def test_a_suite_is_measured_by_a_click_and_stands_as_a_table(
    measuring: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    measuring.stations.measure.model.choose_suite(Suite.CLASSIC)
    measuring.stations.measure.model.choose_repeats(3)
    _start(measuring, qtbot)
    (job,) = session.record.jobs
    (operation,) = job.arguments
    assert operation == RunSuite(f"md:{sample.ARRAY_UUID}", Suite.CLASSIC, 15, PRACTICE.title, 3, is_practice=True)
    assert job.update is not None
    assert job.done is not None
    for place in (0, 4):  # the second run of the second workload: its curve is its own
        job.update(JobProgress(JobStep.MEASURE, place / 24))
        for one in sample.samples(2):
            job.update(one)
        assert len(measuring.stations.measure.model.samples) == 8
    assert "Sequential read" in _text(measuring, "measure-title")
    assert "run 2 of 3" in _text(measuring, "measure-title")
    job.done(SuiteRuns(tuple(reversed(sample.suite())), "It holds something."))
    assert "Only reading was measured. It holds something." in _text(measuring, "measure-why-not")
    assert len(measuring.stations.measure.model.runs) == 24
    table = measuring.findChild(Table, "measure-suite-rows")
    assert table is not None
    assert table.isVisible()
    model = table.model()
    rows = [[str(model.index(row, column).data()) for column in range(6)] for row in range(model.rowCount())]
    assert [row[0] for row in rows] == [short(str(one)) for one in Suite.CLASSIC.workloads]
    assert rows[1][1] == "814 MB/s"  # the mean of three
    assert rows[1][2:4] == ["860 MB/s", "-5%"]
    assert rows[1][4].endswith("×")
    assert rows[1][5] == "2.0%"


def _memory_speed(window: MainWindow) -> bool:
    words = window.findChild(QLabel, "measure-memory-speed")
    assert words is not None
    return words.isVisible()


def test_at_memory_speed_nothing_is_predicted(measuring: MainWindow) -> None:
    run = sample.suite()[0]
    context = {**run.context, "disks": [{"model": "WDC WD80EFZX"}]}
    measuring.stations.measure.model.show_run(replace(run, context=context))
    words = measuring.findChild(QLabel, "measure-beside")
    assert words is not None
    assert "Predicted" not in words.text()
    assert "one disk" not in words.text()
    assert _memory_speed(measuring)


def test_what_was_predicted_and_one_disk_stand_beside_a_figure(measuring: MainWindow) -> None:
    run = next(run for run in sample.suite() if run.workload == "sequential_read")
    measuring.stations.measure.model.show_run(run)
    said = _text(measuring, "measure-beside")
    assert said.startswith("Predicted ")
    assert "one disk " in said
    assert "Not comparable: md synchronised the array meanwhile." in said
    assert "It is" not in said
    assert "first sync was still running" in said
    idle = {**run.context, "array": {**run.context["array"], "sync_action": "idle"}, "surroundings": {}}
    measuring.stations.measure.model.show_run(replace(run, context=idle))
    assert "It is as fast as it should be." in _text(measuring, "measure-beside")
    assert not _memory_speed(measuring)
    measuring.stations.measure.model.show_run(replace(sample.runs()[0], is_practice=None))  # without further data
    assert _text(measuring, "measure-beside") == ""


def test_what_is_predicted_is_there_before_and_while_it_warms_up(
    measuring: MainWindow, session: FakeSession, qtbot: QtBot
) -> None:
    machine, curve = sample.machine(), measuring.findChild(Curve, "curve")
    disk = machine.disks[0]
    assert curve is not None
    [plot] = curve.findChildren(PlotWidget)
    assert not plot.isVisible()  # no plan expresses that array
    timed = tuple(replace(disk, model="Seagate ST8000NM000A") for disk in machine.disks)
    session.show(replace(machine, disks=timed))
    measuring.stations.measure.model.choose_target(disk.id)
    assert re.fullmatch(r"Predicted \d+ \(\d+ to \d+\) MB/s", _text(measuring, "measure-beside").splitlines()[0])
    assert plot.isVisible()
    measuring.stations.measure.model.choose_workload(Workload.RANDOM_READ_4K)
    assert _text(measuring, "measure-beside").splitlines()[0].endswith(" IOPS")
    _start(measuring, qtbot)
    (job,) = session.record.jobs
    assert "warming up" in _text(measuring, "measure-title")
    assert plot.isVisible()
    assert job.update is not None
    for one in sample.samples(2):
        job.update(one)
    assert "2 of 15 s" in _text(measuring, "measure-title")


def test_strips_are_made_with_their_first_observation_and_in_their_order(measuring: MainWindow) -> None:
    strips = measuring.findChild(Strips, "strips")
    assert strips is not None
    assert not strips.findChildren(PlotWidget)  # each takes as long to make as the curve
    idle = Sample(1.0, 400.0, 0.0, 400.0, 0.0, 1.0, sync_action="idle")
    strips.show_samples((idle,), 4.0)
    assert not strips.findChildren(PlotWidget)
    strips.add(replace(idle, seconds=2.0, sync_action="resync"))
    strips.add(replace(idle, seconds=3.0, celsius={"sda": 40.0}))
    strips.add(replace(idle, seconds=4.0, busy={"sda": 0.5}))
    assert strips.shown == ("load", "°C", "md")
    settle()
    md, celsius, load = (one.mapTo(strips, QPoint()).y() for one in strips.findChildren(PlotWidget))
    assert load < celsius < md


def test_a_partial_sample_at_the_end_is_not_drawn(measuring: MainWindow) -> None:
    whole = [Sample(second / 4, 400.0, 0.0, 400.0, 0.0, 1.0) for second in range(1, 9)]
    dive = Sample(2.03, 5.0, 0.0, 5.0, 0.0, 1.0)
    assert list(without_partial([*whole, dive])) == whole
    assert list(without_partial(whole)) == whole
    curve = measuring.findChild(Curve, "curve")
    assert curve is not None
    measuring.stations.measure.model.show_run(replace(sample.runs()[0], samples=(*whole, dive)))
    assert curve.point_count == len(whole)


def test_kept_runs_are_looked_at_again(window: MainWindow, session: FakeSession) -> None:
    window.show_station(Station.MEASURE)
    done = session.record.jobs[-1].done
    assert done is not None
    done(sample.runs())
    runs = window.findChild(Table, "measure-runs")
    assert runs is not None
    runs.row_activated.emit(0)  # what stands over them
    assert _text(window, "measure-mb-s") == "–"
    runs.row_activated.emit(2)
    assert _text(window, "measure-mb-s") == "371"
    model = runs.model()
    assert [model.index(row, 2).data() for row in range(1, 5)] == ["798 MB/s", "371 MB/s", "8.46 IOPS", "3.89 IOPS"]


def test_runs_that_never_ended_are_told_of_and_not_listed(window: MainWindow, session: FakeSession) -> None:
    window.show_station(Station.MEASURE)
    done = session.record.jobs[-1].done
    assert done is not None
    ended = sample.runs()[0]
    begun = BegunRun(**{one.name: getattr(ended, one.name) for one in fields(BegunRun)})
    now = replace(begun, id="runs-now", started=datetime.now(UTC))
    done((now, replace(begun, id="cut-off"), *sample.runs()))
    assert _text(window, "measure-never-ended").startswith("1 earlier run has no end")
    assert window.stations.measure.model.runs == sample.runs()


def test_with_nothing_to_measure_it_says_so(window: MainWindow, session: FakeSession) -> None:
    session.show(Snapshot())
    window.show_station(Station.MEASURE)
    notice = window.findChild(QWidget, "measure-notice")
    assert notice is not None
    assert notice.isVisible()


JOB = """[global]
direct=1
ioengine=libaio
bs=16k
runtime=7
[reads]
rw=randread
iodepth=8
[mixed]
stonewall
rw=randrw
rwmixread=70
iodepth=4
"""


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_a_job_of_ones_own_is_measured(
    measuring: MainWindow, session: FakeSession, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "web.fio"
    path.write_text(JOB, encoding="utf-8")
    _choose_file(measuring, "measure-more-own", "measure-job-dialog", path)
    workload = measuring.findChild(QComboBox, "measure-workload")
    assert workload is not None
    assert workload.currentText() == "Own job: web.fio"
    _start(measuring, qtbot)
    suite = session.record.jobs[-1].arguments[0]
    assert isinstance(suite, RunSuite)
    assert isinstance(suite.suite, tuple)
    assert [(job.name, job.seconds) for job in suite.suite] == [("reads", 7), ("mixed", 7)]
    update = session.record.jobs[-1].update
    assert update is not None
    update(JobProgress(str(JobStep.MEASURE), 0.5))
    assert measuring.stations.measure.model.begun is not None
    assert measuring.stations.measure.model.begun.workload == str(suite.suite[1].workload)
    measuring.stations.measure.model.choose_workload(Workload.SEQUENTIAL_READ)
    assert not measuring.stations.measure.model.jobs
    assert workload.findText("Own job: web.fio") < 0


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_a_file_that_is_no_job_says_why(measuring: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "web.fio"
    path.write_text("[reads]\nrw=randread\nfilename=/dev/sda\n", encoding="utf-8")
    _choose_file(measuring, "measure-more-own", "measure-job-dialog", path)
    assert "filename" in _text(measuring, "measure-failure")
    assert not measuring.stations.measure.model.jobs


@pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
def test_results_of_others_are_kept_and_shown(
    measuring: MainWindow, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = next(iter(sorted((Path(__file__).parents[1] / "unit/foreign/runs").glob("fio*.json"))))
    _choose_file(measuring, "measure-more-import", "measure-import-dialog", path)
    assert measuring.stations.measure.model.shown is not None
    assert measuring.stations.measure.model.shown in measuring.stations.measure.model.runs
    assert "kept" in _text(measuring, "measure-why-not")
    count = len(measuring.stations.measure.model.runs)
    _choose_file(measuring, "measure-more-import", "measure-import-dialog", path)
    assert len(measuring.stations.measure.model.runs) == count  # not twice
    broken = tmp_path / "none.json"
    broken.write_text("nothing", encoding="utf-8")
    session.works_at_once = False
    _choose_file(measuring, "measure-more-import", "measure-import-dialog", broken)
    failed, (work,) = session.record.jobs[-1].failed, session.record.jobs[-1].arguments
    assert failed is not None
    with pytest.raises(InputError) as refused:
        work()  # type: ignore[operator]
    failed(refused.value)
    assert "no benchmark" in _text(measuring, "measure-failure")


def _choose_file(window: MainWindow, entry: str, name: str, path: Path) -> None:
    action = window.findChild(QAction, entry)
    assert action is not None
    action.trigger()
    dialog = window.findChild(QFileDialog, name)
    assert dialog is not None
    if dialog.fileMode() is QFileDialog.FileMode.ExistingFiles:
        dialog.filesSelected.emit([str(path)])
    else:
        dialog.fileSelected.emit(str(path))
    dialog.close()
    settle()


@pytest.mark.parametrize(
    ("mb_s", "is_explained", "said"),
    [
        (1300.0, False, "It is faster than predicted."),
        (700.0, False, "It is as fast as it should be."),
        (300.0, True, "It is slower than it should be."),
        (300.0, False, "It is slower than predicted for typical disks of these kinds."),
    ],
)
def test_a_run_is_judged_against_its_prediction(mb_s: float, is_explained: bool, said: str) -> None:
    expected = Expected(860.0, 602.0, 1228.0, 215.0)
    run = replace(sample.suite()[0], context={}, samples=(), is_practice=False)
    run = replace(run, result=replace(run.result, mb_s=mb_s))
    found = verdict(expected, run, is_explained=is_explained)
    assert found.startswith(said)
    assert is_explained is False or found == said
    known = Plan(
        MdArray(Level.RAID0, tuple(Member(name, 10**9, baseline=Baseline(sequential_read_mb_s=215.0)) for name in "ab"))
    )
    of_these = verdict(expected, replace(run, context={"plan": dump_plan(known)}), is_explained=is_explained)
    assert of_these.startswith("It is slower than it should be.") is (mb_s < 602)
    practised = verdict(expected, replace(run, is_practice=True), is_explained=is_explained)
    assert "should be" not in practised or mb_s > 602
    busy = replace(run, context={"surroundings": {"sync_action_after": "check"}})
    assert verdict(expected, busy, is_explained=is_explained).startswith("Not comparable: md checked the array")
