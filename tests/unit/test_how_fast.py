"""The sentences on a plan's speed follow from the figures, and are never more precise."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.constants import LIMIT_PASSED, SYNC_MAX_B_S
from raidwright.analysis.performance.of_plan import Performance, WorkloadSpeeds, alone_of, performance_of
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.system.workload import Workload
from raidwright.text.plan.how_fast import (
    against_one_disk,
    rebuild_sentence,
    rests_on,
    with_one_lost,
    with_one_lost_and_cure,
)
from raidwright.text.plan.speed import WISHED

HDD = Baseline(kind="hdd", rpm=7200)
FLASH = Baseline(kind="ssd")


def _plan(level: str, count: int, baseline: Baseline | None = HDD, **more: Any) -> Plan:
    disks = tuple(Member(f"disk-{number}", 8 * 10**12, baseline=baseline) for number in range(count))
    return Plan(MdArray(Level(level), disks, **more))


def _said(plan: Plan) -> str:
    return against_one_disk(plan, performance_of(plan), alone_of(plan))


def _times(factor: float, limit: str = "the members") -> str:
    """Return the sentences on a raid0 that does everything ``factor`` times as fast as one disk."""
    one = Prediction(100.0, 80.0, 120.0, 4096, say("the members"))
    array = replace(one, mb_s=100 * factor, limited_by=say(limit))
    speeds = {workload: WorkloadSpeeds(array, None, None) for workload in Workload}
    performance = Performance(speeds, None, None, say(""), 1.0, ())
    return against_one_disk(_plan("raid0", 2), performance, dict.fromkeys(Workload, one))


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (24.3, "about 24 times as fast"),
        (2.9, "about 3 times as fast"),
        (2.6, "about 2.5 times as fast"),
        (1.3, "about 1.5 times as fast"),
        (1.2, "about as fast"),
        (0.9, "about as fast"),
        (0.76, "about three quarters as fast"),
        (0.52, "about half as fast"),
        (0.24, "about a quarter as fast"),
        (0.11, "about a tenth as fast"),
        (0.04, "about 4% as fast"),
        (0.0001, "about 1% as fast"),
    ],
)
def test_factors_are_said_as_exactly_as_they_are_known(factor: float, said: str) -> None:
    assert _times(factor).startswith(f"Reads a stream {said} as one disk, and writes one {said}.")


@given(st.floats(min_value=1e-4, max_value=200))
def test_what_is_said_is_near_what_is_predicted(factor: float) -> None:
    said = _times(factor)
    if found := re.match(r"Reads a stream about ([\d.]+) times", said):
        assert float(found[1]) == pytest.approx(factor, rel=0.21)
        assert float(found[1]) > 1
    elif "about as fast" in said:
        assert 0.85 <= factor < 1.25
    else:
        assert factor < 0.85


def test_what_isn_t_the_disks_is_named_once() -> None:
    said = _times(3, "the processor")
    assert said.endswith("Not the disks but the processor limits reading, writing, small reads and small writes.")
    assert "Not the disks" not in _times(3)


def test_small_writes_say_why_they_are_few() -> None:
    cached = replace(HDD, random_write_4k_q32_iops=600)
    assert "since parity makes several accesses of each" in _said(_plan("raid5", 4, cached))
    assert "since the bitmap has to note each place first" in _said(_plan("raid5", 4, bitmap=Bitmap.INTERNAL))
    assert "since" not in _said(_plan("raid0", 4))
    noted = _plan("raid10", 4, FLASH, layout="n2", bitmap=Bitmap.INTERNAL)
    assert "since the bitmap has to note each place first" in _said(noted)
    assert "the bitmap limits" not in _said(noted)
    assert "since the bitmap has to note each place first" in _said(_plan("raid1", 2, bitmap=Bitmap.INTERNAL))


def test_a_stripe_reads_as_many_times_as_it_has_disks() -> None:
    assert _said(_plan("raid0", 4)).startswith(
        "Reads a stream about 4 times as fast as one disk, and writes one about 4"
    )


def test_a_disk_alone_is_the_best_of_them() -> None:
    slow, fast = (replace(HDD, sequential_read_mb_s=float(rate)) for rate in (90, 180))
    disks = tuple(Member(f"disk-{place}", 10**12, baseline=one) for place, one in enumerate((slow, fast, slow)))
    plan = Plan(MdArray(Level.RAID0, disks))
    assert alone_of(plan)[Workload.SEQUENTIAL_READ].mb_s == pytest.approx(180)
    assert alone_of(Plan(MdArray(Level.RAID5, (*disks[:1], None, *disks[2:])))).keys() == set(Workload)
    inner = Plan(MdArray(Level.RAID0, (MdArray(Level.RAID1, disks[:2]), MdArray(Level.RAID1, disks[:2]))))
    assert alone_of(inner)[Workload.SEQUENTIAL_READ].mb_s == pytest.approx(180)


def test_what_a_lost_disk_leaves() -> None:
    plan = _plan("raid10", 4, layout="f2")
    performance = performance_of(plan)
    shares = {
        workload: each.degraded.mb_s / each.normal.mb_s
        for workload, each in performance.speeds.items()
        if workload in WISHED and each.normal is not None and each.degraded is not None
    }
    worst = min(shares.values())
    assert worst < 0.4  # reads of a far layout seek back and forth
    assert f"reading suffers most: about {round(worst * 20) * 5}% of its speed is left" in with_one_lost(
        plan, performance
    )
    mirror = _plan("raid1", 3, FLASH)
    flash = performance_of(mirror)
    same = {one: replace(each, degraded=each.normal) for one, each in flash.speeds.items()}
    assert with_one_lost(mirror, replace(flash, speeds=same)) == "With one disk lost it stays about as fast."
    for level in ("raid0", "linear"):
        lost = _plan(level, 2)
        assert with_one_lost(lost, performance_of(lost)) == "With one disk lost nothing is left."


def test_the_cure_of_slow_reads_from_a_degraded_array_is_told() -> None:
    parity = _plan("raid5", 4).on(replace(_plan("raid5", 4).array, name="tank"))
    told = with_one_lost_and_cure(parity, performance_of(parity))
    assert told.endswith("this lets it read files as before: raidwright tune tank --stripe-cache-size 4096")
    small = parity.on(replace(parity.array, chunk_kib=64))
    assert "raidwright tune" not in with_one_lost_and_cure(small, performance_of(small))


def test_a_rebuild_has_its_band() -> None:
    performance = performance_of(_plan("raid5", 4))
    assert performance.rebuild_hours is not None
    assert performance.rebuild_low_hours is not None
    assert performance.rebuild_high_hours is not None
    assert performance.rebuild_low_hours < performance.rebuild_hours < performance.rebuild_high_hours
    said = rebuild_sentence(performance)
    low, high = (f"{hours:.0f}" for hours in (performance.rebuild_low_hours, performance.rebuild_high_hours))
    assert f"({low} to {high} hours)" in said
    assert "It gives way to other work: meanwhile reading a stream keeps about " in said
    reads = performance.speeds[Workload.RANDOM_READ_4K_Q32]
    assert reads.rebuilding is not None
    assert reads.degraded is not None
    slowed = replace(reads, rebuilding=replace(reads.rebuilding, mb_s=reads.degraded.mb_s * 0.41))
    speeds = {**performance.speeds, Workload.RANDOM_READ_4K_Q32: slowed}
    said = rebuild_sentence(replace(performance, speeds=speeds))
    assert "keeps about 10% of its speed, small reads about 40% of theirs." in said  # the read-ahead was in vain
    assert said.endswith(" one at a time wait up to half a second each.")
    assert rebuild_sentence(performance_of(_plan("raid0", 4))) == ""


def test_a_measured_disk_narrows_the_rebuild_s_band_and_md_s_limit_ends_it_nearly() -> None:
    known = replace(HDD, sequential_read_mb_s=180.0, sequential_write_mb_s=180.0)
    bands = []
    for baseline in (known, HDD, None):
        performance = performance_of(_plan("raid1", 2, baseline))
        assert performance.rebuild_low_hours is not None
        assert performance.rebuild_high_hours is not None
        bands.append(performance.rebuild_high_hours / performance.rebuild_low_hours)
    assert bands == sorted(bands)
    assert bands[0] < bands[1]
    flash = performance_of(_plan("raid1", 2, FLASH))
    assert flash.rebuild_low_hours == pytest.approx(8 * 10**12 / (LIMIT_PASSED * SYNC_MAX_B_S) / 3600)


@pytest.mark.parametrize("hours", [0.5, 3.0, 400.0])
def test_hours_are_said_in_what_fits(hours: float) -> None:
    performance = performance_of(_plan("raid1", 2))
    said = rebuild_sentence(
        replace(performance, rebuild_hours=hours, rebuild_low_hours=hours * 0.9, rebuild_high_hours=hours * 1.2)
    )
    assert {0.5: "(27 minutes to 36 minutes)", 3.0: "(3 to 4 hours)", 400.0: "(15 days to 20 days)"}[hours] in said


def test_what_predictions_rest_on() -> None:
    measured = Member("a", 10**12, baseline=replace(HDD, sequential_read_mb_s=180.0, random_read_4k_iops=75.0))
    typical = Member("b", 10**12, baseline=HDD)
    assert rests_on([measured, measured]) == "Predicted from what was measured of these disks."
    assert "some of these disks" in rests_on([measured, typical])
    assert "typical disks" in rests_on([typical, Member("c", 10**12)])
