"""Wrong input by people, files and scripts: a sentence that names it, exit code 2, and no traceback."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan

from .making_plans import equal

PLAN = json.dumps(dump_plan(Plan(equal("raid5", 4))))
SIZE = str(8 * 2**30)

TEXTS = [
    (PLAN.replace('"level": "raid5"', '"level": "raid5", "level": "raid6"'), "“level” twice"),
    (PLAN.replace('"id": "disk-0"', '"id": "disk-0", "id": "disk-9"'), "“id” twice"),
    (PLAN.replace(SIZE, "NaN", 1), "NaN"),
    (PLAN.replace(SIZE, "-Infinity", 1), "-Infinity"),
    (PLAN.replace('"size_bytes"', f'"afr": 1{"0" * 400}, "size_bytes"', 1), "“afr”"),
    (PLAN.replace('"size_bytes"', '"afr": 1e999, "size_bytes"', 1), "“afr”"),
    (PLAN.replace(SIZE, "1" + "0" * 5000, 1), "not JSON"),
    (PLAN.replace(SIZE, "-5", 1), "“size_bytes” must be a positive whole number"),
    (PLAN.replace(SIZE, "true", 1), "“size_bytes” must be a whole number"),
    (PLAN.replace('"raid5"', '"\\ud800"', 1), "“level” can't be"),
    (PLAN.replace("null", '"\\ud800"', 1), "raid5 has no layout"),
    (PLAN.replace('"name"', '"\\ud800\\u001b[31m": 1, "name"', 1), "“[31m” is not a key"),
    ("[" * 100_000, "nested too deeply"),
    (PLAN.replace("disk-1", "disk-0"), "disk-0 is in the plan twice"),
    (json.dumps({"level": "raid5", "members": []}), "“members” is empty"),
]


@pytest.mark.parametrize(("text", "said"), TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("words", [("assess",), ("assess", "--json"), ("geometry",), ("export", "--as", "script")])
def test_a_plan_that_makes_no_sense(
    words: tuple[str, ...], text: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    assert main([*words, str(file)]) == 2
    written = capfd.readouterr()
    assert said in written.out + written.err


def test_a_folder_or_bytes_instead_of_a_plan(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plan.json"
    file.write_bytes(b"\x7fELF\x00\xff{}")
    for source in (tmp_path, file):
        assert main(["assess", str(source)]) == 2
        assert f"{source} can't be read" in capfd.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("geometry", "--from", "-1"),
        ("geometry", "--from", "9" * 30),
        ("geometry", "--rows", "0"),
        ("export", "--uuid", "x\nDEVICE /dev/sda"),
        ("assess", "--years", "inf"),
        ("assess", "--mdadm", "9"),
    ],
)
def test_an_option_that_makes_no_sense(
    words: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(PLAN, encoding="utf-8")
    assert main([words[0], str(file), *words[1:]]) == 2
    written = capfd.readouterr()
    assert written.out + written.err


@pytest.mark.parametrize("words", [("--survive", "-1"), ("--survive", "1.5"), ("--space", "nan")])
def test_wishes_that_make_no_sense(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["candidates", "--disks", "4x8TB", *words]) == 2
    assert words[0] in capfd.readouterr().err


def test_a_refusal_is_an_answer_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = (json.dumps(json.loads(PLAN) | {"layout": "n2", "level": "raid10", "chunk_kib": 3}), "{", PLAN)
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
    assert main(["assess", "--json", "-"]) == 2
    refused, unread, good = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert refused["code"] == "chunk"
    assert unread["code"] == "plan-json"
    assert good["array_sectors"]
    assert {"change", "possible", "reason", "conditions", "loses_data"} == good["forecloses"][0].keys()
