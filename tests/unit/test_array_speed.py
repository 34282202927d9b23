"""The last run of an array against its prediction, in words, and which run that is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Baseline, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.operations import kept_runs
from raidwright.operations.kept_runs import KeptRuns
from raidwright.runs.run import ArrayState, Run, RunResult
from raidwright.runs.store import Runs
from raidwright.text.array.measured_speed import measured_words

UUID = "0a1b2c3d:00000001:00000002:00000003"
OTHER = "0a1b2c3d:00000001:00000002:00000004"
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)
RUN = Run(
    id="a",
    started=BEGAN,
    machine="nas",
    target=f"md:{UUID}",
    workload="sequential_read",
    state=ArrayState.HEALTHY,
    result=RunResult("sequential_read", 10.0, 812.0, 812.0),
)
BAND = Prediction(780.0, 700.0, 860.0, 2**20, say("the disks"))


@pytest.mark.parametrize(
    ("mb_s", "said"),
    [
        (812.0, "As it should be: 700 to 860."),
        (350.0, "Typical disks of these kinds would do 700 to 860."),
        (990.0, "it is faster"),
    ],
)
def test_it_is_held_against_the_prediction(mb_s: float, said: str) -> None:
    words = measured_words(replace(RUN, result=replace(RUN.result, mb_s=mb_s)), BAND)
    assert words.startswith("Measured 2026-03-01")
    assert said in words


def test_only_disks_that_were_measured_are_told_what_they_should_do() -> None:
    plan = Plan(
        MdArray(Level.RAID0, tuple(Member(name, 10**9, baseline=Baseline(sequential_read_mb_s=215.0)) for name in "ab"))
    )
    run = replace(RUN, context={"plan": dump_plan(plan)}, result=replace(RUN.result, mb_s=350.0))
    assert "It should be 700 to 860, so something holds it back." in measured_words(run, BAND)


def test_small_accesses_are_counted_on_both_sides() -> None:
    run = replace(RUN, workload="random_read_4k", result=RunResult("random_read_4k", 10.0, 0.8, 195.0))
    assert "As it should be: 171 to 220." in measured_words(run, Prediction(0.8, 0.7, 0.9, 4096, say("seeks")))


def test_without_a_prediction_it_is_told_alone() -> None:
    assert "should" not in measured_words(RUN, None)
    counted = replace(RUN, workload="create_files", result=RunResult("create_files", 10.0, 0.0, 5000.0))
    assert "should" not in measured_words(counted, BAND)


def test_the_newest_run_of_each_array_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Runs(tmp_path / "runs.sqlite")
    later = replace(RUN, id="b", started=BEGAN + timedelta(days=1))
    disk = replace(RUN, id="c", target="wwn-0x5001", started=BEGAN + timedelta(days=2))
    store.add([RUN, later, disk, replace(RUN, id="d", target=f"md:{OTHER}")])
    monkeypatch.setattr(kept_runs, "Runs", lambda: store)
    found = KeptRuns().last_of([UUID])
    assert {uuid: last.run.id for uuid, last in found.items()} == {UUID: "b"}
    assert found[UUID].predicted is None  # it names no plan


@pytest.mark.parametrize(
    ("context", "why"),
    [
        ({"array": {"sync_action": "resync"}}, "md synchronised the array meanwhile"),
        ({"surroundings": {"sync_action": "idle", "sync_action_after": "check"}}, "md checked the array meanwhile"),
        ({"array": {"sync_action": "recover"}}, "md rebuilt a member meanwhile"),
    ],
)
@pytest.mark.parametrize("mb_s", [350.0, 812.0])
def test_there_is_no_verdict_while_md_worked_on_the_array(context: dict[str, object], why: str, mb_s: float) -> None:
    run = replace(RUN, context=context, result=replace(RUN.result, mb_s=mb_s))
    words = measured_words(run, BAND)
    assert f"Not comparable: {why}. Measure again when that is done." in words
    assert "should be" not in words


def test_a_rebuild_that_was_to_be_measured_is_held_against_its_prediction() -> None:
    run = replace(RUN, state=ArrayState.REBUILDING, context={"array": {"sync_action": "recover"}})
    assert "As it should be" in measured_words(run, BAND)


def test_a_practice_machine_is_not_accused() -> None:
    run = replace(RUN, is_practice=True, result=replace(RUN.result, mb_s=350.0))
    words = measured_words(run, BAND)
    assert "holds it back" not in words
    assert "A practice machine is slower while this computer has other work." in words
