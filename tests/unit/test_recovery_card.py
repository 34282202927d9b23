"""The recovery card is complete, and its last resort would create the very same array."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from raidwright.cli import main
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.rescue.recreation import plan_to_recreate

from .making_plans import equal, flat_plans, grouped, member

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"


@given(flat_plans())
def test_made_again_it_is_the_same_array(array: MdArray) -> None:
    try:
        capacity = capacity_of(array)
    except PlanRefused:
        return
    again = plan_to_recreate(array, capacity)
    if again is None:
        assert len(set(capacity.data_offset_sectors)) > 1
        return
    made = capacity_of(again)
    assert (made.array_sectors, made.data_offset_sectors, made.component_size_kib) == (
        capacity.array_sectors,
        capacity.data_offset_sectors,
        capacity.component_size_kib,
    )
    assert again.assume_clean


def test_every_disk_is_on_it_in_its_order() -> None:
    members = tuple(Member(f"wwn-{n}", 8 * 10**12, model="WD80EFZX", serial=f"ZHZ{n}") for n in range(5))
    plan = replace(equal("raid5", 3), name="tank", members=(members[0], None, *members[1:4]), spares=members[4:])
    card = recovery_card(Plan(plan), BuiltArray(UUID, "2026-11-20"))
    lines = card.splitlines()
    places = [line for line in lines if line.startswith(("slot", "spare"))]
    assert places == [
        "slot 0: WD80EFZX ZHZ0, 8000000000000 bytes (8.00 TB)",
        "slot 1: left empty",
        *(f"slot {n + 1}: WD80EFZX ZHZ{n}, 8000000000000 bytes (8.00 TB)" for n in (1, 2, 3)),
        "spare 0: WD80EFZX ZHZ4, 8000000000000 bytes (8.00 TB)",
    ]
    assert f"mdadm --assemble /dev/md/tank --uuid={UUID}" in card
    assert "made 2026-11-20" in lines[0]
    assert f"sector {capacity_of(plan).data_offset_sectors[0]}" in card


def test_a_nested_one_names_its_arrays_and_makes_the_inner_ones_first() -> None:
    card = recovery_card(Plan(replace(grouped("raid0", "raid1", 2, 2), name="tank")))
    assert "slot 0: the array “tank-0” (raid1)" in card
    assert "slot 1.1: disk-1-1" in card
    commands = [line.split()[2] for line in card.splitlines() if "mdadm --create" in line]
    assert commands == ["/dev/md/tank-0", "/dev/md/tank-1", "/dev/md/tank"]


def test_a_journal_is_left_out_of_the_last_resort_and_that_is_said() -> None:
    card = recovery_card(Plan(replace(equal("raid5", 3), journal=member("log"))))
    assert "journal: log" in card
    assert "what was only in it is lost" in card
    assert "--write-journal" not in card


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("card", ["Recovery card", UUID]),
        ("script", ["#!/bin/sh", "set -eu", "mdadm --create /dev/md/tank"]),
        ("mdadm.conf", [f"ARRAY /dev/md/tank metadata=1.2 UUID={UUID}"]),
    ],
)
def test_a_plan_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, words: list[str]) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(dump_plan(Plan(MdArray(Level.RAID1, (member("a"), member("b")), name="tank")))))
    assert main(["export", str(path), "--as", form, "--uuid", UUID]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in words)
