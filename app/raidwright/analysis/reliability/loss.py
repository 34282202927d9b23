"""Probability that a plan loses its array, or a sector of it, over the years, with its range and main drivers.

The probability is the median of its distribution when all assumptions are sampled together, and its range holds
90% of it (``spread``). The effect of one assumption alone, at the ends of its range with all others at their
medians, is its swing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import expm1, inf

import numpy as np
from numpy.typing import NDArray

from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan

from .assumptions import HOURS_A_YEAR, AssumedRange, Assumptions, Driver
from .chains import chain_of
from .groups import groups_of
from .markov import Rates, losses, mean_hours_to_loss
from .rebuild import Rebuild
from .scenarios import MIDDLE, GroupRates, Scenarios, likely_waiting_hours, parts_of, rates
from .spread import Axes, axes_of, quantiles

MAX_YEARS = 100.0
CONFIDENCE = 0.9  # share of the distribution within its range
_IDEAL_STATES = 400
_AT_ONCE = AssumedRange(0.0, 0.0, 0.0, say("taken as zero"))
_MAX_IDEAL_RATE, _MIN_IDEAL_HOURS = 1e6, 1e-6
_DRAWS = 128
_SHARES = (0.5, (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)


class Cause(StrEnum):
    """Main cause of an array's loss."""

    ANY_DISK = "any-disk"
    WHILE_WAITING = "while-waiting"
    WHILE_REBUILDING = "while-rebuilding"
    SPARES_USED_UP = "spares-used-up"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability, the median of its distribution, and its range.

    ``main_driver`` is the assumption with the largest effect, None if none has any.
    """

    probability: float
    low: float
    high: float
    main_driver: Driver | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The probability of having lost the array, or a sector, by ``years``."""

    years: float
    probability: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Swing:
    """Effect of one assumption alone on a probability: at its safer end, and at its worse."""

    driver: Driver
    safer: float
    worse: float

    def ratio(self) -> float:
        """The safer end over the worse: the smaller, the larger the effect; 1 for none."""
        return self.safer / self.worse if self.worse else 1.0


@dataclass(frozen=True, slots=True)
class Loss:
    """Probability that a plan loses data within ``years``.

    ``array`` is the loss of the array, ``sectors`` that of at least one sector, the array's loss included; each has
    its curve over the years.
    ``waiting_hours`` pass until a replacement is installed (0 with a spare), then ``rebuild_hours`` until the rebuild
    is complete, at a speed of ``rebuild``; without redundancy (``redundant``) there is nothing to rebuild from.
    ``exact`` is False where the chain is an approximation: far copies on many disks (``chains``); spares for disks
    that differ, or shared by mirrors of one array (``spares``); spares of the inner arrays of a mirror, of which only
    one array's are counted; and wear, for which it uses each disk's mean rate over the years.
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
    """``p_loss`` within the years, and the mean time to loss (infinite if nothing can be lost)."""

    p_loss: float
    mttdl_hours: float
    exact: bool


def loss_of(
    plan: Plan, assumptions: Assumptions | None = None, years: float = 5.0, *,
    capacity: Capacity | None = None, steps: int = 20,
) -> Loss:  # fmt: skip
    """Return the plan's loss within ``years``, and at ``steps`` equal steps up to it; by default with its assumptions.

    Raises PlanRefused for an invalid plan, InputError for years out of range.
    """
    check_years(years)
    assumptions = assumptions or Assumptions.of(plan)
    parts = parts_of(plan, capacity or capacity_of(plan.top), assumptions, years)
    chains = [part.chain(assumptions) for part in parts]
    axes, scenarios = axes_of(assumptions, parts), Scenarios(ends=True, draws=_DRAWS)
    arrays, sectors = expected_losses(parts, assumptions, years, scenarios, steps)
    part = max(parts, key=GroupRates.likely_rebuild_hours)
    of_arrays, of_sectors = (_range(expected, scenarios, axes) for expected in (arrays, sectors))
    return Loss(
        plan=plan,
        years=years,
        array=_chance(arrays, of_arrays),
        sectors=_chance(sectors, of_sectors),
        curve=_curve(of_arrays, years),
        sector_curve=_curve(of_sectors, years),
        array_swings=_swings(arrays[:, -1]),
        sector_swings=_swings(sectors[:, -1]),
        cause=_cause(parts, assumptions, years, arrays[0, -1]),
        redundant=_redundant(parts),
        waiting_hours=0.0 if part.group.spares else likely_waiting_hours(assumptions),
        rebuild_hours=part.likely_rebuild_hours(),
        rebuild=part.rebuild,
        exact=assumptions.wear == 1 and all(chain.exact for chain in chains),
        assumptions=assumptions,
    )


def likely_loss(plan: Plan, assumptions: Assumptions, years: float, capacity: Capacity) -> tuple[float, float]:
    """Return (array, sectors): the probabilities alone, as in ``loss_of``, for tables of many plans."""
    parts = parts_of(plan, capacity, assumptions, years)
    axes = axes_of(assumptions, parts)
    scenarios = Scenarios(draws=_DRAWS) if axes else MIDDLE
    both = expected_losses(parts, assumptions, years, scenarios, 1)
    array, sectors = (float(_range(expected, scenarios, axes)[0, 0]) for expected in both)
    return array, max(array, sectors)  # rounding may say otherwise, as at 1e-70 of a mirror of 300 disks


def ideal_loss(plan: Plan, afr: float, repair_hours: float, years: float) -> IdealLoss:
    """Return the loss with constant rates, independent exponential repairs that start at once, and nothing else.

    ``afr`` is a rate per year (0.015 is 1.5%), ``repair_hours`` the mean; an infinite one means no repair.
    """
    check_years(years)
    if not 0 <= afr <= _MAX_IDEAL_RATE:
        raise InputError(
            "The failure rate must be from 0 to {most:g} a year.",
            code="assumption",
            most=_MAX_IDEAL_RATE,
        )
    if not (repair_hours == 0 or repair_hours >= _MIN_IDEAL_HOURS):
        raise InputError(
            "The repair’s hours must be 0 (at once), or from {least:g} up to inf (no repair at all).",
            code="assumption",
            least=_MIN_IDEAL_HOURS,
        )
    groups = Counter(group.shape for group in groups_of(plan, capacity_of(plan.top)))
    one = Rates(afr / HOURS_A_YEAR, (1 / repair_hours if repair_hours else inf,))
    parts = [(chain_of(shape, None, _IDEAL_STATES), one, count) for shape, count in groups.items()]
    expected = sum(
        count * float(_expected(losses(chain, [one], years * HOURS_A_YEAR))[0, 0]) for chain, _, count in parts
    )
    return IdealLoss(-expm1(-expected), mean_hours_to_loss(parts), all(chain.exact for chain, _, _ in parts))


def check_years(years: float) -> None:
    """Raise InputError for years out of range."""
    if not 0 < years <= MAX_YEARS:
        raise InputError("Years must be above 0 and at most {most:.0f}.", code="years", years=years, most=MAX_YEARS)


def expected_losses(
    parts: Sequence[GroupRates], assumptions: Assumptions, years: float, scenarios: Scenarios, steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return −ln(1 − P) of the array's loss and of a sector's, (scenarios, steps); unlike P it is additive over groups.

    Equal groups are solved once.
    """
    both = np.zeros((2 * len(scenarios), steps))
    for part, count in Counter(_without_names(part) for part in parts).items():
        of_sectors = rates(assumptions, part, scenarios, years)
        driven = (of_sectors.of_arrays, of_sectors)
        both += count * _expected(losses(part.chain(assumptions), driven, years * HOURS_A_YEAR, steps))
    return both[: len(scenarios)], both[len(scenarios) :]


def _without_names(part: GroupRates) -> GroupRates:
    units = tuple(str(number) for number in range(len(part.group.units)))
    return replace(part, group=replace(part.group, units=units))


def _expected(lost: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-lost))


def _chance(expected: NDArray[np.float64], ranges: NDArray[np.float64]) -> Chance:
    middle, low, high = ranges[:, -1].tolist()
    widest = min(_swings(expected[:, -1]), key=Swing.ratio)
    return Chance(middle, low, high, widest.driver if widest.worse != widest.safer else None)


def _range(expected: NDArray[np.float64], scenarios: Scenarios, axes: Axes) -> NDArray[np.float64]:
    """Return the median probability, and its range's low and high end, per step: (3, steps) from (scenarios, steps)."""
    drawn = expected[scenarios.first_draw :] if axes else expected[:1]
    return np.asarray(-np.expm1(-quantiles(drawn, axes, _SHARES)))


def _swings(expected: NDArray[np.float64]) -> tuple[Swing, ...]:
    ends = -np.expm1(-expected[1 : 1 + 2 * len(Driver)])
    return tuple(
        Swing(driver, float(safer), float(worse))
        for driver, safer, worse in zip(Driver, ends[::2], ends[1::2], strict=True)
    )


def _curve(ranges: NDArray[np.float64], years: float) -> tuple[CurvePoint, ...]:
    steps = ranges.shape[1]
    points = enumerate(ranges.T.tolist(), start=1)
    return (CurvePoint(0.0, 0.0, 0.0, 0.0), *(CurvePoint(years * step / steps, *values) for step, values in points))


def _cause(parts: Sequence[GroupRates], assumptions: Assumptions, years: float, expected: float) -> Cause:
    """Return the majority cause of loss; ``expected`` is the loss with each assumption at its median."""
    if not expected:
        return Cause.NOTHING
    if not _redundant(parts):
        return Cause.ANY_DISK
    if any(part.group.spares for part in parts):
        at_once = replace(assumptions, notice_hours=_AT_ONCE, replacement_hours=_AT_ONCE)
        arrays, _sectors = expected_losses(parts, at_once, years, MIDDLE, 1)
        return Cause.SPARES_USED_UP if arrays[0, 0] < expected / 2 else Cause.WHILE_REBUILDING
    waits = likely_waiting_hours(assumptions) > max(part.likely_rebuild_hours() for part in parts)
    return Cause.WHILE_WAITING if waits else Cause.WHILE_REBUILDING


def _redundant(parts: Sequence[GroupRates]) -> bool:
    return not any(part.group.shape.fatal(1 << disk) for part in parts for disk in range(part.group.shape.disks))
