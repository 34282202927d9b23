"""The run store keeps complete measurements, and never fails because of a file."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import InputError
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.protocol.measured import Sample, WorkloadResult
from raidwright.machine.values import Array, Snapshot
from raidwright.runs.run import (
    ArrayState,
    BegunRun,
    Run,
    Source,
    finished_run,
    new_run_id,
    new_series,
    run_context,
    state_of,
)
from raidwright.runs.schema import MIGRATIONS
from raidwright.runs.store import Runs, store_path

from tests.kit import sample

_AROUND = {"kernel": "6.12.1", "sda/scheduler": "none"}
_RESULT = WorkloadResult("sequential_read", 3.0, 210.5, 200.0, 1.25, 4.5, "fio --rw=read", _AROUND)
_BESIDE = Sample(1.5, 205.0, 0.0, 195.0, 0.0, 1.2, {"sda": 0.9, "sdb": 1.0}, {"sda": 41.0}, "idle")
_SAMPLES = (Sample(0.25, 200.0, 0.0, 190.0, 0.0, 1.0), Sample(0.5, 210.0, 0.0, 200.0, 0.0, 1.1))
_WHEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def _disk(device: str, name: str) -> Disk:
    uses = (Use(UseKind.ARRAY_MEMBER, "tank"),)
    return Disk(id=name, device=device, model="WDC", serial=name, wwn="", size_bytes=10**12, by_id=(name,), uses=uses)


def _snapshot(*members: str) -> Snapshot:
    array = Array("a:b", "tank", "raid1", "/dev/md127", 10**12, 0, running=True, degraded=0, member_devices=members)
    devices = ("/dev/sda", "/dev/sdaa", "/dev/nvme0n1", "/dev/nvme0n10")
    return Snapshot(tuple(_disk(device, f"id-{device[5:]}") for device in devices), (array,))


def _begun(started: datetime = _WHEN, **more: Any) -> BegunRun:
    known: dict[str, Any] = {
        "id": new_run_id(started, "sequential_read"),
        "started": started,
        "machine": "This computer",
        "target": "md:a:b",
        "workload": "sequential_read",
        "is_practice": False,
        "state": ArrayState.HEALTHY,
        "context": run_context(_snapshot("/dev/sda"), "md:a:b"),
    }
    return BegunRun(**(known | more))


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "runs.sqlite")


def test_a_run_comes_back_as_it_was(runs: Runs) -> None:
    series = new_series("sweep", "read-ahead", {"values_kib": [128, 4096], "target": "md:a:b"})
    begun = _begun(series=series, repeat=3, region_mib=512, state=ArrayState.REBUILDING)
    runs.begin(begun)
    assert (runs.unfinished(), runs.all()) == ((begun,), ())
    run = runs.finish(begun, _RESULT, (*_SAMPLES, _BESIDE))
    assert runs.get(run.id) == run
    assert (run.samples, run.series, run.repeat) == ((*_SAMPLES, _BESIDE), series, 3)
    assert (run.result.mb_s, run.result.latency_ms) == (_RESULT.mb_s, _RESULT.latency_ms)
    assert run.context["surroundings"] == _AROUND
    assert run.ended is not None
    assert runs.unfinished() == ()
    assert runs.all() == (replace(run, samples=()),)


def test_what_others_measured_is_kept_as_they_said_it(runs: Runs) -> None:
    run = replace(finished_run(_begun(source=Source.FIO, is_practice=None, state=None), _RESULT), fio_json="{}\n")
    runs.add([run])
    assert runs.get(run.id) == run


def test_several_are_kept_all_or_none(runs: Runs) -> None:
    good = finished_run(_begun(), _RESULT)
    bad = replace(good, id="another", context={"no": {1, 2}})
    with pytest.raises(TypeError):
        runs.add([good, bad])
    assert runs.all() == ()


def test_one_that_never_ended_is_told_and_can_not_be_read_as_a_run(runs: Runs) -> None:
    begun = _begun()
    runs.begin(begun)
    with pytest.raises(InputError, match="has not ended"):
        runs.get(begun.id)
    with pytest.raises(InputError, match="no run nothing"):
        runs.get("nothing")
    runs.remove([begun.id])
    assert runs.unfinished() == ()


def test_removing_takes_an_empty_series_along_and_a_note_stays(runs: Runs) -> None:
    series = new_series("suite", "quick")
    first, second = (runs.finish(_begun(series=series, repeat=number), _RESULT) for number in (1, 2))
    runs.note(second.id, "after the new cable")
    runs.remove([first.id])
    assert [(run.id, run.note, run.series) for run in runs.all()] == [(second.id, "after the new cable", series)]
    runs.remove([second.id])
    with sqlite3.connect(runs.path) as database:
        assert database.execute("SELECT count(*) FROM series").fetchone() == (0,)
    database.close()


def test_times_are_kept_in_utc_and_the_newest_comes_first(runs: Runs) -> None:
    east = timezone(timedelta(hours=2))
    for hour in (15, 17, 16):
        runs.finish(_begun(datetime(2026, 3, 1, hour, tzinfo=east)), _RESULT)
    assert [run.started.hour for run in runs.all()] == [15, 14, 13]
    assert runs.all()[0].id.startswith("20260301T150000Z-")


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (("/dev/sda",), ["id-sda"]),
        (("/dev/sda1", "/dev/sdaa2"), ["id-sda", "id-sdaa"]),
        (("/dev/nvme0n1p2",), ["id-nvme0n1"]),
        (("/dev/nvme0n10",), ["id-nvme0n10"]),
        ((), []),
    ],
)
def test_the_context_has_the_arrays_disks(members: tuple[str, ...], found: list[str]) -> None:
    context = run_context(_snapshot(*members), "md:a:b")
    assert [disk["id"] for disk in context["disks"]] == found
    assert context["array"]["name"] == "tank"


def test_the_context_of_a_nested_array_has_the_disks_below() -> None:
    seen = _snapshot("/dev/sda", "/dev/nvme0n1")
    outer = replace(seen.arrays[0], uuid="c:d", device="/dev/md1", member_devices=("/dev/md127",))
    context = run_context(replace(seen, arrays=(*seen.arrays, outer)), "md:c:d")
    assert [disk["id"] for disk in context["disks"]] == ["id-sda", "id-nvme0n1"]


def test_the_context_of_one_disk() -> None:
    context = run_context(_snapshot("/dev/sda"), "id-sdaa")
    assert ([disk["id"] for disk in context["disks"]], context["array"]) == (["id-sdaa"], None)


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({"degraded": 0, "sync_action": "resync"}, ArrayState.HEALTHY),
        ({"degraded": 1, "sync_action": "idle"}, ArrayState.DEGRADED),
        ({"degraded": 1, "sync_action": "recover"}, ArrayState.REBUILDING),
    ],
)
def test_an_arrays_state_is_what_was_seen(more: dict[str, Any], state: ArrayState) -> None:
    assert state_of(sample.array(10**12, **more)) is state
    assert state_of(None) is None


# -- errors --


def _begin_and_die(path: Path, begun: BegunRun) -> None:
    Runs(path).begin(begun)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_program_that_is_killed_loses_no_run(runs: Runs) -> None:
    kept = runs.finish(_begun(), _RESULT, _SAMPLES)
    begun = _begun(_WHEN + timedelta(hours=1))
    process = multiprocessing.get_context("spawn").Process(target=_begin_and_die, args=(runs.path, begun))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert runs.get(kept.id) == kept
    assert runs.unfinished() == (begun,)


def test_several_at_once_wait_for_each_other(tmp_path: Path) -> None:
    """The window, the command line and a shoot-out, each in a thread of its own and on an empty folder."""

    def measure(number: int) -> str:
        begun = _begun(_WHEN + timedelta(seconds=number))
        runs = Runs(tmp_path / "new" / "runs.sqlite")
        runs.begin(begun)
        return runs.finish(begun, _RESULT, _SAMPLES).id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(measure, range(24)))
    assert {run.id for run in Runs(tmp_path / "new" / "runs.sqlite").all()} == set(ids)


def test_a_file_that_is_none_or_of_a_newer_program_is_named_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(b"this is a letter, and no database at all" * 100)
    with pytest.raises(InputError, match=r"runs\.sqlite can't be opened.*move it away"):
        Runs(path).all()
    assert path.read_bytes().startswith(b"this is a letter")
    path.unlink()
    Runs(path).all()
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    database.close()
    with pytest.raises(InputError, match="newer Raidwright"):
        Runs(path).all()


def test_a_folder_that_can_not_be_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="can't be opened: File exists"):
        Runs(tmp_path / "file" / "runs.sqlite").begin(_begun())


def test_the_file_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert store_path() == tmp_path / "raidwright" / "runs.sqlite"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store_path() == tmp_path / ".local" / "share" / "raidwright" / "runs.sqlite"


# -- older runs --


_TOLD_THEN = ("seconds", "read_mb_s", "write_mb_s", "read_iops", "write_iops", "latency_ms")


def _old_file(folder: Path, run: Run, **changed: Any) -> Path:
    """Write a file as the first version of the program did."""
    keys = ("id", "machine", "target", "region_mib", "context", "program_version")
    data: dict[str, Any] = {"version": 1} | {key: getattr(run, key) for key in keys}
    data |= {
        "started": run.started.isoformat(),
        "result": asdict(run.result),
        "samples": [{name: getattr(one, name) for name in _TOLD_THEN} for one in run.samples],
    }
    path = folder / f"{run.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data | changed), encoding="utf-8")
    return path


def _old(started: datetime = _WHEN) -> Run:
    """Return a run with an old file's fields only."""
    told = _begun(started, is_practice=None, state=None)
    return replace(finished_run(told, _RESULT, _SAMPLES), ended=None, context=told.context)


def test_files_of_before_are_taken_over_once_and_kept(runs: Runs, tmp_path: Path) -> None:
    old = [_old(_WHEN + timedelta(hours=hours)) for hours in range(3)]
    files = [_old_file(tmp_path / "runs", run) for run in old]
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    assert {run.id for run in runs.all()} == {run.id for run in old}
    assert [runs.get(run.id) for run in old] == old
    aside = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "runs" / "taken-over").iterdir()}
    assert aside == texts
    runs.remove([old[0].id])
    assert {run.id for run in runs.all()} == {old[1].id, old[2].id}  # removed runs don't come back


def test_a_program_of_before_may_go_on_beside_it(runs: Runs, tmp_path: Path) -> None:
    assert runs.all() == ()
    later = _old()
    _old_file(tmp_path / "runs", later)
    assert runs.get(later.id) == later


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"started": "yesterday"},
        {"result": {}},
        {"samples": [{}]},
        {"surprise": 1},
        {"machine": None},
        {"context": []},
    ],
)
def test_a_file_with_something_wrong_is_named_and_left_alone(
    runs: Runs, tmp_path: Path, caplog: pytest.LogCaptureFixture, changed: Mapping[str, Any]
) -> None:
    good, bad = _old(), _old(_WHEN + timedelta(hours=1))
    _old_file(tmp_path / "runs", good)
    path = _old_file(tmp_path / "runs", bad, **changed)
    with caplog.at_level(logging.WARNING):
        assert [run.id for run in runs.all()] == [good.id]
    assert path.name in caplog.text
    assert path.exists()


def test_a_file_that_is_no_json_is_named_and_left_alone(
    runs: Runs, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "broken.json").write_text("{", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert runs.all() == ()
    assert "broken.json" in caplog.text
    assert (tmp_path / "runs" / "broken.json").exists()
