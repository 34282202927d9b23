"""Practice disks' standby: which SCSI commands end it, what REQUEST SENSE says of it, and how spin-ups are counted."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from raidwright.lab.compiled import compiled
from raidwright.resources import resource

_TEST_UNIT_READY, _REQUEST_SENSE, _CAPACITY = "000000000000", "030000001200", "25000000000000000000"
_READ, _WRITE, _FLUSH = "28000000000000000100", "2a000000000000000100", "35000000000000000000"
_STANDBY, _STOP, _START, _ACTIVE = "1b0000003000", "1b0000000000", "1b0000000100", "1b0000001000"


@cache
def _program() -> Path:
    headers = resource("lab/c")
    return compiled("scsi-power", f"-I{headers}", Path(__file__).with_name("scsi_power.c"), headers / "scsi.c")


def _ask(*lines: str) -> list[str]:
    done = subprocess.run([_program()], input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


def test_looking_leaves_a_disk_asleep_and_its_medium_wakes_it() -> None:
    answers = _ask("sleep", _TEST_UNIT_READY, _REQUEST_SENSE, _CAPACITY, _FLUSH, _REQUEST_SENSE, _READ, _REQUEST_SENSE)
    assert [answer[-3:] for answer in answers] == ["0 1"] * 5 + ["1 0"] * 2
    assert answers[1] == answers[4] == "0 0 5e 02 0 1"
    assert answers[6] == "0 0 00 00 1 0"


def test_each_spin_up_is_counted_once() -> None:
    answers = _ask(_READ, "sleep", _WRITE, _READ, _STANDBY, _REQUEST_SENSE, _READ, "sleep", _ACTIVE, _READ)
    assert [int(answer.split()[4]) for answer in answers] == [0, 1, 1, 1, 1, 2, 3, 3]
    assert answers[4] == "0 0 5e 04 1 1"


def test_a_stopped_disk_needs_a_start() -> None:
    answers = _ask(_STOP, _REQUEST_SENSE, _READ, _TEST_UNIT_READY, _START, _READ)
    assert answers[1] == "0 2 04 02 0 1"
    assert answers[2] == answers[3] == "2 2 04 02 0 1"
    assert answers[5][0] == "0"
    assert answers[5][-3:] == "1 0"
