"""Rescue: the table of examined disks, and the attempts in their order."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import InputError
from raidwright.core.md.assembly import AssemblyState, assemblies
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import HAS_JOURNAL, RAID0_LAYOUT, RECOVERING, MemberSuperblock
from raidwright.core.md.rescue.hypothesis import MAX_HYPOTHESES, RescueReason
from raidwright.core.md.rescue.search import Evidence
from raidwright.core.md.rescue.stripes import Compared
from raidwright.core.model.plan import MdArray, Member, Metadata, Plan
from raidwright.core.model.rescue_attempt import RescueWay, dump_attempt, read_attempt
from raidwright.core.protocol.results import Rescued, RescueTried, RescueVerdict
from raidwright.rescue.examined import Case, Examined, examine, examined
from raidwright.rescue.table import Standing
from raidwright.text.array.rescue import compared_words, examined_words, hypothesis_words, rescued_words

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
CARD = Plan(
    MdArray(Level.RAID5, tuple(DISKS[one] for one in "abcd"), "tank", "left-symmetric", 512, data_offset_kib=2048)
)


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


def _said(told: Examined) -> list[tuple[str, str, str]]:
    """Return each hypothesis as its way, reason, and slots, ``-`` for a missing one."""
    return [(str(one.way), str(one.reason), "".join(disk or "-" for disk in one.slots)) for one in told.hypotheses]


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
    told = examine(_found(events, clean=clean), DISKS)
    assert _said(told) == expected
    assert told.lost is None
    assert told.hypotheses[0].behind == sorted(int(one) * 10 for one in events)[2]


def test_events_raised_by_an_earlier_start_by_force_make_no_member_fresh() -> None:
    """Read-only, md writes nothing: mdadm has raised d's events, and only d's update time tells its age."""
    found = _found("003-")
    now = BLOCK.updated_s
    for disk, seconds in (("a", 0), ("b", 0), ("c", 3)):
        found[disk] = replace(found[disk] or BLOCK, updated_s=now - seconds)
    found["d"] = replace(BLOCK, slot=3, working=(0, 1, 2, 3), updated_s=now - 60)
    told = examine(found, DISKS)
    assert _said(told) == [("force", "behind", "abc-"), ("force", "behind", "ab-d")]
    assert "the others say had failed" in hypothesis_words(told.hypotheses[1], DISKS)
    row = next(row for row in told.disks if row.disk == "d")
    assert "which say that it had failed" in examined_words(row)


@pytest.mark.parametrize("order", ["abcd", "dcba"])
def test_raised_events_of_the_same_second_are_told_by_what_the_members_say(order: str) -> None:
    """The member that md failed last doesn't know it; whichever is read first, the others' word counts."""
    found = _found("00-0")
    found["d"] = replace(BLOCK, slot=3, working=(0, 1, 3))
    kept = {disk: block for disk in order if (block := found[disk])}
    kept |= {disk: replace(kept[disk], working=(0, 1)) for disk in "ab"}
    kept = {disk: kept[disk] for disk in order if disk in kept}
    [assembly] = assemblies(kept)
    assert (assembly.state, assembly.present) == (AssemblyState.BEHIND, (0, 1))
    assert _said(examine(kept, DISKS)) == [("force", "behind", "ab-d")]


def test_a_member_of_an_older_array_is_left_out() -> None:
    found = _found("0003") | {"e": replace(BLOCK, uuid=OTHER, slot=3, events=900)}
    told = examine(found, DISKS)
    assert told.disks[-1].standing is Standing.OTHER_ARRAY
    assert [one.standing for one in told.disks[:4]] == [Standing.AGREES] * 3 + [Standing.BEHIND]
    assert _said(told) == [("assemble", "agree", "abc-")]
    assert told.hypotheses[0].left_out == ("d", "e")
    assert [one.standing for one in examine(found, DISKS, uuid=OTHER).disks][:2] == [Standing.OTHER_ARRAY] * 2


def test_copies_of_a_member_are_tried_one_after_the_other() -> None:
    found = _found() | {"e": replace(BLOCK, slot=0, events=100, working=(0, 1, 2, 3))}
    told = examine(found, DISKS)
    assert told.disks[0].same_slot == ("e",)
    assert [slots for _, _, slots in _said(told)] == ["abcd", "ebcd"]


def test_superblocks_are_made_anew_by_the_survivors_facts() -> None:
    told = examine(_found("00--"), DISKS)
    assert [(way, reason) for way, reason, _ in _said(told)] == [("create", "order")] * 6
    # a disk that no superblock names is a guess, so each is left out first
    assert [slots for _, _, slots in _said(told)] == ["abc-", "abd-", "ab-c", "ab-d", "abcd", "abdc"]
    plan = told.hypotheses[0].attempt.plan
    assert plan is not None
    assert plan.assume_clean
    assert (plan.data_offset_kib, plan.component_size_kib, plan.chunk_kib) == (2048, 1950208, 512)
    assert (plan.layout, told.hypotheses[0].attempt.uuid) == ("left-symmetric", UUID)


def test_with_enough_good_members_no_superblock_is_made_anew() -> None:
    assert _said(examine(_found("000-"), DISKS)) == [("assemble", "agree", "abc-")]


def _compared(told: int, agreed: int, *blank: int) -> Compared:
    return Compared(300, told, agreed, (told,) * 4, blank)


def test_stripes_prove_the_disks_that_belong_there_and_rule_out_others() -> None:
    case = Case(_found("00--") | {"e": None}, DISKS)
    search = case.search()
    assert search is not None
    asked = search.questions(has_places=False)
    whole = {order: _compared(90, 90 if set(order) == set("abcd") else 0) for order in asked if None not in order}
    assert sorted("".join(sorted(filter(None, order))) for order in whole) == ["abcd", "abce", "abde"]
    told = examined(case, Evidence.of(whole, has_places=False))
    assert [slots for _, _, slots in _said(told)] == ["abcd", "abdc", "abe-", "ab-e"]
    assert told.refuted == 4
    assert told.cut == 0


def test_what_is_zero_or_holds_something_of_its_own_is_no_candidate_unless_it_is_named() -> None:
    found = _found("00--") | {"e": None, "f": None}
    case = Case(found, DISKS, own={"e": ("ext4",)}, zero=frozenset("df"))
    told = examined(case, Evidence())
    assert [slots for _, _, slots in _said(told)] == ["abc-", "ab-c"]
    rows = {row.disk: row for row in told.disks}
    assert rows["e"].own == ("ext4",)
    assert rows["f"].is_zero
    assert "ext4" in examined_words(rows["e"])
    assert "zeros" in examined_words(rows["f"])


def test_fewer_members_of_a_card_are_tried_where_the_stripes_contradict_them_all() -> None:
    case = Case(dict.fromkeys("abcd"), DISKS, CARD.on(replace(CARD.array, unknown=("members",))).array)
    search = case.search()
    assert search is not None
    blank = {order: _compared(90, 0) for order in search.questions(has_places=False) if None not in order}
    told = examined(case, Evidence.of(blank, has_places=False))
    assert len(told.hypotheses) == 96
    assert {one.slots.count(None) for one in told.hypotheses} == {1}


def test_what_is_not_listed_is_counted() -> None:
    many = {f"disk{number}": Member(f"disk{number}", SIZE) for number in range(9)}
    told = examined(
        Case(dict.fromkeys(many), many, CARD.on(replace(CARD.array, unknown=("members",))).array), Evidence()
    )
    assert len(told.hypotheses) == MAX_HYPOTHESES
    assert told.cut == 9 * 8 * 7 * 6 - MAX_HYPOTHESES


def test_without_any_superblock_the_card_decides() -> None:
    none = dict.fromkeys("abcd")
    lost = examine(none, DISKS)
    assert not lost.hypotheses
    assert lost.lost is not None
    assert "--card" in lost.lost
    moved = CARD.on(
        replace(CARD.array, members=tuple(replace(DISKS[one], id=f"ata-{one}") for one in "dbca"))
    )  # by serial
    assert _said(examine(none, DISKS, moved.array)) == [("create", "card", "dbca")]
    orders = examine(none, DISKS, CARD.on(replace(CARD.array, unknown=("members",))).array)
    assert len(orders.hypotheses) == 24
    assert {one.reason for one in orders.hypotheses} == {RescueReason.ORDER}
    assert _said(orders)[0][2] == "abcd"


def test_a_disk_that_is_gone_stays_missing_and_one_that_is_on_no_card_may_be_in_its_place() -> None:
    found = dict.fromkeys("abce")
    said = _said(examine(found, {one: DISKS[one] for one in found}, CARD.array))
    assert said == [("create", "card", "abc-"), ("create", "order", "abce")]


def test_a_card_that_does_not_say_enough_makes_nothing() -> None:
    told = examine(dict.fromkeys("abcd"), DISKS, CARD.on(replace(CARD.array, unknown=("data_offset_kib",))).array)
    assert not told.hypotheses
    assert told.lost is not None
    assert "a guess would destroy" in told.lost


def test_what_can_not_be_saved_is_said() -> None:
    found = {one: block for one, block in _found().items() if one in "ab"}
    told = examine(found, DISKS)
    assert not told.hypotheses
    assert str(told.lost).startswith("2 of the array's 4 members are here")
    journal = {one: replace(block, feature_map=HAS_JOURNAL) for one, block in _found().items() if block}
    told = examine(journal, DISKS)
    assert _said(told) == [("force", "journal", "abcd")]
    [alone] = told.hypotheses
    assert alone.lacks_journal
    assert "journal alone" in hypothesis_words(alone, DISKS)
    assert "--add-journal" in rescued_words(alone, Rescued(UUID, "/dev/md/tank", 0, ""))
    del journal["d"], journal["c"]
    assert "2 of the array's 4 members" in str(examine(journal, DISKS).lost)


def test_what_is_amid_a_reshape_is_let_go_on_before_it_is_mounted() -> None:
    [hypothesis, *_] = examine(_found(), DISKS).hypotheses
    said = rescued_words(hypothesis, Rescued(UUID, "/dev/md/tank", 1, "", reshape_waits=True))
    assert "raidwright array go-on tank" in said
    assert "filesystem mount" not in said


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
    st.none() | st.sampled_from((CARD.array, replace(CARD.array, unknown=("members",)))),
)
def test_every_attempt_uses_each_disk_once_and_can_be_sent(
    found: dict[str, MemberSuperblock | None], card: MdArray | None
) -> None:
    told = examine(found, DISKS, card)
    assert len(told.disks) == len(found)
    assert len(told.hypotheses) <= MAX_HYPOTHESES
    assert bool(told.lost) != bool(told.hypotheses)
    assert len({one.attempt.digest for one in told.hypotheses}) == len(told.hypotheses)
    ways = [one.way is RescueWay.CREATE for one in told.hypotheses]
    assert ways == sorted(ways)  # superblocks are made anew last
    for one in told.hypotheses:
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


def test_a_raid0_without_a_layout_has_two_ways_the_likelier_first() -> None:
    sizes = (800_000, 800_000, 499_000)
    blocks: dict[str, MemberSuperblock | None] = {
        letter: replace(
            BLOCK, level="raid0", slots=3, slot=slot, working=(0, 1, 2), data_sectors=size, created_s=1_300_000_000
        )
        for slot, (letter, size) in enumerate(zip("abc", sizes, strict=True))
    }
    assert [way for way, _, _ in _said(examine(blocks, DISKS))] == ["layout-original", "layout-alternate"]
    newer = {letter: replace(one, created_s=1_500_000_000) for letter, one in blocks.items() if one}
    told = examine(dict(newer), DISKS)
    assert _said(told) == [
        ("layout-alternate", "layout-alternate", "abc"),
        ("layout-original", "layout-original", "abc"),
    ]
    assert read_attempt(json.loads(json.dumps(dump_attempt(told.hypotheses[0].attempt)))) == told.hypotheses[0].attempt
    laid = {letter: replace(one, feature_map=RAID0_LAYOUT, layout=2) for letter, one in newer.items()}
    assert [way for way, _, _ in _said(examine(dict(laid), DISKS))] == ["assemble"]
    alone = {letter: replace(one, data_sectors=800_000 if letter == "a" else 500_000) for letter, one in newer.items()}
    assert [way for way, _, _ in _said(examine(dict(alone), DISKS))] == ["assemble"]  # its last zone is of one disk
    alike = {letter: replace(one, data_sectors=one.data_sectors + one.chunk_sectors) for letter, one in newer.items()}
    assert _said(examine(dict(alike), DISKS)) == [("layout-alternate", "layout-either", "abc")]


def test_files_of_several_ways_are_compared() -> None:
    def tried(*files: str) -> RescueTried:
        return RescueTried(RescueVerdict.UNPROVEN, 0, 10**9, files=files)

    told = list(compared_words({1: tried("1 aa a", "1 bb b", "1 - c"), 2: tried("1 aa a", "1 cc b", "1 dd c")}))
    assert told == ["1 of 2 files that were read are the same in all of them.", "These differ, so open them: b."]
