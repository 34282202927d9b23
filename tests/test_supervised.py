"""An interrupted run leaves no process behind, whoever interrupts it, and however."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .kit.processes import processes_in, until

ROOT = Path(__file__).parent.parent
_TEST = """import subprocess, sys, time
from tests.bus.private_bus import private_bus
def test_slow(tmp_path):
    with private_bus():
        subprocess.Popen(["/bin/sleep", "600"], start_new_session=True)  # a daemon that nobody waits for
        open({mark!r}, "w").close()
        time.sleep(600)
"""


def _run(folder: Path, *argv: str) -> subprocess.Popen[bytes]:
    """Start the supervised command as a script's background does: in a group of its own that ignores the interrupt."""
    command = ["/bin/sh", "-c", 'trap "" INT; "$@"; exit $?', "sh", sys.executable, "-m", "tests.supervised", *argv]
    environment, quiet = {**os.environ, "PYTHONPATH": str(ROOT)}, subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, stdout=quiet, stderr=quiet)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_tests_that_are_interrupted_end_with_all_that_they_started(tmp_path: Path, number: signal.Signals) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "test_slow.py").write_text(_TEST.format(mark=str(mark)), encoding="utf-8")
    words = ("-n", "1", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path), "test_slow.py")
    with _run(tmp_path, sys.executable, "-m", "pytest", *words) as running:
        until(mark.exists)
        assert any("dbus-daemon" in line for line in processes_in(tmp_path))
        os.killpg(running.pid, number)
    until(lambda: not processes_in(tmp_path))


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with _run(tmp_path, "/bin/sh", "-c", f"touch {mark}; sleep 600") as running:
        until(mark.exists)
        running.kill()
    until(lambda: not processes_in(tmp_path))


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("setsid sleep 600 & exit 5", 5)])
def test_the_exit_code_is_the_commands(tmp_path: Path, script: str, code: int) -> None:
    with _run(tmp_path, "/bin/sh", "-c", script) as running:
        assert running.wait() == code
    assert processes_in(tmp_path) == []
