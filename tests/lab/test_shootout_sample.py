"""A small shoot-out in a practice machine: its output, and no leftovers, however it ends.

The whole of it, beside what was published and with every other end, is ``make shootout-check``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raidwright.reading.plans import loads_plan
from raidwright.runs.baselines import load_baseline
from raidwright.runs.run import ArrayState
from raidwright.runs.store import Runs

from tests.kit.shootout_bench import Bench

from .shootouts import DEGRADED, OVER, WORDS, bench

__all__ = ["bench"]

pytestmark = pytest.mark.lab


def test_ones_own_job_is_what_decides(bench: Bench, tmp_path: Path) -> None:
    job = tmp_path / "own.fio"
    job.write_text("[global]\ndirect=1\n[db]\nrw=randrw\nrwmixread=80\nbs=16k\niodepth=4\n", encoding="utf-8")
    words = ("all", "--slice-gib", "0.25", "--job", str(job), "--repeats", "1", "--minutes", "0.6", *OVER)
    with bench.shootout(*words, "--levels", "raid0", "--states", "healthy") as running:
        assert running.ended(120) == 0, running.said
        found = json.loads(running.told)
    figures = [figure for one in found["contestants"] for figure in one["figures"]]
    assert {figure["workload"] for figure in figures} == {"own_randrw_80_16k_q4"}
    assert all("--rwmixread=80" in figure["commands"][0] and figure["predicted"]["mb_s"] > 0 for figure in figures)
    assert (found["suite"], found["winner"]) == ("own", 1)


def test_candidates_are_compared_and_nothing_is_left(bench: Bench, tmp_path: Path) -> None:
    plan, report = tmp_path / "plan.json", tmp_path / "report.html"
    words = ("--levels", "raid10:f2", "--no-bitmap", "--states", "healthy,rebuilding", "--minutes", "0.8")
    with bench.shootout(*WORDS, *words, "--plan", str(plan), "--report", str(report)) as running:
        assert running.ended(300) == 0, running.said
        found = json.loads(running.told)
    disk, raid10 = found["contestants"]
    assert [one["state"] for one in raid10["figures"]] == [*["healthy"] * 2, *["rebuilding"] * 2]
    assert disk["is_one_disk"]
    figures = [*disk["figures"], *raid10["figures"]]
    assert all(one["mb_s"] > 0 and one["predicted"]["mb_s"] > 0 for one in figures)
    assert all(one["times_one_disk"] > 0 for one in raid10["figures"])
    assert found["winner"] == 1
    assert loads_plan(plan.read_text(encoding="utf-8")).array.layout == "f2"
    assert "RAID 10, far · 4 disks" in report.read_text(encoding="utf-8")
    assert bench.left() == []
    kept = Runs(bench.store / "home/raidwright/runs.sqlite").all()
    runs = [run for run in kept if run.series and run.series.name == "buffered"]
    assert all(run.is_practice for run in runs)
    assert {run.state for run in runs} == {ArrayState.HEALTHY, ArrayState.REBUILDING}
    assert len({run.series.id for run in runs if run.series}) == 1


def test_streams_of_the_disk_alone_become_its_baseline(bench: Bench) -> None:
    words = ("all", "--slice-gib", "0.25", "--suite", "quick", "--repeats", "1", "--minutes", "2", *OVER)
    with bench.shootout(*words, "--levels", "raid0", "--states", "healthy") as running:
        assert running.ended(300) == 0, running.said
        found = json.loads(running.told)
    figures = {one["workload"]: one["mb_s"] for one in found["contestants"][0]["figures"]}
    [path] = (bench.store / "home/raidwright/baselines").glob("*.json")
    kept = load_baseline(path)
    assert kept.baseline.sequential_read_mb_s == pytest.approx(figures["sequential_read"], rel=0.01)
    assert kept.baseline.sequential_write_mb_s == pytest.approx(figures["sequential_write"], rel=0.01)
    assert kept.baseline.random_read_4k_iops is None  # measured only within the slice


def test_a_helper_that_is_killed_is_said_and_leaves_nothing(bench: Bench) -> None:
    with bench.shootout(*DEGRADED) as running:
        running.wait_for("with a disk lost")
        bench.kill_helper()
        assert running.ended(240) == 1
        assert "raidwright: " in running.said
    assert bench.left() == []
