"""Arrays with spares: our figures against an independent Markov chain.

A state is how each disk fares (working, waiting for a replacement, being rebuilt), the spares in hand and the
replacements on order. Every failure orders one, which arrives after an exponential wait; a failed disk takes a spare
in hand, or waits for the next arrival that no other takes. States that only permute disks are taken as one where
that changes nothing. The transition matrix is a Taylor series over a short step, squared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import starmap

import numpy as np
from raidwright.analysis.reliability.assumptions import AssumedRange, Assumptions
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.model.plan import Member, Plan

from .comparison import Comparison
from .published import plan_of

WITHIN = 0.02
YEARS = 5.0
NOTICE_HOURS, REBUILD_MB_S, TIMES = 8.0, 120.0, 2.0
WORKS, WAITS, REBUILDS = "works", "waits", "rebuilds"
Disks = tuple[str, ...]
State = tuple[Disks, int, int]  # each disk, spares in hand, replacements on order
LOST: State = ((), 0, 0)


@dataclass(frozen=True, slots=True)
class Array:
    """``fatal`` says it of the failed slots; disks ``beside`` one another hurry one another; ``alike`` may permute."""

    fatal: Callable[[frozenset[int]], bool]
    beside: Callable[[int], range]
    alike: Callable[[Disks], Disks]


def threshold(disks: int, most: int) -> Array:
    """Any ``most`` may fail."""
    return Array(lambda failed: len(failed) > most, lambda _slot: range(disks), lambda state: tuple(sorted(state)))


def mirrors(copies: int) -> Array:
    """Near copies on neighbours: lost with all of a group."""

    def group(slot: int) -> range:
        first = slot // copies * copies
        return range(first, first + copies)

    def alike(state: Disks) -> Disks:
        groups = sorted(tuple(sorted(state[at : at + copies])) for at in range(0, len(state), copies))
        return tuple(disk for one in groups for disk in one)

    return Array(lambda failed: any(failed.issuperset(group(slot)) for slot in failed), group, alike)


def ring(disks: int) -> Array:
    """Two far copies: lost with two neighbours, the last and the first included."""

    def turned(state: Disks) -> Disks:
        sides = (state, state[::-1])
        return min(side[turn:] + side[:turn] for side in sides for turn in range(disks))

    return Array(
        lambda failed: any((slot + 1) % disks in failed for slot in failed), lambda _slot: range(disks), turned
    )


@dataclass(frozen=True, slots=True)
class Pace:
    """Per hour: a disk's failure, ``times`` it beside a failed one, an order's arrival, a rebuild's end."""

    failure: float
    times: float
    arrival: float
    rebuild: float


def _next(array: Array, pace: Pace, state: State) -> Iterator[tuple[State, float]]:
    disks, spares, ordered = state

    def after(slot: int, fate: str, spares: int, ordered: int) -> State:
        return array.alike((*disks[:slot], fate, *disks[slot + 1 :])), spares, ordered

    failed = frozenset(slot for slot, fate in enumerate(disks) if fate != WORKS)
    waiting = [slot for slot in failed if disks[slot] == WAITS]
    for slot, fate in enumerate(disks):
        if fate == WORKS:
            rate = pace.failure * (pace.times if failed.intersection(array.beside(slot)) else 1.0)
            if array.fatal(failed | {slot}):
                yield LOST, rate
            elif spares:
                yield after(slot, REBUILDS, spares - 1, ordered + 1), rate
            else:
                yield after(slot, WAITS, 0, ordered + 1), rate
        elif fate == REBUILDS:
            yield after(slot, WORKS, spares, ordered), pace.rebuild
    if ordered and not waiting:
        yield (disks, spares + 1, ordered - 1), ordered * pace.arrival
    for slot in waiting:
        yield after(slot, REBUILDS, spares, ordered - 1), ordered * pace.arrival / len(waiting)


def exact_loss(array: Array, disks: int, spares: int, pace: Pace, hours: float) -> float:
    """The probability that the array is lost within ``hours``."""
    start: State = ((WORKS,) * disks, spares, 0)
    place, flows, todo = {LOST: 0, start: 1}, defaultdict[tuple[int, int], float](float), [start]
    while todo:
        state = todo.pop()
        for reached, rate in _next(array, pace, state):
            if reached not in place:
                place[reached] = len(place)
                todo.append(reached)
            flows[place[state], place[reached]] += rate
    matrix = np.zeros((len(place), len(place)))
    for (row, column), rate in flows.items():
        matrix[row, column] = rate
    matrix -= np.diag(matrix.sum(axis=1))
    halvings = 40
    step = term = np.eye(len(matrix)) + 0.0
    for power in range(1, 8):
        term = term @ matrix * (hours / 2**halvings / power)
        step = step + term
    for _ in range(halvings):
        step = step @ step
    return float(step[1, 0])


def compare(array: Array, plan: Plan, spares: int, afr: float, replacement_hours: float) -> Comparison:
    """Of ``plan`` with so many spares, 8 TB disks and ``afr`` a year: the loss in five years."""
    disks = len(plan.array.members)
    spared = plan.on(replace(plan.array, spares=tuple(Member(f"spare-{one}", 8 * 10**12) for one in range(spares))))
    capacity = capacity_of(spared.top)
    rebuild_hours = max(capacity.member_sectors) * 512 / (REBUILD_MB_S * 1e6 * 3600)
    pace = Pace(afr / 8760, TIMES, 1 / (NOTICE_HOURS + replacement_hours), 1 / rebuild_hours)
    assumptions = Assumptions(
        failure_rate=AssumedRange.given(afr),
        notice_hours=AssumedRange.given(NOTICE_HOURS),
        replacement_hours=AssumedRange.given(replacement_hours),
        rebuild_mb_s=AssumedRange.given(REBUILD_MB_S),
        batch_factor=AssumedRange.given(TIMES),
    )
    found, _sectors = likely_loss(spared, assumptions, YEARS, capacity)
    said = exact_loss(array, disks, spares, pace, YEARS * 8760)
    what = (
        f"{plan.array.level} {plan.array.layout or ''} ×{disks} + {spares}, {afr:.2%} a year, {replacement_hours:g} h"
    )
    return Comparison.relative("spares", what, said, found, WITHIN)


Case = tuple[Array, Plan, int, float, float]


def cases() -> list[Case]:
    """Levels, numbers of spares, failure rates, and replacements from a day to a month."""
    arrays = [
        *((threshold(n, n - 1), plan_of("raid1", n)) for n in (2, 3, 4)),
        *((threshold(n, 1), plan_of("raid5", n)) for n in (3, 8)),
        *((threshold(n, 2), plan_of("raid6", n)) for n in (4, 12, 24)),
        *((mirrors(2), plan_of("raid10", n, "n2")) for n in (4, 8, 12)),
        *((mirrors(3), plan_of("raid10", n, "n3")) for n in (6, 9)),
        *((ring(n), plan_of("raid10", n, layout)) for n, layout in ((4, "f2"), (6, "o2"), (7, "f2"), (8, "f2"))),
    ]
    return [
        (array, plan, count, afr, hours)
        for array, plan in arrays
        for count in (1, 2, 3)
        for afr in (0.0157, 0.04, 0.2)
        for hours in (24.0, 72.0, 336.0, 720.0)
    ]


def spares() -> Iterator[Comparison]:
    """All cases."""
    return starmap(compare, cases())
