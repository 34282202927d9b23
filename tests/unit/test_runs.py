"""The run store keeps what was measured, whole, and never trips over a file."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import InputError
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.protocol.results import Sample, WorkloadResult
from raidwright.machine.values import Array, Snapshot
from raidwright.runs.store import Run, list_runs, load_run, new_run_id, run_context, runs_folder, save_run

_RESULT = WorkloadResult("sequential_read", 3.0, 210.5, 200.0, 1.25, 4.5, "fio --rw=read")
_WHEN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def _disk(device: str, name: str) -> Disk:
    uses = (Use(UseKind.ARRAY_MEMBER, "tank"),)
    return Disk(id=name, device=device, model="WDC", serial=name, wwn="", size_bytes=10**12, by_id=(name,), uses=uses)


def _snapshot(*members: str) -> Snapshot:
    array = Array("a:b", "tank", "raid1", "/dev/md127", 10**12, 0, running=True, degraded=0, member_devices=members)
    devices = ("/dev/sda", "/dev/sdaa", "/dev/nvme0n1", "/dev/nvme0n10")
    return Snapshot(tuple(_disk(device, f"id-{device[5:]}") for device in devices), (array,))


def _run(started: datetime = _WHEN) -> Run:
    return Run(
        id=new_run_id(started, "sequential_read"),
        started=started,
        machine="This computer",
        target="md:a:b",
        region_mib=None,
        result=_RESULT,
        samples=(Sample(0.25, 200.0, 0.0, 190.0, 0.0, 1.0), Sample(0.5, 210.0, 0.0, 200.0, 0.0, 1.1)),
        context=json.loads(json.dumps(run_context(_snapshot("/dev/sda"), "md:a:b"))),
    )


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    run = _run()
    path = save_run(run, tmp_path)
    assert load_run(path) == run
    assert path.parent == tmp_path
    assert [each.name for each in tmp_path.iterdir()] == [path.name]  # nothing half-written stays


def test_times_are_kept_in_utc(tmp_path: Path) -> None:
    run = _run(datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=2))))
    assert run.id.startswith("20260301T120000Z-")
    assert load_run(save_run(run, tmp_path)).started == _WHEN


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


def test_the_context_of_one_disk() -> None:
    context = run_context(_snapshot("/dev/sda"), "id-sdaa")
    assert ([disk["id"] for disk in context["disks"]], context["array"]) == (["id-sdaa"], None)


def test_the_newest_comes_first(tmp_path: Path) -> None:
    for hours in (1, 3, 2):
        save_run(_run(_WHEN + timedelta(hours=hours)), tmp_path)
    assert [run.started.hour for run in list_runs(tmp_path)] == [15, 14, 13]


def test_a_broken_file_is_named_and_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = _run()
    save_run(kept, tmp_path)
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert list_runs(tmp_path) == (kept,)
    assert "broken.json" in caplog.text
    assert (tmp_path / "broken.json").exists()


def _changed(path: Path, **values: Any) -> Path:
    data = json.loads(path.read_text(encoding="utf-8")) | values
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "values",
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
def test_a_file_with_something_wrong_is_refused(tmp_path: Path, values: dict[str, Any]) -> None:
    path = _changed(save_run(_run(), tmp_path), **values)
    with pytest.raises(InputError):
        load_run(path)


def test_a_missing_file_and_a_folder_that_can_not_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        load_run(tmp_path / "none.json")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="can't be saved"):
        save_run(_run(), tmp_path / "file" / "runs")
    assert list_runs(tmp_path / "nowhere") == ()


def test_the_folder_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert runs_folder() == tmp_path / "raidwright" / "runs"
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert runs_folder() == tmp_path / ".local" / "share" / "raidwright" / "runs"
