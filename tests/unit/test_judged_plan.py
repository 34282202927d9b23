"""The plan of an array that exists, running or not, and what would be better with its disks."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

import pytest
from raidwright.analysis.advice.better import better_plans
from raidwright.analysis.assessment import assess
from raidwright.cli.arrays.assess import judge
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import ArrayGeometry, MemberState
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import HAS_BITMAP, HAS_JOURNAL
from raidwright.core.model.disk import Use, UseKind
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.protocol.facts import Check, CheckState
from raidwright.machine.judged_plan import judged_plan
from raidwright.machine.values import Array, Snapshot

from tests.kit import sample, sample_arrays

_AGREES, _BEHIND = MemberState.AGREES, MemberState.BEHIND
_SHAPE = ArrayGeometry(layout=2, chunk_kib=512, component_sectors=15_627_788_288, features=HAS_BITMAP)


def _stopped(*states: MemberState, slots: int, **more: object) -> tuple[Array, Snapshot]:
    whole = sample_arrays.every_state()
    array = sample_arrays.stopped("films", 0, states, slots=slots, geometry=_SHAPE, **more)  # type: ignore[arg-type]
    return array, replace(whole, arrays=(array,))


def test_a_stopped_array_is_what_its_superblocks_say_with_the_ages_of_its_disks() -> None:
    plan = judged_plan(*_stopped(_AGREES, _AGREES, _AGREES, slots=3))
    assert (plan.array.level, plan.array.layout, plan.array.chunk_kib, plan.array.bitmap) == (
        Level.RAID5, "left-symmetric", 512, Bitmap.INTERNAL,
    )  # fmt: skip
    assert plan.array.component_size_kib == _SHAPE.component_sectors // 2
    assert {member.age_years for member in plan.disks()} == {1.2}  # 10,500 hours
    assert assess(plan).survival.most() == 1


def test_a_member_that_fell_behind_or_is_gone_is_missing() -> None:
    plan = judged_plan(*_stopped(_AGREES, _AGREES, _BEHIND, slots=3))
    assert [member is None for member in plan.array.members] == [False, False, True]
    with pytest.raises(InputError, match="2 of its 3 members missing"):
        judged_plan(*_stopped(_AGREES, _BEHIND, slots=3))


def test_what_can_not_be_said_is_refused_with_the_reason() -> None:
    array, seen = _stopped(_AGREES, _AGREES, slots=2)
    with pytest.raises(InputError, match="couldn't be read"):
        judged_plan(replace(array, assembly=None), seen)
    with pytest.raises(InputError, match="being reshaped"):
        judged_plan(*_stopped(_AGREES, _AGREES, slots=2, reshapes=True))
    assert array.assembly is not None
    journaled = replace(array.assembly, geometry=replace(_SHAPE, features=HAS_JOURNAL))
    with pytest.raises(InputError, match="journal"):
        judged_plan(replace(array, assembly=journaled), seen)


def test_what_would_be_better_holds_and_survives_no_less() -> None:
    disks = {disk.id: disk for disk in sample.machine().disks}
    members = tuple(disk.as_member() for disk in list(disks.values())[:4])
    mirror = assess(Plan(MdArray(Level.RAID10, members, "tank")), disks)
    found = better_plans(mirror, disks)
    assert {one.added for one in found} == {1}  # of these four md makes nothing better
    for one in found:
        assert one.array_bytes >= 0.99 * mirror.capacity.array_bytes
        assert one.survives >= 1
        assert one.array_bytes > mirror.capacity.array_bytes or one.survives > 1
        assert len(list(one.plan.disks())) <= 4 + one.added
    assert better_plans(assess(Plan(MdArray(Level.RAID1, members[:1] * 1, "solo")), disks)) == ()


def test_of_an_array_that_exists_only_what_md_can_turn_it_into_is_advised() -> None:
    disks = {disk.id: disk for disk in sample.machine().disks}
    members = tuple(disk.as_member() for disk in list(disks.values())[:3])
    parity = assess(Plan(MdArray(Level.RAID5, members, "tank")), disks)
    found = better_plans(parity, disks)
    assert {(one.plan.array.level, one.added) for one in found} == {(Level.RAID5, 1), (Level.RAID6, 1)}
    short = assess(Plan(MdArray(Level.RAID5, (*members[:2], None), "tank")), disks)
    assert better_plans(short, disks) == ()


def test_an_array_that_exists_is_assessed_without_its_own_members_as_a_danger_and_with_no_create_command() -> None:
    array, seen = _stopped(_AGREES, _AGREES, _AGREES, slots=3)
    own = {member.id for member in array.members}
    uses = (Use(UseKind.ARRAY_MEMBER, "films"), Use(UseKind.MOUNTED, "/srv/films"))
    live = tuple(replace(disk, uses=uses) if disk.id in own else disk for disk in seen.disks)
    seen = replace(seen, disks=live)
    checks = (Check(array.uuid, "films", CheckState.DONE, 1, 2, 1280),)
    told, _ = judge(Namespace(array="films", json=True, years=5.0), seen, checks)
    assert isinstance(told, dict)
    assert {"disk-live", "disk-not-empty", "disk-of-stopped-array"}.isdisjoint(
        finding["code"] for finding in told["findings"]
    )
    assert told["command"] == f"mdadm --assemble /dev/md/films --uuid={array.uuid}"
    assert told["mismatch_sectors"] == 1280
    _, text = judge(Namespace(array="films", json=False, years=5.0), seen, checks)
    assert "--create" not in text
    assert "1,280 sectors" in text
    assert "in use right now" not in text
