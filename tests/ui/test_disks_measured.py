"""Measuring disks from the Disks station: requests to the machine, progress and results."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot
from raidwright.analysis.performance.at_once import SharedLimits
from raidwright.core.errors import DiskRefused
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Baseline
from raidwright.core.protocol.measured import BaselineResult, Figures
from raidwright.core.system.baseline import measurements
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.baselines import TakeBaselines
from raidwright.runs.baselines import KeptBaseline
from raidwright.ui.frame.leaving import LeavingWay, at_stake
from raidwright.ui.widgets.table import Table
from raidwright.ui.window import MainWindow

from .fake_session import Asked, FakeSession


def _press(window: MainWindow, qtbot: QtBot) -> QPushButton:
    found = window.findChild(QPushButton, "disks-measure")
    assert found is not None
    qtbot.mouseClick(found, Qt.MouseButton.LeftButton)
    return found


def _words(window: MainWindow) -> str:
    found = window.findChild(QLabel, "disks-measure-words")
    assert found is not None
    return found.text()


def _asked(window: MainWindow, session: FakeSession, qtbot: QtBot) -> tuple[Asked, tuple[Disk, ...]]:
    window.disks.choose_all()
    _press(window, qtbot)
    asked = session.record.jobs[-1]
    operation = asked.arguments[0]
    assert isinstance(operation, TakeBaselines)
    assert operation.disks == window.disks.chosen
    assert not operation.write
    return asked, operation.disks


def _kept(disk: Disk, mb_s: float) -> KeptBaseline:
    figures = {str(one): Figures(mb_s=mb_s, iops=100.0, latency_ms=10.0, latency_p99_ms=20.0)
               for one in measurements(write=False)}  # fmt: skip
    result = BaselineResult(figures, disk.size_bytes, 2, 0, "fio-3.33")
    return KeptBaseline(
        disk.serial, disk.model, disk.size_bytes, datetime(2026, 1, 1, tzinfo=UTC), "here", Baseline("hdd"), result
    )


def test_nothing_is_measured_before_disks_are_chosen(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    before = len(session.record.jobs)
    assert not _press(window, qtbot).isEnabled()
    assert len(session.record.jobs) == before


def test_the_chosen_disks_are_read_and_the_words_follow(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    asked, disks = _asked(window, session, qtbot)
    assert asked.update is not None
    assert asked.done is not None
    asked.update(JobProgress("measure", 0.25))
    assert "25%" in _words(window)
    assert any("measurement runs" in said for said in at_stake(LeavingWay.CLOSE, window.stations.work()))
    asked.done([_kept(disk, 200.0) for disk in disks])
    assert _words(window).startswith(f"{len(disks)} disks measured")
    assert not any("measurement runs" in said for said in at_stake(LeavingWay.CLOSE, window.stations.work()))


def test_the_odd_one_out_is_named(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    asked, disks = _asked(window, session, qtbot)
    assert asked.done is not None
    asked.done([_kept(disk, 90.0 if number == 1 else 200.0) for number, disk in enumerate(disks)])
    assert _words(window).startswith(f"{disks[1].model} {disks[1].serial} is not like the others: ")


def test_what_holds_all_back_at_once_is_said(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    asked, disks = _asked(window, session, qtbot)
    assert asked.done is not None
    limits = SharedLimits(computer_mb_s=150.0 * len(disks))
    taken = [_kept(disk, 200.0) for disk in disks]
    asked.done([replace(one, known=limits.told(one.known)) for one in taken])
    said = f"All at once, the disks read {150 * len(disks)} MB/s, one by one {200 * len(disks)}: the computer passes"
    assert said in _words(window)


def test_a_refusal_is_said_until_others_are_chosen(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    asked, disks = _asked(window, session, qtbot)
    assert asked.failed is not None
    asked.failed(DiskRefused("The disk sleeps."))
    assert _words(window) == "The disk sleeps."
    window.disks.toggle(disks[0].id)
    assert "only reads" in _words(window)


def test_pressing_again_stops_it(window: MainWindow, session: FakeSession, qtbot: QtBot) -> None:
    asked, _ = _asked(window, session, qtbot)
    stopped: list[bool] = []
    asked.task.cancel = lambda: stopped.append(True)  # type: ignore[method-assign]
    _press(window, qtbot)
    assert stopped == [True]
    asked.task.cancelled.emit()
    assert _words(window) == "Stopped. The disks that were done are kept."


def test_what_was_measured_stands_in_the_table(window: MainWindow, session: FakeSession) -> None:
    first, *others = session.snapshot.disks
    measured = replace(first, baseline=Baseline("hdd", sequential_read_mb_s=249.0, random_read_4k_iops=81.0))
    session.show(replace(session.snapshot, disks=(measured, *others)))
    table = window.findChild(Table, "disks-table")
    assert table is not None
    model = table.model()
    texts = {
        model.index(row, column).data() for row in range(model.rowCount()) for column in range(model.columnCount())
    }
    assert "249 MB/s" in texts
