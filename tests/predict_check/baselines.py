"""Baselines of the disks, measured as a user does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection

from raidwright.lab.machine import Lab


def baselines_told(lab: Lab, serials: Collection[str], seconds: int) -> str:
    """Return the output of ``raidwright baseline --json`` for each disk alone; raises RuntimeError when it fails."""
    command = [sys.executable, "-m", "raidwright", "baseline", *serials, "--write", "--yes", "--no-save", "--json"]
    command += ["--seconds", str(seconds), "--machine", f"lab:{lab.name}"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(told.stderr)
    return told.stdout
