"""All command-line output comes from the catalogue: in a language of brackets all of it is in some."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright import cli
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan

from tests.kit import pseudo

from .making_plans import equal

# Names, options and typed text.
NAMES = re.compile(
    r"""^\ *raidwright\ .* | ^\ {2,4}[a-z-]+(?=\ |$) | raidwright | mdadm(\.conf)?
    | --?[\w-]+(=\S+)? | \b[A-Z0-9][A-Z0-9_-]*\b | /\S+
    | \{[^}]*\}
    | raid\d+ | linear | [nfo]\d | (left|right)-a?symmetric | line\ \d | \d+x\w+ | \S+\.json""",
    re.VERBOSE,
)


@pytest.fixture(autouse=True)
def _in_brackets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cli, "choose", lambda: None)  # which reads the environment
    monkeypatch.setenv("COLUMNS", "2000")
    monkeypatch.setenv("LANGUAGE", "vo")  # which argparse reads; the C library has no Volapük, and translates nothing
    with pseudo.spoken(tmp_path):
        yield


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Return the lines with English in them that ``raidwright`` printed for ``arguments``."""
    with contextlib.suppress(SystemExit):
        cli.main(arguments)
    captured = capsys.readouterr()
    lines = (captured.out + captured.err).splitlines()
    assert lines
    return [line for line in lines if pseudo.english_in(line, NAMES)]


@pytest.mark.parametrize("command", ["", *cli._COMMANDS])
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _said(capsys, *filter(None, (command, "--help"))) == []


@pytest.fixture
def plan_file(tmp_path: Path) -> str:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(dump_plan(Plan(equal("raid6", 5)))))
    return str(path)


@pytest.mark.parametrize("command", ["assess", "loss"])
def test_a_plan(command: str, plan_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _said(capsys, command, plan_file) == []


def test_candidates(capsys: pytest.CaptureFixture[str]) -> None:
    for wishes in ((), ("--survive", "3", "--grow", "--boot")):
        assert _said(capsys, "candidates", "--disks", "3x8TB+2x4TB", *wishes) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("assess", "nowhere.json"),
        ("candidates", "--disks", "0x8TB"),
        ("disks", "--machine", "ssh://-there"),
        ("lab", "exec"),
        ("loss", "nowhere.json", "--repair-hours", "3"),
        ("disks", "--wake"),
    ],
)
def test_errors(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert _said(capsys, *arguments) == []
