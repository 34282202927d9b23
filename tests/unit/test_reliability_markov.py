"""Chains against closed forms, to nine digits and however small; near and far copies; extremes."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from operator import mul

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.reliability import markov
from raidwright.analysis.reliability.assumptions import HOURS_A_YEAR
from raidwright.analysis.reliability.chains import chain_of
from raidwright.analysis.reliability.groups import CopyRing, Shape, Threshold, Woven, groups_of
from raidwright.analysis.reliability.loss import ideal_loss
from raidwright.analysis.reliability.markov import Rates, losses, mean_hours_to_loss
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import copy_windows, parse_copies
from raidwright.core.model.plan import MdArray, Plan

from .making_plans import equal, grouped

NINE_DIGITS = 1e-9


def _mean(shape: Shape, failure: float, repair: float, most_states: int = 400) -> float:
    return mean_hours_to_loss([(chain_of(shape, None, most_states), Rates(failure, (repair,)), 1)])


def _lost(shape: Shape, failure: float, repair: float, hours: float) -> float:
    return float(losses(chain_of(shape, None, 400), [Rates(failure, (repair,))], hours)[0, 0])


def _exact_mean(disks: int, most: int, failure: Fraction, repair: Fraction) -> Fraction:
    """Return the mean of a birth-death chain: the mean times from each number of failures to the next."""
    total = step = Fraction(0)
    for failed in range(most + 1):
        up = (disks - failed) * failure
        step = 1 / up + failed * repair / up * step
        total += step
    return total


@pytest.mark.parametrize(("disks", "most"), [(2, 1), (3, 2), (3, 1), (8, 1), (4, 2), (12, 2), (20, 3), (64, 2), (9, 8)])
@pytest.mark.parametrize(("life", "repair"), [(1_000_000, 24), (300_000, 72), (1000, 100), (50, 1000)])
def test_mean_time_is_that_of_the_closed_form(disks: int, most: int, life: int, repair: int) -> None:
    exact = float(_exact_mean(disks, most, Fraction(1, life), Fraction(1, repair)))
    assert _mean(Threshold(disks, most), 1 / life, 1 / repair) == pytest.approx(exact, rel=NINE_DIGITS)


def test_the_textbooks_formulas() -> None:
    failure, repair = 1e-6, 1 / 24
    mirror = (3 * failure + repair) / (2 * failure**2)
    raid5 = (13 * failure + repair) / (7 * 6 * failure**2)
    assert _mean(Threshold(2, 1), failure, repair) == pytest.approx(mirror, rel=NINE_DIGITS)
    assert _mean(Threshold(7, 1), failure, repair) == pytest.approx(raid5, rel=NINE_DIGITS)


def _exact_loss(disks: int, most: int, failure: Decimal, repair: Decimal, hours: Decimal) -> Decimal:
    """Return the same chain's matrix exponential, in fifty digits: a series over a short step, doubled."""
    states = most + 2
    rates = [[Decimal(0)] * states for _ in range(states)]
    for failed in range(most + 1):
        rates[failed][failed + 1] = (disks - failed) * failure
        if failed:
            rates[failed][failed - 1] = failed * repair
        rates[failed][failed] = -sum(rates[failed], Decimal(0))

    def times(one: list[list[Decimal]], other: list[list[Decimal]]) -> list[list[Decimal]]:
        columns = list(zip(*other, strict=True))
        return [[sum(map(mul, row, column), Decimal(0)) for column in columns] for row in one]

    doublings = 30
    step = hours / 2**doublings
    matrix = identity = [[Decimal(int(row == column)) for column in range(states)] for row in range(states)]
    for term in range(30, 0, -1):
        product = times([[rate * step / term for rate in row] for row in rates], matrix)
        matrix = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(identity, product, strict=True)]
    for _ in range(doublings):
        matrix = times(matrix, matrix)
    return matrix[0][-1]


@pytest.mark.parametrize(("disks", "most"), [(2, 1), (6, 1), (6, 2), (4, 3)])
@pytest.mark.parametrize(("life", "repair", "hours"), [(1_000_000, 24, 43800), (1000, 100, 500), (2_000_000, 6, 10)])
def test_loss_in_time_to_nine_digits(disks: int, most: int, life: int, repair: int, hours: int) -> None:
    with localcontext() as context:
        context.prec = 60
        exact = float(_exact_loss(disks, most, 1 / Decimal(life), 1 / Decimal(repair), Decimal(hours)))
    assert _lost(Threshold(disks, most), 1 / life, 1 / repair, hours) == pytest.approx(exact, rel=NINE_DIGITS)


@pytest.mark.parametrize("layout", ["n2", "f2", "o2", "n3", "f3"])
@pytest.mark.parametrize("disks", [5, 6, 8, 16, 64])
def test_without_repair_counting_decides(layout: str, disks: int) -> None:
    plan = equal("raid10", disks, layout)
    survival, gone = survival_of(plan), -math.expm1(-0.3)
    kept = sum(survival.counts(k)[0] * gone**k * (1 - gone) ** (disks - k) for k in range(disks + 1))
    assert ideal_loss(Plan(plan), 0.1, math.inf, 3.0).p_loss == pytest.approx(1 - kept, rel=NINE_DIGITS)


# MTTF 1000 h, MTTR 100 h, where approximations fail: computed with exact rationals over all surviving sets
STRESS = [
    (equal("raid10", 4, "n2"), 3288.461538),
    (equal("raid10", 4, "f2"), 1945.652174),
    (equal("raid10", 5, "o2"), 1565.384615),
    (equal("raid10", 6, "n2"), 2217.647059),
    (equal("raid10", 6, "f2"), 1315.858041),
    (grouped("raid0", "raid5", 2, 3), 1283.333333),
]


@pytest.mark.parametrize(("plan", "mean"), [(Plan(array), mean) for array, mean in STRESS])
def test_near_far_and_stripes_where_failures_are_frequent(plan: Plan, mean: float) -> None:
    assert ideal_loss(plan, HOURS_A_YEAR / 1000, 100.0, 5).mttdl_hours == pytest.approx(mean, rel=NINE_DIGITS)


def _by_listing(shape: Shape, failure: Fraction, repair: Fraction) -> float:
    """Return the mean time by solving for every surviving set, without symmetry, in rationals."""
    alive = [one for one in range(1 << shape.disks) if not shape.fatal(one)]
    place = {one: row for row, one in enumerate(alive)}
    rows = []
    for one in alive:
        row = [Fraction(0)] * (len(alive) + 1)
        row[-1] = Fraction(1)
        for disk in range(shape.disks):
            after, rate = one ^ 1 << disk, repair if one >> disk & 1 else failure
            row[place[one]] += rate
            if after in place:
                row[place[after]] -= rate
        rows.append(row)
    for pivot in range(len(rows) - 1, 0, -1):
        for row in rows[:pivot]:
            share = row[pivot] / rows[pivot][pivot]
            if share:
                row[:] = [a - share * b for a, b in zip(row, rows[pivot], strict=True)]
    return float(rows[0][-1] / rows[0][0])


@pytest.mark.parametrize(
    "shape",
    [CopyRing(5, "f2"), CopyRing(6, "f2"), CopyRing(6, "f3"), CopyRing(6, "n4"), CopyRing(6, "n2f2"), CopyRing(5, "n2"),
     *(Woven(survival_of(plan), ()) for plan in (grouped("raid1", "raid0", 2, 3), grouped("raid5", "raid1", 3, 2)))],
)  # fmt: skip
def test_symmetry_changes_nothing(shape: Shape) -> None:
    assert _mean(shape, 1 / 1000, 1 / 100) == pytest.approx(_by_listing(shape, Fraction(1, 1000), Fraction(1, 100)))


@pytest.mark.parametrize("plan", [Plan(grouped("raid1", "raid0", 2, 4)), Plan(grouped("raid5", "raid1", 3, 2))])
def test_blocks_may_trade_places(plan: Plan) -> None:
    (group,) = groups_of(plan, capacity_of(plan.top))
    assert isinstance(group.shape, Woven)
    assert group.shape.blocks
    plain = Woven(group.shape.survival, ())
    assert chain_of(group.shape, None, 400).states < chain_of(plain, None, 400).states
    assert _mean(group.shape, 0.001, 0.01) == pytest.approx(_mean(plain, 0.001, 0.01), rel=NINE_DIGITS)


@pytest.mark.parametrize("disks", [12, 16])
@pytest.mark.parametrize("layout", ["f2", "f3"])
def test_counting_the_rest_is_close_where_failures_are_rare(disks: int, layout: str) -> None:
    few, many = chain_of(CopyRing(disks, layout)), chain_of(CopyRing(disks, layout), None, 700)
    assert not few.exact or few.states == many.states
    rare = Rates(1.7e-6, (1 / 90,))
    said, exact = (mean_hours_to_loss([(chain, rare, 1)]) for chain in (few, many))
    assert said == pytest.approx(exact, rel=1e-6 if layout == "f3" else NINE_DIGITS)


@pytest.mark.parametrize("disks", [4, 6, 8])
def test_far_copies_lose_twice_as_often_as_near_ones(disks: int) -> None:
    near, far, offset = (ideal_loss(Plan(equal("raid10", disks, layout)), 0.01, 24, 5) for layout in ("n2", "f2", "o2"))
    assert far.p_loss / near.p_loss == pytest.approx(2, rel=1e-3)
    assert far == offset


@pytest.mark.parametrize("disks", [3, 5, 7, 9])
def test_on_odd_counts_all_copies_are_alike(disks: int) -> None:
    near, far = (ideal_loss(Plan(equal("raid10", disks, layout)), 0.01, 24, 5) for layout in ("n2", "f2"))
    assert near == far


def test_groups_together_are_the_chain_of_all_their_disks() -> None:
    plan = grouped("raid0", "raid6", 2, 4)
    whole = Woven(survival_of(plan), (0b1111, 0b11110000))
    assert ideal_loss(Plan(plan), 8.76, 100, 1).mttdl_hours == pytest.approx(_mean(whole, 0.001, 0.01), rel=NINE_DIGITS)
    assert ideal_loss(Plan(plan), 8.76, 100, 0.2).p_loss == pytest.approx(
        _lost(whole, 0.001, 0.01, 1752), rel=NINE_DIGITS
    )


@pytest.mark.parametrize("shape", [Threshold(6, 1), Threshold(6, 2), CopyRing(7, "f2"), CopyRing(13, "f3")])
def test_unequal_weights_that_are_equal_change_nothing(shape: Shape) -> None:
    nearly = (1.0,) * (shape.disks - 1) + (1.0 + 1e-6,)
    rates = [Rates(1e-4, (0.01,))]
    even, uneven = losses(chain_of(shape), rates, 5000), losses(chain_of(shape, nearly), rates, 5000)
    assert uneven[0, 0] == pytest.approx(even[0, 0], rel=0.01)


@pytest.mark.parametrize("shape", [Threshold(8, 2), Threshold(9, 3), CopyRing(8, "f2"), CopyRing(8, "f3")])
def test_disks_all_different_are_counted_by_their_weights(shape: Shape) -> None:
    weights = tuple(0.25 + 1.5 * disk / (shape.disks - 1) for disk in range(shape.disks))
    few, all_of_them = (chain_of(shape, weights, most_states) for most_states in (24, 300))
    assert few.states < all_of_them.states
    assert all_of_them.exact
    for failure, within in ((1.7e-6, 1e-3), (1e-4, 0.05)):
        said, exact = (losses(chain, [Rates(failure, (1 / 90,))], 43800)[0, 0] for chain in (few, all_of_them))
        assert said == pytest.approx(exact, rel=within)


@pytest.mark.parametrize("plan", [equal("raid10", 6, "f3"), equal("raid6", 5), grouped("raid1", "raid0", 2, 3)])
def test_weighed_survivors_are_those_that_a_list_holds(plan: MdArray) -> None:
    survival = survival_of(plan)
    for weights in ([1, 2, 3, 5, 7, 11][: len(survival.units)], [1] * len(survival.units)):
        for k, said in enumerate(survival.weighed(weights)):
            sets = [one for one in combinations(range(len(weights)), k) if survival.survives(one)]
            products = [math.prod(weights[unit] for unit in one) for one in sets]
            sums = [sum(weights[unit] for unit in one) for one in sets]
            assert said == (sum(products), sum(map(mul, products, sums)))


def test_a_weaker_disk_counts_by_its_own_rate() -> None:
    pair = losses(chain_of(Threshold(2, 1), (0.4, 1.6)), [Rates(1e-6, (1 / 24,))], 43800)
    assert pair[0, 0] == pytest.approx(2 * 0.4 * 1.6 * 1e-12 * 24 * 43800, rel=1e-3)


@pytest.mark.parametrize("plan", [equal("raid5", 4), equal("raid10", 64, "f2"), equal("raid6", 64), equal("raid0", 64)])
@pytest.mark.parametrize("afr", [0.0, 1e-9, 0.015, 1.0, 100.0])
@pytest.mark.parametrize("hours", [0.0, 1e-6, 24.0, 1e6, math.inf])
def test_extremes_are_probabilities(plan: MdArray, afr: float, hours: float) -> None:
    years = 30.0
    ideal = ideal_loss(Plan(plan), afr, hours, years)
    assert 0 <= ideal.p_loss <= 1
    assert ideal.mttdl_hours > 0
    redundant = survival_of(plan).most() > 0
    if afr == 0 or (hours == 0 and redundant):
        assert (ideal.p_loss, ideal.mttdl_hours) == (0, math.inf)
    elif not redundant:
        assert ideal.p_loss == pytest.approx(-math.expm1(-64 * afr * years), rel=NINE_DIGITS)


def test_a_trillionth_keeps_its_digits() -> None:
    ideal = ideal_loss(Plan(equal("raid6", 8)), 0.001, 1.0, 10.0)
    assert 1e-16 < ideal.p_loss < 1e-11
    assert ideal.p_loss == pytest.approx(10 * HOURS_A_YEAR / ideal.mttdl_hours, rel=1e-4)
    ten, one = (ideal_loss(Plan(equal("raid6", 8)), 0.001, 1.0, years).p_loss for years in (10.0, 1.0))
    assert ten == pytest.approx(10 * one, rel=1e-3)


def test_windows_of_a_ring_are_the_kernels() -> None:
    for layout in ("f2", "f3", "n2", "n3", "n4", "n2f2"):
        for disks in range(4, 10):
            ring = CopyRing(disks, layout)
            windows = list(copy_windows(parse_copies(layout), disks))
            for size in range(disks + 1):
                for failed in combinations(range(disks), size):
                    mask = sum(1 << slot for slot in failed)
                    assert ring.fatal(mask) == any(window <= set(failed) for window in windows)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 9), st.integers(0, 3), st.floats(1e-8, 1e-2), st.floats(1e-4, 1.0), st.floats(1.0, 1e5))
def test_more_of_anything_bad_is_never_better(
    disks: int, most: int, failure: float, repair: float, hours: float
) -> None:
    shape = Threshold(disks, min(most, disks - 1))
    once = _lost(shape, failure, repair, hours)
    slack = 1 + 1e-9
    assert once <= _lost(shape, 2 * failure, repair, hours) * slack
    assert once <= _lost(shape, failure, repair / 2, hours) * slack
    assert once <= _lost(shape, failure, repair, 2 * hours) * slack
    assert once <= _lost(Threshold(disks + 1, shape.most), failure, repair, hours) * slack
    assert _lost(Threshold(disks + 1, shape.most + 1), failure, repair, hours) <= once * slack


def _squared(matrices: markov.Array, hours: float) -> markov.Array:
    """Return transition probabilities by a short series, squared, each row normalised to 1 each time."""
    doublings = max(0, math.ceil(math.log2(max(1.0, matrices.sum(axis=-1).max() * hours / 0.125))))
    out = matrices.sum(axis=-1)
    fastest = out.max(axis=-1, keepdims=True)
    identity = np.eye(matrices.shape[-1])
    stepped = (matrices + identity * (fastest - out)[..., None]) * (hours / 2**doublings)
    matrix = identity + stepped / 12
    for term in range(11, 0, -1):
        matrix = identity + stepped @ matrix / term
    matrix /= matrix.sum(axis=-1, keepdims=True)
    for _ in range(doublings):
        matrix = matrix @ matrix
        matrix /= matrix.sum(axis=-1, keepdims=True)
    return np.asarray(matrix)


@given(
    states=st.integers(2, 12),
    scale=st.floats(1e-6, 1.0),
    hours=st.floats(1e-3, 1e6),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_a_long_step_agrees_with_many_short_ones(states: int, scale: float, hours: float, seed: int) -> None:
    """To the digits that squaring leaves: an error of one part in 1e16 recurs at each event."""
    draw = np.random.default_rng(seed)
    matrices = scale * 10.0 ** draw.uniform(-6, 0, (3, states, states))
    matrices[:, np.arange(states), np.arange(states)] = 0.0
    matrices[:, -1] = 0.0  # lost is an absorbing state
    found, expected = markov._after(matrices, hours), _squared(matrices, hours)
    events = float(matrices.sum(axis=-1).max()) * hours
    assert found == pytest.approx(expected, rel=1e-14 * (1 + events), abs=1e-300)
    assert found[:, 0, -1] == pytest.approx(expected[:, 0, -1], rel=1e-13)
