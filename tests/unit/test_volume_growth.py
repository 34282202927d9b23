"""The growth of joined volumes: which arrays widen, which are new, what stays out, and what is left after a crash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded, is_thin
from raidwright.core.lvm.change_commands import volume_step_commands
from raidwright.core.lvm.joined import EXTENT_SECTORS, data_start_sectors, partitionable_bytes, slices_of
from raidwright.core.lvm.values import VolumeWay
from raidwright.core.lvm.volume_changes import VolumeStanding, volume_way
from raidwright.core.lvm.whole_disks import tolerance_of, whole_disks
from raidwright.core.md.changes.values import ArrayContent, ArrayStanding, ChangeKind, ChangeStep, ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import LinearVolume, Member, Plan
from raidwright.core.model.plan_json import dump_plan, read_plan

from tests.kit.plans import volume_of

_GB, _TB = 10**9, 10**12


def _disk(name: str, size_bytes: int) -> Member:
    return Member(name, size_bytes, "WD80EFZX", name.upper())


def _volume(*sizes_tb: float, tolerance: int = 1, copies: bool = False) -> LinearVolume:
    disks = [_disk(f"d{number}", int(size * _TB)) for number, size in enumerate(sizes_tb)]
    return banded(disks, tolerance, copies=copies, name="heap").plan


def _grown(plan: LinearVolume, *added: Member, standing: VolumeStanding | None = None) -> VolumeWay:
    return volume_way(plan, ChangeWish(add=added, larger=not added), standing)


def _shape(plan: LinearVolume) -> list[str]:
    return [f"{band.level}×{len(band.members)}" for band in plan.arrays]


def _kinds(way: VolumeWay) -> list[str]:
    return [str(step.kind) for step in way.steps]


def test_a_disk_widens_each_array_that_it_reaches_and_a_new_one_is_made_above() -> None:
    plan = _volume(4, 4, 8, 12)
    assert _shape(plan) == ["raid5×4", "raid1×2"]
    small = _grown(plan, _disk("new", 4 * _TB))
    assert (_shape(small.after), _kinds(small)) == (
        ["raid5×5", "raid1×2"],
        ["partition", "add", "reshape", "grow-content", "extend"],
    )
    large = _grown(plan, _disk("new", 12 * _TB))
    assert _shape(large.after) == ["raid5×5", "raid5×3", "raid1×2"]
    assert _kinds(large) == [
        *("partition", "partition", "add", "add", "reshape", "grow-content"),
        *("takeover", "reshape", "grow-content", "create", "extend"),
    ]
    assert [one.disk for one in large.after.arrays[2].disks()] == ["d3", "new"]
    space = capacity_of(large.after).array_bytes
    assert space == pytest.approx(sum((4, 4, 8, 12, 12)) * _TB - 12 * _TB, rel=0.001)


def test_a_larger_disk_in_a_small_ones_place_is_used_up() -> None:
    plan = _volume(4, 4, 8, 12)
    larger = {"d0": 12 * _TB}
    plan = plan.each_disk(lambda one: replace(one, disk_size_bytes=larger.get(one.disk or "", one.disk_size_bytes)))
    way = _grown(plan)
    assert _shape(way.after) == ["raid5×4", "raid5×3", "raid1×2"]
    assert [(one.disk, one.partition) for one in way.after.arrays[1].disks()] == [("d2", 2), ("d3", 2), ("d0", 2)]
    assert _kinds(_grown(way.after)) == []


def test_mirrors_that_md_cant_widen_stay_and_the_disk_is_used_above_them() -> None:
    plan = _volume(2, 4, 4, 4, tolerance=2)
    assert _shape(plan) == ["raid6×4", "raid1×3"]
    way = _grown(plan, _disk("new", 4 * _TB))
    assert _shape(way.after) == ["raid6×5", "raid1×3"]
    assert way.left_out
    assert "Another copy would add no space" in way.left_out[0]
    copies = _volume(2, 4, 4, copies=True)
    assert _shape(copies) == ["raid10×3", "raid1×2"]
    assert _shape(_grown(copies, _disk("new", 4 * _TB)).after)[1] == "raid1×2"


def test_what_adds_nothing_or_isnt_whole_is_refused_by_its_reason() -> None:
    [why] = _grown(_volume(4, 4), _disk("tiny", _TB)).refusals
    assert "TINY adds nothing" in why
    plan = _volume(4, 4, 8)
    assert _shape(_grown(plan, _disk("tiny", _TB)).after) == ["raid5×3", "raid1×2"]  # beside the large disk's rest
    [why] = _grown(plan, replace(_disk("new", 4 * _TB), sector_bytes=4096)).refusals
    assert "LVM joins no arrays of both" in why
    lacking = replace(plan, arrays=(replace(plan.arrays[0], members=(None, *plan.arrays[0].members[1:])),))
    [why] = _grown(lacking, _disk("new", 4 * _TB)).refusals
    assert "A disk is missing" in why
    busy = VolumeStanding(bands=(ArrayStanding(), ArrayStanding(busy="resync")))
    whys = _grown(_volume(4, 4, 8, 12), _disk("new", 4 * _TB), standing=busy).refusals
    assert [str(why).partition(":")[0] for why in whys] == ["heap-1"]


def test_the_content_grows_where_it_is_mounted_and_is_named_where_not() -> None:
    plan = _volume(4, 4, 8)
    mounted = VolumeStanding(content=ArrayContent("ext4", "/srv", 1000))
    assert _kinds(_grown(plan, _disk("new", 4 * _TB), standing=mounted))[-1] == "grow-content"
    lies = VolumeStanding(content=ArrayContent("xfs", "", 1000))
    way = _grown(plan, _disk("new", 4 * _TB), standing=lies)
    assert _kinds(way)[-1] == "extend"
    assert "Mount it" in way.left_out[0]


def test_a_grown_volume_begins_where_its_arrays_began() -> None:
    """LVM's extents stay where they are, though a wider array would have them elsewhere: the plan says so."""
    plan = _volume(4, 4, 8, 12)
    starts = tuple(map(data_start_sectors, plan.arrays))
    way = _grown(plan, _disk("new", 4 * _TB), standing=VolumeStanding(starts=starts))
    assert data_start_sectors(way.after.arrays[0]) != starts[0]
    assert way.after.pieces[0].start_sector == starts[0]
    reachable = sum(
        (capacity_of(band).array_sectors - start) // EXTENT_SECTORS * EXTENT_SECTORS
        for band, start in zip(way.after.arrays, starts, strict=True)
    )
    assert capacity_of(way.after).array_sectors == reachable
    assert volume_of(read_plan(dump_plan(Plan(way.after)))).pieces == way.after.pieces


_SIZES = st.lists(st.integers(200, 4000), min_size=4, max_size=7)


@given(_SIZES, st.integers(200, 4000), st.integers(1, 3), st.booleans())
def test_growth_keeps_what_was_promised(sizes: list[int], new: int, tolerance: int, copies: bool) -> None:
    disks = [_disk(f"d{number}", size * _GB) for number, size in enumerate(sizes)]
    plan = banded(disks, tolerance, copies=copies, name="heap").plan
    way = _grown(plan, _disk("new", new * _GB))
    if not way.possible:
        assert way.after == plan
        return
    after = way.after
    assert capacity_of(after).array_sectors >= capacity_of(plan).array_sectors
    assert tolerance_of(after) == tolerance_of(plan)
    for band, wider in zip(plan.arrays, after.arrays, strict=False):  # boundaries, members and their order stay
        assert wider.members[: len(band.members)] == band.members
        assert {one.size_bytes for one in wider.disks()} == {one.size_bytes for one in band.disks()}
    for disk in whole_disks(after):
        slices = slices_of(after)[disk.id]
        assert [one.partition for one in slices] == [*range(1, len(slices) + 1)]
        assert sum(one.size_bytes for one in slices) <= partitionable_bytes(disk.size_bytes)
    assert not any(step.takes_backup for step in way.steps)
    assert _leaves_no_more_than(after, tolerance)
    again = volume_way(after, ChangeWish(add=(_disk("new", new * _GB),)), _found(after))
    assert (again.steps, again.refusals) == ((), ())


@given(_SIZES, st.integers(200, 4000), st.integers(0, 6))
def test_whoever_resumes_computes_what_is_left(sizes: list[int], new: int, done: int) -> None:
    """After the adds and any of the arrays' changes: the same end, without the steps that were taken."""
    disks = [_disk(f"d{number}", size * _GB) for number, size in enumerate(sizes)]
    plan = banded(disks, 1, name="heap").plan
    added = _disk("new", new * _GB)
    way = _grown(plan, added)
    if not way.possible:
        return
    bands = [replace(band, spares=()) for band in plan.arrays]
    for step in way.steps:
        if step.kind is ChangeKind.ADD and isinstance(step, ChangeStep):
            place = int(step.after.name.rpartition("-")[2])
            bands[place] = replace(step.after, name="md0")
    for place in range(min(done, len(bands))):
        bands[place] = way.after.arrays[place]
    left = _grown(replace(plan, arrays=tuple(bands)), added)
    assert left.after == way.after
    kinds = _kinds(left)
    assert "add" not in kinds
    assert kinds.count("create") == _kinds(way).count("create")


def _found(plan: LinearVolume) -> VolumeStanding:
    return VolumeStanding(size_sectors=capacity_of(plan).array_sectors)


def _leaves_no_more_than(plan: LinearVolume, tolerance: int) -> bool:
    """Return whether no more disks than may fail have room for a further array."""
    room: Sequence[bool] = [
        not is_thin(partitionable_bytes(disk.size_bytes) - used, used)
        for disk in whole_disks(plan)
        if (used := sum(one.size_bytes for one in slices_of(plan)[disk.id])) >= 0
    ]
    return sum(room) <= tolerance


def test_a_mirror_of_two_becomes_raid5() -> None:
    assert _grown(_volume(4, 4), _disk("new", 4 * _TB)).after.arrays[0].level is Level.RAID5


def test_each_step_has_the_commands_that_are_run() -> None:
    plan = _volume(4, 4, 8, 12)
    way = _grown(plan, _disk("new", 12 * _TB), standing=VolumeStanding(content=ArrayContent("xfs", "/srv", 1000)))
    lines = [line for step in way.steps for line in volume_step_commands(way, step, ArrayContent("xfs", "/srv"))]
    programs = [line.rpartition("| ")[2].split()[0] for line in lines]
    assert programs == [
        *("sfdisk", "sfdisk", "sfdisk", "partx"),  # the new disk, the one in use
        *("mdadm", "mdadm", "mdadm", "pvresize", "mdadm", "mdadm", "pvresize", "mdadm"),
        *("pvcreate", "vgextend", "lvextend", "xfs_growfs"),
    ]
    assert lines[1].startswith("sfdisk --dump /dev/disk/by-id/d3 > /var/lib/raidwright/tables/")
    assert "--no-reread" in lines[2]
    assert f"start={1 + sum(one.size_bytes for one in slices_of(plan)['d3']) // 2**20}MiB" in lines[2]
    assert lines[3] == "partx --add --nr 3:3 /dev/disk/by-id/d3"
    assert "--grow /dev/md/heap-0 --raid-devices=5" in lines[6]
    assert "/dev/md/heap-2" in lines[-4]
