"""Verdict on all predictions: errors, bands and ranking against the measurements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from raidwright.lab.host_load import is_busy

from ..published_check.rate import Rate, quantiles
from .drawn import Cell

MEDIAN, NINETY = 0.10, 0.30  # at most
IN_BAND = (0.85, 0.97)
TAU = 0.8  # at least
_APART = 0.05


@dataclass(frozen=True, slots=True)
class Row(Rate):
    """A cell of an array."""

    pool: str
    array: str
    cell: Cell
    limited_by: str
    waited_share: float = 0.0  # of the time, for the host


def tau(rows: Sequence[Row], apart: float = 0.0) -> float:
    """Return Kendall's tau over pairs of arrays of one pool under one workload: concordant less discordant ones.

    Pairs whose measured figures differ by less than ``apart`` (a share) are left out: many are equal by their physics.
    """
    signs = [sign for sign in _pairs(rows, apart) if sign]
    return sum(signs) / len(signs) if signs else 1.0


def _pairs(rows: Sequence[Row], apart: float) -> Iterator[float]:
    alike: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.cell.state == "healthy":
            alike[row.pool, str(row.cell.workload)].append(row)
    for group in alike.values():
        for one, other in combinations(group, 2):
            faster_mb_s = one.measured_mb_s - other.measured_mb_s
            if abs(faster_mb_s) >= apart * min(one.measured_mb_s, other.measured_mb_s):
                yield float(np.sign((one.predicted_mb_s - other.predicted_mb_s) * faster_mb_s))


def verdicts(rows: Sequence[Row], *, ranked: bool = True) -> Iterator[tuple[bool, str]]:
    """Yield each bound: True when it holds, and a line on it; ``ranked``: pools have arrays enough to rank.

    Rows that were measured on a busy host don't count; without any that does there is no bound.
    """
    rows = [row for row in rows if not is_busy(row.waited_share)]
    if not rows:
        return
    median, ninety = quantiles([row.error for row in rows])
    naive = quantiles([row.naive_error for row in rows])
    yield median <= MEDIAN, f"median error {median:.1%} (at most {MEDIAN:.0%}; naive {naive[0]:.0%})"
    yield ninety <= NINETY, f"nine of ten within {ninety:.1%} (at most {NINETY:.0%}; naive {naive[1]:.0%})"
    within = float(np.mean([row.within for row in rows]))
    low, high = IN_BAND
    yield low <= within <= high, f"{within:.1%} of them in their band of 90% ({low:.0%} to {high:.0%})"
    if not ranked:
        return
    found, of_others = tau(rows), tau(rows, _APART)
    told = f"{of_others:.2f} of pairs measured {_APART:.0%} apart or more"
    yield found >= TAU, f"ranking: Kendall's tau {found:.2f} (at least {TAU}); {told}"
