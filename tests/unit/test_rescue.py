"""Rescue: the table of examined disks, and the attempts in their order."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import HAS_JOURNAL, RECOVERING, MemberSuperblock
from raidwright.core.md.rescue.examined import Examined, examine
from raidwright.core.md.rescue.hypothesis import MAX_HYPOTHESES, RescueReason
from raidwright.core.md.rescue.table import Standing
from raidwright.core.model.plan import Member, Metadata, Plan
from raidwright.core.model.rescue_attempt import RescueWay, dump_attempt, read_attempt
from raidwright.text.rescue import hypothesis_words, rescued_words

UUID = "0a1b2c3d:00000001:00000002:00000003"
OTHER = UUID.replace("3", "4")
SIZE = 2 * 10**9
LETTERS = "abcdef"
DISKS = {letter: Member(letter, SIZE, "WD80EFZX", f"ZHZ{letter}") for letter in LETTERS}
BLOCK = MemberSuperblock(
    UUID,
    "1.2",
    "raid5",
    4,
    100,
    1_700_000_000,
    name="tank",
    layout=2,
    data_offset_sectors=4096,
    component_sectors=3_900_416,
    data_sectors=3_902_154,
    chunk_sectors=1024,
)
CARD = Plan(Level.RAID5, tuple(DISKS[one] for one in "abcd"), "tank", "left-symmetric", 512, data_offset_kib=2048)


def _found(
    events: str = "", level: str = "raid5", slots: int = 4, *, clean: bool = True
) -> dict[str, MemberSuperblock | None]:
    """Return members a, b, c … in slot order; ``events``: tens of events that each lacks, ``-`` if lost."""
    marks = events or "0" * slots
    working = tuple(slot for slot, mark in enumerate(marks) if mark == "0")
    return {
        LETTERS[slot]: None
        if mark == "-"
        else replace(
            BLOCK, level=level, slots=slots, slot=slot, events=100 - int(mark) * 10, working=working, is_clean=clean
        )
        for slot, mark in enumerate(marks)
    }


def _said(examined: Examined) -> list[tuple[str, str, str]]:
    """Return each hypothesis as its way, reason, and slots, ``-`` for a missing one."""
    return [(str(one.way), str(one.reason), "".join(disk or "-" for disk in one.slots)) for one in examined.hypotheses]


@pytest.mark.parametrize(
    ("events", "clean", "expected"),
    [
        ("0000", True, [("assemble", "agree", "abcd")]),
        ("0003", True, [("assemble", "agree", "abc-")]),
        ("0003", False, [("force", "dirty", "abc-")]),
        ("0035", True, [("force", "behind", "abc-"), ("force", "behind", "ab-d")]),
        ("0345", True, [("force", "behind", "abc-"), ("force", "behind", "ab-d"), ("force", "behind", "a-cd")]),
    ],
)
def test_the_freshest_members_come_first(events: str, clean: bool, expected: list[tuple[str, str, str]]) -> None:
    examined = examine(_found(events, clean=clean), DISKS)
    assert _said(examined) == expected
    assert examined.lost is None
    assert examined.hypotheses[0].behind == sorted(int(one) * 10 for one in events)[2]


def test_a_member_of_an_older_array_is_left_out() -> None:
    found = _found("0003") | {"e": replace(BLOCK, uuid=OTHER, slot=3, events=900)}
    examined = examine(found, DISKS)
    assert examined.disks[-1].standing is Standing.OTHER_ARRAY
    assert [one.standing for one in examined.disks[:4]] == [Standing.AGREES] * 3 + [Standing.BEHIND]
    assert _said(examined) == [("assemble", "agree", "abc-")]
    assert examined.hypotheses[0].left_out == ("d", "e")
    assert [one.standing for one in examine(found, DISKS, uuid=OTHER).disks][:2] == [Standing.OTHER_ARRAY] * 2


def test_copies_of_a_member_are_tried_one_after_the_other() -> None:
    found = _found() | {"e": replace(BLOCK, slot=0, events=100, working=(0, 1, 2, 3))}
    examined = examine(found, DISKS)
    assert examined.disks[0].same_slot == ("e",)
    assert [slots for _, _, slots in _said(examined)] == ["abcd", "ebcd"]


def test_superblocks_are_made_anew_by_the_survivors_facts() -> None:
    examined = examine(_found("00--"), DISKS)
    assert [(way, reason) for way, reason, _ in _said(examined)] == [("create", "order")] * 2
    assert [slots for _, _, slots in _said(examined)] == ["abcd", "abdc"]
    plan = examined.hypotheses[0].attempt.plan
    assert plan is not None
    assert plan.assume_clean
    assert (plan.data_offset_kib, plan.component_size_kib, plan.chunk_kib) == (2048, 1950208, 512)
    assert (plan.layout, examined.hypotheses[0].attempt.uuid) == ("left-symmetric", UUID)


def test_a_single_lost_superblock_is_left_out_before_it_is_made_anew() -> None:
    assert _said(examine(_found("000-"), DISKS)) == [("assemble", "agree", "abc-"), ("create", "facts", "abcd")]


def test_without_any_superblock_the_card_decides() -> None:
    none = dict.fromkeys("abcd")
    lost = examine(none, DISKS)
    assert not lost.hypotheses
    assert lost.lost is not None
    assert "--card" in lost.lost
    moved = replace(CARD, members=tuple(replace(DISKS[one], id=f"ata-{one}") for one in "dbca"))  # by serial
    assert _said(examine(none, DISKS, moved)) == [("create", "card", "dbca")]
    orders = examine(none, DISKS, replace(CARD, unknown=("members",)))
    assert len(orders.hypotheses) == 24
    assert {one.reason for one in orders.hypotheses} == {RescueReason.ORDER}
    assert _said(orders)[0][2] == "abcd"


def test_a_disk_that_is_gone_stays_missing_and_one_that_is_on_no_card_may_be_in_its_place() -> None:
    found = dict.fromkeys("abce")
    said = _said(examine(found, {one: DISKS[one] for one in found}, CARD))
    assert said == [("create", "card", "abc-"), ("create", "order", "abce")]


def test_a_card_that_does_not_say_enough_makes_nothing() -> None:
    examined = examine(dict.fromkeys("abcd"), DISKS, replace(CARD, unknown=("data_offset_kib",)))
    assert not examined.hypotheses
    assert examined.lost is not None
    assert "a guess would destroy" in examined.lost


def test_what_can_not_be_saved_is_said() -> None:
    found = {one: block for one, block in _found().items() if one in "ab"}
    examined = examine(found, DISKS)
    assert not examined.hypotheses
    assert str(examined.lost).startswith("2 of the array's 4 members are here")
    journal = {one: replace(block, feature_map=HAS_JOURNAL) for one, block in _found().items() if block}
    examined = examine(journal, DISKS)
    assert _said(examined) == [("force", "journal", "abcd")]
    [alone] = examined.hypotheses
    assert alone.lacks_journal
    assert "journal alone" in hypothesis_words(alone, DISKS)
    assert "--add-journal" in rescued_words(alone, "/dev/md/tank")
    del journal["d"], journal["c"]
    assert "2 of the array's 4 members" in str(examine(journal, DISKS).lost)


def test_disks_of_other_arrays_alone_are_told() -> None:
    assert "None of these 4 disks belongs to that array" in str(examine(_found(), DISKS, uuid=OTHER).lost)


def test_differences_are_named() -> None:
    found = _found()
    assert found["c"] is not None
    found["c"] = replace(found["c"], data_offset_sectors=8192, component_sectors=1)
    assert examine(found, DISKS).disks[2].differs == ("size", "data-offset")
    found["d"] = None
    found["b"] = None
    assert "different places" in str(examine(found, DISKS).lost)


_BLOCKS = st.builds(
    MemberSuperblock,
    uuid=st.sampled_from((UUID, OTHER)),
    metadata=st.sampled_from(list(Metadata)).map(str),
    level=st.sampled_from([*map(str, Level), "-4"]),
    slots=st.integers(0, 7),
    events=st.integers(0, 40),
    updated_s=st.integers(0, 10),
    slot=st.none() | st.integers(0, 6),
    working=st.lists(st.integers(0, 6), unique=True).map(lambda some: tuple(sorted(some))),
    layout=st.sampled_from((0, 2, 0x102, 0x201)),
    is_clean=st.booleans(),
    is_journal=st.booleans(),
    feature_map=st.sampled_from((0, RECOVERING, HAS_JOURNAL)),
    data_offset_sectors=st.sampled_from((0, 4096)),
    component_sectors=st.sampled_from((0, 3_900_416)),
    chunk_sectors=st.sampled_from((0, 128, 1024)),
)


@given(
    st.dictionaries(st.sampled_from(LETTERS), st.none() | _BLOCKS, max_size=6),
    st.none() | st.sampled_from((CARD, replace(CARD, unknown=("members",)))),
)
def test_every_attempt_uses_each_disk_once_and_can_be_sent(
    found: dict[str, MemberSuperblock | None], card: Plan | None
) -> None:
    examined = examine(found, DISKS, card)
    assert len(examined.disks) == len(found)
    assert len(examined.hypotheses) <= MAX_HYPOTHESES
    assert bool(examined.lost) != bool(examined.hypotheses)
    assert len({one.attempt.digest for one in examined.hypotheses}) == len(examined.hypotheses)
    ways = [one.way is RescueWay.CREATE for one in examined.hypotheses]
    assert ways == sorted(ways)  # superblocks are made anew last
    for one in examined.hypotheses:
        used = [disk for disk in one.slots if disk]
        assert len(set(used)) == len(used)
        assert not set(used) & set(one.left_out)
        assert set(used) | set(one.left_out) <= set(found)
        sent = json.loads(json.dumps(dump_attempt(one.attempt)))
        assert read_attempt(sent).digest == one.attempt.digest


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({}, "plan-missing"),
        ({"way": "zap", "uuid": UUID}, "plan-choice"),
        ({"way": "force", "members": []}, "plan-missing"),
        ({"way": "force", "uuid": UUID, "name": "tank", "members": []}, "members"),
        ({"way": "force", "uuid": "../md0", "members": []}, "uuid"),
        ({"way": "force", "uuid": UUID, "members": [{"id": "../sda", "size_bytes": 1}]}, "plan-id"),
        ({"way": "force", "uuid": UUID, "members": [{"id": "a", "size_bytes": 1}] * 2}, "disk-twice"),
        ({"way": "create", "uuid": UUID}, "plan-missing"),
        ({"way": "create", "plan": {"level": "raid1", "members": [{"id": "a", "size_bytes": SIZE}]}}, "rescue-plan"),
        ({"way": "assemble", "uuid": UUID, "force": True, "members": []}, "plan-unknown-key"),
    ],
)
def test_what_is_no_attempt_is_refused(data: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as refused:
        read_attempt(data)
    assert refused.value.code == code
