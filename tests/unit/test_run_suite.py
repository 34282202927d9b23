"""A suite on one target: all of it, or only reads where nothing may be written."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.workload import Workload
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.machine.values import Snapshot
from raidwright.operations.suites import RunSuite
from raidwright.suites import Suite


class Helper:
    """Measures; never writes to a target with content."""

    def __init__(self, *, holds: bool = False, is_gone: bool = False) -> None:
        self.holds, self.is_gone = holds, is_gone
        self.asked: list[tuple[Any, ...]] = []

    async def do(self, _verb: object, target: str, workload: str, options: dict[str, Any], **_: object) -> Any:
        self.asked.append((target, workload, options["seconds"], options["warm_up_seconds"]))
        if self.is_gone or (self.holds and Workload(workload).writes):
            raise DiskRefused("The array holds something: ext4.", code="disk-signature")
        return WorkloadResult(workload, 1.0, 1.0, 1.0, 1.0, 1.0, "fio")


def run(helper: Helper, target: str, suite: Suite, repeats: int = 1) -> Any:
    told: list[float] = []
    machine: Any = SimpleNamespace(helper=helper, snapshot=Snapshot())

    def hear(update: object) -> None:
        assert isinstance(update, JobProgress)
        told.append(update.fraction)

    found = asyncio.run(RunSuite(target, suite, 5, "here", repeats, keep=False).perform(machine, hear))
    assert told == sorted(told)
    return found


@pytest.mark.parametrize("suite", [one for one in Suite if one is not Suite.FILESYSTEM])  # which has its own path
def test_an_empty_array_is_measured_by_all_of_it(suite: Suite) -> None:
    helper = Helper()
    found = run(helper, "md:1", suite, 2)
    assert [one.result.workload for one in found.runs] == [str(one) for one in suite.workloads for _ in range(2)]
    assert found.only_read == ""
    assert {(seconds, bool(warm)) for _, name, seconds, warm in helper.asked if "buffered" not in name} <= {(5, True)}
    assert {warm for _, name, _, warm in helper.asked if "buffered" in name} <= {None}


def test_a_disk_is_never_even_asked_to_be_written_to() -> None:
    helper = Helper()
    found = run(helper, "wwn-0x1", Suite.CLASSIC)
    assert {Workload(name).writes for _, name, *_ in helper.asked} == {False}
    assert len(found.runs) == 4
    assert "never written to" in found.only_read


def test_an_array_that_holds_something_is_read_and_the_reason_said() -> None:
    helper = Helper(holds=True)
    found = run(helper, "md:1", Suite.QUICK, 3)
    assert [one.result.workload for one in found.runs] == ["sequential_read"] * 3 + ["random_read_4k_q32"] * 3
    assert found.only_read == "The array holds something: ext4."
    assert len(helper.asked) == 7  # once refused, writing isn't requested again


def test_what_can_not_be_read_either_is_an_error() -> None:
    with pytest.raises(DiskRefused):
        run(Helper(is_gone=True), "md:1", Suite.QUICK)
