"""Headline probability against the median of as many outcomes from independently drawn assumptions.

Assumptions with a common cause are drawn together, from numpy's own beta distribution; every draw is solved. Each
assumption's are one in each of many equal parts (a Latin hypercube), since the median of plain ones is 0.6% off itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from raidwright.analysis.reliability.assumptions import AssumedRange, Assumptions, Driver
from raidwright.analysis.reliability.loss import expected_losses, loss_of
from raidwright.analysis.reliability.scenarios import Scenarios, parts_of
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan

from .agreement import OF
from .comparison import Comparison
from .coverage import SAMPLES, YEARS, drawn_at

ALLOWED = 0.02
OUTCOMES, AT_ONCE = 120_000, 10_000
SIZES_TB = (1, 8, 24)
SHAPES: tuple[tuple[str, str | None, int, int, int], ...] = (
    ("raid0", None, 4, 0, 1), ("linear", None, 3, 0, 1), ("raid1", None, 2, 0, 1), ("raid1", None, 3, 0, 1),
    ("raid4", None, 4, 0, 1), ("raid5", None, 5, 0, 1), ("raid5", None, 4, 1, 1), ("raid6", None, 6, 0, 1),
    ("raid6", None, 12, 0, 1), ("raid10", "n2", 4, 0, 1), ("raid10", "f2", 6, 0, 1), ("raid10", "n3", 6, 0, 1),
    ("raid6", None, 6, 1, 1), ("raid5", None, 3, 0, 2), ("raid6", None, 8, 0, 2),
)  # fmt: skip


@dataclass(frozen=True)
class _Outcomes(Scenarios):
    """Draws of all drivers by chance, in place of a lattice's."""

    places: dict[Driver, NDArray[np.float64]] = field(default_factory=dict)
    seed: int = 1

    def of(self, driver: Driver, assumed: AssumedRange) -> NDArray[np.float64]:
        if assumed.safer == assumed.worse:
            return np.full(len(self), assumed.likely)
        drawn = drawn_at(assumed, self.places[driver], np.random.default_rng(self.seed))
        return np.append(assumed.likely, drawn)


def _plan(level: str, layout: str | None, disks: int, spares: int, groups: int, size_tb: float) -> Plan:
    arrays = [
        MdArray(
            Level(level),
            tuple(Member(f"{group}-{slot}", round(size_tb * 1e12)) for slot in range(disks)),
            layout=layout,
            spares=tuple(Member(f"{group}-spare-{number}", round(size_tb * 1e12)) for number in range(spares)),
        )
        for group in range(groups)
    ]
    return Plan(arrays[0] if groups == 1 else MdArray(Level.RAID0, tuple(arrays)))


def headlines(seed: int, outcomes: int = OUTCOMES) -> Iterator[Comparison]:
    """Yield the comparison for every level in three sizes: the array's loss, and a sector's."""
    random = np.random.default_rng(seed)
    for shape in SHAPES:
        for size_tb in SIZES_TB:
            plan = _plan(*shape, size_tb=size_tb)
            loss = loss_of(plan, years=YEARS, steps=1)
            found = _medians(plan, outcomes, random)
            name = f"{plan.array.level} {shape[1] or ''} {shape[4]}×{shape[2]} + {shape[3]}, {size_tb} TB"
            for of, chance, median in zip(OF, (loss.array, loss.sectors), found, strict=True):
                yield Comparison.relative("headline", f"{name}: {of}", chance.probability, median, ALLOWED)


def _medians(plan: Plan, outcomes: int, random: np.random.Generator) -> tuple[float, float]:
    assumptions = Assumptions.of(plan)
    parts = parts_of(plan, capacity_of(plan.top), assumptions, YEARS)
    drawn: list[NDArray[np.float64]] = []
    for _ in range(0, outcomes, AT_ONCE):
        places = {driver: (random.permutation(AT_ONCE) + random.random(AT_ONCE)) / AT_ONCE for driver in Driver}
        scenarios = _Outcomes(draws=AT_ONCE, places=places, seed=int(random.integers(SAMPLES)))
        both = expected_losses(parts, assumptions, YEARS, scenarios, 1)
        drawn.append(np.stack([one[1:, 0] for one in both]))
    array, sectors = (float(-np.expm1(-one)) for one in np.median(np.concatenate(drawn, axis=1), axis=1))
    return array, sectors
