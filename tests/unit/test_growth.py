"""The three ways in which an array becomes bigger: the disk that serves, what must be bought, and why not."""

from __future__ import annotations

import pytest
from raidwright.analysis.advice.growth import GrowthChoice, GrowthKind, advised, growth_choices
from raidwright.analysis.advice.shapes import figures_of_shape
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.md.changes.values import ArrayContent, ArrayStanding, ChangeKind
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.text.array.growth import brief_step, button_words, needs_words, remarks, why_not_words

_TB = 10**12
_SEEN = ArrayStanding(content=ArrayContent("ext4", "/srv/media"))


def _disk(number: int, terabytes: float) -> Member:
    return Member(f"disk-{number}", int(terabytes * _TB), serial=f"Z{number}")


def _array(level: str, count: int, *spares: Member) -> MdArray:
    return MdArray(Level(level), tuple(_disk(number, 8) for number in range(count)), "media", spares=spares)


def _choices(array: MdArray, *free: Member, standing: ArrayStanding = _SEEN) -> dict[GrowthKind, GrowthChoice]:
    return {one.kind: one for one in growth_choices(array, free, standing)}


def _terabytes(choice: GrowthChoice) -> list[float]:
    return [round(capacity_of(layer).array_bytes / _TB, 1) for layer in (choice.way.before, choice.way.after)]


def _named(disk: Member) -> str:
    return disk.serial or disk.id


def test_the_smallest_free_disk_that_serves_is_taken() -> None:
    free = (_disk(20, 12), _disk(21, 4), _disk(22, 8))
    found = _choices(_array("raid5", 4), *free)
    more, larger, safer = (found[kind] for kind in GrowthKind)
    assert (more.here, more.lacking, _terabytes(more)) == ((free[2],), (), [24.0, 32.0])
    assert safer.here == (free[2],)
    assert (safer.way.after.level, _terabytes(safer)) == (Level.RAID6, [24.0, 24.0])  # type: ignore[union-attr]
    assert more.begin is more.way
    assert larger.here == (free[0],)
    assert [disk.size_bytes for disk in larger.lacking] == [12 * _TB] * 3
    assert _terabytes(larger) == [24.0, 36.0]
    assert larger.begin is not None
    assert [step.kind for step in larger.begin.steps].count(ChangeKind.EXCHANGE) == 1
    assert button_words(larger, _named) == "Begin with the one here …"
    assert needs_words(larger, _named) == ("3 disks of 12.0 TB", "to buy; 1 is here")
    assert advised(found.values()) is more


def test_without_a_free_disk_each_way_says_what_to_buy_and_none_can_begin() -> None:
    found = _choices(_array("raid5", 4))
    assert [one.begin for one in found.values()] == [None] * 3
    assert [button_words(one, _named) for one in found.values()] == [""] * 3
    assert why_not_words(found[GrowthKind.MORE]) == "Plug in a disk of at least 8.00 TB, and it can begin here."
    assert needs_words(found[GrowthKind.LARGER], _named) == ("4 disks of 12.0 TB", "to buy")
    assert advised(found.values()) is None


def test_a_mirror_becomes_raid5_for_space_and_gets_a_copy_for_safety() -> None:
    found = _choices(_array("raid1", 2), _disk(20, 8))
    assert _terabytes(found[GrowthKind.MORE]) == [8.0, 16.0]
    assert _terabytes(found[GrowthKind.SAFER]) == [8.0, 8.0]
    assert button_words(found[GrowthKind.SAFER], _named) == "Add a copy …"
    assert button_words(found[GrowthKind.MORE], _named) == "Add Z20 …"


def test_a_spare_serves_before_a_free_disk() -> None:
    found = _choices(_array("raid5", 3, _disk(9, 8)), _disk(20, 8))
    assert (found[GrowthKind.MORE].here, _terabytes(found[GrowthKind.MORE])) == ((), [16.0, 24.0])
    assert button_words(found[GrowthKind.MORE], _named) == "Use the spare …"


def test_disks_that_were_exchanged_already_have_the_room() -> None:
    array = MdArray(
        Level.RAID5, tuple(_disk(number, 12) for number in range(3)), "media", component_size_kib=7_812_367_872
    )
    larger = _choices(array)[GrowthKind.LARGER]
    assert (larger.here, larger.lacking, larger.begin is larger.way) == ((), (), True)
    assert _terabytes(larger) == [16.0, 24.0]
    assert needs_words(larger, _named)[0] == "nothing"


@pytest.mark.parametrize(
    ("level", "count", "kind", "reason"),
    [
        ("raid6", 5, GrowthKind.SAFER, "md makes nothing of raid6 in which more disks may fail than now."),
        ("raid0", 3, GrowthKind.LARGER, "raid0 has no copies or parity"),
        ("raid0", 3, GrowthKind.MORE, "Build it anew instead."),
        ("raid10", 4, GrowthKind.SAFER, "md can change raid10 into raid0 alone."),
        ("raid1", 3, GrowthKind.MORE, "Only a mirror of exactly two members"),
    ],
)
def test_a_way_that_md_does_not_have_keeps_its_reason(level: str, count: int, kind: GrowthKind, reason: str) -> None:
    choice = _choices(_array(level, count), _disk(20, 8))[kind]
    assert not choice.is_possible
    assert reason in why_not_words(choice)
    assert button_words(choice, _named) == ""


def test_while_md_is_busy_no_way_can_begin() -> None:
    busy = ArrayStanding(content=ArrayContent("ext4", "/srv/media"), busy="resync")
    found = _choices(_array("raid5", 4), _disk(20, 8), standing=busy)
    assert not any(one.is_possible for one in found.values())
    assert all("md is busy with it (resync)" in why_not_words(one) for one in found.values())


def test_a_joined_volume_takes_the_disk_that_adds_most() -> None:
    plan = banded([_disk(number, tb) for number, tb in enumerate((4, 8, 12))], 1).plan
    more, larger, safer = growth_choices(plan, (_disk(20, 3), _disk(21, 12)))
    assert (more.here, _terabytes(more)) == ((_disk(21, 12),), [12.0, 24.0])
    assert not larger.is_possible
    assert not safer.is_possible
    assert "keeps the number of disks that may fail" in why_not_words(safer)


def test_what_speaks_against_a_wider_array_is_its_odds() -> None:
    more = _choices(_array("raid5", 4), _disk(20, 8))[GrowthKind.MORE]
    before, after = (figures_of_shape(Plan(layer)) for layer in (more.way.before, more.way.after))
    assert after.array_loss > before.array_loss
    good, bad = remarks(more, before, after, is_quickest=True)
    assert good.text == "Quickest, and nothing to buy."
    assert bad.text.startswith("All is lost in 5 years: 1 in ")
    assert [brief_step(step, "xfs") for step in more.way.steps] == [
        "Add Z20",
        "Spread the data over 5 disks",
        "XFS takes the new space",
        "md compares all of it, by itself",
    ]
