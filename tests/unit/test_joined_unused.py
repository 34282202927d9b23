"""Slices of 4Kn disks, and what a joined plan leaves unused, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from raidwright.analysis.advice.unused import unused_of
from raidwright.core.lvm.bands import banded
from raidwright.core.lvm.commands import partition_commands
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_plan, read_plan
from raidwright.text.plan.candidates import unused_sentence

from tests.kit.sample import disk

TB = 10**12


@pytest.mark.parametrize(("sector_bytes", "planned"), [(None, None), (512, None), (4096, 4096)])
def test_a_disk_s_sectors_come_into_the_plan(sector_bytes: int | None, planned: int | None) -> None:
    assert replace(disk(1), logical_sector_bytes=sector_bytes).as_member().sector_bytes == planned


def _pool() -> list[Member]:
    return [Member(f"wwn-0x{number}", size * TB) for number, size in enumerate((4, 4, 8, 12), start=1)]


def test_what_is_unused_of_a_joined_plan_is_what_too_few_disks_share() -> None:
    sentence = unused_sentence(unused_of(Plan(banded(_pool(), 1).plan), _pool()))
    assert sentence == "Of 1 × 12 TB, 4 TB stay unused: too few disks are as large to protect it."


def test_whole_disks_are_members_that_a_plan_could_have() -> None:
    plan = banded(_pool(), 1).plan
    assert list(whole_disks(plan)) == _pool()
    again = read_plan(dump_plan(Plan(plan)))
    assert whole_disks(again.top) == whole_disks(plan)


def test_partition_tables_carry_their_own_ids() -> None:
    plan = banded(_pool(), 1).plan
    ids = {member.id: f"0000000{number}-0000-4000-8000-000000000000" for number, member in enumerate(_pool())}
    commands = partition_commands(plan, lambda member: f"/dev/{member.id}", table_ids=ids)
    assert [command.argv[-1] for command in commands] == [f"/dev/{member.id}" for member in _pool()]
    assert [command.given[1] for command in commands] == [f"label-id: {ids[member.id]}" for member in _pool()]
