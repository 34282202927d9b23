"""A disk's halves: their places, and that a plan of them has no other members."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.layers.survival import survival_of
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.halves import begin_bytes, cross_paired, halves_of, verify_halves
from raidwright.core.model.plan import MdArray, Member
from raidwright.core.system.workload import Workload
from raidwright.operations.shootout.contest import Others, contest_of
from raidwright.operations.shootout.predicted import Predicted
from raidwright.operations.shootout.slices import crossed
from raidwright.runs.run import ArrayState
from raidwright.suites import Suite

GIB = 2**30
ONE, OTHER = (Member(f"wwn-0x{n}", 500 * 10**9, "WDC", f"S{n}") for n in (1, 2))


@given(st.integers(3 * 2**20, 2**46))
def test_halves_lie_apart_and_within_the_disk(size_bytes: int) -> None:
    outer, inner = halves_of(replace(ONE, size_bytes=size_bytes))
    assert outer.size_bytes == inner.size_bytes
    assert 2**20 == begin_bytes(outer) < begin_bytes(outer) + outer.size_bytes == begin_bytes(inner)
    assert begin_bytes(inner) + inner.size_bytes <= size_bytes < begin_bytes(inner) + inner.size_bytes + 4 * 2**20
    assert {one.failure_unit for one in (outer, inner)} == {ONE.id}


def test_each_outer_half_has_its_copy_on_the_other_disk() -> None:
    plan = cross_paired(ONE, OTHER)
    verify_halves(plan, (ONE, OTHER))
    for mirror in plan.members:
        assert isinstance(mirror, MdArray)
        (outer, inner) = (one for one in mirror.members if isinstance(one, Member))
        assert (outer.partition, inner.partition) == (1, 2)
        assert outer.disk != inner.disk
    assert survival_of(plan).most() == 1
    assert capacity_of(plan).array_bytes == pytest.approx(ONE.size_bytes, rel=0.01)


@pytest.mark.parametrize(
    "changes",
    [{"size_bytes": 2**30}, {"partition": 3}, {"id": "wwn-0x1"}, {"disk": "wwn-0x3"}, {"serial": "S3"}, {"model": "x"}],
)
def test_what_is_no_half_of_them_is_refused(changes: dict[str, object]) -> None:
    first, *others = cross_paired(ONE, OTHER).members
    assert isinstance(first, MdArray)
    member = first.members[0]
    assert isinstance(member, Member)
    forged = MdArray(first.level, (replace(member, **changes), first.members[1]))  # type: ignore[arg-type]
    with pytest.raises(InputError):
        verify_halves(replace(cross_paired(ONE, OTHER), members=(forged, *others)), (ONE, OTHER))
    with pytest.raises(InputError):
        halves_of(member)


def test_a_shoot_out_uses_half_a_slice_of_each_half_and_loses_a_whole_disk() -> None:
    one = crossed(ONE, OTHER, 4 * GIB)
    assert one.disks == (ONE, OTHER)
    assert 0.9 * 4 * 1024 < one.region_mib <= 4 * 1024  # without md's own space of each half
    assert [lost.id for lost in one.lost] == [f"{ONE.id}-part1", f"{ONE.id}-part2"]
    assert one.survives_a_loss
    contest = contest_of((), 4 * GIB, Suite.BUFFERED, tuple(ArrayState)[:2], 60, others=Others((ONE, OTHER)))
    assert [each.is_alone for each in contest.contestants] == [True, False]
    assert Predicted(one).of(Workload.BUFFERED_READ, ArrayState.HEALTHY) is None
