"""The command line where Qt can't be loaded: a server without libGL, a minimal container."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from raidwright.cli import _COMMANDS as COMMANDS
from raidwright.core.model.plan import Plan
from raidwright.core.model.plan_json import dump_plan

from .making_plans import equal

_WITHOUT_QT = """import sys
from importlib.abc import MetaPathFinder
tried = []
class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition('.')[0] in ('PySide6', 'shiboken6', 'pyqtgraph'):
            tried.append(name)
            raise ImportError('libGL.so.1: cannot open shared object file: No such file or directory')
sys.meta_path.insert(0, Missing())
"""
_RUN = _WITHOUT_QT + "from raidwright.cli import main; sys.exit(main(sys.argv[1:]))"
# A fork for each saves Python's start, and none sees what another has imported.
_HELP_OF_EACH = f"""{_WITHOUT_QT}
import contextlib, io, json, os, sys
from raidwright.cli import main
for command in json.loads(sys.argv[1]):
    if os.fork():
        os.wait()
        continue
    said, code = io.StringIO(), None
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main([*command, '--help'])
        except SystemExit as end:
            code = end.code
    heavy = tried + [name for name in ('scipy', 'hypothesis') if name in sys.modules]
    print(json.dumps([' '.join(command), code, said.getvalue(), heavy]), flush=True)
    os._exit(0)
"""


def _run(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _RUN, *argv], capture_output=True, text=True, check=False)


@pytest.fixture
def plan(tmp_path: Path) -> str:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(dump_plan(Plan(equal("raid10", 4, "f2", 15628053168)))), encoding="utf-8")
    return str(file)


def test_every_command_explains_itself_and_loads_little() -> None:
    """What it takes in memory and time depends on Python's version: ``make bench ONLY=help`` says it."""
    commands = json.dumps([[], *([command] for command in COMMANDS)])
    argv = [sys.executable, "-c", _HELP_OF_EACH, commands]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    told = {command: (code, said, heavy) for command, code, said, heavy in map(json.loads, lines)}
    assert told.keys() == {"", *COMMANDS}
    assert not {command: said for command, (code, said, _) in told.items() if code}
    assert not {
        command for command, (_, said, _) in told.items() if f"usage: raidwright {command}".rstrip() not in said
    }
    assert not {command: heavy for command, (_, _, heavy) in told.items() if heavy}


@pytest.mark.parametrize("command", [
    ["assess"], ["loss"], ["geometry", "--rows", "2"], *(["export", "--as", form] for form in
    ("mdadm", "script", "mdadm.conf", "fstab", "ansible", "cloud-init", "card", "report")),
])  # fmt: skip
def test_what_shows_no_window_works(plan: str, command: list[str]) -> None:
    done = _run(command[0], plan, *command[1:])
    assert (done.returncode, done.stderr) == (0, "")


def test_candidates_are_ranked() -> None:
    assert _run("candidates", "--disks", "4x4TB").returncode == 0


def test_what_draws_says_what_it_lacks(plan: str, tmp_path: Path) -> None:
    done = _run("export", plan, "--as", "pdf", "-o", str(tmp_path / "made.pdf"))
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "libGL" in done.stderr or "apt-get install" in done.stderr
