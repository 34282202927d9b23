"""Load of a computer before a measurement, and what is said of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.load_before import busy_with, percent, waited_us
from raidwright.operations import recorded
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.runs.remarks import BUSY, remarks_of
from raidwright.runs.undisturbed import disturbance

from tests.kit import sample


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("some avg10=0.12 avg60=0.05 avg300=0.01 total=11599942074\nfull avg10=0.00 total=9\n", 11599942074),
        ("full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n", None),
        ("", None),
    ],
)
def test_the_kernel_tells_how_long_something_waited(text: str, total: int | None) -> None:
    assert waited_us(text) == total


def test_a_share_is_of_the_time_that_went_by() -> None:
    assert (percent(0, 150_000, 300_000), percent(9, 9, 300_000), percent(0, 400_000, 300_000)) == ("50", "0", "100")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"waiting_percent": "29"}, None),
        ({"waiting_percent": "30"}, "the computer was busy: 30% of the time something waited for a processor"),
        ({"waiting_percent": "3", "host_waiting_percent": "99"}, "the computer was busy: 99% of the time something"),
        ({"waiting_percent": "0", "disks_busy_percent": "61"}, "the disks were in use: busy 61% of the time before"),
        ({"waiting_percent": "much"}, None),
        ({}, None),
    ],
)
def test_above_a_share_it_is_busy(told: dict[str, str], said: str | None) -> None:
    found = busy_with(told)
    assert found is None if said is None else found is not None and found.startswith(said)


def test_a_run_on_a_busy_computer_gets_no_verdict() -> None:
    run = replace(sample.runs()[0], context={"surroundings": {"host_waiting_percent": "88"}})
    assert "88%" in str(disturbance(run))
    assert BUSY in remarks_of(run)
    idle = replace(run, context={"surroundings": {"host_waiting_percent": "2"}})
    assert disturbance(idle) is None
    assert BUSY not in remarks_of(idle)


def test_this_computers_load_is_kept_with_a_practice_machines_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cpu"
    monkeypatch.setattr(recorded, "_PRESSURE", path)
    order = Measure(RunWorkload("md:1", "random_read_4k", 3), "Practice", is_practice=True)
    assert asyncio.run(order.load()) == {}
    path.write_text("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n")
    assert asyncio.run(order.load()) == {"host_waiting_percent": "0"}
    assert asyncio.run(replace(order, is_practice=False).load()) == {}
    result = WorkloadResult("random_read_4k", 3.0, 1.0, 1.0, 1.0, 1.0, "fio")
    assert recorded.with_load(result, {}) is result
    assert recorded.with_load(result, {"host_waiting_percent": "7"}).surroundings == {"host_waiting_percent": "7"}
