"""Spares: the chain with replacements on order against a chain written for the check alone (``tests/loss_check``)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.chains import chain_of
from raidwright.analysis.reliability.groups import CopyRing, Threshold
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.analysis.reliability.markov import Rates, losses
from raidwright.analysis.reliability.scenarios import parts_of
from raidwright.analysis.reliability.spares import Spares, spared_chain
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Member, Plan

from ..loss_check.published import plan_of
from ..loss_check.spares import cases, compare, threshold
from .making_plans import equal

FOUND = [  # an independent reckoning's figures: 4% a year, five years, noticed in 8 hours, 120 MB/s
    ("raid6", 12, 2, 336.0, 1.63e-5),
    ("raid6", 12, 2, 720.0, 8.45e-5),
    ("raid1", 3, 2, 720.0, 1.24e-7),
]


@pytest.mark.parametrize(("level", "disks", "most", "hours", "said"), FOUND)
def test_what_was_found_understated(level: str, disks: int, most: int, hours: float, said: float) -> None:
    row = compare(threshold(disks, most), plan_of(level, disks), 1, 0.04, hours)
    assert row.said == pytest.approx(said, rel=0.005)
    assert row.found == pytest.approx(said, rel=0.005)


def test_a_sample_of_levels_spares_and_waits_is_within_two_percent() -> None:
    for case in random.Random(9).sample(cases(), 60):  # noqa: S311 -- nothing secret
        row = compare(*case)
        assert row.holds, row


def test_an_array_that_is_one_group_of_like_disks_is_exact() -> None:
    assert spared_chain(Threshold(6, 2), None, Spares(1)).exact
    assert not spared_chain(Threshold(6, 2), (0.5, *(1.1,) * 5), Spares(1)).exact
    assert not spared_chain(Threshold(2, 1), None, Spares.shared(1, 0.1)).exact
    assert Spares.shared(2, 0.0) == Spares(2)
    assert Spares.shared(2, 1.0).elsewhere > Spares.shared(2, 0.01).elsewhere > 0


@pytest.mark.parametrize("count", [1, 2])
def test_replacements_that_come_at_once_make_spares_idle(count: int) -> None:
    shape = Threshold(6, 2)
    spared = losses(spared_chain(shape, None, Spares(count)), [Rates(1e-4, (0.05,), 2.0, arrival=1e6)], 40_000)
    plain = losses(chain_of(shape), [Rates(1e-4, (0.05,), 2.0)], 40_000)
    assert spared[0, 0] == pytest.approx(plain[0, 0], rel=1e-4)


def test_replacements_that_never_come_leave_the_spares() -> None:
    """A spare and no replacement: one failure more is survived, if the rebuild ends before the next."""
    never = Rates(1e-6, (1e3,), arrival=0.0)
    spared = losses(spared_chain(Threshold(3, 1), None, Spares(1)), [never], 40_000)
    gone = 1e-6 * 40_000
    assert spared[0, 0] == pytest.approx(3 * 3 * 2 * gone**3 / 6, rel=0.1)


def test_deep_sets_that_are_taken_for_lost_hardly_count() -> None:
    rates = [Rates(0.04 / 8760, (1 / 18,), 2.0, arrival=1 / 336)]
    cut = spared_chain(CopyRing(12, "f2"), None, Spares(1))
    shallow, deep = (losses(chain_of(CopyRing(12, "f2"), None, 24, most), rates, 43_800)[0, 0] for most in (3, 12))
    assert cut.most_failed == 5
    assert 1 < shallow / deep < 1 + 1e-4


@pytest.mark.parametrize(("level", "disks", "layout", "count"), [
    ("raid1", 300, None, 0), ("raid1", 60, None, 60), ("raid6", 200, None, 300), ("raid10", 240, "f3", 0),
    ("raid10", 60, "n2", 90), ("raid10", 61, "f2", 9),
])  # fmt: skip
def test_the_largest_arrays_have_chains_of_a_bounded_size(
    level: str, disks: int, layout: str | None, count: int
) -> None:
    spares = tuple(Member(f"spare-{one}", 8 * 2**30) for one in range(count))
    plan = replace(equal(level, disks, layout), spares=spares)
    capacity, assumptions = capacity_of(plan), Assumptions()
    assert all(part.chain(assumptions).states <= 130 for part in parts_of(Plan(plan), capacity, assumptions))
    array, sectors = likely_loss(Plan(plan), assumptions, 5.0, capacity)
    assert 0 <= array <= sectors <= 1
