"""Coverage of the ranges: share of results from independently drawn assumptions that lie within our band.

Each assumption is drawn from the distribution that the table gives it, by sorted samples of numpy's own beta
distribution; assumptions with a common cause are drawn together. Each draw is solved on its own, without a range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from raidwright.analysis.reliability.assumptions import AssumedRange, Assumptions
from raidwright.analysis.reliability.loss import CONFIDENCE, Loss, likely_loss, loss_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Member, Plan

from .agreement import OF
from .comparison import Comparison
from .published import plan_of

ALLOWED = 0.03
YEARS = 5.0
SAMPLES = 200_000
TOGETHER = (
    ("failure_rate",), ("notice_hours",), ("replacement_hours",), ("rebuild_mb_s",), ("batch_factor",),
    ("latent_errors", "unreadable_per_bit"), ("check_days",),
)  # fmt: skip


def drawn_at(assumed: AssumedRange, places: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
    """The values at ``places`` (0 the safer end, 1 the worse) of a PERT distribution, of logarithms where it can be."""
    points = np.array([assumed.safer, assumed.likely, assumed.worse])
    by_log = bool(points.min() > 0)
    safer, likely, worse = np.log(points) if by_log else points
    peak = (likely - safer) / (worse - safer)
    samples = np.sort(random.beta(1 + 4 * peak, 5 - 4 * peak, SAMPLES))
    values = safer + (worse - safer) * samples[(places * SAMPLES).astype(int)]
    return np.asarray(np.exp(values) if by_log else values)


def _assumed(loss: Loss, name: str) -> AssumedRange:
    if name == "failure_rate":
        return loss.assumptions.rate_of(next(loss.plan.disks()))
    value: AssumedRange = loss.rebuild.mb_s if name == "rebuild_mb_s" else getattr(loss.assumptions, name)
    return value


def _covered(plan: Plan, draws: int, random: np.random.Generator) -> Iterator[Comparison]:
    loss, capacity = loss_of(plan, years=YEARS, steps=1), capacity_of(plan.top)
    drawn: dict[str, list[float]] = {}
    for names in TOGETHER:
        places = random.random(draws)
        drawn |= {name: drawn_at(_assumed(loss, name), places, random).tolist() for name in names}
    outcomes = np.array(
        [
            likely_loss(plan, Assumptions().with_given(zip(drawn, values, strict=True)), YEARS, capacity)
            for values in zip(*drawn.values(), strict=True)
        ]
    )
    for of, chance, found in zip(OF, (loss.array, loss.sectors), outcomes.T, strict=True):
        within = float(((chance.low <= found) & (found <= chance.high)).mean())
        array = plan.array
        shape = f"{array.level} {array.layout or ''} ×{len(array.members)} + {len(array.spares)}"
        what = f"{shape}, {of}: {draws} draws within"
        yield Comparison("coverage", what, CONFIDENCE, within, abs(within - CONFIDENCE), ALLOWED)


def coverage(draws: int, seed: int) -> Iterator[Comparison]:
    """Yield the coverage for plans with few states and many, with spares, and of two to eight disks."""
    random = np.random.default_rng(seed)
    plans = [
        plan_of("raid1", 2),
        plan_of("raid5", 4),
        plan_of("raid6", 8),
        plan_of("raid10", 4, "n2"),
        plan_of("raid10", 8, "f2"),
        plan_of("raid0", 4),
    ]
    spared = plan_of("raid6", 6).on(replace(plan_of("raid6", 6).array, spares=(Member("spare", 8 * 10**12),)))
    for plan in (*plans, spared):
        yield from _covered(plan, draws, random)
