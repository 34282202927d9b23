"""Records that people keep of an array, read for a rescue: a recovery card, a plan, a command, a report."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import MemberSuperblock
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.model.plan_json import dump_plan
from raidwright.core.protocol.results import RescueTried, RescueVerdict
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.reading.card import read_kept
from raidwright.rescue.examined import examine
from raidwright.rescue.recreation import plan_to_recreate
from raidwright.text.array.rescue import examined_words, file_parts, hypothesis_words, slots_words, tried_words

from .making_plans import flat_plans

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
DISKS = {f"wwn-0x500{n}": Member(f"wwn-0x500{n}", 8 * 10**12, "WD80EFZX", f"ZHZ{n}") for n in range(4)}
TANK = Plan(MdArray(Level.RAID5, tuple(DISKS.values()), "tank", chunk_kib=256))


def _size_of(path: str) -> int | None:
    disk = DISKS.get(path.removeprefix("/dev/disk/by-id/"))
    return disk.size_bytes if disk else None


def test_a_printed_card_is_read_back_with_disks_that_are_elsewhere_now() -> None:
    kept = read_kept(recovery_card(TANK, BuiltArray(UUID)), lambda _path: None)
    assert kept.uuid == UUID
    again = plan_to_recreate(TANK.array, capacity_of(TANK.top))
    assert again is not None
    members = [member for member in kept.plan.members if isinstance(member, Member)]
    assert [(one.id, one.serial, one.size_bytes) for one in members] == [
        (one.id, one.serial, one.size_bytes) for one in DISKS.values()
    ]
    told = replace(kept.plan, members=again.members)
    assert told == replace(again, layout="left-symmetric")
    found = dict.fromkeys(reversed(DISKS))
    [hypothesis] = examine(found, DISKS, kept.plan, kept.uuid).hypotheses
    assert hypothesis.slots == tuple(DISKS)
    assert hypothesis.attempt.uuid == UUID


@given(flat_plans().map(Plan))
def test_every_card_with_a_last_resort_is_read_or_refused_by_a_sentence(plan: Plan) -> None:
    try:
        card = recovery_card(plan, BuiltArray(UUID))
        kept = read_kept(card, lambda _path: None)
    except InputError as error:
        assert error.sentence.endswith(".")  # noqa: PT017
    else:
        assert kept.plan.level is plan.array.level
        assert len(kept.plan.members) == len(plan.array.members)


def test_a_plan_and_a_command_are_read() -> None:
    assert read_kept(json.dumps(dump_plan(TANK)), _size_of).plan == TANK.array
    command = "sudo mdadm --create /dev/md/tank --level=1 --raid-devices=2 /dev/disk/by-id/wwn-0x5000 missing"
    kept = read_kept(f"It was:\n{command}\n", _size_of)
    assert kept.plan.members == (Member("wwn-0x5000", 8 * 10**12), None)
    with pytest.raises(InputError, match="size of /dev/disk/by-id/wwn-0x5000 is unknown"):
        read_kept(command, lambda _path: None)
    for text in ("", "hello", "{", "mdadm --create", "mdadm --assemble /dev/md0"):
        with pytest.raises(InputError):
            read_kept(text, _size_of)


def test_the_table_and_a_trial_are_told_in_sentences() -> None:
    block = MemberSuperblock(UUID, "1.2", "raid5", 4, 100, 1_700_000_000, name="tank", working=(0, 1), is_clean=True)
    ids = list(DISKS)
    found = {one: replace(block, slot=slot, events=100 - 10 * slot // 2 * 2) for slot, one in enumerate(ids[:3])}
    examined = examine({**found, ids[3]: None}, DISKS)
    told = [examined_words(row) for row in examined.disks]
    assert told[0].startswith("slot 0: agrees with the newest (100 events")
    assert "fell behind by 20 events" in told[2]
    assert told[3] == "It has no superblock of md."
    for hypothesis in examined.hypotheses:
        assert hypothesis_words(hypothesis, DISKS).endswith(".")
        assert slots_words(hypothesis, DISKS).startswith("0: WD80EFZX ZHZ0  1: ")
    files = ("10 ! a", "20 abc \\u5199 b", "5 - c")
    tried = RescueTried(RescueVerdict.DAMAGED, 1, 10**12, ("ext4",), (), files, ("WD80EFZX ZHZ1",))
    words = tried_words(tried)
    assert "1 file can't be read." in words
    assert "ZHZ1 can't be read; copy that disk first" in words
    assert file_parts(files[1]) == (20, "abc", "写 b")
    assert "nobody knows yet" in tried_words(replace(tried, verdict=RescueVerdict.HOLDS, holds=("LVM2_member",)))
