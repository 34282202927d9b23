"""assess, geometry and candidates for scripts."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.system.workload import Workload

from .making_plans import equal, grouped

TANK = dump_plan(Plan(equal("raid10", 4, "f2", 15628053168)))


@pytest.fixture
def tank(tmp_path: Path) -> str:
    file = tmp_path / "tank.json"
    file.write_text(json.dumps(TANK), encoding="utf-8")
    return str(file)


def test_assess_prints_the_agreed_keys(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", "--json", tank]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["array_sectors"] == 31255576576
    assert said["component_size_kib"] == 7813894144
    assert said["data_offset_sectors"] == [264192] * 4
    assert said["survival"] == {"1": [4, 4], "2": [2, 6], "3": [0, 4], "4": [0, 1]}
    assert said["command"].startswith("mdadm --create /dev/md/md0 --level=10 --layout=f2 ")
    assert {"findings", "forecloses"} <= said.keys()


def test_assess_says_how_fast(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", "--json", tank]) == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said["performance"]) == [str(workload) for workload in Workload]
    for states in said["performance"].values():
        assert set(states) == {"normal", "degraded", "rebuilding"}
        for one in states.values():
            assert 0 < one["low_mb_s"] < one["mb_s"] < one["high_mb_s"]
            assert one["iops"] > 0
    assert said["performance_assumes"]
    assert said["rebuild"]["hours"] > 1


@pytest.mark.parametrize(
    ("baseline", "sentence"),
    [
        ({"kind": "floppy"}, "it is one of hdd, smr, ssd, nvme, memory"),
        ({"rpm": 7}, "“rpm” can’t be 7"),
        ({"random_read_4k_q32_iops": 0}, "“random_read_4k_q32_iops” can’t be 0"),
        ({"flush_ms": -1}, "“flush_ms” can’t be -1"),
        ({"sequential_read_mb_s": "fast"}, "“sequential_read_mb_s” must be a number"),
        ({"speed": 3}, "speed"),
    ],
)
def test_a_baseline_that_no_disk_has_is_refused(
    baseline: dict[str, object], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    disk = {"id": "a", "size_bytes": 10**12, "baseline": baseline}
    file.write_text(json.dumps({"level": "raid0", "members": [disk]}), encoding="utf-8")
    assert main(["assess", "--json", str(file)]) == 2
    assert sentence in json.loads(capsys.readouterr().out)["error"]


def test_assess_reads_lines_and_goes_on_after_a_refusal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = TANK | {"layout": "n9"}
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{json.dumps(refused)}\n\n{json.dumps(TANK)}\n"))
    assert main(["assess", "--json", "-"]) == 2
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert first["code"] == "layout-copies"
    assert "9 copies" in first["error"]
    assert "error" not in second


def test_assess_takes_what_import_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(TANK, indent=2) + "\n"))
    assert main(["assess", "--json", "-"]) == 0
    assert "error" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("text", ["{", "[]", json.dumps(TANK | {"colour": "red"})])
def test_assess_says_what_is_wrong_with_a_plan(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    assert main(["assess", "--json", str(file)]) == 2
    assert json.loads(capsys.readouterr().out)["error"]


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", "/nowhere/plan.json"]) == 2
    assert "/nowhere/plan.json" in capsys.readouterr().err


def test_assess_for_people(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", tank]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "16.0 TB (14.6 TiB)" in said
    assert "of the 6 ways in which two can fail, 2 lose nothing" in said


def test_geometry_lists_each_members_rows(tank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["geometry", tank, "--rows", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert main(["geometry", tank, "--rows", "1", "--from", "7630756", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [[3], [0], [1], [2]]


def test_geometry_marks_parity_and_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nested.json"
    file.write_text(json.dumps(dump_plan(Plan(grouped("raid0", "raid6", 2, 4)))), encoding="utf-8")
    assert main(["geometry", str(file), "--rows", "1", "--from", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [["Q"], [None], [None], ["P"]] * 2
    assert main(["geometry", str(file), "--rows", "1"]) == 0
    assert "P" in capsys.readouterr().out


def test_candidates_are_ranked_plans(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["candidates", "--disks", "4x8TB", "--survive", "2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["candidates"][0]["plan"]["level"] in ("raid10", "raid6", "raid1")
    assert said["candidates"][0]["unmet"] == []
    assert main(["candidates", "--disks", "4x8TB", "--survive", "4"]) == 2
    assert "ask for 3" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("words", [["--disks", "four"], ["--disks", "4x8TB", "--space", "101"]])
def test_candidates_refuse_what_they_do_not_understand(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["candidates", *words]) == 2
    assert capsys.readouterr().err.startswith("raidwright: ")


def test_each_of_four_hundred_plans_has_its_line() -> None:
    lines = "\n".join([json.dumps(TANK)] * 400)
    program = subprocess.run(
        [sys.executable, "-m", "raidwright", "assess", "--json", "-"],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(program.stdout.splitlines()) == 400


def test_many_plans_are_answered_in_their_order() -> None:
    plans = [json.dumps(dump_plan(Plan(equal("raid5", disks)))) for disks in range(3, 9)]
    lines = [plans[number % len(plans)] if number % 10 else "{}" for number in range(64)]

    def said(of: list[str]) -> list[str]:
        program = subprocess.run(
            [sys.executable, "-m", "raidwright", "assess", "--json", "-"],
            input="\n".join(of),
            capture_output=True,
            text=True,
            check=False,
        )
        assert program.returncode == 2  # as of the plans that can't be read
        return program.stdout.splitlines()

    assert said(lines) == [*said(lines[:30]), *said(lines[30:60]), *said(lines[60:])]


def test_assess_waits_for_no_numpy() -> None:
    code = "import sys, raidwright.cli.assess; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_log_level_that_there_is_not(
    tank: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAIDWRIGHT_LOG", "loud")
    assert main(["assess", tank]) == 2
    assert "DEBUG, INFO, WARNING, ERROR" in capsys.readouterr().err
