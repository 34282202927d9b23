"""``raidwright runs`` and ``raidwright compare``, from stored runs to tables, files and exit codes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from raidwright.analysis.performance.prediction import PredictedState, predict
from raidwright.cli import main
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.measured import Sample
from raidwright.core.system.workload import Pattern, Workload
from raidwright.runs.predicted import predicted
from raidwright.runs.run import ArrayState, BegunRun, Run, RunResult, Series
from raidwright.runs.run_json import run_as_json
from raidwright.runs.store import Runs

_WHEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_SUITE = Series("20260301T120000Z-suite-abcdef", "suite", "classic", {})
_AROUND = {"kernel": "6.1.0", "fio": "3.33", "mdadm": "4.2", "sda/scheduler": "none"}


@pytest.fixture(autouse=True)
def _own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _run(name: str, mb_s: float, workload: str = "sequential_read", **more: Any) -> Run:
    known: dict[str, Any] = {
        "id": f"20260301T120000Z-{workload}-{name}",
        "started": _WHEN,
        "machine": "This computer",
        "target": "md:1",
        "workload": workload,
        "is_practice": False,
        "state": ArrayState.HEALTHY,
        "context": {"array": {"name": "tank", "level": "raid1"}, "disks": [], "surroundings": _AROUND},
        "result": RunResult(workload, 15.0, mb_s, mb_s * 0.95, 9.5, 20.0, f"fio --rw=read --name={workload}"),
        "ended": _WHEN + timedelta(seconds=15),
    }
    return Run(**(known | more))


def _keep(*runs: Run) -> None:
    Runs().add(runs)


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def _repeats(prefix: str, rates: list[float], **more: Any) -> list[Run]:
    return [_run(f"{prefix}{number}", rate, repeat=number, **more) for number, rate in enumerate(rates, 1)]


def test_an_empty_store_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs"]) == 0
    assert "Nothing has been measured yet" in capsys.readouterr().out
    assert _told(capsys, "runs") == []


def test_runs_are_listed_shown_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    _keep(_run("aaa111", 200.0), replace(_run("bbb222", 300.0, series=_SUITE), started=_WHEN + timedelta(hours=1)))
    ended = _run("ccc333", 1.0)
    Runs().begin(BegunRun(**{one.name: getattr(ended, one.name) for one in fields(BegunRun)}))
    told = _told(capsys, "runs")
    assert [(one["id"][-6:], "result" in one) for one in told] == [
        ("ccc333", False),
        ("bbb222", True),
        ("aaa111", True),
    ]
    assert main(["runs", "list"]) == 0
    table = capsys.readouterr().out
    assert all(words in table for words in ("aaa111", "tank", "healthy", "300", "ccc333 has not ended"))
    assert [one["id"][-6:] for one in _told(capsys, "runs", "list", "--series", _SUITE.id)] == ["bbb222"]
    [shown] = _told(capsys, "runs", "show", "aaa111")
    assert (shown["result"]["mb_s"], shown["context"]["surroundings"]["kernel"]) == (200.0, "6.1.0")
    assert main(["runs", "note", "aaa111", "with the new cable"]) == 0
    assert main(["runs", "show", "aaa111"]) == 0
    said = capsys.readouterr().out
    assert "kernel: 6.1.0" in said
    assert "with the new cable" in said
    assert _told(capsys, "runs", "remove", "aaa111") == [told[-1]["id"]]
    assert main(["runs", "show", "aaa111"]) == 2
    assert "There is no run “aaa111”" in capsys.readouterr().err


def test_a_name_that_may_be_several_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    _keep(*_repeats("a", [200.0, 201.0]))
    assert main(["runs", "remove", "20260301"]) == 2
    assert "may be 2 runs" in capsys.readouterr().err
    assert len(Runs().all()) == 2


def test_csv_has_a_row_each_and_json_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _keep(_run("aaa111", 200.0), _run("bbb222", 300.0, series=_SUITE))
    assert main(["runs", "export", "aaa111", "bbb222"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["mb_s"], row["series_name"], row["kernel"]) for row in rows] == [
        ("200.0", "", "6.1.0"),
        ("300.0", "classic", "6.1.0"),
    ]
    assert main(["runs", "export", "aaa111", "--as", "json", "-o", str(tmp_path / "x.json")]) == 0
    [told] = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert told["result"]["latency_p99_ms"] == 20.0
    assert main(["runs", "export", "aaa111", "-o", str(tmp_path / "none" / "x.csv")]) == 2
    assert "can't be written" in capsys.readouterr().err


def test_what_is_exported_as_fio_comes_back(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = _run("aaa111", 200.0)
    _keep(
        replace(
            before,
            result=replace(before.result, command="fio --rw=read --bs=1024k --ioengine=libaio --direct=1 --iodepth=8"),
        )
    )
    path = tmp_path / "fio.json"
    assert main(["runs", "export", "aaa111", "--as", "fio", "-o", str(path)]) == 0
    [found] = _told(capsys, "runs", "import", str(path))
    assert (found["workload"], found["source"]) == ("sequential_read", "fio")
    for figure in ("mb_s", "iops", "latency_ms", "latency_p99_ms", "seconds"):
        assert found["result"][figure] == pytest.approx(getattr(before.result, figure), rel=1e-3)


_BESIDE = Sample(1.0, 205.0, 0.0, 195.0, 0.0, 1.2, {"sda": 0.9, "sdb": 1.0}, {"sda": 41.0}, "recover")


def test_what_went_on_beside_is_exported_with_each_sample_and_in_short(capsys: pytest.CaptureFixture[str]) -> None:
    plain = Sample(0.5, 200.0, 0.0, 190.0, 0.0, 1.0)
    _keep(_run("aaa111", 200.0, samples=(plain, _BESIDE)), _run("bbb222", 300.0, samples=(plain,)))
    assert main(["runs", "export", "aaa111", "bbb222", "--as", "samples"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["id"][-6:] for row in rows] == ["aaa111", "aaa111", "bbb222"]
    assert [(row["busy_sdb"], row["celsius_sda"], row["sync_action"]) for row in rows] == [
        ("", "", ""), ("1.0", "41.0", "recover"), ("", "", "")
    ]  # fmt: skip
    assert main(["runs", "export", "aaa111", "bbb222", "--as", "csv"]) == 0
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (first["temperature_most_celsius"], first["busiest"]) == ("41.0", "1.0")
    assert "A rebuild was running" in first["remarks"]
    assert (second["temperature_most_celsius"], second["busiest"], second["remarks"]) == ("", "", "")


def test_an_older_programs_samples_tell_less(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = run_as_json(run := _run("aaa111", 200.0, samples=(Sample(0.5, 200.0, 0.0, 190.0, 0.0, 1.0),)))
    for sample in told["samples"]:
        for name in ("busy", "celsius", "sync_action"):
            del sample[name]
    path = tmp_path / "old.json"
    path.write_text(json.dumps([told]), encoding="utf-8")
    assert main(["runs", "import", str(path)]) == 0
    assert Runs().get(run.id) == run
    assert capsys.readouterr().out


def test_what_is_exported_as_json_comes_back_whole_elsewhere(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = (Sample(0.25, 200.0, 0.0, 190.0, 0.0, 1.0), _BESIDE)
    before = [_run("aaa111", 200.0, series=_SUITE, samples=samples, note="a"), _run("bbb222", 300.0, state=None)]
    _keep(*before)
    path = tmp_path / "runs.json"
    assert main(["runs", "export", "aaa111", "bbb222", "--as", "json", "-o", str(path)]) == 0
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert main(["runs", "import", str(path)]) == 0
    assert "2 new runs are kept" in capsys.readouterr().err
    assert [Runs().get(run.id) for run in before] == before
    assert main(["runs", "import", str(path)]) == 0
    assert "0 new runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("key", "value"),
    [("state", "dreaming"), ("started", "yesterday"), ("result", {}), ("context", []), ("samples", [{}]), ("id", None)],
)
def test_an_export_that_somebody_changed_is_refused_whole(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, key: str, value: object
) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps([run_as_json(_run("aaa111", 200.0)), run_as_json(_run("bbb222", 1.0)) | {key: value}]))
    assert main(["runs", "import", str(path)]) == 2
    assert "runs.json: its run 2 is not as Raidwright writes one" in capsys.readouterr().err
    assert Runs().all() == ()


def test_a_file_that_can_not_be_imported_changes_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.txt"
    good.write_text(json.dumps({"fio version": "fio-3.33", "jobs": []}), encoding="utf-8")
    bad.write_text("no benchmark", encoding="utf-8")
    _keep(_run("aaa111", 200.0))
    assert main(["runs", "import", str(bad)]) == 2
    assert main(["runs", "import", str(good)]) == 2
    assert [run.id[-6:] for run in Runs().all()] == ["aaa111"]


# -- compare --


def test_equal_repeats_are_called_equal(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = _repeats("a", [200, 202, 199]), _repeats("b", [201, 199.5, 201.5])
    _keep(*first, *second)
    ids = [run.id for run in first], [run.id for run in second]
    [told] = _told(capsys, "compare", *ids[0], "--with", *ids[1])
    assert (told["verdict"], told["compares"], told["kind"]) == ("equal", True, "repeats")
    assert told["ratio"] == pytest.approx(1.0, abs=0.01)
    assert (told["first"]["runs"], told["second"]["runs"]) == ids
    assert main(["compare", *ids[0], "--with", *ids[1]]) == 0
    assert "No difference beyond noise" in capsys.readouterr().out


def test_another_kernel_is_what_is_compared_and_a_resync_beside_it_warns(capsys: pytest.CaptureFixture[str]) -> None:
    newer = {"array": {"name": "tank", "level": "raid1"}, "disks": [], "surroundings": _AROUND | {"kernel": "6.12.0"}}
    busy = newer | {"surroundings": newer["surroundings"] | {"sync_action": "resync"}}  # type: ignore[operator]
    _keep(
        *_repeats("a", [200, 202, 199]), *_repeats("b", [230, 231, 229], context=newer), _run("c1", 150, context=busy)
    )
    ids = {letter: [run.id for run in Runs().all() if run.id.rpartition("-")[2][0] == letter] for letter in "abc"}
    assert main(["compare", *ids["a"], "--with", *ids["b"]]) == 0
    said = capsys.readouterr().out
    assert "15% faster" in said
    assert "Two systems: the kernel (6.1.0 against 6.12.0)" in said
    assert "don't compare" not in said
    assert main(["compare", *ids["a"], "--with", *ids["c"]]) == 0
    assert "These don't compare: a synchronisation under way (none against resync)" in capsys.readouterr().out


def test_series_are_compared_workload_by_workload(capsys: pytest.CaptureFixture[str]) -> None:
    other = replace(_SUITE, id="20260302T120000Z-suite-fedcba")
    for series, factor in ((_SUITE, 1.0), (other, 1.5)):
        for workload, rate in (("sequential_read", 200), ("random_read_4k", 1.0)):
            _keep(
                *_repeats(
                    series.id[-1],
                    [rate * factor * share for share in (1, 1.01, 0.99)],
                    workload=workload,
                    series=series,
                )
            )
    told = _told(capsys, "compare", _SUITE.id, "--with", other.id)
    assert [(one["workload"], one["verdict"]) for one in told] == [
        ("sequential_read", "faster"),
        ("random_read_4k", "faster"),
    ]
    assert all(one["ratio"] == pytest.approx(1.5) for one in told)


@pytest.mark.parametrize("series", [True, False])
def test_another_workload_is_warned_of_or_refused(capsys: pytest.CaptureFixture[str], series: bool) -> None:
    _keep(_run("a1", 200.0), _run("b1", 100.0, "sequential_write"), _run("b2", 1.0, "random_read_4k"))
    against = ["b1", "b2"] if series else ["b1"]
    status = main(["compare", "a1", "--with", *against])
    told = capsys.readouterr()
    if series:
        assert (status, "no workload in common" in told.err) == (2, True)
    else:
        said = "These don't compare: the workload (Sequential read, direct, 1 MiB, depth 8 against Sequential write"
        assert (status, said in told.out) == (0, True)


_FAST = Baseline(kind="hdd", rpm=7200, sequential_read_mb_s=200, sequential_write_mb_s=195)


def _plan(level: Level = Level.RAID0, count: int = 2, **more: Any) -> Plan:
    members = tuple(Member(f"wwn-{number}", 8 * 10**12, baseline=_FAST) for number in range(count))
    return Plan(MdArray(level, members, name="tank", chunk_kib=512, **more))


def test_measured_stands_against_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    plan = dump_plan(_plan())
    context = {"array": {"name": "tank", "level": "raid0"}, "disks": [], "plan": plan, "surroundings": _AROUND}
    _keep(_run("a1", 395.0, context=context), _run("b1", 120.0, context=context), _run("c1", 100.0))
    [told] = _told(capsys, "compare", "a1", "--with", "predicted")
    assert told["predicted"]["low_mb_s"] < 395 < told["predicted"]["high_mb_s"]
    assert (told["is_inside"], told["ratio"]) == (True, pytest.approx(1.0, abs=0.1))
    [told] = _told(capsys, "compare", "b1", "--with", "predicted")
    assert told["is_inside"] is False
    assert main(["compare", "c1", "--with", "predicted"]) == 0
    assert "Nothing is predicted" in capsys.readouterr().err


def test_jobs_of_ones_own_stand_against_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    context = {"array": {"name": "tank", "level": "raid0"}, "disks": [], "plan": dump_plan(_plan())}
    _keep(_run("a1", 5.0, "own_randread_16k_q8_j4", context=context), _run("b1", 5.0, "newer_kind", context=context))
    [told] = _told(capsys, "compare", "a1", "--with", "predicted")
    expected = predict(_plan(), Pattern("randread", 16, 8, jobs=4))
    assert expected is not None
    assert told["predicted"]["mb_s"] == pytest.approx(expected.mb_s)
    assert main(["compare", "b1", "--with", "predicted"]) == 0
    assert "Nothing is predicted" in capsys.readouterr().err


def test_what_is_predicted_goes_by_the_kernel_and_threads_of_the_run() -> None:
    plan, flash = _plan(Level.RAID5, 4), Baseline(kind="nvme")
    plan = plan.each_disk(lambda disk: replace(disk, baseline=flash))
    rates = []
    for around in ({}, {"kernel": "6.1.0-13-amd64", "group_thread_cnt": "4"}, {"kernel": "strange"}):
        context = {"array": {"level": "raid5"}, "plan": dump_plan(plan), "surroundings": around}
        found = predicted(_run("a1", 300.0, "random_write_4k_q32", context=context))
        assert found is not None
        rates.append(found.mb_s)
    assert rates[1] > rates[0] == rates[2]


def test_what_is_predicted_goes_by_the_state_that_it_was_in() -> None:
    whole = _plan(Level.RAID5, 4)
    degraded = whole.on(replace(whole.array, members=(None, *whole.array.members[1:])))
    places = [{"slot": 0, "states": ["spare"], "member": {"id": "wwn-0"}}]
    cases: dict[str, tuple[Plan, list[dict[str, object]], ArrayState, PredictedState]] = {
        "healthy": (whole, [], ArrayState.HEALTHY, PredictedState()),
        "degraded": (degraded, [], ArrayState.DEGRADED, PredictedState(frozenset({"wwn-0"}))),
        "rebuilding": (whole, places, ArrayState.REBUILDING, PredictedState(frozenset({"wwn-0"}), rebuilding=True)),
    }
    found = {}
    for name, (plan, seen, state, expected) in cases.items():
        context = {"array": {"level": "raid5", "places": seen}, "plan": dump_plan(plan)}
        found[name] = predicted(_run(name, 300.0, "random_read_4k_q32", state=state, context=context))
        wanted = predict(whole, Workload.RANDOM_READ_4K_Q32, expected)
        assert found[name] is not None
        assert wanted is not None
        assert found[name].mb_s == pytest.approx(wanted.mb_s)  # type: ignore[union-attr]  # the line before says so
    assert len({one and round(one.mb_s, 6) for one in found.values()}) == 3
