"""Predicted speeds obey physics, whatever the plan; and md's sources where they specify them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.assessment import assess
from raidwright.analysis.performance.array import ModelledArray
from raidwright.analysis.performance.host import HostModel
from raidwright.analysis.performance.of_plan import performance_of
from raidwright.analysis.performance.performance_json import performance_as_json
from raidwright.analysis.performance.prediction import HEALTHY, PredictedState, Predictor, predict
from raidwright.analysis.performance.stripes import stripe_parts
from raidwright.analysis.reliability.loss import loss_of
from raidwright.core.md.layouts import Level, parse_copies
from raidwright.core.model.plan import DISK_KINDS, RPM, SPEEDS, Baseline, Bitmap, MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.core.system.workload import Pattern, Workload

from .making_plans import equal, flat_plans, grouped, slice_of

TB_SECTORS = 2 * 10**9
FIRST_LOST = PredictedState(frozenset({"disk-0"}))
DISK = Baseline(
    kind="hdd",
    rpm=7200,
    sequential_read_mb_s=200,
    sequential_write_mb_s=190,
    random_read_4k_iops=75,
    random_write_4k_iops=150,
    random_read_4k_q32_iops=170,
    random_write_4k_q32_iops=190,
)
FLASH = Baseline(
    kind="nvme",
    sequential_read_mb_s=3400,
    sequential_write_mb_s=2900,
    random_read_4k_iops=14_000,
    random_write_4k_iops=50_000,
    random_read_4k_q32_iops=300_000,
    random_write_4k_q32_iops=250_000,
    random_read_64k_iops=7_000,
    random_read_1m_iops=1_900,
    random_write_1m_iops=1_500,
    flush_ms=1.5,
)
ONE_FOR_ALL = "one disk's figures stand for all; disks of one make differ, and so do ways to measure them"
STREAMS = (Workload.SEQUENTIAL_READ, Workload.SEQUENTIAL_WRITE, Workload.BUFFERED_READ, Workload.BUFFERED_WRITE)
WIDTHS = {"raid0": 1, "raid1": 2, "raid4": 3, "raid5": 3, "raid6": 4, "raid10": 2, "linear": 1}


def made_of(plan: Plan, *baselines: Baseline) -> Plan:
    """Return the plan with these baselines of its disks in turn."""
    order = iter(baselines * 64)
    return plan.each_disk(lambda disk: replace(disk, baseline=next(order)))


def array(level: str, count: int, baseline: Baseline = DISK, layout: str | None = None) -> Plan:
    return made_of(Plan(equal(level, count, layout, TB_SECTORS)), baseline)


def mb_s(
    plan: Plan, workload: Workload | Pattern, state: PredictedState = HEALTHY, host: HostModel | None = None
) -> float:
    found = predict(plan, workload, state, host=host)
    assert found is not None
    return found.mb_s


@st.composite
def plans(draw: st.DrawFn, kinds: tuple[str, ...] = DISK_KINDS) -> Plan:
    level = draw(st.sampled_from(sorted(WIDTHS)))
    count = draw(st.integers(WIDTHS[level], 12))
    layouts = [name for name in ("n2", "f2", "o2", "n3", "f3", "n2f2", "n2o2") if parse_copies(name).total <= count]
    layout = draw(st.sampled_from(layouts)) if level == "raid10" else None
    kind = draw(st.sampled_from(kinds))
    plan = made_of(Plan(equal(level, count, layout, TB_SECTORS)), Baseline(kind=kind))
    chunk = None if level in ("raid1", "linear") else draw(st.sampled_from([4, 64, 128, 512, 2048]))
    bitmap = draw(st.sampled_from(Bitmap)) if plan.array.level.is_redundant else Bitmap.NONE
    return plan.on(replace(plan.array, chunk_kib=chunk, bitmap=bitmap))


@given(plans())
def test_every_plan_has_a_figure_within_its_band_for_every_workload(plan: Plan) -> None:
    performance = performance_of(plan)
    for workload, speeds in performance.speeds.items():
        for one in (speeds.normal, speeds.degraded, speeds.rebuilding):
            if one is not None:
                assert 0 < one.low_mb_s < one.mb_s < one.high_mb_s, (workload, one)
                assert one.limited_by
                assert one.iops == pytest.approx(one.mb_s * 1e6 / one.block_bytes)
        assert speeds.normal is not None
        assert (speeds.degraded is None) == (not plan.array.level.is_redundant)


@pytest.mark.parametrize("layout", ["n2f2", "n2o2"])
def test_a_pair_of_near_copies_may_be_lost_while_far_ones_are_there(layout: str) -> None:
    plan = made_of(Plan(equal("raid10", 4, layout, TB_SECTORS)), DISK)
    for workload in STREAMS:
        assert mb_s(plan, workload, PredictedState(frozenset({"disk-0", "disk-1"}))) > 0


@given(flat_plans().map(Plan), st.sampled_from([None, *DISK_KINDS]), st.booleans())
def test_whatever_mdadm_takes_has_figures(plan: Plan, kind: str | None, one_missing: bool) -> None:
    plan = made_of(plan, Baseline(kind=kind))
    if (
        one_missing
        and plan.array.level.is_redundant
        and plan.array.level is not Level.RAID10
        and len(plan.array.members) > 1
    ):
        plan = plan.on(replace(plan.array, members=(None, *plan.array.members[1:])))
    for speeds in performance_of(plan).speeds.values():
        assert speeds.normal is not None
        assert isfinite(speeds.normal.high_mb_s)
        assert speeds.normal.low_mb_s > 0


FIGURES = {name: SPEEDS[ending] for name in Baseline.__slots__ for ending in SPEEDS if name.endswith(f"_{ending}")}


@given(plans(), st.fixed_dictionaries({}, optional={
    **{name: st.sampled_from((limits.least, limits.most)) for name, limits in FIGURES.items()},
    "rpm": st.sampled_from((int(RPM.least), int(RPM.most))),
}))  # fmt: skip
def test_whatever_a_baseline_may_say_gives_numbers(plan: Plan, said: dict[str, float]) -> None:
    kind = next(plan.disks()).baseline
    assert kind is not None
    plan = made_of(plan, replace(kind, **said))  # type: ignore[arg-type]  # rpm is whole
    assert read_plan(dump_plan(plan)) == plan
    json.dumps(performance_as_json(performance_of(plan)), allow_nan=False)


@pytest.mark.parametrize("outer", ["raid0", "raid1", "raid5", "raid6", "raid10", "linear"])
@pytest.mark.parametrize("inner", ["raid0", "raid1", "raid5", "raid10", "linear"])
def test_any_array_in_any_other_has_figures(outer: str, inner: str) -> None:
    for kind in ("hdd", "nvme"):
        performance = performance_of(made_of(Plan(grouped(outer, inner, 4, 4)), Baseline(kind=kind)))
        assert all(speeds.normal is not None and speeds.normal.mb_s > 0 for speeds in performance.speeds.values())


@given(plans(kinds=("hdd",)), st.sampled_from(Workload), st.floats(1.0, 3.0))
def test_faster_disks_never_make_a_slower_array(plan: Plan, workload: Workload, factor: float) -> None:
    names = [name for name in Baseline.__slots__ if name.endswith(("_mb_s", "_iops")) and getattr(DISK, name)]
    faster = replace(DISK, **{name: getattr(DISK, name) * factor for name in names})
    assert mb_s(made_of(plan, faster), workload) >= mb_s(made_of(plan, DISK), workload) * (1 - 1e-9)


@given(plans(), st.sampled_from([workload for workload in Workload if not workload.writes]))
def test_a_lost_member_never_makes_reads_faster(plan: Plan, workload: Workload) -> None:
    speeds = performance_of(plan).speeds[workload]
    if speeds.degraded is not None and speeds.normal is not None and speeds.rebuilding is not None:
        assert speeds.rebuilding.mb_s <= speeds.degraded.mb_s <= speeds.normal.mb_s * (1 + 1e-9)


@pytest.mark.parametrize(("level", "count"), [("raid4", 3), ("raid5", 3), ("raid5", 12), ("raid6", 4)])
@pytest.mark.parametrize("chunk_kib", [4, 64, 512])
@pytest.mark.parametrize("kind", ["hdd", "nvme"])
def test_nor_does_it_when_a_block_covers_many_rows(level: str, count: int, chunk_kib: int, kind: str) -> None:
    """For each row with a lost chunk all others are read, so that no member reads less than before."""
    plan = array(level, count, Baseline(kind=kind)).on(
        replace(array(level, count, Baseline(kind=kind)).array, chunk_kib=chunk_kib)
    )
    whole = mb_s(plan, Workload.RANDOM_READ_512K)
    assert mb_s(plan, Workload.RANDOM_READ_512K, FIRST_LOST) <= whole * (1 + 1e-9)


@given(plans(kinds=("hdd",)), st.sampled_from(STREAMS))
def test_a_slow_member_holds_the_others_back(plan: Plan, workload: Workload) -> None:
    slow = replace(DISK, sequential_read_mb_s=20, sequential_write_mb_s=20)
    held = made_of(plan, DISK)
    first, *rest = held.array.members
    assert isinstance(first, Member)
    held = held.on(replace(held.array, members=(replace(first, baseline=slow), *rest)))
    assert mb_s(held, workload) <= mb_s(made_of(plan, DISK), workload) * (1 + 1e-9)
    all_slow = mb_s(made_of(plan, slow), workload)
    assert mb_s(held, workload) >= all_slow * (1 - 1e-9)
    if plan.array.level is Level.RAID0 and len(plan.array.members) > 1:
        assert mb_s(held, workload) == pytest.approx(all_slow, rel=0.05)


@given(plans(), st.sampled_from(Workload), st.floats(5, 500))
def test_what_goes_over_a_link_never_exceeds_it(plan: Plan, workload: Workload, ceiling: float) -> None:
    linked = plan.each_disk(lambda disk: replace(disk, baseline=replace(disk.baseline or Baseline(), link="usb1")))
    linked = replace(linked, links=(("usb1", ceiling),))
    assert mb_s(linked, workload) <= ceiling * (1 + 1e-9)
    assert mb_s(linked, workload) <= mb_s(plan, workload) * (1 + 1e-9)


@given(plans(), st.sampled_from(Workload))
def test_what_is_not_known_of_a_disk_widens_the_band(plan: Plan, workload: Workload) -> None:
    kind = next(plan.disks()).baseline
    assert kind is not None
    full = replace(FLASH if kind.kind in ("ssd", "nvme", "memory") else DISK, kind=kind.kind)
    each = [replace(full, sequential_read_mb_s=200 - number / 10) for number in range(12)]
    alike = [replace(full, sequential_read_mb_s=200)]

    widths: dict[str, list[float]] = {}
    for baselines in (each, alike, [Baseline(kind=kind.kind)], *([[Baseline()]] if kind.kind == "hdd" else [])):
        one = predict(made_of(plan, *baselines), workload)
        assert one is not None
        widths.setdefault(one.limited_by, []).append(one.high_mb_s / one.low_mb_s)
    for same_limit in widths.values():
        assert same_limit == sorted(same_limit)
    found = predict(made_of(plan, *each), workload)
    assert found is not None
    # a cache's room, a bitmap's cost and how far a disk reads on, which no baseline tells
    untold = ("cache", "lockless bitmap", "reads on by itself")
    assert all(any(word in sentence for word in untold) for sentence in found.assumes)


def test_one_disks_figures_for_all_are_told_as_that() -> None:
    others = [replace(DISK, sequential_read_mb_s=mb_s) for mb_s in (201, 199)]
    pools = ([DISK], [DISK, *others], [DISK, Baseline(kind="hdd", rpm=7200), Baseline(kind="hdd", rpm=7200)])
    told = [predict(made_of(array("raid0", 3), *some), Workload.SEQUENTIAL_READ) for some in pools]
    assert [ONE_FOR_ALL in one.assumes for one in told if one] == [True, False, False]
    alone = predict(array("linear", 1), Workload.SEQUENTIAL_READ)
    assert alone is not None
    assert not alone.assumes


@pytest.mark.parametrize("kind", [DISK, FLASH])
def test_one_disk_alone_predicts_itself(kind: Baseline) -> None:
    alone = array("linear", 1, kind)
    assert mb_s(alone, Workload.SEQUENTIAL_READ) == pytest.approx(kind.sequential_read_mb_s, rel=0.01)
    assert mb_s(alone, Workload.SEQUENTIAL_WRITE) == pytest.approx(kind.sequential_write_mb_s, rel=0.01)
    figures = {
        Workload.RANDOM_READ_4K: kind.random_read_4k_iops,
        Workload.RANDOM_WRITE_4K: kind.random_write_4k_iops,
        Workload.RANDOM_READ_4K_Q32: kind.random_read_4k_q32_iops,
        Workload.RANDOM_WRITE_4K_Q32: kind.random_write_4k_q32_iops,
    }
    host = HostModel(member_request_s=0)
    for workload, iops in figures.items():
        found = predict(alone, workload, host=host)
        assert found is not None
        assert found.iops == pytest.approx(iops, rel=0.02), workload


@pytest.mark.parametrize(
    ("level", "layout", "count", "read", "write"),
    [
        ("raid0", None, 4, 4, 4),
        ("raid1", None, 3, 1, 1),
        ("raid10", "n2", 4, 2.69, 2),
        ("raid10", "o2", 4, 2, 2),
        ("raid10", "f2", 4, 4, None),  # writes go to two bands: seeks
        ("raid5", None, 4, 3, None),  # the stripe cache
        ("raid6", None, 6, 4, None),
        ("linear", None, 4, 1, 1),
    ],
)
def test_streams_of_spinning_disks(level: str, layout: str | None, count: int, read: float, write: int | None) -> None:
    plan = array(level, count, layout=layout)
    assert mb_s(plan, Workload.SEQUENTIAL_READ) == pytest.approx(read * 200, rel=0.03)
    found = mb_s(plan, Workload.BUFFERED_WRITE) / 190
    if write is not None:
        assert found == pytest.approx(write, rel=0.01)
    else:
        data = count / 2 if level == "raid10" else count - plan.array.level.parity_disks
        assert 0.3 * data < found < data


def test_flash_reads_all_copies_at_once() -> None:
    """``raid10.c read_balance``: with a non-rotational member, the fewest pending requests decide."""
    for layout in ("n2", "f2", "o2"):
        assert mb_s(array("raid10", 4, FLASH, layout), Workload.SEQUENTIAL_READ) == pytest.approx(4 * 3400, rel=0.01)
    assert mb_s(array("raid1", 2, FLASH), Workload.SEQUENTIAL_READ) == pytest.approx(3400, rel=0.01)


def test_unequal_mirrors_share_reads_and_wait_for_the_slower_to_write() -> None:
    mixed = made_of(Plan(equal("raid1", 2, None, TB_SECTORS)), FLASH, DISK)
    assert mb_s(mixed, Workload.RANDOM_READ_4K) == pytest.approx(
        14_000 * 4096 / 1e6, rel=0.05
    )  # the first that is idle
    deep = mb_s(mixed, Workload.RANDOM_READ_4K_Q32)
    assert mb_s(array("raid1", 2), Workload.RANDOM_READ_4K_Q32) < deep
    assert deep < mb_s(array("raid1", 2, FLASH), Workload.RANDOM_READ_4K_Q32)
    assert mb_s(mixed, Workload.SEQUENTIAL_WRITE) == pytest.approx(190, rel=0.01)


@pytest.mark.parametrize(
    ("layout", "count", "chunk_kib", "measured"),
    [("n2", 2, 64, 18.75), ("n2", 3, 64, 23.8), ("n2", 4, 64, 25.8), ("n2", 4, 256, 24.9)],
)
def test_a_pairs_nearer_head_reads_what_the_pair_has_of_a_block(
    layout: str, count: int, chunk_kib: int, measured: float
) -> None:
    """By Linux 6.1, on emulated disks of which this is one; raid1 of two reads 18.75, too."""
    each = Baseline(
        kind="hdd",
        rpm=7200,
        sequential_read_mb_s=48.5,
        sequential_write_mb_s=47.1,
        random_read_4k_iops=74.2,
        random_write_4k_iops=214.0,
        random_read_4k_q32_iops=167.4,
        random_write_4k_q32_iops=202.6,
    )
    plan = array("raid10", count, each, layout).on(
        replace(array("raid10", count, each, layout).array, chunk_kib=chunk_kib)
    )
    assert mb_s(plan, Workload.RANDOM_READ_512K) == pytest.approx(measured, rel=0.1)


def test_a_link_that_nobody_measured_is_said() -> None:
    plan = array("raid0", 2, replace(DISK, link="usb1"))
    found = predict(plan, Workload.SEQUENTIAL_READ)
    assert found is not None
    assert any("usb1" in sentence for sentence in found.assumes)


def test_a_far_array_that_lost_a_disk_reads_far_slower() -> None:
    """Its copies lie in the inner half of the next disk, which seeks back and forth (measured: 0.73 of 2.3 disks)."""
    plan = array("raid10", 3, layout="f2")
    assert mb_s(plan, Workload.BUFFERED_READ, FIRST_LOST) < mb_s(plan, Workload.BUFFERED_READ) / 2
    near = array("raid10", 4, layout="n2")
    assert mb_s(near, Workload.BUFFERED_READ, FIRST_LOST) == pytest.approx(mb_s(near, Workload.BUFFERED_READ), rel=0.1)


# performance.md's table, from handle_stripe_dirtying: one block written, (members, reads, writes).
@pytest.mark.parametrize(
    ("level", "count", "reads", "writes"),
    [
        ("raid5", 3, 1, 2),
        ("raid5", 4, 2, 2),
        ("raid5", 8, 2, 2),
        ("raid6", 4, 1, 3),
        ("raid6", 5, 2, 3),
        ("raid6", 6, 3, 3),
        ("raid6", 10, 3, 3),
    ],
)
def test_a_small_write_reads_the_fewer(level: str, count: int, reads: int, writes: int) -> None:
    parts = stripe_parts(_ready(array(level, count)), 4096)
    assert (parts.reads, parts.writes) == (reads, writes)


def test_a_whole_stripe_reads_nothing() -> None:
    plan = array("raid6", 10).on(replace(array("raid6", 10).array, chunk_kib=64))
    assert stripe_parts(_ready(plan), 512 * 1024).reads == 0
    assert stripe_parts(_ready(plan), 256 * 1024).reads == 4  # the other four: fewer than the old four and two parities


def _ready(plan: Plan, state: PredictedState = HEALTHY, host: HostModel | None = None) -> ModelledArray:
    found = Predictor(plan, host or HostModel()).array(state)
    assert found is not None
    return found


def test_raid6_modifies_since_4_1() -> None:
    plan = array("raid6", 10)
    assert stripe_parts(_ready(plan, host=HostModel(kernel=(4, 0))), 4096).reads == 7


def test_a_bitmap_costs_most_where_writes_find_clean_regions() -> None:
    plan = array("raid10", 4, layout="n2")
    noted = plan.on(replace(plan.array, bitmap=Bitmap.INTERNAL))
    small = Pattern("randwrite", 4, 1)
    assert mb_s(noted, small) < mb_s(plan, small) / 3
    coarse = HostModel(bitmap_chunk_bytes=10**12)
    assert mb_s(noted, small, host=coarse) > mb_s(noted, small)
    predictor = Predictor(noted, HostModel())
    narrow, wide = predictor.predict(small, span=1e-4), predictor.predict(small)
    assert narrow is not None
    assert wide is not None
    assert narrow.mb_s > 2 * wide.mb_s
    assert wide.limited_by == "the bitmap"


def test_large_writes_are_sorted_no_better_than_a_disk_alone_does() -> None:
    """A small cache holds few of them: mirrors reach one disk's measured rate; small ones are unchanged."""
    few = replace(DISK, random_write_1m_iops=60)
    large, deep, small = (Pattern("randwrite", kib, depth) for kib, depth in ((1024, 1), (1024, 8), (4, 1)))
    assert mb_s(array("raid1", 2, few), large) == pytest.approx(60 * 1.048576, rel=0.001)
    assert mb_s(array("raid1", 2), large) > 1.15 * mb_s(array("raid1", 2, few), large)
    assert mb_s(array("raid1", 2, few), deep) > 1.1 * mb_s(array("raid1", 2, few), large)  # those that wait as well
    assert mb_s(array("raid1", 2, few), small) == mb_s(array("raid1", 2), small)


def test_a_larger_stripe_cache_writes_faster_and_more_threads_too() -> None:
    plan = array("raid5", 4)
    rates = [
        mb_s(plan, Workload.BUFFERED_WRITE, host=HostModel(stripe_cache_pages=pages)) for pages in (256, 1024, 8192)
    ]
    assert rates == sorted(rates)
    assert rates[-1] > 1.5 * rates[0]
    flash = array("raid5", 5, FLASH)  # so that requests of 1 MiB fill its stripes
    hosts = (HostModel(kernel=(4, 19), group_threads=threads) for threads in (0, 4))
    one, four = (mb_s(flash, Workload.SEQUENTIAL_WRITE, host=host) for host in hosts)
    assert four == pytest.approx(4 * one, rel=0.01)


def test_arrays_in_arrays_are_their_parts_times() -> None:
    plan = made_of(Plan(grouped("raid0", "raid1", 3, 2)), DISK)
    assert mb_s(plan, Workload.SEQUENTIAL_READ) == pytest.approx(600, rel=0.02)
    assert mb_s(plan, Workload.SEQUENTIAL_WRITE) == pytest.approx(570, rel=0.02)
    sixty = made_of(Plan(grouped("raid0", "raid6", 2, 6)), DISK)
    assert mb_s(sixty, Workload.SEQUENTIAL_READ) == pytest.approx(2 * 4 * 200, rel=0.05)
    lost = PredictedState(frozenset({"disk-0-0"}))
    assert mb_s(sixty, Workload.RANDOM_READ_4K_Q32, lost) < mb_s(sixty, Workload.RANDOM_READ_4K_Q32)
    assert predict(plan, Workload.SEQUENTIAL_READ, PredictedState(frozenset({"disk-0-0", "disk-0-1"}))) is None


def test_a_disk_takes_its_slices_along() -> None:
    pairs = (("a", 1), ("b", 2)), (("b", 1), ("a", 2))  # cross-paired: each mirror is on both disks
    mirrors = tuple(
        MdArray(Level.RAID1, tuple(slice_of(disk, part, TB_SECTORS) for disk, part in pair)) for pair in pairs
    )
    plan = made_of(Plan(MdArray(Level.RAID0, mirrors)), DISK)
    assert predict(plan, Workload.SEQUENTIAL_READ, PredictedState(frozenset({"a"}))) is not None
    assert predict(plan, Workload.SEQUENTIAL_READ, PredictedState(frozenset({"a-part1", "b-part2"}))) is None
    assert performance_of(plan).speeds[Workload.SEQUENTIAL_READ].degraded is not None


def test_two_links_of_different_fill_hold_the_whole_back() -> None:
    """Three disks on one channel of 160 MB/s and two on the other: 50 MB/s each, as Neil Brown saw in 2004."""
    plan = made_of(
        Plan(equal("raid0", 5, None, TB_SECTORS)),
        replace(DISK, sequential_read_mb_s=70, link="a"),
        replace(DISK, sequential_read_mb_s=70, link="b"),
    )
    plan = replace(plan, links=(("a", 160.0), ("b", 160.0)))
    assert mb_s(plan, Workload.BUFFERED_READ) == pytest.approx(5 * 160 / 3, rel=0.01)


def test_rebuilding_knows_its_limits() -> None:
    performance = performance_of(array("raid1", 2))
    assert performance.rebuild_mb_s == pytest.approx(190 * 0.75, rel=0.01)
    assert performance.rebuild_limited_by == "the slowest member"
    assert performance.rebuild_hours == pytest.approx(10**12 * 1.024 / (190e6 * 0.75) / 3600, rel=0.01)
    assert performance_of(array("raid1", 2, FLASH)).rebuild_limited_by == "md's limit"
    assert performance_of(array("raid0", 2)).rebuild_mb_s is None
    wide = performance_of(array("raid6", 24))
    assert wide.rebuild_limited_by == "md's thread on stripes"
    assert wide.rebuild_hours == pytest.approx(loss_of(array("raid6", 24)).rebuild_hours, rel=0.01)  # said once


def _left(level: str, workload: Workload, kernel: tuple[int, int]) -> float:
    slow = replace(DISK, sequential_read_mb_s=60, sequential_write_mb_s=60, random_read_4k_iops=65)
    predictor = Predictor(array(level, 5, slow), HostModel(kernel=kernel))
    said = [predictor.predict(workload, PredictedState(FIRST_LOST.lost, rebuilding)) for rebuilding in (True, False)]
    return said[0].mb_s / said[1].mb_s if said[0] and said[1] else 0.0


def test_a_rebuild_gives_way_to_streams_and_seldom_notices_small_requests() -> None:
    """As Linux 6.1 did: of 65 4 KiB read IOPS a mirror's rebuild left 20, and one of stripes one or two."""
    assert 0.7 < _left("raid10", Workload.SEQUENTIAL_READ, (6, 1)) < 0.95
    assert 0.75 < _left("raid10", Workload.RANDOM_READ_4K_Q32, (6, 1)) < 0.95
    assert 0.2 < _left("raid10", Workload.RANDOM_READ_4K, (6, 1)) < 0.4
    assert 0.015 < _left("raid5", Workload.RANDOM_READ_4K, (6, 1)) < 0.05
    assert 0.015 < _left("raid5", Workload.RANDOM_WRITE_4K, (6, 1)) < 0.05
    assert 0.4 < _left("raid5", Workload.RANDOM_READ_4K, (6, 16)) < 0.7  # it notices them every 128 KiB


@pytest.mark.parametrize("change", [lambda plan: plan, lambda plan: plan.on(replace(plan.array, level=Level.RAID0))])
def test_baselines_from_elsewhere_come_first(change: Callable[[Plan], Plan]) -> None:
    plan = change(array("raid1", 2))
    slow = {disk.id: Baseline(kind="hdd", sequential_read_mb_s=10) for disk in plan.disks()}
    found = predict(plan, Workload.SEQUENTIAL_READ, baselines=slow)
    assert found is not None
    assert found.mb_s == pytest.approx(10 * (2 if plan.array.level is Level.RAID0 else 1), rel=0.01)


@given(plans())
def test_a_mixture_lies_between_what_it_is_mixed_of(plan: Plan) -> None:
    """Nearer to its reads, which are more."""
    found = [predict(plan, Workload(f"random_{kind}_4k_q32")) for kind in ("read", "mixed", "write")]
    if None not in found:
        reads, mixed, writes = (one.mb_s for one in found if one)
        assert min(reads, writes) * 0.999 <= mixed <= max(reads, writes) * 1.001


def _raid5(count: int, chunk_kib: int, **figures: Any) -> Plan:
    return array("raid5", count, replace(DISK, **figures)).on(
        replace(array("raid5", count, replace(DISK, **figures)).array, chunk_kib=chunk_kib)
    )


def test_requests_that_fill_stripes_lose_nothing_and_others_part_of_a_turn_at_their_ends() -> None:
    """As Linux 6.1 did with requests of 1 MiB: stripes of 1 MiB were written at the disks' sum, of 768 KiB were not."""
    assert mb_s(_raid5(3, 512), Workload.SEQUENTIAL_WRITE) == pytest.approx(2 * 190, rel=0.02)
    assert mb_s(_raid5(5, 128), Workload.SEQUENTIAL_WRITE) == pytest.approx(4 * 190, rel=0.02)
    assert mb_s(_raid5(4, 256), Workload.SEQUENTIAL_WRITE) < 0.7 * 3 * 190


def test_a_stream_in_parts_of_a_stripe_waits_two_turns_for_each_part_without_a_write_cache() -> None:
    """Each 64 KiB of a stripe of 1.5 MiB are read for and written before the next: 2 × 8.3 ms at 7200 rpm."""
    said = predict(_raid5(4, 512, random_write_4k_iops=74), Pattern("write", 64, 1))
    assert said is not None
    assert said.mb_s == pytest.approx(3.7, rel=0.1)


@pytest.mark.parametrize(
    ("chunk_kib", "block_kib", "depth", "flushed", "measured"),
    [
        (64, 8, 1, False, 13.5),
        (64, 64, 1, False, 21.0),
        (64, 512, 1, False, 63.4),
        (64, 8, 1, True, 0.961),
        (64, 64, 1, True, 5.89),
        (512, 8, 1, False, 11.4),
        (512, 64, 1, False, 39.3),
        (512, 8, 4, False, 28.5),
        (512, 512, 1, False, 49.0),
        (512, 8, 1, True, 0.944),
        (512, 64, 1, True, 6.73),
    ],
)
def test_a_stream_in_parts_of_a_stripe_meets_what_disks_have_read_and_cache(
    chunk_kib: int, block_kib: int, depth: int, flushed: bool, measured: float
) -> None:
    """By Linux 6.1 on four emulated disks of 64 MB/s; a head goes between what it reads ahead and what it writes."""
    plan = _raid5(4, chunk_kib, sequential_read_mb_s=64, sequential_write_mb_s=64, random_write_4k_iops=169)
    said = predict(plan, Pattern("write", block_kib, depth, flushed=flushed))
    assert said is not None
    assert said.mb_s == pytest.approx(measured, rel=0.2 if flushed else 0.65)
    assert said.low_mb_s < measured < said.high_mb_s


def _announced(chunk_kib: int, data: int) -> HostModel:
    """Return the host as measured: fio announced a stream, which doubles the read-ahead of two stripes."""
    return HostModel(kernel=(6, 1), read_ahead_bytes=4 * data * chunk_kib * 1024)


def test_a_degraded_stream_through_the_page_cache_needs_room_in_the_stripe_cache() -> None:
    """As Linux 6.1 did: chunks of 512 KiB left 9 to 13% of slow disks, a cache of 4096 pages restored the rate."""
    slow = replace(DISK, sequential_read_mb_s=49, sequential_write_mb_s=49)
    wide, host = made_of(_raid5(5, 512), slow), _announced(512, 4)
    larger = replace(host, stripe_cache_pages=4096)
    direct = mb_s(wide, Workload.SEQUENTIAL_READ, FIRST_LOST)
    assert 0.06 < mb_s(wide, Workload.BUFFERED_READ, FIRST_LOST, host) / direct < 0.2
    assert mb_s(wide, Workload.BUFFERED_READ, FIRST_LOST, larger) / direct > 0.9
    assert mb_s(made_of(_raid5(5, 64), slow), Workload.BUFFERED_READ, FIRST_LOST) / direct > 0.9
    assert mb_s(wide, Workload.BUFFERED_READ) / direct > 0.9  # nothing is read through it while all members are there


@pytest.mark.parametrize(("chunk_kib", "is_told"), [(64, False), (128, False), (256, True), (512, True), (1024, True)])
def test_the_finding_on_the_stripe_cache_says_what_is_predicted(chunk_kib: int, is_told: bool) -> None:
    plan = _raid5(4, chunk_kib)
    told = [one.code for one in assess(plan).findings]
    left = mb_s(plan, Workload.BUFFERED_READ, FIRST_LOST) / mb_s(plan, Workload.BUFFERED_READ)
    assert ("stripe-cache" in told) is is_told is (left < 0.5)


@pytest.mark.parametrize(
    ("rate", "count", "chunk_kib", "measured"),
    [
        (49, 5, 128, 86.9),
        (49, 5, 256, 18.2),
        (49, 5, 256, 34.3),
        (49, 5, 512, 17.5),
        (200, 4, 128, 108.6),
        (200, 4, 256, 46.2),
        (200, 4, 512, 20.3),
    ],
)
def test_a_degraded_stream_of_faster_disks_loses_more_of_it(
    rate: int, count: int, chunk_kib: int, measured: float
) -> None:
    """Each page read singly takes its time, however fast the others are; as Linux 6.1 did, which varies: the second of
    these read 6.0 MB/s once.
    """
    plan = made_of(_raid5(count, chunk_kib), replace(DISK, sequential_read_mb_s=rate))
    said = predict(plan, Workload.BUFFERED_READ, FIRST_LOST, host=_announced(chunk_kib, count - 1))
    assert said is not None
    assert said.low_mb_s < measured < said.high_mb_s


@pytest.mark.parametrize("measured", [31.1, 59.2])
def test_dd_reads_a_degraded_array_of_todays_disks_at_a_fraction(measured: float) -> None:
    """By Linux 6.1 on four emulated disks of 200 MB/s, with mdadm's own chunk and without an announcement."""
    plan = made_of(_raid5(4, 512), replace(DISK, sequential_read_mb_s=200))
    said = predict(plan, Workload.BUFFERED_READ, FIRST_LOST, host=HostModel(kernel=(6, 1)))
    assert said is not None
    assert said.low_mb_s < measured < said.high_mb_s
