"""Time of a change's steps: its band, and md's throttle."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.performance.change_time import ChangeTime, change_time, times_of
from raidwright.analysis.performance.host import HostModel
from raidwright.core.md.changes.values import ChangeKind, ChangeStep, ChangeWish
from raidwright.core.md.changes.ways import way_of_shape
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Baseline, MdArray, Member, Plan

TB = 10**12
HDD = Baseline(kind="hdd", rpm=7200, sequential_read_mb_s=210, sequential_write_mb_s=205)
SSD = Baseline(kind="ssd", sequential_read_mb_s=530, sequential_write_mb_s=500)


def _disk(number: int, baseline: Baseline | None) -> Member:
    return Member(f"wwn-0x5000c5000000{number:04x}", 8 * TB, "", f"Z{number}", baseline=baseline)


def _growth(baseline: Baseline | None, chunk_kib: int = 512, wish: ChangeWish | None = None) -> ChangeStep:
    plan = Plan(MdArray(Level.RAID5, tuple(_disk(number, baseline) for number in range(4)), chunk_kib=chunk_kib))
    way = way_of_shape(plan.array, wish or ChangeWish(add=(_disk(9, baseline),)))
    return next(step for step in way.steps if step.moves_data)


def test_a_reshape_of_spinning_disks_takes_a_day_or_two() -> None:
    time = change_time(_growth(HDD))
    assert 20 < time.likely_hours < 70
    assert time.low_hours < time.likely_hours < time.high_hours
    assert time.limited_by == "the slowest member"


def test_small_chunks_move_the_heads_more_often_and_flash_has_none() -> None:
    assert change_time(_growth(HDD, 64)).likely_hours > 1.5 * change_time(_growth(HDD)).likely_hours
    assert change_time(_growth(SSD)).likely_hours < change_time(_growth(HDD)).likely_hours / 2


@given(st.floats(1e6, 1e8))
def test_no_step_is_faster_than_mds_limit(limit_b_s: float) -> None:
    """md keeps to it within a second of the last half minute."""
    step = _growth(SSD)
    time = change_time(step, HostModel(sync_limit_b_s=limit_b_s))
    at_limit = step.member_bytes / limit_b_s / 3600
    assert at_limit * 27 / 28 <= time.low_hours * (1 + 1e-9)
    assert time.low_hours < at_limit


def test_what_is_unknown_widens_the_band_and_is_said() -> None:
    known, unknown = change_time(_growth(HDD)), change_time(_growth(None))
    assert unknown.high_hours / unknown.low_hours > known.high_hours / known.low_hours
    assert unknown.assumes


def test_a_backup_file_costs_many_times_as_much() -> None:
    step = _growth(HDD)
    assert change_time(replace(step, takes_backup=True)).likely_hours > 3 * change_time(step).likely_hours


def test_a_step_that_moves_nothing_takes_a_moment_and_times_add_up() -> None:
    mirror = Plan(MdArray(Level.RAID1, tuple(_disk(number, HDD) for number in range(2))))
    way = way_of_shape(mirror.array, ChangeWish(level=Level.RAID5, add=(_disk(9, HDD),)))
    times = times_of(way.steps)
    assert [step.kind for step in way.steps] == [ChangeKind.ADD, ChangeKind.TAKEOVER, ChangeKind.RESHAPE]
    assert times[1].likely_hours < 0.01
    whole = sum(times[1:], times[0])
    assert isinstance(whole, ChangeTime)
    assert whole.likely_hours > times[2].likely_hours
    assert whole.limited_by == times[2].limited_by


def test_a_new_copy_is_a_rebuild() -> None:
    mirror = Plan(MdArray(Level.RAID1, tuple(_disk(number, HDD) for number in range(2))))
    [_, copy] = way_of_shape(mirror.array, ChangeWish(add=(_disk(9, HDD),))).steps
    assert 8 < change_time(copy).likely_hours < 20


def test_a_new_copy_goes_no_faster_than_the_link_that_the_disks_share() -> None:
    shared, links = replace(HDD, link="usb"), (("usb", 100.0),)
    mirror = MdArray(Level.RAID1, tuple(_disk(number, shared) for number in range(2)))
    [_, copy] = way_of_shape(mirror, ChangeWish(add=(_disk(9, shared),))).steps
    held = change_time(copy, links=links)
    assert held.limited_by == "the link usb"
    assert held.likely_hours > 2 * change_time(copy).likely_hours
    assert times_of([copy], links) == (held,)
