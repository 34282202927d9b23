"""Equal runs are found equal and those that differ by a tenth different, in 95 of 100 each; or no claim is made."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.analysis.comparison.conditions import is_steady
from raidwright.analysis.comparison.groups import BETWEEN_RUNS, Measured, group_of
from raidwright.analysis.comparison.student import t_cdf, t_quantile
from raidwright.analysis.comparison.verdict import Verdict, compare
from raidwright.text.run import comparisons as words

_TIMES = 600
_TENTH = 1.1
_PROMISED = 0.95
_Noise = Callable[[np.random.Generator, int], np.ndarray]

# Of standard deviation 1: as the central limit has it; with a heavy tail; and as a busy host has it, mostly fast and
# now and then slow.
_NOISES: dict[str, _Noise] = {
    "normal": lambda random, count: random.normal(size=count),
    "heavy": lambda random, count: random.standard_t(5, size=count) / np.sqrt(5 / 3),
    "skewed": lambda random, count: 1 - random.exponential(size=count),
}


def _group(random: np.random.Generator, noise: _Noise, deviation: float, count: int, rate: float) -> list[Measured]:
    return [Measured(float(rate * np.exp(deviation * one))) for one in noise(random, count)]


def _shares(noise: _Noise, deviation: float, count: int, rate: float) -> Counter[Verdict]:
    """Return the frequency of each verdict on two groups, the second ``rate`` times as fast."""
    random = np.random.default_rng(20261122)
    found: Counter[Verdict] = Counter()
    for _ in range(_TIMES):
        first, second = (_group(random, noise, deviation, count, 100.0 * one) for one in (1.0, rate))
        found[compare(first, second).verdict] += 1
    return found


# The promise of verdict.py.
_HOLDS = [(0.005, 3), (0.012, 3), (0.02, 4), (0.03, 7), (0.05, 14)]


@pytest.mark.parametrize("kind", _NOISES)
@pytest.mark.parametrize(("deviation", "count"), _HOLDS)
def test_equal_ones_are_called_equal_and_a_tenth_is_told(kind: str, deviation: float, count: int) -> None:
    assert _shares(_NOISES[kind], deviation, count, 1.0)[Verdict.EQUAL] >= _PROMISED * _TIMES
    assert _shares(_NOISES[kind], deviation, count, _TENTH)[Verdict.FASTER] >= _PROMISED * _TIMES


@pytest.mark.parametrize("kind", _NOISES)
@pytest.mark.parametrize("deviation", [0.03, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_what_can_not_be_told_is_not_claimed(kind: str, deviation: float, count: int) -> None:
    """However noisy: equal ones are called different, and different ones equal, in 5 of 100 at most."""
    equal, tenth = (_shares(_NOISES[kind], deviation, count, rate) for rate in (1.0, _TENTH))
    assert equal[Verdict.FASTER] + equal[Verdict.SLOWER] <= (1 - _PROMISED) * _TIMES
    assert tenth[Verdict.EQUAL] + tenth[Verdict.SLOWER] <= (1 - _PROMISED) * _TIMES


@pytest.mark.parametrize("deviation", [0.04, 0.08])
def test_as_many_repeats_as_it_asks_for_do_tell(deviation: float) -> None:
    random = np.random.default_rng(7)
    asked = []
    for _ in range(200):
        first, second = (_group(random, _NOISES["normal"], deviation, 3, 100.0) for _ in range(2))
        found = compare(first, second)
        if found.verdict is Verdict.UNKNOWN and found.repeats is not None:
            asked.append(found.repeats)
    count = int(np.median(asked))
    assert _shares(_NOISES["normal"], deviation, count, _TENTH)[Verdict.FASTER] >= 0.9 * _TIMES


def test_noise_that_hides_everything_is_said_to() -> None:
    found = compare([Measured(50.0), Measured(200.0)], [Measured(60.0), Measured(190.0)])
    assert (found.verdict, found.repeats) == (Verdict.UNKNOWN, None)
    assert "too much to see a difference of 10%" in words.verdict(found)


# -- runs of a practice machine: two emulated 7200 rpm disks in a raid0, 6 s each, on a host that was busy besides --


def _recorded() -> dict[str, list[Measured]]:
    told = json.loads((Path(__file__).parent / "practice_runs.json").read_text(encoding="utf-8"))
    return {workload: [Measured(run["mb_s"], tuple(run["rates"])) for run in runs] for workload, runs in told.items()}


RECORDED = _recorded()


def _drawn(runs: Sequence[Measured], count: int, rate: float) -> Counter[Verdict]:
    random = np.random.default_rng(3)
    found: Counter[Verdict] = Counter()
    for _ in range(_TIMES):
        drawn = [runs[at] for at in random.permutation(len(runs))]
        second = [
            Measured(one.rate * rate, tuple(rate * each for each in one.rates)) for one in drawn[count : 2 * count]
        ]
        found[compare(drawn[:count], second).verdict] += 1
    return found


@pytest.mark.parametrize("workload", RECORDED)
def test_recorded_runs_of_the_same_are_called_equal(workload: str) -> None:
    """They differ by 4 to 5%, so 9 of each are needed: half of the existing ones."""
    runs = RECORDED[workload]
    assert len(runs) >= 18
    assert 0.03 < np.std([np.log(run.rate) for run in runs], ddof=1) < 0.06
    assert _drawn(runs, 9, 1.0)[Verdict.EQUAL] >= _PROMISED * _TIMES
    assert _drawn(runs, 9, _TENTH)[Verdict.FASTER] >= 0.9 * _TIMES


@pytest.mark.parametrize("workload", RECORDED)
def test_one_recorded_run_of_each_claims_no_difference(workload: str) -> None:
    """A single run can't show the variance between runs, which is assumed large enough."""
    equal = _drawn(RECORDED[workload], 1, 1.0)
    assert equal[Verdict.FASTER] + equal[Verdict.SLOWER] <= (1 - _PROMISED) * _TIMES
    tenth = _drawn(RECORDED[workload], 1, _TENTH)
    assert tenth[Verdict.EQUAL] + tenth[Verdict.SLOWER] <= (1 - _PROMISED) * _TIMES


@pytest.mark.parametrize("workload", RECORDED)
def test_recorded_runs_are_steady(workload: str) -> None:
    """Though they vary by a fifth, none throttled; a warning by chance would soon be ignored."""
    assert all(is_steady(run.rates) for run in RECORDED[workload])


# -- one run of each --


def _steady(random: np.random.Generator, rate: float, correlation: float = 0.8) -> Measured:
    """Return a run of 15 s: rates correlated from one eighth of a second to the next, and its own offset."""
    noise = random.normal(scale=0.02, size=120)
    for at in range(1, noise.size):
        noise[at] += correlation * noise[at - 1]
    rates = rate * np.exp(random.normal(scale=0.01) + noise)
    return Measured(float(rates.mean()), tuple(map(float, rates)))


@pytest.mark.parametrize("rate", [1.0, _TENTH])
def test_one_steady_run_of_each_tells_or_says_that_it_can_not(rate: float) -> None:
    random = np.random.default_rng(5)
    found = Counter(compare([_steady(random, 200.0)], [_steady(random, 200.0 * rate)]).verdict for _ in range(_TIMES))
    wrong = {Verdict.FASTER, Verdict.SLOWER} if rate == 1.0 else {Verdict.EQUAL, Verdict.SLOWER}
    assert sum(found[one] for one in wrong) <= (1 - _PROMISED) * _TIMES
    right = Verdict.EQUAL if rate == 1.0 else Verdict.FASTER
    assert found[right] >= 0.6 * _TIMES


def test_rates_that_go_together_say_less_than_those_that_do_not() -> None:
    random = np.random.default_rng(11)
    widths = {}
    for correlation in (0.0, 0.9):
        runs = [_steady(random, 200.0, correlation) for _ in range(50)]
        widths[correlation] = np.mean([group_of([run]).variance for run in runs]) - BETWEEN_RUNS**2
    assert widths[0.9] > 10 * widths[0.0]


def test_a_run_without_samples_is_taken_for_as_noisy_as_runs_are() -> None:
    assert group_of([Measured(100.0)]).variance == pytest.approx(BETWEEN_RUNS**2)
    assert compare([Measured(100.0)], [Measured(150.0)]).verdict is Verdict.FASTER
    assert compare([Measured(100.0)], [Measured(100.0)]).verdict is Verdict.EQUAL


# -- invariants of any measurement --

_rates = st.floats(1e-3, 1e6)
_groups = st.lists(_rates, min_size=1, max_size=6).map(lambda rates: [Measured(rate) for rate in rates])


@given(_groups, _groups)
def test_the_other_way_round_it_is_the_reciprocal(first: list[Measured], second: list[Measured]) -> None:
    there, back = compare(first, second), compare(second, first)
    assert there.ratio * back.ratio == pytest.approx(1)
    assert there.low * back.high == pytest.approx(1)
    assert there.low <= there.ratio <= there.high
    opposite = {Verdict.FASTER: Verdict.SLOWER, Verdict.SLOWER: Verdict.FASTER}
    assert back.verdict is opposite.get(there.verdict, there.verdict)


@given(_groups, _groups, st.floats(0.001, 1000))
def test_the_unit_does_not_matter(first: list[Measured], second: list[Measured], unit: float) -> None:
    other = compare([Measured(one.rate * unit) for one in first], [Measured(one.rate * unit) for one in second])
    assert other.ratio == pytest.approx(compare(first, second).ratio)


@pytest.mark.parametrize(  # Student's own table, as in every textbook
    ("share", "freedom", "value"),
    [
        (0.975, 1, 12.706),
        (0.975, 4, 2.776),
        (0.95, 4, 2.132),
        (0.95, 10, 1.812),
        (0.995, 2, 9.925),
        (0.975, 1e9, 1.960),
    ],
)
def test_students_t(share: float, freedom: float, value: float) -> None:
    assert t_quantile(share, freedom) == pytest.approx(value, abs=5e-4)
    assert t_cdf(t_quantile(share, freedom), min(freedom, 1e6)) == pytest.approx(share, abs=1e-9)
    assert t_cdf(-value, freedom) == pytest.approx(1 - share, abs=1e-4)
