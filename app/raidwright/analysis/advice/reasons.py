"""Reasons for a candidate's rank: its advantages over the one above it, and its disadvantages.

The first is compared with the second. Differences too small to notice, or within an estimate's error, are ignored:
1% of the space, half as many losses again, a quarter of an estimated speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.analysis.layers.equivalent import as_array
from raidwright.analysis.reliability.negligible import NEGLIGIBLE
from raidwright.core.md.layouts import Level

from .candidates import Prepared, has_scattered_copies

_SPACE, _LOSS, _SPEED = 1.01, 1.5, 1.25  # minimum factors of a difference
_SHARE = 0.01
_COPYING = {Level.RAID1, Level.RAID10}


class Facet(StrEnum):
    """Facets in which two plans differ."""

    SPACE = "space"
    FAILURES = "failures"  # any so many disks may fail
    SHARE = "share"  # of the possible next failures
    LOSS = "loss"
    READING = "reading"
    WRITING = "writing"
    RANDOM = "random"
    SMALL_WRITES = "small-writes"  # of random I/O, if only they differ
    NESTED = "nested"
    SCATTERED = "scattered"


SPEEDS = (Facet.READING, Facet.WRITING, Facet.RANDOM)  # estimated


@dataclass(frozen=True, slots=True)
class RatioDifference:
    """A difference from the compared plan: by ``factor`` above 1, for the better or the worse.

    ``weight`` is its value for the wishes.
    """

    facet: Facet
    better: bool
    factor: float
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Reasons:
    """``best_in`` are the facets in which the plan alone is best, among those that meet the conditions.

    ``is_warned_of_least``: it is first for its fewer warnings, before one with a higher score.
    ``differences`` from the plan ``against`` (None if it is the only one), those of most weight first.
    """

    is_first: bool
    best_in: tuple[Facet, ...]
    against: Prepared | None
    differences: tuple[RatioDifference, ...]
    is_warned_of_least: bool = False

    @property
    def gains(self) -> tuple[RatioDifference, ...]:
        """Its advantages over the other."""
        return tuple(one for one in self.differences if one.better)

    @property
    def costs(self) -> tuple[RatioDifference, ...]:
        """Its disadvantages."""
        return tuple(one for one in self.differences if not one.better)


_MERIT = {
    Facet.SPACE: "space",
    Facet.FAILURES: "safety",
    Facet.SHARE: "safety",
    Facet.LOSS: "safety",
    Facet.READING: "reading",
    Facet.WRITING: "writing",
    Facet.RANDOM: "random",
    Facet.SMALL_WRITES: "random",
}


# More is better; ratios of amounts are the reported factors.
_AMOUNTS: Mapping[Facet, Callable[[Prepared], float]] = {
    Facet.SPACE: lambda item: item.array_bytes,
    Facet.LOSS: lambda item: 1 / max(item.array_loss, NEGLIGIBLE),
    Facet.READING: lambda item: item.speeds.read,
    Facet.WRITING: lambda item: item.speeds.write,
    Facet.RANDOM: lambda item: item.speeds.random_read + item.speeds.random_write,
    Facet.SMALL_WRITES: lambda item: item.speeds.random_write,
}


def reasons_of(ordered: Sequence[Prepared], meeting: int, weights: Mapping[str, float]) -> tuple[Reasons, ...]:
    """Return the reasons of each plan in ``ordered``, of which the first ``meeting`` meet the conditions.

    ``weights`` are the wishes by the names of ``Merits``.
    """
    best = {facet: _best(ordered[:meeting], facet) for facet in (Facet.SPACE, Facet.LOSS, *SPEEDS)}
    found = []
    for place, item in enumerate(ordered):
        beside = ordered[place - 1] if place else next(iter(ordered[1:]), None)
        found.append(
            Reasons(
                is_first=place == 0 < meeting,
                best_in=tuple(facet for facet, plan in best.items() if plan is item),
                against=beside,
                differences=differences(item, beside, weights) if beside is not None else (),
            )
        )
    return tuple(found)


def _best(items: Sequence[Prepared], facet: Facet) -> Prepared | None:
    """Return the best plan in ``facet`` by more than a difference; None if several are, or it is alone."""
    if len(items) < 2:
        return None
    first, second = sorted(items, key=lambda item: -_AMOUNTS[facet](item))[:2]
    return first if _AMOUNTS[facet](first) > _AMOUNTS[facet](second) * _least(facet) else None


def _least(facet: Facet) -> float:
    return {Facet.SPACE: _SPACE, Facet.LOSS: _LOSS}.get(facet, _SPEED)


def _ratio(item: Prepared, other: Prepared, facet: Facet) -> Iterator[RatioDifference]:
    mine, theirs = _AMOUNTS[facet](item), _AMOUNTS[facet](other)
    factor = max(mine, theirs) / min(mine, theirs)
    if factor > _least(facet):
        yield RatioDifference(facet, mine > theirs, factor)


def differences(item: Prepared, other: Prepared, weights: Mapping[str, float]) -> tuple[RatioDifference, ...]:
    """Return how ``item`` differs from ``other``, those differences that weigh most first."""

    def weighed(one: RatioDifference) -> RatioDifference:
        merit = _MERIT.get(one.facet)
        if merit is None:
            return one
        mine: float = getattr(item.merits, merit)
        theirs: float = getattr(other.merits, merit)
        return replace(one, weight=weights[merit] * abs(mine - theirs))

    return tuple(sorted(map(weighed, _found(item, other)), key=lambda one: -one.weight))


def _found(item: Prepared, other: Prepared) -> Iterator[RatioDifference]:
    if item.survives != other.survives:
        yield RatioDifference(Facet.FAILURES, item.survives > other.survives, abs(item.survives - other.survives) + 1)
    else:
        apart = abs(item.share - other.share)
        if apart > _SHARE:
            yield RatioDifference(Facet.SHARE, item.share > other.share, 1 + apart)
    for facet in (Facet.SPACE, Facet.LOSS, Facet.READING, Facet.WRITING):
        yield from _ratio(item, other, facet)
    yield from tuple(_ratio(item, other, Facet.RANDOM)) or _ratio(item, other, Facet.SMALL_WRITES)
    if item.plan.top.is_nested != other.plan.top.is_nested:
        yield RatioDifference(Facet.NESTED, other.plan.top.is_nested, 1.0)
    scattered = has_scattered_copies(item.plan)
    if (
        scattered != has_scattered_copies(other.plan)
        and {as_array(item.plan.top).level, as_array(other.plan.top).level} <= _COPYING
    ):
        yield RatioDifference(Facet.SCATTERED, not scattered, 1.0)
