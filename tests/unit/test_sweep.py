"""Sweeps: value after value in rounds, the setting always restored, the best kept on request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.comparison.verdict import Verdict
from raidwright.analysis.plateau import SHARE, plateau
from raidwright.core.errors import InputError, JobFailed
from raidwright.core.protocol.measured import WorkloadResult
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.system.tuning import Lasting
from raidwright.core.system.workload import Workload
from raidwright.export.html_report import as_html
from raidwright.machine.values import Named, Snapshot
from raidwright.operations.measuring import Measure
from raidwright.operations.pace import Pace
from raidwright.operations.sweep import Point, Sweep, Swept, setting_now, tuning_of
from raidwright.runs.run import RunResult
from raidwright.text.curves.drawing import svg_of_chart
from raidwright.text.curves.sweeps import sweep_chart
from raidwright.text.reports.of_sweep import report_of_sweep
from raidwright.text.run.sweeps import swept_words

ARRAY = Named("a:b:c:d", "tank")


class Helper:
    """Has one setting, with a speed for each value; ``takes`` decides on accepted values."""

    def __init__(self, speed: Callable[[int], float], takes: Callable[[int], bool] = lambda _value: True) -> None:
        self.value = 256
        self.kept: int | None = None
        self.measured: list[int] = []
        self.asked: list[tuple[Any, ...]] = []
        self.speed, self.takes = speed, takes

    async def do(self, verb: Any, *arguments: Any, **_: Any) -> Any:
        match verb.name:
            case "ExamineSettings":
                return ArraySettings({"read_ahead_kib": str(self.value)}, (), ())
            case "BeginSweep":
                self.asked.append(arguments)
                return None
            case "Tune":
                value, lasting = arguments[2]["read_ahead_kib"], arguments[2]["lasting"]
                if not self.takes(value):
                    raise JobFailed("The kernel doesn't take it.", code="tuning")
                self.value = value
                self.kept = value if lasting == "always" else self.kept
                return ArraySettings({"read_ahead_kib": str(value)}, (), ())
            case "RunWorkload":
                self.measured.append(self.value)
                mb_s = self.speed(self.value)
                return WorkloadResult(arguments[1], 1.0, mb_s, mb_s, 1.0, 1.0, "fio")
        raise AssertionError(verb.name)


@pytest.fixture(autouse=True)
def _no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = Measure.perform

    async def perform(self: Measure, machine: Any, on_update: Any) -> Any:
        object.__setattr__(self, "keep", False)
        return await measure(self, machine, on_update)

    monkeypatch.setattr(Measure, "perform", perform)


def swept(helper: Helper, *values: int, keep: bool = False, repeats: int = 2) -> Swept:
    sweep = Sweep(ARRAY, "read_ahead_kib", values, Workload.BUFFERED_READ, 2, "here", repeats, keep=keep)
    machine: Any = SimpleNamespace(helper=helper, snapshot=Snapshot())
    return asyncio.run(sweep.perform(machine))


def test_the_values_go_round_and_the_old_one_is_put_back() -> None:
    helper = Helper(lambda value: value / 10)
    found = swept(helper, 1024, 512)
    assert helper.measured == [256, 512, 1024] * 2
    assert (helper.value, helper.kept) == (256, None)
    [(uuid, name, settings, minutes)] = helper.asked  # one password for all values
    assert (uuid, name, settings) == (*ARRAY, ["read_ahead_kib"])
    assert minutes * 60 >= 3 * 2 * 2
    assert [(one.value, one.mb_s) for one in found.points] == [(256, 25.6), (512, 51.2), (1024, 102.4)]
    assert (found.best.value, found.before) == (1024, 256)
    assert found.against_before
    assert found.against_before.verdict is Verdict.FASTER


def test_one_disk_is_read_once_a_round_for_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raidwright.operations.sweep.run_context", lambda *_: {"disks": [{"id": "a"}, {"id": "b"}]})
    helper = Helper(lambda value: value / 10)
    found = swept(helper, 512)
    assert len(found.alone) == 2
    assert helper.measured == [256, 256, 512, 256, 256, 512]
    assert found.times_alone == pytest.approx(2.0)
    assert "That is 2.00× one disk alone." in swept_words(found)


def test_the_value_before_is_put_back_with_the_rule_as_it_was() -> None:
    found = swept(Helper(lambda value: value / 10), 512)
    keep, back = found.keeping(ARRAY), found.putting_back(ARRAY)
    assert (keep.tuning.read_ahead_kib, keep.lasting) == (512, Lasting.ALWAYS)
    assert (back.tuning.read_ahead_kib, back.lasting) == (256, Lasting.FORGET)
    assert replace(found, had_rule=True).putting_back(ARRAY).lasting is Lasting.ALWAYS


@pytest.mark.parametrize(
    ("share", "elapsed_s", "left_s"), [(0.0, 0.0, 100.0), (0.5, 100.0, 100.0), (0.1, 20.0, 135.0), (1.0, 300.0, 0.0)]
)
def test_the_time_left_follows_the_pace(share: float, elapsed_s: float, left_s: float) -> None:
    clock = iter([0.0, elapsed_s])
    assert Pace(100.0, lambda: next(clock)).left_s(share) == pytest.approx(left_s)


def test_the_chart_has_one_disk_twice_and_the_best() -> None:
    found = replace(
        swept(Helper(lambda value: value / 10), 512, 1024), alone=(RunResult("buffered_read", 1.0, 60, 60),)
    )
    chart = sweep_chart(found.setting, found.workload, found.points, found.alone, found.before)
    assert [words for _, words in chart.ticks] == ["256", "512", "1 MiB"]
    assert [guide.words for guide in chart.guides] == ["one disk: 60.0", "twice one disk: 120"]
    assert [mark.words for mark in chart.marks] == ["before: 256 KiB", "best: 1 MiB"]
    assert chart.best == 2
    page = as_html(report_of_sweep(found, "tank"))
    assert "twice one disk: 120" in page
    assert "1.71× one disk alone" in page
    running = sweep_chart(found.setting, found.workload, found.points[:1], found.alone)
    assert (running.marks, running.best) == ((), None)


def test_schedulers_are_not_joined_by_a_line() -> None:
    points = tuple(Point(name, (RunResult("buffered_read", 1.0, 60, 60),)) for name in ("none", "mq-deadline"))
    chart = sweep_chart("scheduler", Workload.BUFFERED_READ, points, (), "none")
    assert "<polyline" not in svg_of_chart(chart)
    assert svg_of_chart(chart).count('r="4"') == 2


def test_the_best_is_kept_if_that_is_wanted() -> None:
    helper = Helper(lambda value: 100.0 if value == 512 else 90.0)
    assert swept(helper, 512, 1024, keep=True).kept == 512
    assert (helper.value, helper.kept) == (512, 512)


def test_what_varies_as_much_as_it_gains_is_no_clear_gain() -> None:
    rates = iter([100.0, 101.0, 103.0, 100.5])
    found = swept(Helper(lambda _value: next(rates)), 512)
    assert found.best.value == 256 or (found.against_before and found.against_before.verdict is not Verdict.FASTER)


def test_a_value_that_the_kernel_does_not_take_is_said_and_left_out() -> None:
    helper = Helper(lambda _value: 50.0, lambda value: value != 1024)
    found = swept(helper, 512, 1024)
    assert helper.measured == [256, 512] * 2
    assert [bool(one.refused) for one in found.points] == [False, False, True]


def test_a_sweep_that_fails_puts_the_old_value_back() -> None:
    def speed(value: int) -> float:
        if value == 512:
            raise JobFailed("fio stopped.", code="workload-io-error")
        return 1.0

    helper = Helper(speed)
    with pytest.raises(JobFailed, match="fio stopped"):
        swept(helper, 512, 1024)
    assert helper.value == 256


def test_what_makes_no_sense_is_refused_before_anything_is_set() -> None:
    helper = Helper(lambda _value: 1.0)
    with pytest.raises(InputError, match="must be from 0 to"):
        swept(helper, 512, 2**21)
    with pytest.raises(InputError, match="can't be swept"):
        tuning_of("sync_speed_min_kib", 5)
    with pytest.raises(InputError, match="has no stripe_cache_size"):
        setting_now(ArraySettings({}, (), ()), "stripe_cache_size")
    assert helper.measured == []


def test_the_disks_scheduler_is_one_or_none() -> None:
    lines = ("sda scheduler=mq-deadline timeout_s=30", "sdb scheduler=mq-deadline timeout_s=30")
    assert setting_now(ArraySettings({}, lines, ()), "scheduler") == "mq-deadline"
    with pytest.raises(InputError, match="differ in scheduler"):
        setting_now(ArraySettings({}, (*lines, "sdc scheduler=none"), ()), "scheduler")


def test_the_members_read_ahead_is_a_number_and_one() -> None:
    lines = ("sda scheduler=none member_read_ahead_kib=128", "sdb scheduler=none member_read_ahead_kib=128")
    assert setting_now(ArraySettings({}, lines, ()), "member_read_ahead_kib") == 128
    assert tuning_of("member_read_ahead_kib", 512).of_disks() == {"queue/read_ahead_kb": "512"}


def test_the_plateau_of_the_study_begins_at_four() -> None:
    """raid0 over two channels: linear to four disks, then flat, with a dip at five (N. Brown 2004)."""
    assert plateau([(2, 140), (3, 210), (4, 315), (5, 250), (6, 300), (7, 318), (8, 320)]) == 4
    assert plateau([(2, 100), (3, 150), (4, 200)]) is None


@given(st.lists(st.floats(1, 1000), min_size=2, max_size=14))
def test_behind_the_plateau_nothing_gains(figures: list[float]) -> None:
    points = list(enumerate(figures, start=2))
    at = plateau(points)
    if at is None:
        assert figures[-1] > figures[-2] * (1 + SHARE)
    else:
        assert max(figure for place, figure in points if place > at) <= dict(points)[at] * (1 + SHARE)
