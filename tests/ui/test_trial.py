"""A built array against its trial in a shoot-out: at Measure, at Build, and in the comparison that opens filled in."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox, QWidget
from raidwright.core.model.plan import Plan
from raidwright.machine.values import Snapshot
from raidwright.operations.suites import RunSuite
from raidwright.runs.run import Run
from raidwright.ui.station import Station
from raidwright.ui.stations.measure.compare.model import CompareModel
from raidwright.ui.stations.measure.trial_panel import TrialPanel
from raidwright.ui.window import MainWindow

from tests.kit import sample, sample_shootout
from tests.kit.pictures import plan_raid10_far, stand

from .fake_session import FakeSession
from .places import press, settle

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


@pytest.fixture
def plan(window: MainWindow) -> Plan:
    plan_raid10_far(window)
    plan = window.plan.draft.plan
    assert plan is not None
    return plan


def _here(window: MainWindow, session: FakeSession, plan: Plan, *runs: Run) -> None:
    """Show the array built of ``plan``, and these runs in the store."""
    session.show(Snapshot(sample.machine().disks, (sample_shootout.array_of(plan),)))
    window.show_station(Station.MEASURE)
    window.stations.measure.model.prefer_array(sample.ARRAY_UUID)
    done = next(asked.done for asked in reversed(session.record.jobs) if asked.what == "runs")
    assert done is not None
    done(runs)
    settle()


def _panel(window: MainWindow) -> TrialPanel:
    panel = window.findChild(TrialPanel)
    assert panel is not None
    return panel


def _is_visible(window: MainWindow, name: str) -> bool:
    part = window.findChild(QPushButton, name)
    assert part is not None
    return part.isVisible()


def _words(window: MainWindow) -> str:
    label = _panel(window).findChild(QLabel, "trial-words")
    assert label is not None
    return label.text()


def test_without_a_trial_nothing_is_said(window: MainWindow, session: FakeSession, plan: Plan) -> None:
    other = sample_shootout.trial_runs(plan.on(replace(plan.array, layout="n2")))
    _here(window, session, plan, *other, *sample_shootout.own_runs(plan, None))
    assert not _panel(window).isVisible()


def test_a_built_array_is_measured_as_in_its_trial(window: MainWindow, session: FakeSession, plan: Plan) -> None:
    _here(window, session, plan, *sample_shootout.trial_runs(plan))
    assert "Measure the array to compare them" in _words(window)
    assert not _is_visible(window, "trial-compare")
    press(window, "trial-measure")
    operation = session.record.jobs[-1].arguments[0]
    assert isinstance(operation, RunSuite)
    assert (operation.suite, operation.seconds, operation.repeats) == ("quick", 12, 3)
    assert operation.region_mib == sample_shootout.region_of(plan)
    for name, value in (("measure-seconds", 12), ("measure-repeats", 3)):
        box = window.findChild(QSpinBox, name)
        assert box is not None
        assert box.value() == value
    begun = window.stations.measure.model.begun
    assert begun is not None
    assert begun.region_mib == operation.region_mib


def test_the_comparison_opens_filled_in(window: MainWindow, session: FakeSession, plan: Plan) -> None:
    trial, region_mib = sample_shootout.trial_runs(plan), sample_shootout.region_of(plan)
    own = sample_shootout.own_runs(plan, region_mib)
    _here(window, session, plan, *own, *trial)
    assert not _is_visible(window, "trial-measure")
    press(window, "trial-compare")
    page = window.findChild(QWidget, "compare-page")
    assert page is not None
    assert page.isVisible()
    model = window.findChild(CompareModel)
    assert model is not None
    first, second = ({run for run, side in model.side_of.items() if side == end} for end in "AB")
    assert first == {run.id for run in trial if run.state == "healthy"}
    assert second == {run.id for run in own}
    asked = session.record.jobs[-1]
    assert asked.what == "compare"
    assert tuple(map(set, asked.arguments)) == (first, second)  # type: ignore[arg-type]


def test_runs_of_another_part_of_the_disks_are_offered_again(
    window: MainWindow, session: FakeSession, plan: Plan
) -> None:
    _here(window, session, plan, *sample_shootout.own_runs(plan, None), *sample_shootout.trial_runs(plan))
    assert "on the first part of the disks" in _words(window)
    assert _is_visible(window, "trial-compare")
    assert _is_visible(window, "trial-measure")


def test_build_leads_to_the_comparison(window: MainWindow, session: FakeSession, plan: Plan) -> None:
    stand(window)
    own = sample_shootout.own_runs(plan, sample_shootout.region_of(plan))
    window.show_station(Station.BUILD)
    window.stations.measure.model.runs = sample_shootout.trial_runs(plan)
    window.stations.measure.model.runs_changed.emit()
    assert not _is_visible(window, "built-trial")
    tried = window.findChild(QLabel, "built-tried")
    assert tried is not None
    assert "Measure the array, and compare the two." in tried.text()
    session.show(Snapshot(sample.machine().disks, (sample_shootout.array_of(plan),)))
    window.stations.measure.model.runs = (*own, *sample_shootout.trial_runs(plan))
    window.stations.measure.model.runs_changed.emit()
    assert _is_visible(window, "built-trial")
    press(window, "built-trial")
    settle()
    model = window.findChild(CompareModel)
    assert model is not None
    assert set(model.side_of.values()) == {"A", "B"}
