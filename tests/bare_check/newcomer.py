"""A newcomer's steps on a bare system: README.md's packages, a clone of HEAD, and README.md's commands in it."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..wheel_check import bare
from ..wheel_check.built import ROOT

USERS = ("root", "user")
COMMANDS = ("run", "test")
PREPARE = "prepare"
_SECTION = "## Two commands\n"
_USER = """apt-get install sudo
useradd --create-home --shell /bin/bash alice
echo "alice ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/alice
"""
_CERTIFICATES = "if [ -d /usr/local/share/ca-certificates ]; then update-ca-certificates >/dev/null; fi\n"
_AS = {"root": "sh -eux /check/step", "user": "su alice -c 'sh -eux /check/step'"}


def readme_blocks() -> tuple[str, str]:
    """Return README.md's commands that install what a checkout needs, and those that are typed in the checkout."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition(_SECTION)[2].partition("\n## ")[0]
    packages, checkout = re.findall(r"```[^\n]*\n(.*?)```", section, re.DOTALL)
    return packages, checkout


def readme_command(name: str) -> str:
    """Return README.md's line for ``make NAME``; raises ValueError if it has none, or several."""
    (line,) = (line for line in readme_blocks()[1].splitlines() if line.split()[:2] == ["make", name])
    return line


def steps(check: Path, user: str, commands: Sequence[str]) -> Iterator[str]:
    """Put each step's script into ``check`` and yield its name: first PREPARE, then ``commands``."""
    bundle = ("git", "-C", ROOT, "bundle", "create", "--quiet", check / "raidwright.bundle", "HEAD")
    subprocess.run(bundle, check=True)
    as_root = _CERTIFICATES + readme_blocks()[0] + (_USER if user == "user" else "")
    clone = "cd\ngit clone --quiet --config advice.detachedHead=false /check/raidwright.bundle raidwright\n"
    _write(check, as_root + _AS[user], clone)
    yield PREPARE
    for name in commands:
        _write(check, _AS[user], f"cd ~/raidwright\n{readme_command(name)}\n")
        yield name


def _write(check: Path, inside: str, step: str) -> None:
    (check / "inside").write_text(f"{inside}\n", encoding="utf-8")
    (check / "step").write_text(step, encoding="utf-8")


def run(root: Path, log: Path) -> tuple[float, int]:
    """Run the step that ``steps`` has put there; return its seconds and its exit code."""
    began = time.monotonic()
    with log.open("wb") as output:
        code = bare.enter(root, output)
    return time.monotonic() - began, code
