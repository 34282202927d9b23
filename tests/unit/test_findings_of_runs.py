"""Findings of a run that slowed down: none for a steady run, and only causes that were observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.findings.of_runs import Course, remarks_on, step_down
from raidwright.core.protocol.measured import Sample
from raidwright.runs.memory_speed import is_at_memory_speed
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import Run, RunResult

A_SECOND = 8  # samples


def _samples(rates: Sequence[float]) -> list[Sample]:
    return [Sample((step + 1) / A_SECOND, 0.0, rate, 0.0, rate, 1.0) for step, rate in enumerate(rates)]


def _noisy(levels: Sequence[tuple[int, float]], noise: float, seed: int) -> list[Sample]:
    """Return samples for the given seconds at each level, with noise of this standard deviation as a fraction."""
    random = Random(seed)  # noqa: S311 -- no secret
    rates = [level for seconds, level in levels for _ in range(seconds * A_SECOND)]
    return _samples([max(0.0, rate * random.gauss(1, noise)) for rate in rates])


def _said(course: Course) -> str:
    return " | ".join(map(str, remarks_on(course)))


@given(
    st.integers(2, 40), st.integers(2, 40), st.floats(1, 5000), st.floats(0.05, 0.65), st.floats(0, 0.15), st.integers()
)
def test_a_step_down_is_found_where_it_is(
    before: int, after: int, level: float, left: float, noise: float, seed: int
) -> None:
    step = step_down(_noisy([(before, level), (after, level * left)], noise, seed))
    assert step is not None
    assert step.at_s == pytest.approx(before, abs=0.6)
    assert step.left == pytest.approx(left, rel=0.2, abs=0.05)
    assert step.written_mb == pytest.approx(before * level, rel=0.2)


@given(st.integers(2, 60), st.floats(1, 5000), st.floats(0, 0.3), st.integers())
def test_noise_is_no_step(seconds: int, level: float, noise: float, seed: int) -> None:
    assert step_down(_noisy([(seconds, level)], noise, seed)) is None


@given(st.integers(2, 20), st.integers(2, 20), st.floats(0.05, 0.65), st.integers())
def test_neither_a_rise_nor_a_dip_that_passes_is_a_step(first: int, second: int, left: float, seed: int) -> None:
    assert step_down(_noisy([(first, 100 * left), (second, 100)], 0.05, seed)) is None
    dip = [(2 + first, 100), (1, 100 * left), (2 + first + second, 100)]
    assert step_down(_noisy(dip, 0.05, seed)) is None


@given(st.lists(st.floats(0, 1e5), max_size=40))
def test_whatever_the_rates_it_says_something_or_nothing(rates: list[float]) -> None:
    samples = _samples(rates)
    for writes, buffered in product((True, False), repeat=2):
        assert len(list(remarks_on(Course(samples, writes, buffered)))) <= 1


def test_a_full_cache_is_said_of_what_writes_alone() -> None:
    samples = _noisy([(5, 400), (10, 80)], 0.05, 1)
    assert "2.01 GB written" in (said := _said(Course(samples, writes=True)))
    assert "20% of its rate, 79 MB/s" in said
    assert "fast part is full" in said
    said = _said(Course([replace(one, read_mb_s=one.write_mb_s, write_mb_s=0.0) for one in samples]))
    assert "why isn't known" in said
    assert "full" not in said


def _warmed(samples: Sequence[Sample], celsius: Mapping[int, float]) -> list[Sample]:
    """Return the samples with sdb's temperature, by second."""
    return [
        replace(one, celsius={"sda": 35.0, "sdb": celsius[int(one.seconds)]}) if one.seconds in celsius else one
        for one in samples
    ]


def test_a_disk_as_warm_as_it_warns_of_is_named_with_what_it_did() -> None:
    warm = {1: 55.0, 10: 66.0, 20: 71.0}
    samples = _warmed(_noisy([(10, 400), (15, 200)], 0.03, 2), warm)
    limits = {"sda": 60.0, "sdb": 65.0}
    said = _said(Course(samples, writes=True, limits_celsius=limits))
    assert "sdb became 71 °C warm" in said
    assert "the rate fell to 51%" in said
    assert "full" not in said  # one cause is enough
    assert _said(Course(samples, writes=True, limits_celsius={"sdb": 90.0})).count("fast part is full") == 1
    steady = _warmed(_noisy([(25, 400)], 0.03, 3), warm)
    assert "sdb was 71 °C warm" in _said(Course(steady, limits_celsius=limits))
    assert "sdb was 71" in _said(Course(steady))  # it has no limit
    assert not _said(Course(_warmed(_noisy([(25, 400)], 0.03, 3), {1: 55.0, 10: 66.0})))


def test_a_resync_that_begins_is_the_cause() -> None:
    samples = _noisy([(6, 400), (6, 200)], 0.03, 4)
    told = [
        replace(one, sync_action="resync" if one.seconds > 6 else "idle") if one.seconds == int(one.seconds) else one
        for one in samples
    ]
    assert _said(Course(told, writes=True)) == (
        "The array's first sync was still running: expect more once it is done."
    )  # fmt: skip
    assert "A check of the array was running" in _said(Course((), sync="check"))
    calm = [replace(one, sync_action="idle") for one in _noisy([(12, 400)], 0.03, 4)]
    assert not _said(Course(calm, sync="idle"))


def _run(workload: str, samples: Sequence[Sample], around: Mapping[str, str], **more: Any) -> Run:
    known: dict[str, Any] = {
        "id": "a",
        "started": datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        "machine": "This computer",
        "target": "md:1",
        "workload": workload,
        "context": {"array": {"name": "tank"}, "disks": [], "surroundings": around},
        "result": RunResult(workload, 15.0, 200.0, 190.0),
        "samples": tuple(samples),
    }
    return Run(**(known | more))


def test_a_runs_context_says_what_it_writes_to_and_from_when_its_disks_warn() -> None:
    slower = _noisy([(5, 400), (10, 80)], 0.05, 1)
    [said] = remarks_of(_run("sequential_write", slower, {}))
    assert "fast part is full" in said
    for reads in ("sequential_read", "buffered_read", "of another program"):  # these have another bottleneck
        [said] = remarks_of(_run(reads, slower, {}))
        assert "why isn't known" in said
    [said] = remarks_of(_run("buffered_write", slower, {}))
    assert "went to memory (the page cache)" in said
    warm = _warmed(_noisy([(10, 400)], 0.03, 2), {1: 61.0})
    [said] = remarks_of(_run("sequential_read", warm, {"sdb/warns_at_celsius": "60", "sda/warns_at_celsius": "hot"}))
    assert "sdb was 61 °C warm" in said
    assert not list(remarks_of(_run("sequential_read", warm, {})))


def test_what_was_to_be_measured_is_no_remark() -> None:
    run = _run("sequential_read", (), {"sync_action": "recover"}, is_practice=True)
    assert not is_at_memory_speed(run)  # its disks aren't known
    run = replace(run, context={**run.context, "disks": [{"model": "WDC WD80EFZX"}]})
    busy, practice = remarks_of(run)
    assert "A rebuild was running" in busy
    assert "Memory speed" in practice
    assert list(remarks_of(run, while_rebuilt=True)) == [practice]
