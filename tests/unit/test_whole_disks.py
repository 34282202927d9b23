"""Joined plans by whole disks: what stays free, what would free it, and what failures stop."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.analysis.assessment import assess
from raidwright.core.lvm.bands import banded, is_thin, joined_plans
from raidwright.core.lvm.joined import partitionable_bytes
from raidwright.core.lvm.whole_disks import (
    disk_ids,
    free_tops,
    keeps_copies,
    slice_on,
    stopped_bands,
    tolerance_of,
    whole_disks,
)
from raidwright.core.model.plan import Member, Plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text.plan.joined import beyond_words, free_words, lost_without

from tests.kit.plans import volume_of

TB = 10**12
_POOLS = st.lists(st.sampled_from((2, 3, 4, 8, 12, 16)), min_size=2, max_size=7)


def _pool(sizes_tb: list[int]) -> tuple[Member, ...]:
    return tuple(Member(f"disk-{place}", size * TB) for place, size in enumerate(sizes_tb))


def _four() -> Plan:
    return Plan(banded(imagined_members(parse_pool("2x4TB,1x8TB,1x12TB")), 1, name="heap").plan)


@given(_POOLS)
@settings(deadline=None, max_examples=60)
def test_a_plan_names_what_its_bands_left_free(sizes_tb: list[int]) -> None:
    for bands in joined_plans(_pool(sizes_tb)):
        assert tuple(free_tops(bands.plan)) == bands.free


@given(_POOLS)
@settings(deadline=None, max_examples=60)
def test_the_disks_come_back_whole_and_their_slices_from_them(sizes_tb: list[int]) -> None:
    pool = _pool(sizes_tb)
    known = {disk.id: disk for disk in pool}
    for bands in joined_plans(pool):
        assert set(whole_disks(bands.plan)) == set(pool)
        assert disk_ids(bands.plan) == known.keys()
        again = bands.plan.each_disk(lambda part: slice_on(part, known[part.failure_unit]))
        assert again == bands.plan


@given(_POOLS)
@settings(deadline=None, max_examples=30)
def test_so_many_more_disks_as_large_free_the_top(sizes_tb: list[int]) -> None:
    for bands in joined_plans(_pool(sizes_tb)):
        for top in bands.free:
            added = tuple(replace(top.disk, id=f"new-{count}") for count in range(top.lacking))
            for short in (added[:-1], added):
                tolerance = tolerance_of(bands.plan)
                more = banded((*whole_disks(bands.plan), *short), tolerance, copies=keeps_copies(bands.plan))
                still_free = top.disk.id in {free.disk.id for free in more.free}
                assert still_free is (len(short) < top.lacking)


@given(_POOLS)
@settings(deadline=None, max_examples=30)
def test_as_many_failures_as_planned_for_stop_nothing(sizes_tb: list[int]) -> None:
    for bands in joined_plans(_pool(sizes_tb)):
        units = sorted(disk_ids(bands.plan))
        tolerance = tolerance_of(bands.plan)
        for failed in combinations(units, min(tolerance, len(units))):
            assert stopped_bands(bands.plan, failed) == ()
        assert stopped_bands(bands.plan, units) == tuple(range(len(bands.plan.inner)))


def test_only_what_shares_the_failed_disks_stops() -> None:
    plan = _four()
    assert stopped_bands(volume_of(plan), ["disk-1", "disk-2"]) == (0,)
    assert stopped_bands(volume_of(plan), ["disk-1", "disk-4"]) == (0,)
    assert stopped_bands(volume_of(plan), ["disk-3", "disk-4"]) == (0, 1)


def test_it_is_said_in_words() -> None:
    plan = _four()
    assessment = assess(plan)
    assert free_words(plan) == (
        "4 TB of disk-4 can't be protected, and stay free until another disk of 12 TB or more is added."
    )
    assert beyond_words(assessment) == "the two smallest cost 12.0 TB; the two largest everything"
    assert lost_without(assessment, ["disk-4"]) == ""
    assert lost_without(assessment, ["disk-1", "disk-4"]).startswith("RAID 5 on four stops: 12.0 TB of 16.0 TB")
    assert lost_without(assessment, ["disk-3", "disk-4"]).startswith("Everything is lost")


def test_two_disks_that_lack_a_third_are_said_together() -> None:
    plan = banded(imagined_members(parse_pool("3x4TB,2x8TB")), 2).plan
    said = free_words(Plan(plan))
    assert said == (
        "4 TB of each of disk-4 and disk-5 can't be protected, and stay free until another disk of 8 TB or more is "
        "added."
    )


def test_a_thin_rest_is_not_worth_naming() -> None:
    disks = (Member("a", 4 * TB), Member("b", 4 * TB), Member("c", 8 * TB), Member("d", 8 * TB + 10**9))
    plan = banded(disks, 1).plan
    assert list(free_tops(plan)) == []
    rest = partitionable_bytes(disks[3].size_bytes) - partitionable_bytes(disks[2].size_bytes)
    assert is_thin(rest, partitionable_bytes(disks[2].size_bytes))


def test_a_plan_without_slices_is_its_disks() -> None:
    array = volume_of(_four()).arrays[0]
    assert whole_disks(array) == tuple(array.disks())
    assert free_words(Plan(array)) == ""
