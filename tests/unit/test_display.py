"""Unreachable displays, files instead of commands, and terminals that lack characters: sentences."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from raidwright import cli
from raidwright.cli.display import check_display, has_display
from raidwright.core.errors import InputError

_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "QT_QPA_PLATFORM", "XAUTHORITY")


@pytest.fixture(autouse=True)
def _without_display(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in _VARIABLES:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"DISPLAY": ""},
        {"DISPLAY": ":77"},
        {"DISPLAY": "localhost:77.0"},
        {"DISPLAY": "nonsense"},
        {"WAYLAND_DISPLAY": "wayland-77"},
        {"WAYLAND_DISPLAY": "/nowhere/wayland-0"},
        {"DISPLAY": ":77", "WAYLAND_DISPLAY": "wayland-77"},
        {"DISPLAY": ":77", "QT_QPA_PLATFORM": "xcb"},
        {"WAYLAND_DISPLAY": "x" * 200},
    ],
)
def test_a_display_that_does_not_answer_is_a_sentence(
    named: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert not has_display()
    assert cli.main([]) == 2
    said = capsys.readouterr().err
    assert "There is no display here" in said
    assert all(value in said for name, value in named.items() if name != "QT_QPA_PLATFORM")


def test_qt_is_given_the_display_that_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISPLAY", ":77")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "wayland-0"))
        listening.listen()
        check_display()
        assert os.environ["QT_QPA_PLATFORM"] == "wayland"


def test_what_needs_no_display_is_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for platform in ("offscreen", "minimal:enable_fonts", "xcb;offscreen"):
        monkeypatch.setenv("QT_QPA_PLATFORM", platform)
        check_display()


def test_a_file_in_place_of_a_command_is_told_how_to_be_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text("{}")
    assert cli.main([str(plan)]) == 2
    assert f"raidwright gui {plan}" in capsys.readouterr().err
    with pytest.raises(InputError, match="invalid choice"):
        cli._run(["nonsense"])


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "euc_jp"])
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("arguments", [["candidates", "--disks", "4x8TB"], ["lab", "up", "--help"], ["nonsense"]])
def test_no_encoding_ends_a_command(encoding: str, language: str, arguments: list[str]) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding, "LANGUAGE": language, "LC_ALL": "C.UTF-8"}
    argv = [sys.executable, "-m", "raidwright", *arguments]
    done = subprocess.run(argv, env=environment, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert done.returncode == (2 if arguments == ["nonsense"] else 0)
