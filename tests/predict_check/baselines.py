"""The disks' baselines, taken as a user takes them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace

from raidwright.core.model.plan import Baseline
from raidwright.core.model.plan_json import read_baseline
from raidwright.lab.machine import Lab


def baselines_of(lab: Lab, serials: Collection[str], seconds: int) -> Mapping[str, Baseline]:
    """By serial, what ``raidwright baseline`` finds on each disk alone; each has a link of its own."""
    command = [sys.executable, "-m", "raidwright", "baseline", *serials, "--write", "--yes", "--no-save", "--json"]
    command += ["--seconds", str(seconds), "--machine", f"lab:{lab.name}"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        raise RuntimeError(told.stderr)
    found = {one["serial"]: read_baseline(one["baseline"], one["serial"]) for one in json.loads(told.stdout)}
    return {serial: replace(baseline, link=None) for serial, baseline in found.items()}
