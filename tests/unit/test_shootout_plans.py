"""A shoot-out's plans: the matrix, slices that fit the disks, and the time divided beforehand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from raidwright.analysis.advice.matrix import Shape, matrix, read_shapes
from raidwright.core.errors import InputError, PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.mdadm_versions import MDADM_4_2
from raidwright.core.model.plan import Baseline, Bitmap, MdArray, Member, Metadata, Plan
from raidwright.operations.shootout.contest import MAX_SECONDS, MIN_SECONDS, Contest, contest_of
from raidwright.operations.shootout.slices import Contestant, alone, contestant_of
from raidwright.runs.run import ArrayState
from raidwright.suites import Suite

GIB = 2**30
DISKS = tuple(Member(f"wwn-0x{number}", 320 * 10**9) for number in range(1, 5))
BOTH = (ArrayState.HEALTHY, ArrayState.DEGRADED)


def test_levels_are_written_as_mdadm_does() -> None:
    assert read_shapes("raid0, raid5:ls,raid10:f2,raid0") == (
        *(Shape(Level.RAID0), Shape(Level.RAID5, "left-symmetric"), Shape(Level.RAID10, "f2")),
    )
    for text, wrong in (("raid7", "is no level"), ("raid5:f2", "raid5 has no layout"), ("", "is no level")):
        with pytest.raises(InputError, match=wrong):
            read_shapes(text)


def test_the_matrix_has_each_plan_once_and_no_chunks_where_there_are_none() -> None:
    plans = matrix(DISKS, read_shapes("raid1,raid5"), (64, 512), (3, 4))
    assert [(plan.array.level, plan.array.chunk_kib, len(plan.array.members)) for plan in plans] == [
        *((Level.RAID1, None, 3), (Level.RAID5, 64, 3), (Level.RAID5, 512, 3)),
        *((Level.RAID1, None, 4), (Level.RAID5, 64, 4), (Level.RAID5, 512, 4)),
    ]
    assert {plan.array.bitmap for plan in plans} == {Bitmap.INTERNAL}
    assert matrix(DISKS, read_shapes("raid0"))[0].array.bitmap is Bitmap.NONE


@pytest.mark.parametrize(("levels", "counts"), [("raid6", (3,)), ("raid5", (5,)), ("raid10:n5", ())])
def test_what_these_disks_do_not_allow_is_refused(levels: str, counts: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        matrix(DISKS, read_shapes(levels), counts=counts)


SHAPES = [*read_shapes("raid0,raid1,raid4,raid5,raid6,raid10:n2,raid10:o2,raid10:f2,raid5:ra,linear")]


@given(
    st.sampled_from(SHAPES),
    st.sampled_from([None, 4, 64, 512, 4096]),
    st.integers(2, 4),
    st.integers(GIB, 100 * GIB),
    st.sampled_from([Metadata.V1_0, Metadata.V1_2]),
    st.booleans(),
)
def test_nothing_leaves_the_slice(
    shape: Shape, chunk_kib: int | None, count: int, slice_bytes: int, metadata: Metadata, unequal: bool
) -> None:
    disks = (replace(DISKS[0], size_bytes=2 * DISKS[0].size_bytes), *DISKS[1:]) if unequal else DISKS
    try:
        [wanted] = matrix(disks, [shape], [chunk_kib], [count])
    except PlanRefused:
        assume(False)
    contestant = contestant_of(wanted.on(replace(wanted.array, metadata=metadata)), slice_bytes)
    capacity = capacity_of(contestant.plan.top, MDADM_4_2)
    region = contestant.region_mib * 2**20
    assert 0 < region <= capacity.array_bytes
    assert contestant.plan.array.metadata is Metadata.V1_2  # its superblock isn't at a disk's end
    assert contestant.plan.array.assume_clean is contestant.plan.array.level.is_redundant
    offset = max(offset or 0 for offset in capacity.data_offset_sectors) * 512
    if contestant.plan.array.level.is_redundant:
        used: float = max(capacity.member_sectors) * 512
    else:
        used = region if shape.level is Level.LINEAR else region / count
    assert used + offset <= slice_bytes
    assert used > 0.9 * (slice_bytes - offset) - 2**24 or shape.level is Level.LINEAR


def test_a_nested_array_is_sliced_where_its_disks_are() -> None:
    pairs = (MdArray(Level.RAID1, DISKS[:2]), MdArray(Level.RAID1, DISKS[2:]))
    contestant = contestant_of(Plan(MdArray(Level.RAID0, pairs)), 2 * GIB)
    inner = contestant.plan.array.members[0]
    assert isinstance(inner, MdArray)
    assert (inner.component_size_kib or 0) * 1024 <= 2 * GIB
    assert contestant.region_mib * 2**20 <= 2 * 2 * GIB
    assert contestant.survives_a_loss


def test_a_slice_that_holds_nothing_is_refused_and_one_larger_than_the_disk_is_the_disk() -> None:
    plan = Plan(MdArray(Level.RAID5, DISKS))
    with pytest.raises(InputError, match="is too little for raid5"):
        contestant_of(plan, 2**27)
    whole = contestant_of(plan, 2**60)
    assert capacity_of(whole.plan.top).array_bytes == pytest.approx(capacity_of(plan.top).array_bytes, rel=1e-3)


def test_spares_stay_out_and_one_disk_is_a_mirror_of_one() -> None:
    plan = Plan(MdArray(Level.RAID5, DISKS[:3], spares=DISKS[3:]))
    assert contestant_of(plan, GIB).plan.array.spares == ()
    one = alone(DISKS[0], GIB)
    assert (one.is_alone, one.survives_a_loss, one.plan.array.level) == (True, False, Level.RAID1)


def _contest(minutes: float, states: tuple[ArrayState, ...] = BOTH, repeats: int = 3) -> Contest:
    plans = matrix(DISKS[:3], read_shapes("raid0,raid5"), bitmap=Bitmap.NONE)
    return contest_of(plans, GIB, Suite.CLASSIC, states, minutes, repeats)


@given(st.floats(0.1, 600), st.integers(1, 5))
def test_the_time_is_kept_or_refused_with_what_it_takes(minutes: float, repeats: int) -> None:
    try:
        contest = _contest(minutes, repeats=repeats)
    except InputError as error:
        least = float(str(error.fields["least"]))
        assert least > minutes
        assert _contest(least, repeats=repeats).seconds >= MIN_SECONDS
        return
    assert contest.total_s <= minutes * 60
    assert MIN_SECONDS <= contest.seconds <= MAX_SECONDS
    more = replace(contest, seconds=contest.seconds + 1)
    assert contest.seconds == MAX_SECONDS or more.total_s > minutes * 60


def test_what_does_not_outlive_a_disk_is_measured_whole_alone() -> None:
    contest = _contest(60)
    disk, raid0, raid5 = contest.contestants

    def states(contestant: Contestant) -> set[ArrayState]:
        return {one.state for one in contest.measurements(contestant)}

    assert states(disk) == states(raid0) == {ArrayState.HEALTHY}
    assert states(raid5) == set(BOTH)
    repeats = [one.repeat for one in contest.measurements(raid0) if one.workload == "sequential_read"]
    assert repeats == [0, 1, 2]
    assert [one.repeat for one in contest.measurements(raid0) if one.workload == "random_read_4k"] == [0]


def test_flash_is_written_to_before_it_is_read_and_the_time_counts() -> None:
    flash = tuple(replace(disk, baseline=Baseline(kind="ssd", sequential_write_mb_s=500)) for disk in DISKS[:3])
    plans, states = matrix(flash, read_shapes("raid5"), bitmap=Bitmap.NONE), (ArrayState.HEALTHY,)
    contest = contest_of(plans, 4 * GIB, Suite.QUICK, states, 60)
    alone_s, array_s = contest.fills
    assert alone_s * 500e6 >= contest.contestants[0].region_mib * 2**20
    assert array_s > 0
    assert contest.total_s <= 3600
    spinning = contest_of(matrix(DISKS[:3], read_shapes("raid5")), 4 * GIB, Suite.QUICK, states, 60)
    assert spinning.fills == (0, 0)


def test_what_is_measured_while_a_disk_is_rebuilt_has_no_bitmap() -> None:
    plans = matrix(DISKS[:3], read_shapes("raid5"))
    contest = contest_of(plans, GIB, Suite.BUFFERED, tuple(ArrayState), 60)
    alone_, array = (contest.stages(one) for one in contest.contestants)
    assert len(alone_) == 1
    kept, plain = array
    assert (kept.plan.array.bitmap, plain.plan.array.bitmap) == (Bitmap.INTERNAL, Bitmap.NONE)
    assert {one.state for one in plain.measurements} == {ArrayState.REBUILDING}
    measured = [one for stage in array for one in stage.measurements]
    assert measured == list(contest.measurements(contest.contestants[1]))
    [whole] = contest_of(
        matrix(DISKS[:3], read_shapes("raid5"), bitmap=Bitmap.NONE), GIB, Suite.BUFFERED, tuple(ArrayState), 60
    ).contestants[1:]
    assert len(contest.stages(whole)) == 1
