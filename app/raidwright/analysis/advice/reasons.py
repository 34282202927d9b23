"""Why a candidate stands where it stands: what it has over the one above it, and what it gives up.

The first is held against the second. Differences that nobody would notice, or that an estimate can't bear, are none:
1% of the space, half as many losses again, a quarter of an estimated speed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.md.layouts import Level

from .candidates import LEAST_LOSS, Prepared, has_scattered_copies

_SPACE, _LOSS, _SPEED = 1.01, 1.5, 1.25  # the least factors that are a difference
_SHARE = 0.01
_COPYING = {Level.RAID1, Level.RAID10}


class Facet(StrEnum):
    """In what two plans differ."""

    SPACE = "space"
    FAILURES = "failures"  # so many disks may fail, whichever they are
    SHARE = "share"  # of the ways in which one more may fail
    LOSS = "loss"
    READING = "reading"
    WRITING = "writing"
    RANDOM = "random"
    NESTED = "nested"
    SCATTERED = "scattered"


SPEEDS = (Facet.READING, Facet.WRITING, Facet.RANDOM)  # by estimate


@dataclass(frozen=True, slots=True)
class Difference:
    """How a plan differs from the one it is held against: by ``factor`` above 1, for the better or the worse.

    ``weight`` is what that is worth for the wishes.
    """

    facet: Facet
    better: bool
    factor: float
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Reasons:
    """``best_in`` is what the plan alone has most of, among those that meet the conditions.

    ``is_warned_of_least``: it comes first for that, before one that is worth more for the wishes.
    ``differences`` from the plan ``against`` (None where it is the only one), those that weigh most first.
    """

    is_first: bool
    best_in: tuple[Facet, ...]
    against: Prepared | None
    differences: tuple[Difference, ...]
    is_warned_of_least: bool = False

    @property
    def gains(self) -> tuple[Difference, ...]:
        """What it has over the other."""
        return tuple(one for one in self.differences if one.better)

    @property
    def costs(self) -> tuple[Difference, ...]:
        """What it gives up."""
        return tuple(one for one in self.differences if not one.better)


_MERIT = {
    Facet.SPACE: "space",
    Facet.FAILURES: "safety",
    Facet.SHARE: "safety",
    Facet.LOSS: "safety",
    Facet.READING: "reading",
    Facet.WRITING: "writing",
    Facet.RANDOM: "random",
}


def reasons_of(ordered: Sequence[Prepared], meeting: int, weights: Mapping[str, float]) -> tuple[Reasons, ...]:
    """The reasons of each plan in ``ordered``, of which the first ``meeting`` meet the conditions.

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
    """The one that has most of ``facet`` by more than a difference; None where several have, or it is alone."""
    if len(items) < 2:
        return None
    first, second = sorted(items, key=lambda item: -_amount(item, facet))[:2]
    return first if _amount(first, facet) > _amount(second, facet) * _least(facet) else None


def _amount(item: Prepared, facet: Facet) -> float:
    """More is better; its factors are what is told."""
    amounts: dict[Facet, float] = {
        Facet.SPACE: item.array_bytes,
        Facet.LOSS: 1 / max(item.array_loss, LEAST_LOSS),
        Facet.READING: item.merits.reading,
        Facet.WRITING: item.merits.writing,
        Facet.RANDOM: item.merits.random,
    }
    return amounts[facet]


def _least(facet: Facet) -> float:
    return {Facet.SPACE: _SPACE, Facet.LOSS: _LOSS}.get(facet, _SPEED)


def differences(item: Prepared, other: Prepared, weights: Mapping[str, float]) -> tuple[Difference, ...]:
    """Return how ``item`` differs from ``other``, those differences that weigh most first."""

    def weighed(one: Difference) -> Difference:
        merit = _MERIT.get(one.facet)
        if merit is None:
            return one
        mine: float = getattr(item.merits, merit)
        theirs: float = getattr(other.merits, merit)
        return replace(one, weight=weights[merit] * abs(mine - theirs))

    return tuple(sorted(map(weighed, _found(item, other)), key=lambda one: -one.weight))


def _found(item: Prepared, other: Prepared) -> Iterator[Difference]:
    if item.survives != other.survives:
        yield Difference(Facet.FAILURES, item.survives > other.survives, abs(item.survives - other.survives) + 1)
    else:
        apart = abs(item.share - other.share)
        if apart > _SHARE:
            yield Difference(Facet.SHARE, item.share > other.share, 1 + apart)
    for facet in (Facet.SPACE, Facet.LOSS, *SPEEDS):
        mine, theirs = _amount(item, facet), _amount(other, facet)
        factor = max(mine, theirs) / min(mine, theirs)
        if factor > _least(facet):
            yield Difference(facet, mine > theirs, factor)
    if item.plan.is_nested != other.plan.is_nested:
        yield Difference(Facet.NESTED, other.plan.is_nested, 1.0)
    scattered = has_scattered_copies(item.plan)
    if scattered != has_scattered_copies(other.plan) and {item.plan.level, other.plan.level} <= _COPYING:
        yield Difference(Facet.SCATTERED, not scattered, 1.0)
