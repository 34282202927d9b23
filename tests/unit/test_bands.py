"""Bands of disks of unlike sizes: what is protected, what is named, and that the disks hold it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.analysis.advice.ranking import Wishes, candidates_for
from raidwright.analysis.layers.survival import survival_of
from raidwright.cli import main
from raidwright.cli.candidates import layout_name
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import MAX_TOLERANCE, banded, joined_plans
from raidwright.core.lvm.joined import MIB, partitionable_bytes, slices_of
from raidwright.core.model.plan import Member
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text.plan.candidates import why_words

TB = 10**12
POOLS = {  # what slices reach, in TB, that survive any one failure and any two
    "2x8TB+1x4TB": (12, 4),
    "1x4TB+2x8TB+1x12TB": (20, 12),
    "2x4TB+2x8TB": (16, 8),
    "3x4TB+2x8TB": (20, 12),
    "2x4TB+2x8TB+1x12TB": (24, 16),
    "4x4TB+2x16TB": (32, 16),
    "3x6TB+3x10TB": (38, 28),
    "1x2TB+2x4TB+1x8TB+2x14TB": (32, 18),
    "4x8TB+4x18TB": (86, 68),
    "2x3TB+2x4TB+2x6TB+2x8TB": (34, 26),
}


@pytest.mark.parametrize("pool", POOLS)
def test_the_ten_pools_reach_their_space(pool: str) -> None:
    disks = imagined_members(parse_pool(pool))
    for tolerance, reached_tb in enumerate(POOLS[pool], start=1):
        plan = banded(disks, tolerance).plan
        assert capacity_of(plan).array_bytes >= reached_tb * TB * 0.995
        assert survival_of(plan).most() == tolerance


def test_what_is_free_is_named_by_disk() -> None:
    disks = imagined_members(parse_pool("2x4TB+1x8TB+1x12TB"))
    (free,) = banded(disks, 1).free
    assert (free.disk, free.lacking) == (disks[3], 1)
    assert 3.9 * TB < free.free_bytes < 4.1 * TB
    assert [(one.disk, one.lacking) for one in banded(disks, 2).free] == [(disks[2], 1), (disks[3], 2)]


def test_thin_bands_are_merged_and_their_cost_named() -> None:
    disks = [Member("a", 4 * TB), Member("b", 4 * TB + 10**9), Member("c", 8 * TB), Member("d", 8 * TB)]
    bands = banded(disks, 1)
    assert [len(band.members) for band in bands.plan.arrays] == [4, 2]
    (merged,) = bands.merged
    assert merged.disks == (disks[1],)
    assert 0 < merged.free_bytes <= 10**9
    assert not list(joined_plans(disks[:2]))  # as good as equal


def test_levels_follow_the_tolerance_and_the_wish() -> None:
    disks = imagined_members(parse_pool("3x4TB+2x8TB"))

    def levels(tolerance: int, *, copies: bool) -> list[str]:
        plan = banded(disks, tolerance, copies=copies).plan
        return [f"{band.level} {band.layout or ''}".strip() for band in plan.arrays]

    assert levels(1, copies=False) == ["raid5", "raid1"]
    assert levels(1, copies=True) == ["raid10 n2", "raid1"]
    assert levels(2, copies=False) == ["raid6"]
    assert levels(3, copies=False) == ["raid10 n4"]


def test_too_few_disks_are_refused() -> None:
    with pytest.raises(InputError, match="at least 3 disks"):
        banded([Member("a", TB), Member("b", TB)], 2)


def test_unlike_sectors_are_refused_before_anything_is_written() -> None:
    disks = [Member("a", 4 * TB), Member("b", 4 * TB), Member("c", 8 * TB, sector_bytes=4096), Member("d", 8 * TB)]
    with pytest.raises(PlanRefused, match="LVM joins no arrays of both"):
        capacity_of(banded(disks, 1).plan)


@st.composite
def heaps(draw: st.DrawFn) -> list[Member]:
    """Draw disks of unlike sizes, from 3 GB on, of one sector size."""
    sizes = draw(st.lists(st.integers(3 * 10**9, 24 * TB), min_size=2, max_size=9))
    repeats = draw(st.lists(st.integers(1, 3), min_size=len(sizes), max_size=len(sizes)))
    sector = draw(st.sampled_from([None, 4096]))
    flat = [size // 4096 * 4096 for size, count in zip(sizes, repeats, strict=True) for _ in range(count)]
    return [replace(Member(f"d{n}", size), sector_bytes=sector) for n, size in enumerate(flat)]


@settings(max_examples=150, deadline=None)
@given(heaps(), st.integers(1, MAX_TOLERANCE), st.booleans())
def test_bands_hold_and_protect(disks: list[Member], tolerance: int, copies: bool) -> None:
    if len(disks) <= tolerance:
        return
    bands = banded(disks, tolerance, copies=copies)
    capacity_of(bands.plan)  # GPT, md and LVM take it
    survival = survival_of(bands.plan)
    assert survival.most() >= tolerance
    taken = {disk: sum(part.size_bytes for part in slices) for disk, slices in slices_of(bands.plan).items()}
    free = {one.disk.id: one.free_bytes for one in bands.free}
    merged = {disk.id: one.free_bytes for one in bands.merged for disk in one.disks}
    for disk in disks:
        height = partitionable_bytes(disk.size_bytes, disk.sector_bytes or 512)
        rest = height - taken[disk.id]
        assert 0 <= rest <= max(free.get(disk.id, 0), merged.get(disk.id, 0), 0.011 * height)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(10**11, 24 * TB), min_size=3, max_size=8))
def test_one_failure_costs_no_more_than_the_largest_disk(sizes: list[int]) -> None:
    disks = [Member(f"d{n}", size) for n, size in enumerate(sizes)]
    bands = banded(disks, 1)
    ideal = sum(sizes) - max(sizes)  # of all disks
    thin = sum(len(one.disks) * one.free_bytes for one in bands.merged)
    assert capacity_of(bands.plan).array_bytes >= 0.99 * ideal - thin - 100 * MIB * len(disks)


def test_bands_are_of_md_levels() -> None:
    for bands in joined_plans(imagined_members(parse_pool("2x4TB+2x8TB+4x12TB"))):
        assert len(bands.plan.arrays) > 1


def test_candidates_offer_joined_arrays_where_sizes_are_unlike() -> None:
    ranking = candidates_for(imagined_members(parse_pool("2x4TB,1x8TB,1x12TB")), Wishes())
    joined = [one for one in ranking.candidates if one.prepared.plan.volume]
    assert {layout_name(one.prepared.plan.top) for one in joined} == {
        "joined raid5 ×4 + raid1 ×2",
        "joined raid10 n2 ×4 + raid1 ×2",
    }
    assert all("ses all of your disks" in why_words(one, layout_name) for one in joined)
    assert max(ranking.candidates, key=lambda one: one.prepared.array_bytes * (one.prepared.survives > 0)) in joined
    for one in joined:
        assert one.prepared.disk_sizes == ((1, 12 * TB), (1, 8 * TB), (2, 4 * TB))
        assert [(rest.count, rest.disk_bytes) for rest in one.prepared.unused] == [(1, 12 * TB)]


def test_candidates_of_equal_disks_have_none() -> None:
    ranking = candidates_for(imagined_members(parse_pool("4x8TB")), Wishes())
    assert not any(one.prepared.plan.volume for one in ranking.candidates)


@pytest.mark.parametrize("size", ["1MB", "2MB"])
def test_disks_too_small_for_a_slice_allow_no_array_and_no_wrong_reason(
    size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["candidates", "--disks", f"3x{size}"]) == 2
    said = capsys.readouterr()
    assert "add more disks, or take larger ones" in said.out + said.err
    with pytest.raises(InputError, match=r"at least 2 disks of 3\.00 MiB or more"):
        banded(imagined_members(parse_pool(f"3x{size}")), 1)
