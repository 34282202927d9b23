"""Repeated measurements of one thing: their mean, and how far it may be off.

Everything is in logarithms: noise of rates is in proportion to them, and what is asked for is a ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

# By how much runs of the same differ although nothing has changed, nobody can read off one that stands alone. It is
# taken for at least this (of disks and hosts at rest), and for as much again as moves within the run: what is restless
# for seconds is so for minutes. Held against runs of a practice machine on a busy host by tests/unit/test_verdict.py.
BETWEEN_RUNS = 0.015
_BETWEEN_FREEDOM = 30.0
_RESTLESS = 2.0
_BATCHES = (32, 24, 16, 12, 8)  # the fewer, the longer each
_LEAST_BATCH = 2
_MOST_CORRELATION = 0.2


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: its mean rate, and the rates within it, evenly spaced, where there are any."""

    rate: float
    rates: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """The mean of the logarithms, the ``variance`` of one run, and on how many degrees of ``freedom`` that rests."""

    mean: float
    variance: float
    freedom: float
    count: int

    @property
    def of_mean(self) -> float:
        """The mean's own variance."""
        return self.variance / self.count


def group_of(runs: Sequence[Measured]) -> Group:
    """What ``runs`` (one at least, rates above zero) say together.

    Several are taken as they are. Of one alone, what its mean may be off by is read off the rates within it, and what
    it may differ by from the next is assumed (``BETWEEN_RUNS``).
    """
    logs = [log(run.rate) for run in runs]
    if len(runs) > 1:
        return Group(float(np.mean(logs)), float(np.var(logs, ddof=1)), len(runs) - 1.0, len(runs))
    within, freedom = _within(runs[0])
    seen, between = _RESTLESS**2 * within, BETWEEN_RUNS**2
    share = between**2 / _BETWEEN_FREEDOM + (seen**2 / freedom if freedom else 0.0)
    return Group(logs[0], seen + between, (seen + between) ** 2 / share, 1)


def _within(run: Measured) -> tuple[float, float]:
    """The relative variance of a run's mean, and its degrees of freedom; (0, 0) where nothing is known.

    By batch means: rates a moment apart go together, and say less than as many that don't; means of batches long
    enough not to are taken instead (Law & Kelton, Simulation Modeling and Analysis, 9.5).
    """
    rates = np.asarray(run.rates)
    if not rates.size or not rates.mean() > 0:
        return 0.0, 0.0
    means = rates
    for count in _BATCHES:
        length = rates.size // count
        if length >= _LEAST_BATCH:
            means = rates[rates.size - length * count :].reshape(count, length).mean(axis=1)
            if _correlation(means) < _MOST_CORRELATION:
                break
    if means.size < 2:
        return 0.0, 0.0
    return float(means.var(ddof=1) / means.mean() ** 2 / means.size), means.size - 1.0


def _correlation(values: np.ndarray) -> float:
    """Of each with the next."""
    off = values - values.mean()
    spread = float((off * off).sum())
    return float((off[:-1] * off[1:]).sum()) / spread if spread > 0 else 0.0
