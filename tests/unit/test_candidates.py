"""Candidates: the plans that a pool allows, in an order by the wishes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.advice.candidates import Merits, Prepared, enumerate_plans
from raidwright.analysis.advice.ranking import Ranking, Wishes, candidates_for, rank
from raidwright.analysis.advice.reasons import Facet
from raidwright.analysis.assessment import assess
from raidwright.analysis.findings.finding import PlanChange, Severity
from raidwright.analysis.reliability.loss import loss_of
from raidwright.cli.candidates import layout_name
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Metadata, Plan
from raidwright.reading.pool import imagined_members, parse_pool
from raidwright.text.large_numbers import times_words
from raidwright.text.plan.candidates import (
    gist_words,
    on_disks,
    shared_warnings,
    short_size,
    standing_words,
    unused_in_brief,
    unused_sentence,
    why_words,
)
from raidwright.text.plan.names import long_name, next_failures, remedy_in_brief, survives

from ..ranking_check.signed import POOLS, Pool

NOTHING = Wishes(space=0, safety=0, reading=0, writing=0, random=0)
SOME_POOLS = ("2x8TB", "3x4TB", "4x8TB", "2x8TB+2x4TB", "3x8TB+2x5TB", "6x10TB", "12x20TB", "24x8TB")
WISHES = st.builds(
    Wishes, must_survive=st.integers(0, 3), will_grow=st.booleans(), must_boot=st.booleans(),
    **{name: st.integers(0, 100) for name in Merits.__slots__},
)  # fmt: skip


@cache
def prepared(pool: str) -> tuple[Prepared, ...]:
    return enumerate_plans(imagined_members(parse_pool(pool)))


def _known(item: Prepared) -> tuple[float, ...]:
    return item.merits.space, item.merits.safety, item.ease


def _estimated(item: Prepared) -> tuple[float, ...]:
    return item.merits.reading, item.merits.writing, item.merits.random


def ranked(pool: str, wishes: Wishes | None = None) -> Ranking:
    return candidates_for(imagined_members(parse_pool(pool)), wishes or Wishes())


def names(ranking: Ranking) -> list[str]:
    return [layout_name(candidate.prepared.plan.top) for candidate in ranking.candidates]


def test_all_usual_layouts_are_among_four_disks() -> None:
    assert {
        "raid0 ×4", "raid1 ×4", "raid5 ×4", "raid6 ×4", "raid10 n2 ×4", "raid10 f2 ×4", "raid10 o2 ×4",
        "raid10 n3 ×4", "raid5 ×3 + spare",
    } <= set(names(ranked("4x8TB")))  # fmt: skip


def test_groups_and_pairs() -> None:
    assert {"raid0 of 2 raid5 ×6", "raid0 of 3 raid6 ×4", "raid0 of 4 raid5 ×3"} <= set(names(ranked("12x8TB")))
    assert "raid0 of 3 raid1 ×2" in names(ranked("4x8TB+2x4TB"))
    assert "raid5 ×4" in names(ranked("4x8TB+2x4TB"))


@pytest.mark.parametrize(
    ("wishes", "weight", "best"),
    [
        (replace(NOTHING, space=100), "space", "raid6 ×6"),  # raid5 has more, and is warned of
        (replace(NOTHING, safety=100), "safety", "raid6 ×5 + spare"),
        (replace(NOTHING, reading=100), "reading", "raid6 ×6"),  # far and raid5 read faster, and are warned of
        (replace(NOTHING, writing=100), "writing", "raid10 n2 ×6"),
    ],
)
def test_one_wish_alone_puts_first_what_has_most_of_it_and_is_warned_of_least(
    wishes: Wishes, weight: str, best: str
) -> None:
    first, *others = [item.prepared for item in ranked("6x8TB", wishes).candidates if not item.unmet]
    assert layout_name(first.plan.top) == best
    assert not first.warnings
    assert getattr(first.merits, weight) == max(
        getattr(item.merits, weight) for item in (first, *others) if not item.warnings
    )


@pytest.mark.parametrize("pool", POOLS, ids=lambda pool: f"{pool.text}{pool.kind or ''}")
def test_the_first_pick_is_one_that_would_be_signed(pool: Pool) -> None:
    candidates = pool.ranking().candidates
    assert {layout_name(item.prepared.plan.top) for item in candidates[:1]} <= pool.signed
    assert bool(candidates) == bool(pool.signed)


@given(wishes=WISHES, pool=st.sampled_from(SOME_POOLS))
def test_what_is_better_in_nothing_never_stands_above(wishes: Wishes, pool: str) -> None:
    candidates = rank(prepared(pool), wishes).candidates
    for above, below in combinations(candidates, 2):
        better = _known(below.prepared) + _estimated(below.prepared)
        worse = _known(above.prepared) + _estimated(above.prepared)
        dominated = all(x >= y for x, y in zip(better, worse, strict=True)) and better != worse
        warned_of_less = len(below.prepared.warnings) <= len(above.prepared.warnings)
        assert not (dominated and warned_of_less and set(below.unmet) <= set(above.unmet)), (above, below)


@given(wishes=WISHES, pool=st.sampled_from(SOME_POOLS), wish=st.sampled_from(Merits.__slots__), by=st.integers(1, 60))
def test_a_wish_that_is_raised_lowers_nothing_that_has_more_of_it(
    wishes: Wishes, pool: str, wish: str, by: int
) -> None:
    raised = replace(wishes, **{wish: min(100, getattr(wishes, wish) + by)})
    before, after = (
        [item.prepared for item in rank(prepared(pool), some).candidates if not item.unmet] for some in (wishes, raised)
    )
    assert len(before) == len(after)
    if not before:
        return
    merit = attrgetter(f"merits.{wish}")
    assert merit(after[0]) >= merit(before[0])
    firsts = (id(before[0]), id(after[0]))  # first for the fewest warnings is another rule
    places = {id(item): place for place, item in enumerate(after)}
    for above, below in combinations([item for item in before if id(item) not in firsts], 2):
        assert merit(above) < merit(below) or places[id(above)] < places[id(below)]


@given(wishes=WISHES, pool=st.sampled_from(SOME_POOLS))
def test_nothing_that_is_warned_of_more_than_another_is_first(wishes: Wishes, pool: str) -> None:
    meeting = [item.prepared for item in rank(prepared(pool), wishes).candidates if not item.unmet]
    if meeting and wishes.must_survive:
        assert len(meeting[0].warnings) == min(len(item.warnings) for item in meeting)


@pytest.mark.parametrize("pool", SOME_POOLS)
def test_estimates_decide_nothing_until_they_are_asked_for(pool: str) -> None:
    meeting = [item.prepared for item in rank(prepared(pool), Wishes()).candidates if not item.unmet]
    for above, below in combinations(meeting[1:], 2):
        better, worse = _known(below), _known(above)
        assert better == worse or not all(x >= y for x, y in zip(better, worse, strict=True))


@pytest.mark.parametrize("pool", SOME_POOLS)
def test_a_reason_tells_a_plan_from_its_neighbours(pool: str) -> None:
    candidates = rank(prepared(pool), Wishes()).candidates
    for one, other in pairwise(candidates):
        assert gist_words(one) != gist_words(other)
        assert why_words(one, layout_name) != why_words(other, layout_name)
    for facet in Facet:
        assert sum(facet in one.reasons.best_in for one in candidates) <= 1
    for one in candidates:
        shared = shared_warnings(candidates)
        for finding in one.prepared.warnings:
            assert finding.sentence in (why_words(one, layout_name) if finding in one.prepared.telling else shared)


@pytest.mark.parametrize(
    ("wishes", "standing", "brief"),
    [
        (Wishes(must_survive=2), "11 layouts, 4 survive any 2 failures; yours ranks first", "most space of the 4"),
        (Wishes(must_survive=1), "11 layouts, 10 survive any failure; yours is no. 2", "most space of the 10"),
        (Wishes(must_survive=0), "11 layouts; yours isn't one of them", "most space of the 11"),
        (Wishes(will_grow=True), "11 layouts, 8 meet your conditions; yours ranks first", "most space of the 8"),
    ],
)
def test_a_superlative_names_its_set_in_brief_too(wishes: Wishes, standing: str, brief: str) -> None:
    candidates = rank(prepared("5x8TB"), wishes).candidates
    place = {"first": 0, "2": 1, "them": None}[standing.rsplit(maxsplit=1)[-1]]
    assert standing_words(candidates, place) == standing
    briefs = [gist_words(one) for one in candidates]
    assert any(brief in one for one in briefs), briefs
    superlatives = [one for one in briefs if re.search("most |safest|fastest", one)]
    assert all(f"of the {candidates[0].meeting}" in one for one in superlatives)


@pytest.mark.parametrize("pool", SOME_POOLS)
def test_a_difference_is_one_that_is_there(pool: str) -> None:
    for one in rank(prepared(pool), Wishes()).candidates:
        item, other = one.prepared, one.reasons.against
        assert other is not None
        said = {difference.facet: difference for difference in one.reasons.differences}
        ratio = item.array_bytes / other.array_bytes
        assert (Facet.SPACE in said) == (max(ratio, 1 / ratio) > 1.01)  # not for 320 KiB
        if Facet.SPACE in said:
            assert said[Facet.SPACE].better == (ratio > 1)
        if Facet.LOSS in said:
            assert said[Facet.LOSS].better == (item.array_loss < other.array_loss)
        if Facet.FAILURES in said:
            assert said[Facet.FAILURES].better == (item.survives > other.survives)
        else:
            assert item.survives == other.survives


def test_far_copies_are_told_apart_by_what_they_survive() -> None:
    far = {
        item.prepared.plan.array.layout: item
        for item in ranked("4x8TB").candidates
        if item.prepared.plan.array.layout in ("f2", "f3")
    }
    assert "any 2 may fail, not 1" in gist_words(far["f3"])
    assert "final" in why_words(far["f2"], layout_name)


def test_the_loss_is_the_likely_one_of_the_published_assumptions() -> None:
    for item in prepared("24x8TB"):
        loss = loss_of(item.plan)
        assert item.array_loss == pytest.approx(loss.array.probability)
        assert item.sector_loss == pytest.approx(loss.sectors.probability)


def test_a_larger_disk_is_less_safe() -> None:
    def safety(pool: str) -> float:
        return next(item.merits.safety for item in prepared(pool) if item.plan.array.level is Level.RAID5)

    assert safety("4x20TB") < safety("4x8TB") < safety("4x1TB")


def test_what_all_plans_are_warned_of_keeps_none_from_being_first() -> None:
    shingled = tuple(replace(disk, model="ST8000DM004") for disk in imagined_members(parse_pool("4x8TB")))
    candidates = candidates_for(shingled, Wishes()).candidates
    first = candidates[0].prepared
    assert shared_warnings(candidates).startswith("Whichever layout: ")
    assert first.warnings[0].sentence in shared_warnings(candidates)
    assert not any(first.warnings[0].sentence in why_words(one, layout_name) for one in candidates)
    assert "smr" in {finding.code for finding in first.assessment.findings}
    assert "smr" in {finding.code for finding in first.warnings}  # said once
    assert "smr" not in {finding.code for finding in first.telling}
    assert layout_name(first.plan.top) == "raid6 ×4"


def test_who_wants_nothing_survived_may_have_what_loses_all() -> None:
    first = ranked("4x8TB", replace(NOTHING, must_survive=0, space=100)).candidates[0].prepared
    assert first.plan.array.level is Level.RAID0


def test_what_fails_a_condition_stands_below_and_says_so() -> None:
    ranking = ranked("4x8TB", Wishes(must_survive=2, will_grow=True))
    unmet = [len(candidate.unmet) for candidate in ranking.candidates]
    assert unmet == sorted(unmet)
    for candidate in ranking.candidates:
        assert ("must_survive" in candidate.unmet) == (candidate.prepared.survives < 2)
        assert why_words(candidate, layout_name).endswith(".")
    far = next(item for item in ranking.candidates if item.prepared.plan.array.layout == "f3")
    assert far.unmet == ("will_grow",)


RELAXED = [
    (Wishes(must_survive=5), "ask for 3"),
    (Wishes(must_survive=4, must_boot=True), "ask for 3"),
    (Wishes(must_survive=9, will_grow=True, must_boot=True), "ask for 3"),
]


@pytest.mark.parametrize(("wishes", "said"), RELAXED)
def test_wishes_that_cannot_be_met_say_which_to_relax(wishes: Wishes, said: str) -> None:
    assert said in ranked("4x8TB", wishes).relax


def test_booting_gives_way_when_nothing_bootable_is_left() -> None:
    assert "boot from another disk" in ranked("8x8TB", Wishes(must_boot=True)).relax
    assert "add more disks" in ranked("1x8TB").relax


def test_booting_wants_a_mirror_with_metadata_at_the_end() -> None:
    first = ranked("2x8TB", Wishes(must_boot=True)).candidates[0].prepared.plan
    assert (first.array.level, first.array.metadata) == (Level.RAID1, Metadata.V1_0)
    assert all(item.prepared.plan.array.metadata is Metadata.V1_2 for item in ranked("2x8TB").candidates)


@given(wishes=WISHES, pool=st.sampled_from(SOME_POOLS))
def test_scores_are_shares_and_in_order(wishes: Wishes, pool: str) -> None:
    meeting = [item for item in rank(prepared(pool), wishes).candidates if not item.unmet]
    scores = [item.score for item in meeting[1:]]
    assert all(one >= other - 1e-9 for one, other in pairwise(scores))
    assert all(0 <= item.score <= 1 for item in meeting)


@pytest.mark.parametrize("pool", ["3x8TB+2x5TB", "2x8TB+2x4TB", "3x8TB+4TB", "5x8TB+3x4TB+2x1TB", "17x8TB"])
def test_what_lies_idle_is_what_the_array_cannot_use(pool: str) -> None:
    members = imagined_members(parse_pool(pool))
    for item in prepared(pool):
        taken = {disk.id for disk in item.plan.disks()}
        free = sum(disk.size_bytes for disk in members if disk.id not in taken)
        rest = 512 * item.assessment.capacity.lost.larger_members_sectors
        assert sum(one.count * one.unused_bytes for one in item.unused) == pytest.approx(free + rest, rel=0.01)
        assert sum(one.count for one in item.unused if one.is_whole) == len(members) - len(taken)


def test_mixed_sizes_say_on_which_disks() -> None:
    said = {on_disks(layout_name(item.plan.top), item): item for item in prepared("3x8TB+2x5TB")}
    assert unused_in_brief(said["raid5 ×3 of 3 × 8 TB"].unused) == "2 × 5 TB"
    assert unused_sentence(said["raid5 ×3 of 3 × 8 TB"].unused) == "2 × 5 TB are left free."
    assert unused_in_brief(said["raid6 ×5 of all 5"].unused) == "3 × 3 TB"
    assert unused_sentence(said["raid6 ×5 of all 5"].unused).startswith("Of each of 3 × 8 TB, 3 TB stay unused")
    assert on_disks("raid6", prepared("4x8TB")[0]) == "raid6"


@pytest.mark.parametrize(("pool", "asked"), [("5x8TB", 3), ("6x8TB", 3), ("12x8TB", 3), ("12x8TB", 7), ("7x4TB", 6)])
def test_what_is_asked_to_be_survived_is_offered_where_the_disks_can(pool: str, asked: int) -> None:
    """Once no plan of twelve disks was said to survive any three failures; raid10 with four copies does."""
    ranking = ranked(pool, replace(Wishes(), must_survive=asked))
    assert not ranking.relax
    assert ranking.candidates[0].prepared.survives >= asked


def test_many_copies_are_for_who_asks_for_them() -> None:
    assert not {"raid10 n4 ×12", "raid1 ×12"} & set(names(ranked("12x8TB")))
    assert "raid10 n4 ×12" in names(ranked("12x8TB", replace(Wishes(), must_survive=3)))


@pytest.mark.parametrize("pool", ["4x4TB", "8x20TB", "6x8TB", "4x4TB:ssd", "4x2TB:nvme"])
def test_small_random_work_prefers_mirrors_of_two(pool: str) -> None:
    """Parity and third copies came first, since small writes were computed for a bitmap's worst case."""
    members = imagined_members(parse_pool(pool))
    first = candidates_for(members, replace(NOTHING, random=100)).candidates[0].prepared.plan
    assert (first.array.level, first.array.effective_layout) == (Level.RAID10, "n2")


def test_what_comes_first_for_fewer_warnings_isnt_called_best_on_balance() -> None:
    first, second, *_ = ranked("2x8TB", replace(Wishes(), reading=100, space=0)).candidates
    assert first.score < second.score
    assert first.reasons.is_warned_of_least
    assert not first.reasons.is_first
    assert "est on balance" not in why_words(first, layout_name)


def test_mirrors_that_differ_in_their_metadata_have_names_of_their_own() -> None:
    first, second, *_ = names(ranked("2x8TB", replace(Wishes(), must_boot=True)))
    assert (first, second) == ("raid1 ×2, metadata 1.0", "raid1 ×2")


def test_a_pool_says_what_its_disks_are() -> None:
    (member, *_) = imagined_members(parse_pool("4x4TB:ssd@usb3"))
    assert (member.kind, member.baseline and member.baseline.link) == ("ssd", "usb3")
    for wrong in ("4x4TB:banana", "4x4TB:ssd:nvme", "4x4TB:ext4"):
        with pytest.raises(InputError, match=wrong.rpartition(":")[2]):
            imagined_members(parse_pool(wrong))


@pytest.mark.parametrize(("model", "kind"), [
    ("Samsung SSD 870 EVO 1TB", "ssd"), ("Samsung SSD 980 PRO NVMe", "nvme"), ("WDC WD80EFZX-68UW8N0", None),
])  # fmt: skip
def test_a_model_tells_flash(model: str, kind: str | None) -> None:
    assert Member("wwn-1", 10**12, model=model).kind == kind


@pytest.mark.parametrize("pool", SOME_POOLS)
@pytest.mark.parametrize("wishes", [Wishes(must_survive=survived) for survived in range(3)])
def test_no_first_pick_carries_a_warning_that_one_click_removes(pool: str, wishes: Wishes) -> None:
    first = ranked(pool, wishes).candidates[0].prepared.assessment
    assert not [
        found.code for found in first.findings if found.change is not None and found.severity is not Severity.NOTE
    ]


@pytest.mark.parametrize("change", [
    PlanChange("chunk_kib", 64), PlanChange("bitmap", Bitmap.INTERNAL), PlanChange("assume_clean", value=False),
])  # fmt: skip
def test_a_remedy_is_applied_where_it_fits(change: PlanChange) -> None:
    members = imagined_members(parse_pool("4x8TB"))
    bare = Plan(MdArray(Level.RAID6, members, chunk_kib=16, bitmap=Bitmap.NONE, assume_clean=True))
    codes = {found.code for found in assess(bare).findings if found.change == change}
    assert codes
    assert not codes & {found.code for found in assess(change.of(bare)).findings}
    assert change.of(Plan(MdArray(Level.LINEAR, members))) == Plan(MdArray(Level.LINEAR, members))
    assert remedy_in_brief(change) != "Apply"


@pytest.mark.parametrize(
    ("factor", "said"),
    [(2.1, "2.1"), (950.0, "950"), (48_400.0, "over 1,000"), (2.3e10, "over 1,000")],
)  # fmt: skip
def test_how_often_is_a_number_that_people_read(factor: float, said: str) -> None:
    assert times_words(factor) == said


@pytest.mark.parametrize(
    ("pool", "plan", "row", "tile"),
    [
        ("4x8TB", "RAID 10, near", "any 1; 4 of 6 pairs", "two at once: 4 of 6 ways are safe"),
        ("24x8TB", "RAID 60, 2 × 12 disks", "any 2; 78% of triples", "three at once: 78% of the ways are safe"),
        ("4x8TB", "RAID 6", "any 2", "any three at once lose data"),
    ],
)
def test_what_else_is_survived_says_of_what(pool: str, plan: str, row: str, tile: str) -> None:
    survival = next(one.assessment.survival for one in prepared(pool) if long_name(one.plan.top) == plan)
    assert survives(survival).text == row
    assert next_failures(survival) == tile


def test_speeds_are_compared_in_words() -> None:
    said = [why_words(one, long_name) for one in ranked("4x8TB").candidates]
    assert any("reads files about 2 times as fast" in why for why in said)
    assert any("of the speed" in why for why in said)


@pytest.mark.parametrize("asked", [1, 2])
def test_a_superlative_names_its_set(asked: int) -> None:
    """RAID 5 holds more than the best of those that survive two, and reads faster."""
    candidates = rank(prepared("5x8TB"), Wishes(must_survive=asked)).candidates
    best = [one for one in candidates if one.reasons.best_in]
    assert best
    for one in best:
        said = why_words(one, layout_name)
        assert f"of those that survive any {asked} failure" in said
        assert " of all" not in said
    growing = rank(prepared("5x8TB"), Wishes(must_survive=asked, will_grow=True)).candidates
    told = [why_words(one, layout_name) for one in growing if one.reasons.best_in]
    assert all("of those that meet your conditions" in words for words in told)


@pytest.mark.parametrize("pool", ["5x8TB", "4x8TB", "8x4TB"])
def test_whoever_asked_for_two_failures_is_shown_one_before_none(pool: str) -> None:
    candidates = [one.prepared for one in rank(prepared(pool), Wishes(must_survive=2)).candidates if one.unmet]
    survived = [max(0, item.survives) for item in candidates]
    assert survived == sorted(survived, reverse=True)
    assert 0 in survived
    assert 1 in survived


def test_a_thousand_gigabytes_are_a_terabyte() -> None:
    assert [short_size(size) for size in (500_107_862_016, 999_700_000_000, 1_000_204_886_016)] == [
        "500 GB", "1 TB", "1 TB",
    ]  # fmt: skip
