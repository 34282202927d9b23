"""The answer: how likely a plan loses its array, or a sector of it, over the years, as a range with what drives it.

The range is what the assumptions' own distributions make of the result: all of them are drawn together, each result
is solved, and 90 of 100 lie within. What one assumption does alone, at the ends of its own range, is its swing.
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
from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.messages import say
from raidwright.core.model.plan import Plan

from .assumptions import HOURS_A_YEAR, Assumed, Assumptions, Driver
from .chains import chain_of
from .groups import groups_of
from .markov import Rates, losses, mean_hours_to_loss
from .rebuild import Rebuild
from .scenarios import LIKELY, Part, Scenarios, parts_of, rates, waiting_hours

MOST_YEARS = 100.0
CONFIDENCE = 0.9  # how much of what the assumptions make of a result its range holds
_IDEAL_STATES = 400
_AT_ONCE = Assumed(0.0, 0.0, 0.0, say("taken as zero"))
_MOST_IDEAL_RATE, _LEAST_IDEAL_HOURS = 1e6, 1e-6
_DRAWS, _FEWER_DRAWS, _MANY_STATES = 512, 256, 16  # powers of two, as the lattice wants them
_QUICK_DRAWS = 128


class Cause(StrEnum):
    """How an array is lost, mostly."""

    ANY_DISK = "any-disk"
    WHILE_WAITING = "while-waiting"
    WHILE_REBUILDING = "while-rebuilding"
    SPARES_USED_UP = "spares-used-up"
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
    ``exact`` is False where the chain takes different things as one: far copies on many disks (``chains``); spares
    for disks that differ, or that mirrors of one array share (``spares``); spares within the arrays of a mirror, of
    which one array's are counted, too few; and wear, of which it takes each disk's mean rate over the years.
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
    capacity: Capacity | None = None, steps: int = 20, quick: bool = False,
) -> Loss:  # fmt: skip
    """The plan's loss within ``years``, and at ``steps`` equal steps on the way; by default as the plan assumes.

    ``quick``: with ranges from fewer draws, whose ends are off by up to a third; for a slider that moves.
    Raises PlanRefused for a plan that can't be, InputError for years out of range.
    """
    check_years(years)
    assumptions = assumptions or Assumptions.of(plan)
    parts = parts_of(plan, capacity or capacity_of(plan), assumptions, years)
    chains = [part.chain(assumptions) for part in parts]
    draws = _FEWER_DRAWS if max(chain.states for chain in chains) > _MANY_STATES else _DRAWS
    scenarios = Scenarios(ends=True, draws=_QUICK_DRAWS if quick else draws)
    arrays, sectors = expected_losses(parts, assumptions, years, scenarios, steps)
    part = max(parts, key=lambda one: float(one.rebuild_hours()[0]))
    waiting = 0.0 if part.group.spares else float(waiting_hours(assumptions, LIKELY)[0])
    rebuilding = float(part.rebuild_hours()[0])
    return Loss(
        plan=plan,
        years=years,
        array=_chance(arrays[:, -1], scenarios),
        sectors=_chance(sectors[:, -1], scenarios),
        curve=_curve(arrays, scenarios, years),
        sector_curve=_curve(sectors, scenarios, years),
        array_swings=_swings(arrays[:, -1]),
        sector_swings=_swings(sectors[:, -1]),
        cause=_cause(parts, assumptions, years, arrays[0, -1]),
        redundant=_redundant(parts),
        waiting_hours=waiting,
        rebuild_hours=rebuilding,
        rebuild=part.rebuild,
        exact=assumptions.wear == 1 and all(chain.exact for chain in chains),
        assumptions=assumptions,
    )


def likely_loss(plan: Plan, assumptions: Assumptions, years: float, capacity: Capacity) -> tuple[float, float]:
    """(array, sectors): the likely probabilities alone, for tables of many plans."""
    parts = parts_of(plan, capacity, assumptions, years)
    arrays, sectors = expected_losses(parts, assumptions, years, LIKELY, 1)
    return -expm1(-arrays[0, 0]), -expm1(-sectors[0, 0])


def ideal_loss(plan: Plan, afr: float, repair_hours: float, years: float) -> IdealLoss:
    """Constant rates, every failed disk repaired at once and on its own in an exponential time, and nothing else.

    ``afr`` is a rate a year (0.015 is 1.5%), ``repair_hours`` the mean; an infinite one means no repair.
    """
    check_years(years)
    if not 0 <= afr <= _MOST_IDEAL_RATE:
        raise InputError(
            "The failure rate must be from 0 to {most:g} a year.",
            code="assumption",
            most=_MOST_IDEAL_RATE,
        )
    if not (repair_hours == 0 or repair_hours >= _LEAST_IDEAL_HOURS):
        raise InputError(
            "The repair’s hours must be 0 (at once), or from {least:g} up to inf (no repair at all).",
            code="assumption",
            least=_LEAST_IDEAL_HOURS,
        )
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
        raise InputError("Years must be above 0 and at most {most:.0f}.", code="years", years=years, most=MOST_YEARS)


def expected_losses(
    parts: Sequence[Part], assumptions: Assumptions, years: float, scenarios: Scenarios, steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """−ln(1 − P) of the array's loss and of a sector's, (scenarios, steps): it adds up over groups, and P never does.

    Groups that are alike are solved once.
    """
    both = np.zeros((2 * len(scenarios), steps))
    for part, count in Counter(_without_names(part) for part in parts).items():
        of_sectors = rates(assumptions, part, scenarios, years)
        driven = (of_sectors.of_arrays, of_sectors)
        both += count * _expected(losses(part.chain(assumptions), driven, years * HOURS_A_YEAR, steps))
    return both[: len(scenarios)], both[len(scenarios) :]


def _without_names(part: Part) -> Part:
    units = tuple(str(number) for number in range(len(part.group.units)))
    return replace(part, group=replace(part.group, units=units))


def _expected(lost: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-lost))


def _chance(expected: NDArray[np.float64], scenarios: Scenarios) -> Chance:
    likely, low, high = _range(expected[:, None], scenarios)[:, 0].tolist()
    swings = _swings(expected)
    widest = min(swings, key=Swing.ratio)
    return Chance(likely, low, high, widest.driver if widest.worse != widest.safer else None)


def _range(expected: NDArray[np.float64], scenarios: Scenarios) -> NDArray[np.float64]:
    """The likely probability, and its range's low and high end, at each step: (3, steps) from (scenarios, steps).

    The range holds the likely figure, too, where several assumptions are likeliest at an end of theirs.
    """
    likely, drawn = expected[0], np.sort(expected[scenarios.first_draw :], axis=0)
    beyond = round(scenarios.draws * (1 - CONFIDENCE) / 2)
    low, high = np.minimum(likely, drawn[beyond]), np.maximum(likely, drawn[-1 - beyond])
    return np.asarray(-np.expm1(-np.stack([likely, low, high])))


def _swings(expected: NDArray[np.float64]) -> tuple[Swing, ...]:
    ends = -np.expm1(-expected[1 : 1 + 2 * len(Driver)])
    return tuple(
        Swing(driver, float(safer), float(worse))
        for driver, safer, worse in zip(Driver, ends[::2], ends[1::2], strict=True)
    )


def _curve(expected: NDArray[np.float64], scenarios: Scenarios, years: float) -> tuple[CurvePoint, ...]:
    steps = expected.shape[1]
    points = enumerate(_range(expected, scenarios).T.tolist(), start=1)
    return (CurvePoint(0.0, 0.0, 0.0, 0.0), *(CurvePoint(years * step / steps, *values) for step, values in points))


def _cause(parts: Sequence[Part], assumptions: Assumptions, years: float, expected: float) -> Cause:
    """By what the array is lost more often than not, where ``expected`` is what is likely."""
    if not expected:
        return Cause.NOTHING
    if not _redundant(parts):
        return Cause.ANY_DISK
    if any(part.group.spares for part in parts):
        at_once = replace(assumptions, notice_hours=_AT_ONCE, replacement_hours=_AT_ONCE)
        arrays, _sectors = expected_losses(parts, at_once, years, LIKELY, 1)
        return Cause.SPARES_USED_UP if arrays[0, 0] < expected / 2 else Cause.WHILE_REBUILDING
    rebuilding = max(float(part.rebuild_hours()[0]) for part in parts)
    waits = float(waiting_hours(assumptions, LIKELY)[0]) > rebuilding
    return Cause.WHILE_WAITING if waits else Cause.WHILE_REBUILDING


def _redundant(parts: Sequence[Part]) -> bool:
    return not any(part.group.shape.fatal(1 << disk) for part in parts for disk in range(part.group.shape.disks))
