"""Candidates: what a pool allows, in an order that follows the wishes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.cli.candidates import layout_name
from raidwright.core.candidates import Merits, enumerate_plans
from raidwright.core.layouts import Level
from raidwright.core.plan import Metadata
from raidwright.core.pool import imagined_members, parse_pool
from raidwright.core.ranking import Ranking, Wishes, candidates_for, rank

NOTHING = Wishes(space=0, safety=0, reading=0, writing=0, random=0)


def ranked(pool: str, wishes: Wishes | None = None) -> Ranking:
    return candidates_for(imagined_members(parse_pool(pool)), wishes or Wishes())


def names(ranking: Ranking) -> list[str]:
    return [layout_name(candidate.prepared.plan) for candidate in ranking.candidates]


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
        (replace(NOTHING, space=100), "space", "raid5 ×6"),
        (replace(NOTHING, safety=100), "safety", "raid10 n3 ×6"),
        (replace(NOTHING, reading=100), "reading", "raid10 f2 ×6"),
        (replace(NOTHING, writing=100), "writing", "raid5 ×6"),
    ],
)
def test_one_wish_alone_puts_its_best_first(wishes: Wishes, weight: str, best: str) -> None:
    ranking = ranked("6x8TB", wishes)
    first = ranking.candidates[0]
    assert getattr(first.prepared.merits, weight) == max(
        getattr(candidate.prepared.merits, weight) for candidate in ranking.candidates if not candidate.unmet
    )
    assert best in [layout_name(item.prepared.plan) for item in ranking.candidates if item.score == first.score]


def test_what_fails_a_condition_stands_below_and_says_so() -> None:
    ranking = ranked("4x8TB", Wishes(must_survive=2, will_grow=True))
    unmet = [len(candidate.unmet) for candidate in ranking.candidates]
    assert unmet == sorted(unmet)
    for candidate in ranking.candidates:
        assert ("must_survive" in candidate.unmet) == (candidate.prepared.survives < 2)
        assert candidate.why.endswith(".")
    far = next(item for item in ranking.candidates if item.prepared.plan.layout == "f3")
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
    assert "another disk" in ranked("1x8TB").relax


def test_booting_wants_a_mirror_with_metadata_at_the_end() -> None:
    first = ranked("2x8TB", Wishes(must_boot=True)).candidates[0].prepared.plan
    assert (first.level, first.metadata) == (Level.RAID1, Metadata.V1_0)
    assert all(item.prepared.plan.metadata is Metadata.V1_2 for item in ranked("2x8TB").candidates)


@given(st.builds(Wishes, **{name: st.integers(0, 100) for name in Merits.__slots__}))
def test_scores_are_shares_and_in_order(wishes: Wishes) -> None:
    meeting = [item for item in rank(FOUR, wishes).candidates if not item.unmet]
    scores = [item.score for item in meeting]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


FOUR = enumerate_plans(imagined_members(parse_pool("4x8TB")))
