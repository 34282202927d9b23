"""The answer: how likely a plan loses its array, or a sector of it, over the years, as a range with what drives it.

The range comes from moving one assumption at a time to the ends of its own range. The swings, as factors of the
expected number of losses, are added as independent errors are, by squares: all assumptions at their worst at once is
no more to be expected than all at their best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import expm1, inf

import numpy as np
from numpy.typing import NDArray

from ..capacity import Capacity, capacity_of
from ..errors import InputError
from ..plan import Plan
from .assumptions import HOURS_A_YEAR, Assumptions, Driver
from .chains import MOST_STATES, chain_of
from .groups import Group, groups_of
from .markov import Rates, losses, mean_hours_to_loss
from .rebuild import Rebuild
from .scenarios import ALL, LIKELY, Delays, Part, Scenario, parts_of, rates

MOST_YEARS = 100.0
_IDEAL_STATES = 400


class Cause(StrEnum):
    """How an array is lost, mostly."""

    ANY_DISK = "any-disk"
    WHILE_WAITING = "while-waiting"
    WHILE_REBUILDING = "while-rebuilding"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability and its range; ``main_driver`` is the assumption that moves it most, None when none does."""

    probability: float
    low: float
    high: float
    main_driver: Driver | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The chance of having lost the array, or a sector, by ``years``."""

    years: float
    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Swing:
    """What one assumption alone does to a probability: at its safer end, and at its worse."""

    driver: Driver
    safer: float
    worse: float

    def ratio(self) -> float:
        """The safer end over the worse: the smaller, the more the assumption matters; 1 where it doesn't."""
        return self.safer / self.worse if self.worse else 1.0


@dataclass(frozen=True, slots=True)
class Loss:
    """How likely a plan loses data within ``years``.

    ``array`` is the loss of the array, ``sectors`` that of at least one sector, the array's loss included; each has
    its curve over the years.
    ``waiting_hours`` pass until a replacement is there (0 with a spare), then ``rebuild_hours`` until all is whole
    again, at a speed of ``rebuild``; without redundancy (``redundant``) there is nothing to rebuild from.
    ``exact`` is False where the chain takes different things as one (``chains``): far copies on many disks; wear, of
    which it takes each disk's mean rate over the years; and spares, for whose replacement it takes a mean wait. With
    spares it keeps within some percent of the simulation as long as replacements come within weeks.
    """

    plan: Plan
    years: float
    array: Chance
    sectors: Chance
    curve: tuple[CurvePoint, ...]
    sector_curve: tuple[CurvePoint, ...]
    array_swings: tuple[Swing, ...]
    sector_swings: tuple[Swing, ...]
    cause: Cause
    waiting_hours: float
    rebuild_hours: float
    rebuild: Rebuild
    redundant: bool
    exact: bool
    assumptions: Assumptions


@dataclass(frozen=True, slots=True)
class IdealLoss:
    """``p_loss`` within the years, and the mean time to it (infinite when nothing can be lost)."""

    p_loss: float
    mttdl_hours: float
    exact: bool


def loss_of(
    plan: Plan, assumptions: Assumptions | None = None, years: float = 5.0, *,
    capacity: Capacity | None = None, steps: int = 20,
) -> Loss:  # fmt: skip
    """The plan's loss within ``years``, and at ``steps`` equal steps on the way; by default as the plan assumes.

    Raises PlanRefused for a plan that can't be, InputError for years out of range.
    """
    check_years(years)
    assumptions = assumptions or Assumptions.of(plan)
    parts = parts_of(plan, capacity or capacity_of(plan), assumptions, years)
    arrays, sectors = expected_losses(parts, assumptions, years, ALL, steps)
    part = max(parts, key=lambda one: one.rebuild_hours())
    waiting = 0.0 if part.group.spares else Delays(assumptions, part, LIKELY, 1).waiting
    return Loss(
        plan=plan,
        years=years,
        array=_chance(arrays[:, -1]),
        sectors=_chance(sectors[:, -1]),
        curve=_curve(arrays, years),
        sector_curve=_curve(sectors, years),
        array_swings=_swings(arrays[:, -1]),
        sector_swings=_swings(sectors[:, -1]),
        cause=_cause(parts, waiting, arrays[0, -1]),
        redundant=_redundant(parts),
        waiting_hours=waiting,
        rebuild_hours=part.rebuild_hours(),
        rebuild=part.rebuild,
        exact=assumptions.wear == 1 and all(_is_exact(part) for part in parts),
        assumptions=assumptions,
    )


def _is_exact(part: Part) -> bool:
    return not part.group.spares and chain_of(part.group.shape, part.weights).exact


def likely_loss(plan: Plan, assumptions: Assumptions, years: float, capacity: Capacity) -> tuple[float, float]:
    """(array, sectors): the likely probabilities alone, for tables of many plans."""
    parts = parts_of(plan, capacity, assumptions, years)
    arrays, sectors = expected_losses(parts, assumptions, years, (LIKELY,), 1)
    return -expm1(-arrays[0, 0]), -expm1(-sectors[0, 0])


def ideal_loss(plan: Plan, afr: float, repair_hours: float, years: float) -> IdealLoss:
    """Constant rates, every failed disk repaired at once and on its own in an exponential time, and nothing else.

    ``afr`` is a rate a year (0.015 is 1.5%), ``repair_hours`` the mean; an infinite one means no repair.
    """
    check_years(years)
    if not (0 <= afr < inf and repair_hours >= 0):
        raise InputError("A failure rate and a repair time must be zero or more.", code="assumption")
    groups = Counter(group.shape for group in groups_of(plan, capacity_of(plan)))
    one = Rates(afr / HOURS_A_YEAR, (1 / repair_hours if repair_hours else inf,))
    parts = [(chain_of(shape, None, _IDEAL_STATES), one, count) for shape, count in groups.items()]
    expected = sum(
        count * float(_expected(losses(chain, [one], years * HOURS_A_YEAR))[0, 0]) for chain, _, count in parts
    )
    return IdealLoss(-expm1(-expected), mean_hours_to_loss(parts), all(chain.exact for chain, _, _ in parts))


def check_years(years: float) -> None:
    """Raises InputError for years that nobody could mean."""
    if not 0 < years <= MOST_YEARS:
        raise InputError(f"Years must be above 0 and at most {MOST_YEARS:.0f}.", code="years", years=years)


def expected_losses(
    parts: Sequence[Part], assumptions: Assumptions, years: float, scenarios: Sequence[Scenario], steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """−ln(1 − P) of the array's loss and of a sector's, (scenarios, steps): it adds up over groups, and P never does.

    Groups that are alike are solved once.
    """
    disks = sum(len(part.group.units) for part in parts)
    both = np.zeros((2 * len(scenarios), steps))
    for part, count in Counter(_without_names(part) for part in parts).items():
        all_rates = [rates(assumptions, part, scenario, years, disks) for scenario in scenarios]
        arrays = [one.of_arrays for one in all_rates]
        chain = chain_of(part.group.shape, part.weights, MOST_STATES)
        both += count * _expected(losses(chain, arrays + all_rates, years * HOURS_A_YEAR, steps))
    return both[: len(scenarios)], both[len(scenarios) :]


def _without_names(part: Part) -> Part:
    group = part.group
    units = tuple(str(number) for number in range(len(group.units)))
    return Part(
        Group(group.shape, units, group.component_bytes, group.sole_share, group.spares), part.rates, part.rebuild
    )


def _expected(lost: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-lost))


def _chance(expected: NDArray[np.float64]) -> Chance:
    """Of expected losses by scenario, in the order of ``ALL``."""
    likely, low, high = _range(expected[:, None])[:, 0].tolist()
    swings = _swings(expected)
    widest = min(swings, key=Swing.ratio)
    return Chance(likely, low, high, widest.driver if widest.worse != widest.safer else None)


def _range(expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """The likely probability, and its range's low and high end, at each step: (3, steps) from (scenarios, steps)."""
    likely = expected[0]
    known = (likely > 0) & np.isfinite(likely)
    moved = np.clip(expected[1:], 1e-300, 1e300)
    factors = np.where(known, np.log(moved / np.where(known, likely, 1.0)), 0.0)
    down = np.sqrt((np.minimum(0.0, np.minimum(factors[::2], factors[1::2])) ** 2).sum(axis=0))
    up = np.sqrt((np.maximum(0.0, np.maximum(factors[::2], factors[1::2])) ** 2).sum(axis=0))
    ends = np.stack([likely, likely * np.exp(-down), likely * np.exp(np.minimum(up, 690.0))])
    return np.asarray(-np.expm1(-ends))


def _swings(expected: NDArray[np.float64]) -> tuple[Swing, ...]:
    moved = zip((scenario.moved for scenario in ALL[1::2]), expected[1::2], expected[2::2], strict=True)
    return tuple(
        Swing(driver, -expm1(-float(safer)), -expm1(-float(worse))) for driver, safer, worse in moved if driver
    )


def _curve(expected: NDArray[np.float64], years: float) -> tuple[CurvePoint, ...]:
    steps = expected.shape[1]
    points = enumerate(_range(expected).T.tolist(), start=1)
    return (CurvePoint(0.0, 0.0, 0.0, 0.0), *(CurvePoint(years * step / steps, *values) for step, values in points))


def _cause(parts: Sequence[Part], waiting: float, expected: float) -> Cause:
    if not expected:
        return Cause.NOTHING
    if not _redundant(parts):
        return Cause.ANY_DISK
    rebuilding = max(part.rebuild_hours() for part in parts)
    return Cause.WHILE_WAITING if waiting > rebuilding else Cause.WHILE_REBUILDING


def _redundant(parts: Sequence[Part]) -> bool:
    return not any(part.group.shape.fatal(1 << disk) for part in parts for disk in range(part.group.shape.disks))
