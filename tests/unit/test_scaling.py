"""Scalings: what is measured at each value, in turns; the plateau; and the command's table."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.cli.sweep import of_load
from raidwright.core.errors import InputError
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.system.workload import Workload
from raidwright.machine.values import Snapshot
from raidwright.operations.scaling import SCALED, Scaled, Scaling, ScalingProgress, scaled_workloads
from raidwright.text.run.scaling import scaled_words


class Helper:
    """Gains with each request in flight, up to ``most``."""

    def __init__(self, most: int) -> None:
        self.most, self.asked = most, list[str]()

    async def do(self, _verb: Any, *arguments: Any, **_: Any) -> Any:
        self.asked.append(arguments[1])
        iops = 100.0 * min(self.most, int(arguments[1].partition("_q")[2].partition("_")[0]))
        return WorkloadResult(arguments[1], 1.0, iops * 4096e-6, iops, 1.0, 1.0, "fio")


def _scaled(helper: Helper, values: tuple[int, ...], repeats: int = 1) -> tuple[Scaled, list[ScalingProgress]]:
    scaling = Scaling("wwn-0x1", Workload.RANDOM_READ_4K, "depth", values, 2, "here", repeats, 64, keep=False)
    machine: Any = SimpleNamespace(helper=helper, snapshot=Snapshot())
    told: list[ScalingProgress] = []
    result = asyncio.run(
        scaling.perform(machine, lambda one: told.append(one) if isinstance(one, ScalingProgress) else None)
    )
    return result, told


def test_values_are_measured_in_turns_and_more_than_enough_is_told() -> None:
    helper = Helper(most=8)
    result, told = _scaled(helper, (8, 1, 16), repeats=2)
    assert helper.asked == [f"own_randread_4k_q{depth}" for depth in (1, 8, 16)] * 2
    assert [(one.value, len(one.runs), one.iops) for one in result.points] == [(1, 2, 100), (8, 2, 800), (16, 2, 800)]
    assert [sum(point.is_measured for point in one.points) for one in told] == [0, 1, 2, 3, 3, 3]
    assert result.plateau == 8
    assert scaled_words(result).startswith("From 8 requests in flight on")
    assert "still gains at 4" in scaled_words(_scaled(Helper(most=8), (1, 4))[0])
    assert scaled_words(_scaled(Helper(most=1), (1, 4))[0]).startswith("One request in flight does as much")


def test_jobs_have_one_request_each_and_the_rest_is_refused() -> None:
    jobs = scaled_workloads(Workload.RANDOM_MIXED_4K_Q32, "jobs", SCALED["jobs"])
    assert [(one.pattern.depth, one.pattern.jobs, one.pattern.read_percent) for one in jobs] == [
        (1, count, 70) for count in SCALED["jobs"]
    ]
    for workload, scaled, values in (
        (Workload.BUFFERED_READ, "depth", (1, 2)),
        (Workload.RANDOM_READ_4K, "depth", (1, 1000)),
        (Workload.RANDOM_READ_4K, "colour", (1, 2)),
    ):
        with pytest.raises(InputError):
            scaled_workloads(workload, scaled, values)


def test_the_command_prints_the_points_as_a_table_and_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _told = _scaled(Helper(most=8), (1, 8, 16))

    async def scale(*_: Any) -> Scaled:
        return result

    monkeypatch.setattr(of_load, "_scale", scale)
    assert main(["sweep", "depth", "--target", "tank", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["scaled"], told["workload"], told["plateau"]) == ("depth", "random_read_4k", 8)
    assert [(one["value"], one["iops"], one["predicted"]) for one in told["points"]] == [
        (1, 100.0, None), (8, 800.0, None), (16, 800.0, None),
    ]  # fmt: skip
    assert main(["sweep", "depth", "--target", "tank"]) == 0
    assert "Requests in flight" in capsys.readouterr().out
    assert main(["sweep", "depth"]) != 0
