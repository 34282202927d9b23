"""A command beside the tests: it fails the run, and its output is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("command", "code"), [("echo all well", 0), ("sh -c 'echo broken; exit 3'", 1)])
def test_it_fails_the_run_if_it_fails(tmp_path: Path, command: str, code: int) -> None:
    (tmp_path / "test_nothing.py").write_text("def test_nothing() -> None: ...\n", encoding="utf-8")
    argv = [sys.executable, "-m", "pytest", "-p", "tests.beside", "--beside", command, "-c", "/dev/null", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert done.returncode == code
    assert ("broken" if code else "all well") in done.stdout
