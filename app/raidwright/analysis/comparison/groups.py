"""Repeated measurements of one thing: their mean and its variance.

All values are logarithms: noise is proportional to the rate, and comparisons ask for a ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log
from statistics import fmean, variance

# The run-to-run deviation (standard deviation, as a share) can't be estimated from a single run. It is
# assumed to be at least this (idle disks and hosts), plus a multiple of the deviation within the run: a load that
# varies over seconds varies over minutes. Checked against runs on a busy host by tests/unit/test_verdict.py.
BETWEEN_RUNS = 0.015
_BETWEEN_FREEDOM = 30.0
_RESTLESS = 2.0
_BATCHES = (32, 24, 16, 12, 8)  # numbers of batches to try: fewer batches are longer
_MIN_BATCH = 2
_MAX_CORRELATION = 0.2


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: its mean rate, and the evenly spaced rates within it, if any."""

    rate: float
    rates: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """Mean of the logarithms, the ``variance`` of one run, and the degrees of ``freedom`` of that variance."""

    mean: float
    variance: float
    freedom: float
    count: int

    @property
    def of_mean(self) -> float:
        """Variance of the mean."""
        return self.variance / self.count


def group_of(runs: Sequence[Measured]) -> RunStatistics:
    """Combine ``runs`` (at least one, rates above zero).

    Several runs give their sample variance. For a single run, the variance of its mean is estimated from the rates
    within it, and the variance between runs is assumed (``BETWEEN_RUNS``).
    """
    logs = [log(run.rate) for run in runs]
    if len(runs) > 1:
        return RunStatistics(fmean(logs), variance(logs), len(runs) - 1.0, len(runs))
    within, freedom = _within(runs[0])
    seen, between = _RESTLESS**2 * within, BETWEEN_RUNS**2
    share = between**2 / _BETWEEN_FREEDOM + (seen**2 / freedom if freedom else 0.0)
    return RunStatistics(logs[0], seen + between, (seen + between) ** 2 / share, 1)


def _within(run: Measured) -> tuple[float, float]:
    """Return the relative variance of a run's mean and its degrees of freedom; (0, 0) if they can't be estimated.

    By batch means: successive rates are correlated and carry less information than as many independent ones; means of
    batches long enough to be uncorrelated are used instead (Law & Kelton, Simulation Modeling and Analysis, 9.5).
    """
    rates = run.rates
    if not rates or not fmean(rates) > 0:
        return 0.0, 0.0
    means: Sequence[float] = rates
    for count in _BATCHES:
        length = len(rates) // count
        if length >= _MIN_BATCH:
            first = len(rates) - length * count
            means = [fmean(rates[start : start + length]) for start in range(first, len(rates), length)]
            if _correlation(means) < _MAX_CORRELATION:
                break
    if len(means) < 2:
        return 0.0, 0.0
    return variance(means) / fmean(means) ** 2 / len(means), len(means) - 1.0


def _correlation(values: Sequence[float]) -> float:
    """Lag-1 autocorrelation."""
    mean = fmean(values)
    off = [value - mean for value in values]
    spread = fsum(one * one for one in off)
    return fsum(one * following for one, following in pairwise(off)) / spread if spread > 0 else 0.0
