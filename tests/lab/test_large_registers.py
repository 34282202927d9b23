"""Processors with AMX: the host needs register areas larger than those of the practice machine's kernel.

On a processor without AMX ptrace is preloaded to behave as with one (``large_registers.c``), so both halves run on any
machine: a traced child whose registers are set from a short area, and a whole practice machine.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from raidwright.lab.compiled import compiled, xstate_library
from raidwright.lab.machine import LabSpec, start

_HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def large_host() -> str:
    return str(compiled("large-registers.so", "-shared", _HERE / "large_registers.c"))


def _set_registers(*preloaded: str) -> str:
    """Return a traced child's registers after setting them from short areas and from whole ones."""
    program = compiled("traced-child", _HERE / "traced_child.c")
    environment = {**os.environ, "LD_PRELOAD": ":".join(preloaded)}
    return subprocess.run([program], capture_output=True, text=True, check=True, env=environment).stdout


def test_a_short_area_is_refused_by_the_host_and_taken_behind_the_library(large_host: str) -> None:
    refused, taken = "short: EFAULT\nwhole: set\n", "short: set\nwhole: set\n"
    assert _set_registers() == refused  # Linux 5.16 and later, whatever the processor
    assert _set_registers(large_host) == refused
    assert _set_registers(str(xstate_library())) == taken
    assert _set_registers(str(xstate_library()), large_host) == taken


@pytest.mark.lab
def test_a_practice_machine_comes_up_and_computes(large_host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", large_host)
    with start(LabSpec()) as lab:
        answer = lab.exec(["python3", "-c", "print(sum(n * 0.5 for n in range(1000)))"])
        assert answer.stdout == b"249750.0\n"
