"""The window at each station, filled with fixed values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton, QWidget
from raidwright.core.md.layouts import Level
from raidwright.core.protocol.results import BuildResult
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.tasks import Task, TaskThread
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.stations.building.model import Built
from raidwright.ui.stations.plan import edits
from raidwright.ui.window import MainWindow

from . import sample

_FAILED_SLOT = 1


class IdleThread(TaskThread):
    """A task thread that does nothing: its tasks never end."""

    def run(self, _make: Any, *, parent: QObject | None = None, **_slots: Any) -> Task:  # type: ignore[override]
        """Return a task that never ends."""
        return Task(parent)

    def stop(self, _first: Any = None) -> None:
        """Do nothing."""


def still_window(snapshot: Snapshot | None = None) -> MainWindow:
    """Return the window on a practice machine made of fixed values, with nothing chosen yet."""
    session = Session(IdleThread())
    window = MainWindow(session)
    session.setParent(window)
    practice = Connection("Practice machine", is_practice=True, state=ConnectionState.CONNECTED)
    session.expect(practice, snapshot or sample.machine())
    return window


def plan_raid10_far(window: MainWindow) -> None:
    """Choose the free disks and plan raid10 far of them, with one disk failed in the simulation."""
    window.disks.choose_all()
    window.plan.choose_level(Level.RAID10)
    window.plan.edit(lambda plan: edits.with_arrangement(plan, "f"))
    window.plan.edit_fields(chunk_kib=256)
    window.plan.toggle_failure(_FAILED_SLOT)


def show_assumptions(window: MainWindow) -> None:
    """Show the loss assumptions on the Plan station."""
    station = window.findChild(QWidget, "plan-station")
    link = station.findChild(QPushButton, "loss-assumptions") if station else None
    assert link is not None
    link.click()


def stand(window: MainWindow) -> None:
    """Simulate that the plan was built, and is resyncing."""
    assessment = window.plan.draft.assessment
    assert assessment is not None
    capacity = assessment.capacity
    command = "\n".join(each.shell() for each in assessment.commands)
    result = BuildResult(
        "/dev/md127",
        sample.ARRAY_UUID,
        capacity.array_sectors,
        capacity.component_size_kib,
        command,
        ("mdadm: array started",),
    )
    window.stations.build.model.phase, window.stations.build.model.built_array = Phase.BUILT, Built(assessment, result)
    window.stations.build.model.phase_changed.emit(Phase.BUILT)
    window.stations.build.model.built.emit(result)
    now = replace(sample.machine(), arrays=(sample.array(capacity.array_bytes),))
    for take in (window.stations.build.model.take_snapshot, window.stations.measure.model.take_snapshot):
        take(now)


def measure(window: MainWindow) -> None:
    """Simulate that a workload ran."""
    window.stations.measure.model.runs = sample.runs()
    window.stations.measure.model.runs_changed.emit()
    window.stations.measure.model.show_run(window.stations.measure.model.runs[0])


def measure_suite(window: MainWindow) -> None:
    """Simulate that a suite was measured."""
    window.stations.measure.model.runs = sample.suite()
    window.stations.measure.model.runs_changed.emit()
    window.stations.measure.model.show_run(next(run for run in sample.suite() if run.workload == "sequential_read"))


def compare(window: MainWindow) -> None:
    """Simulate a comparison of two suites."""
    from raidwright.runs.comparing import matched  # noqa: PLC0415 -- brings numpy; the first picture goes without
    from raidwright.ui.stations.measure.compare.model import CompareModel  # noqa: PLC0415
    from raidwright.ui.stations.measure.compare.rows import rows_of  # noqa: PLC0415

    measure(window)
    window.stations.measure.model.runs = sample.repeats()
    window.stations.measure.model.runs_changed.emit()
    window.show_station(Station.MEASURE)
    link = window.findChild(QPushButton, "measure-compare")
    assert link is not None
    link.click()
    model = window.findChild(CompareModel)
    assert model is not None
    first = [run for run in sample.repeats() if run.id.startswith("before")]
    second = [run for run in sample.repeats() if run.id.startswith("after")]
    for run in (first[0], second[0]):
        model.pick(run)
    whole = matched(first, second), matched(second[:3], [run for run in sample.repeats() if run.id == "busy"])
    model.rows = rows_of([*whole[0], *whole[1]])
    model.changed.emit()
