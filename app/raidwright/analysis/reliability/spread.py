"""Distribution of a loss over all assumptions: a polynomial fitted to few solved draws, evaluated at many points.

The logarithm of a loss is nearly a quadratic polynomial of each assumption's position within its range: over
plans of every level, 128 solved draws give a median within 1% of that of 32,768, and ends of a range within 4%
(``make loss-check``). The points are the same each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .assumptions import AssumedRange, Assumptions, Driver, places_of
from .scenarios import GroupRates, points

Array = NDArray[np.float64]
Axes = tuple[tuple[int, float], ...]  # for each assumption with a range: its driver's index, and its mode
# Points of the surface: for a figure, and for the shape of a curve; products of larger tables make numpy's threads
# wait for each other.
_POINTS, _FEWER_POINTS = 8192, 256
_MIN_DRAWS_A_TERM = 2


def axes_of(assumptions: Assumptions, parts: Sequence[GroupRates]) -> Axes:
    """Return the assumptions that vary, each once, in the order of ``Driver``."""
    of_driver: dict[Driver, tuple[AssumedRange, ...]] = {
        Driver.FAILURE_RATE: tuple(rate for part in parts for rate in part.rates),
        Driver.NOTICE: (assumptions.notice_hours,),
        Driver.REPLACEMENT: (assumptions.replacement_hours,),
        Driver.REBUILD: tuple(part.rebuild.mb_s for part in parts),
        Driver.BATCH: (assumptions.batch_factor,),
        Driver.LATENT: (assumptions.latent_errors, assumptions.unreadable_per_bit),
        Driver.CHECKS: (assumptions.check_days,),
    }
    found = ((place, one.mode) for place, driver in enumerate(Driver) for one in of_driver[driver])
    axes = dict.fromkeys((place, mode) for place, mode in found if mode is not None)
    return tuple(axis for axis in axes if _is_told_apart(axis, axes))


def _is_told_apart(axis: tuple[int, float], axes: dict[tuple[int, float], None]) -> bool:
    """Return True for an axis of its own: all disk models share one; latent errors and read errors each have one."""
    place, _ = axis
    same = [other for other in axes if other[0] == place]
    return tuple(Driver)[place] is Driver.LATENT or same[0] == axis


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """Least-squares fit of the surface to solved draws (``fit``), and its terms at many points and at fewer."""

    fit: Array
    terms: Array
    fewer_terms: Array


def quantiles(drawn: Array, axes: Axes, shares: Sequence[float]) -> Array:
    """Return quantiles of a positive result, (shares, steps), from its ``drawn`` values, (draws, steps).

    The draws are those of ``points``. If the surface can't be fitted, the quantiles are those of the draws.
    """
    terms = _terms_of(len(axes))
    if len(drawn) < _MIN_DRAWS_A_TERM * terms or not (np.all(drawn > 0) and np.all(np.isfinite(drawn))):
        return _of_sorted(drawn.T, shares)
    surface = _surface(axes, len(drawn))
    factors = surface.fit @ np.log(drawn)
    last = _of_sorted((surface.terms @ factors[:, -1])[None, :], shares)
    if drawn.shape[1] == 1:
        return np.asarray(np.exp(last))
    course = _of_sorted(factors.T @ surface.fewer_terms.T, shares)
    return np.asarray(np.exp(course + (last - course[:, -1:])))


def _of_sorted(values: Array, shares: Sequence[float]) -> Array:
    """Return (shares, steps) from values (steps, points)."""
    count = values.shape[1]
    places = [min(count - 1, round(share * count - 0.5)) for share in shares]
    return np.partition(values, places, axis=1)[:, places].T


def _terms_of(axes: int) -> int:
    return 1 + axes + axes * (axes + 1) // 2


@lru_cache(maxsize=32)
def _surface(axes: Axes, draws: int) -> _Surface:
    fit = np.asarray(np.linalg.pinv(_terms(axes, draws)), dtype=np.float64)
    return _Surface(fit, _terms(axes, _POINTS), _terms(axes, _FEWER_POINTS))


def _terms(axes: Axes, count: int) -> Array:
    """Return 1, each axis, and each product of two, at each point: (points, terms). Axes go from −1 to 1."""
    places = points(count)
    values = [2 * places_of(mode, places[place]) - 1 for place, mode in axes]
    products = (one * other for number, one in enumerate(values) for other in values[number:])
    return np.stack([np.ones(count), *values, *products], axis=1)
