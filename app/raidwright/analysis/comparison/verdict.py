"""Verdict on two groups of runs: the faster one, the ratio, and its significance.

Welch's test of the logarithms' means shows a difference; two one-sided tests (Schuirmann 1987) show that there is none
of a tenth. Each errs in 3 of 100. If neither is significant, the number of repeats that would decide is given.

Equal rates are called equal, and rates that differ by a tenth are told apart, in 95 of 100 each if repeated runs differ
by 1.2% (standard deviation) and each was made 3 times; by 2% and 4 times; by 3% and 7 times; by 5% and 14 times
(``tests/unit/test_verdict.py``, also with heavy-tailed or skewed noise).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log, sqrt

from .groups import BETWEEN_RUNS, Measured, RunStatistics, group_of
from .student import t_quantile

WORTH_TELLING = 1.1  # a tenth
_TWO_SIDED = 0.985
_ONE_SIDED = 0.97
_MAX_REPEATS = 100


class Verdict(StrEnum):
    """Result of comparing two groups of runs."""

    FASTER = "faster"
    SLOWER = "slower"
    EQUAL = "equal"  # no difference beyond noise, and none of a tenth
    UNKNOWN = "unknown"  # too few runs, or too noisy


@dataclass(frozen=True, slots=True)
class Comparison:
    """``ratio`` of the second to the first, with an interval that contains it in 97 of 100 such comparisons.

    ``repeats``: runs of each that would detect a tenth if ``verdict`` is UNKNOWN, None if not even 100 would.
    ``noise``: run-to-run standard deviation as a share, the larger of the two groups'. ``assumed_noise``: the least
    deviation that the interval assumes where a side has a single run, None if both have repeats.
    """

    ratio: float
    low: float
    high: float
    verdict: Verdict
    noise: float
    repeats: int | None = None
    assumed_noise: float | None = None


def compare(first: Sequence[Measured], second: Sequence[Measured]) -> Comparison:
    """Compare ``second`` with ``first``; at least one run in each, rates above zero."""
    before, after = group_of(first), group_of(second)
    difference = after.mean - before.mean
    error, freedom = _error(before, after)
    reach = t_quantile(_TWO_SIDED, freedom) * error
    return Comparison(
        ratio=exp(difference),
        low=exp(difference - reach),
        high=exp(difference + reach),
        verdict=(verdict := _verdict(difference, error, freedom)),
        noise=sqrt(max(before.variance, after.variance)),
        repeats=_repeats(before, after) if verdict is Verdict.UNKNOWN else None,
        assumed_noise=BETWEEN_RUNS if min(before.count, after.count) == 1 else None,
    )


def _error(before: RunStatistics, after: RunStatistics) -> tuple[float, float]:
    """Return the difference's standard error and degrees of freedom (Welch 1947, Satterthwaite 1946)."""
    variance = before.of_mean + after.of_mean
    share = before.of_mean**2 / before.freedom + after.of_mean**2 / after.freedom
    return sqrt(variance), variance**2 / share if share > 0 else 1e7


def _verdict(difference: float, error: float, freedom: float) -> Verdict:
    if abs(difference) > t_quantile(_TWO_SIDED, freedom) * error:
        return Verdict.FASTER if difference > 0 else Verdict.SLOWER
    if abs(difference) + t_quantile(_ONE_SIDED, freedom) * error < log(WORTH_TELLING):
        return Verdict.EQUAL
    return Verdict.UNKNOWN


def _repeats(before: RunStatistics, after: RunStatistics) -> int | None:
    """Return the runs of each needed to tell a tenth apart in 95 of 100."""
    variance = before.variance + after.variance
    for count in range(max(3, before.count + 1, after.count + 1), _MAX_REPEATS + 1):
        freedom = 2.0 * (count - 1)
        needed = t_quantile(_TWO_SIDED, freedom) + t_quantile(_ONE_SIDED, freedom)
        if needed * sqrt(variance / count) <= log(WORTH_TELLING):
            return count
    return None
