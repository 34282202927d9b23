"""The simulation against chains and closed forms, its error, its seeds, its spares, checks and wear."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.reliability.assumptions import HOURS_A_YEAR, AssumedRange, Assumptions
from raidwright.analysis.reliability.loss import expected_losses, ideal_loss, loss_of
from raidwright.analysis.reliability.scenarios import MIDDLE, parts_of
from raidwright.analysis.reliability.simulation import Simulated, Spread, Story, simulate, story_of
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import MdArray, Member, Plan

from .making_plans import equal, grouped, slice_of

EIGHT_TB_SECTORS = 8 * 10**12 // 512


def _story(plan: Plan, afr: float, repair_hours: float) -> Story:
    disks = len(survival_of(plan.top).units)
    return Story((Spread(HOURS_A_YEAR / afr),) * disks, (0.0,) * disks, Spread(0.0), Spread(repair_hours))


def _away(seen: Simulated, losses: int, said: float) -> float:
    """Return the standard errors between the simulated losses and ``said``."""
    return abs(losses / seen.arrays - said) / math.sqrt(said * (1 - said) / seen.arrays)


PLANS = [
    equal("raid1", 2),
    equal("raid5", 6),
    equal("raid6", 8),
    equal("raid10", 6, "n2"),
    equal("raid10", 6, "f2"),
    equal("raid10", 7, "f3"),
    grouped("raid0", "raid6", 2, 4),
    grouped("raid1", "raid0", 2, 3),
]


@pytest.mark.parametrize("plan", [*map(Plan, PLANS)])
def test_simulation_and_chain_agree(plan: Plan) -> None:
    seen = simulate(plan, _story(plan, 0.5, 800), 2.0, 40_000, seed=7)
    assert _away(seen, seen.lost, ideal_loss(plan, 0.5, 800, 2.0).p_loss) < 3
    assert seen.sectors == seen.lost


def test_slices_of_one_disk_fail_together() -> None:
    both = Plan(MdArray(equal("raid1", 2).level, (slice_of("sda", 1), slice_of("sda", 2))))
    assert ideal_loss(both, 0.5, 24, 1.0).p_loss == pytest.approx(-math.expm1(-0.5))
    seen = simulate(both, _story(both, 0.5, 24), 1.0, 20_000, seed=1)
    assert _away(seen, seen.lost, -math.expm1(-0.5)) < 3


def test_the_same_seed_gives_the_same_answer() -> None:
    plan = equal("raid5", 4)
    story = _story(Plan(plan), 0.3, 200)
    once, again, other = (simulate(Plan(plan), story, 1.0, 20_000, seed) for seed in (1, 1, 2))
    assert once == again
    assert once != other


def test_the_error_shrinks_with_the_root_of_the_arrays() -> None:
    plan = equal("raid5", 4)
    said = ideal_loss(Plan(plan), 0.3, 200, 1.0).p_loss
    for arrays in (2_000, 32_000):
        errors = [
            simulate(Plan(plan), _story(Plan(plan), 0.3, 200), 1.0, arrays, seed).probability - said
            for seed in range(30)
        ]
        spread = math.sqrt(sum(error**2 for error in errors) / len(errors))
        assert spread == pytest.approx(math.sqrt(said * (1 - said) / arrays), rel=0.4)


def test_the_interval_holds_what_it_says() -> None:
    plan = equal("raid5", 4)
    said = ideal_loss(Plan(plan), 0.3, 200, 1.0).p_loss
    held = 0
    for seed in range(60):
        seen = simulate(Plan(plan), _story(Plan(plan), 0.3, 200), 1.0, 2_000, seed)
        low, high = seen.interval(seen.lost)
        held += low <= said <= high
    assert held >= 52  # of 60 at 95%: fewer happens once in two thousand
    assert Simulated(1000, 0, 0).interval(0)[0] == 0
    assert 0.003 < Simulated(1000, 0, 0).interval(0)[1] < 0.004


@pytest.mark.parametrize("times", [1.0, 3.0])
def test_batches_and_waits_agree_with_the_chain(times: float) -> None:
    plan = equal("raid6", 6, sectors=EIGHT_TB_SECTORS)
    assumptions = replace(
        Assumptions(failure_rate=AssumedRange.given(0.4), batch_factor=AssumedRange.given(times)),
        notice_hours=AssumedRange.given(0.0),
        replacement_hours=AssumedRange.given(0.0), rebuild_mb_s=AssumedRange.given(4.0),
    )  # fmt: skip
    seen = simulate(Plan(plan), story_of(Plan(plan), assumptions), 2.0, 40_000, seed=3)
    assert _away(seen, seen.lost, loss_of(Plan(plan), assumptions, 2.0).array.probability) < 3


def test_unreadable_sectors_agree_with_the_chain() -> None:
    plan = equal("raid5", 5, sectors=EIGHT_TB_SECTORS)
    assumptions = Assumptions(
        failure_rate=AssumedRange.given(0.1),
        latent_errors=AssumedRange.given(0.05),
        unreadable_per_bit=AssumedRange.given(1e-15),
    )
    seen = simulate(Plan(plan), story_of(Plan(plan), assumptions), 2.0, 40_000, seed=3)
    loss = loss_of(Plan(plan), assumptions, 2.0)
    assert seen.sectors > 3 * seen.lost
    assert _away(seen, seen.sectors, loss.sectors.probability) < 3


def test_checks_at_their_times_are_the_mean_that_the_chain_takes() -> None:
    plan = equal("raid5", 5, sectors=EIGHT_TB_SECTORS)
    for days in (30.0, 3650.0):
        assumptions = Assumptions(
            failure_rate=AssumedRange.given(0.05),
            latent_errors=AssumedRange.given(0.2),
            check_days=AssumedRange.given(days),
        )
        seen = simulate(Plan(plan), story_of(Plan(plan), assumptions), 2.0, 100_000, seed=5)
        assert seen.sectors / seen.arrays == pytest.approx(
            loss_of(Plan(plan), assumptions, 2.0).sectors.probability, rel=0.1
        )


def test_a_spare_helps_as_much_as_the_chain_says() -> None:
    plan = equal("raid5", 6, sectors=EIGHT_TB_SECTORS)
    spared = replace(plan, spares=(Member("spare", 8 * 10**12),))
    assumptions = Assumptions(failure_rate=AssumedRange.given(0.2), replacement_hours=AssumedRange.given(300.0))
    without, with_one = (
        simulate(Plan(one), story_of(Plan(one), assumptions), 3.0, 60_000, seed=2).probability for one in (plan, spared)
    )
    assert with_one < without / 3
    assert with_one == pytest.approx(loss_of(Plan(spared), assumptions, 3.0).array.probability, rel=0.1)


@pytest.mark.parametrize("level", ["raid6", "raid1"])
def test_spares_that_run_out_are_played_and_reckoned_alike(level: str) -> None:
    """For arrays that survive two failures, the chain once gave a third of this."""
    plan = equal(level, {"raid6": 8, "raid1": 3}[level], sectors=EIGHT_TB_SECTORS)
    spared = replace(plan, spares=(Member("spare", 8 * 10**12),))
    rate = {"raid6": 0.3, "raid1": 1.0}[level]
    assumptions = Assumptions(failure_rate=AssumedRange.given(rate), replacement_hours=AssumedRange.given(720.0))
    seen = simulate(Plan(spared), story_of(Plan(spared), assumptions), 3.0, 60_000, seed=4)
    assert _away(seen, seen.lost, loss_of(Plan(spared), assumptions, 3.0, steps=1).array.probability) < 3


def test_spares_within_arrays_serve_their_own_array() -> None:
    """In a stripe each array's count separately; in a mirror one array's for all, which is on the safe side."""
    assumptions = Assumptions(failure_rate=AssumedRange.given(0.8), replacement_hours=AssumedRange.given(720.0))
    for outer, inner, most in (("raid0", "raid6", 1.05), ("raid1", "raid5", 10.0)):
        plan = grouped(outer, inner, 2, 4)
        arrays = (
            replace(one, spares=(Member(f"spare-{number}", 8 * 10**12),))
            for number, one in enumerate(plan.members)
            if isinstance(one, MdArray)
        )
        plan = replace(plan, members=tuple(arrays))
        seen = simulate(Plan(plan), story_of(Plan(plan), assumptions), 3.0, 60_000, seed=6)
        loss = loss_of(Plan(plan), assumptions, 3.0, steps=1)
        assert 0.95 < loss.array.probability / seen.probability < most
        assert loss.exact == (outer == "raid0")


def test_regular_delays_lose_as_often_as_exponential_ones_where_one_failure_is_survived() -> None:
    plan = equal("raid5", 5, sectors=EIGHT_TB_SECTORS)
    assumptions = Assumptions(failure_rate=AssumedRange.given(0.2))
    once, other = (
        simulate(Plan(plan), story_of(Plan(plan), assumptions, regular=regular), 3.0, 100_000, seed=9).probability
        for regular in (False, True)
    )
    assert once == pytest.approx(other, rel=0.1)


def test_worn_disks_fail_more_often() -> None:
    plan = equal("raid0", 4)
    for age, expected in ((0.0, 5.0), (5.0, 15.0)):  # with shape 2 the second five years are three times the first
        assumptions = Assumptions(failure_rate=AssumedRange.given(0.01), wear=2.0, age_years=age)
        said = -math.expm1(-4 * 0.01 * expected)
        assert loss_of(Plan(plan), assumptions, 5.0).array.probability == pytest.approx(said)
        seen = simulate(Plan(plan), story_of(Plan(plan), assumptions), 5.0, 40_000, seed=4)
        assert _away(seen, seen.lost, said) < 3


def test_each_disk_has_its_own_rate_and_age() -> None:
    plan = equal("raid0", 3)
    own = ((0.02, 8.0), (0.05, None), (0.01, 2.0))
    members = (replace(disk, afr=afr, age_years=age) for disk, (afr, age) in zip(plan.disks(), own, strict=True))
    aged = Plan(replace(plan, members=tuple(members)), assumptions=(("wear", 2.0), ("age_years", 1.0)))
    said = loss_of(aged, years=3.0).array.probability
    assert said == pytest.approx(-math.expm1(-(0.02 * (11**2 - 8**2) + 0.05 * (4**2 - 1) + 0.01 * (5**2 - 2**2)) / 5))
    seen = simulate(aged, story_of(aged, Assumptions.of(aged)), 3.0, 40_000, seed=6)
    assert _away(seen, seen.lost, said) < 3


def test_a_worn_array_is_lost_about_as_often_as_its_mean_rates_say() -> None:
    plan = equal("raid5", 5, sectors=EIGHT_TB_SECTORS)
    members = (replace(disk, afr=0.1, age_years=2.0 * slot) for slot, disk in enumerate(plan.disks()))
    aged = Plan(replace(plan, members=tuple(members)), assumptions=(("wear", 1.2),))
    seen = simulate(aged, story_of(aged, Assumptions.of(aged)), 2.0, 100_000, seed=8)
    assumptions = Assumptions.of(aged)
    parts = parts_of(aged, capacity_of(aged.top), assumptions, 2.0)
    arrays, _sectors = expected_losses(parts, assumptions, 2.0, MIDDLE, 1)
    assert seen.probability == pytest.approx(-math.expm1(-arrays[0, 0]), rel=0.1)


@pytest.mark.parametrize(("spread", "mean"), [(Spread(3.0), 3.0), (Spread(12.0, 2.0, 6.0), 16.635), (Spread(0.0), 0.0)])
def test_a_spread_has_its_mean(spread: Spread, mean: float) -> None:
    drawn = spread.draw(np.random.default_rng(1), 200_000)
    assert drawn.mean() == pytest.approx(mean, rel=0.01)
    assert drawn.min() >= spread.at_least
    assert Spread.of_mean(5.0, 2.0).draw(np.random.default_rng(1), 200_000).mean() == pytest.approx(5.0, rel=0.01)


def test_disks_that_never_fail_lose_nothing() -> None:
    plan = equal("raid0", 3)
    story = story_of(
        Plan(plan), Assumptions(failure_rate=AssumedRange.given(0.0), latent_errors=AssumedRange.given(0.0))
    )
    assert simulate(Plan(plan), story, 30.0, 1000, seed=1) == Simulated(1000, 0, 0)


def test_sixty_four_disks_are_the_most() -> None:
    plan = equal("raid6", 64)
    assert simulate(Plan(plan), _story(Plan(plan), 0.5, 100), 1.0, 200, seed=1).lost > 0
    with pytest.raises(InputError, match="64 disks"):
        simulate(Plan(equal("raid6", 65)), _story(Plan(equal("raid6", 65)), 0.5, 100), 1.0, 200, seed=1)
