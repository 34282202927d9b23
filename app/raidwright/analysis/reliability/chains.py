"""A group of disks as a Markov chain of its failures, with symmetric states merged.

Up to some number of failures the states are the failed sets themselves, up to symmetry; for parity, mirrors and near
copies, and for far copies on few disks, that is all of them, and the chain is exact. Beyond ``MAX_STATES``
states, sets of more failures are distinguished by their size only. The chain of sets is reversible, and in
equilibrium the probability of each surviving set of k failures is proportional to the product of its disks' rates
(all are equal if the rates are), so that the exact, weighted survival counts give the rates between sizes.

The error of a loss is of the order of (failure rate × repair time)² of the contribution of such sets, which is
small already, and zero without repair. Lost sectors also use the mean number of exposed disks of such sets, which
was off by up to 5% where sets of many failures are frequent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from .groups import Shape, Threshold

MAX_STATES = 12
MAX_DISKS = 1920  # md's limit
_SCALE = 10**6  # weights as integers
_MAX_FAILED = 32  # so many missing at once are practically impossible
_DEEPER = 6  # likewise, so many more than some set of failures survives


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Transitions between states, one per index: ``origin``, ``to``, and the factor of a rate."""

    origin: NDArray[np.int64]
    to: NDArray[np.int64]
    ways: NDArray[np.float64]

    @classmethod
    def of(cls, moves: Iterable[tuple[int, int, float]] = ()) -> Moves:
        """Make them of (origin, to, factor), each pair of states once."""
        columns = np.array(list(moves), dtype=np.float64).reshape(-1, 3)
        return cls(columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2])


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """States 0 (nothing failed) to ``states`` − 1; state ``states`` is the loss.

    ``failed`` is each state's number of failures, ``exposed`` the number of disks whose failure would be the loss.
    ``failures`` count the disks (times each one's weight), ``repairs`` the disks restored. With spares (``spares``),
    ``arrivals`` count the replacements on order, and ``elsewhere`` are failures of other groups that share the spares.
    ``exact`` is False if states merge sets that differ.
    """

    failed: NDArray[np.int64]
    exposed: NDArray[np.float64]
    failures: Moves
    repairs: Moves
    exact: bool
    arrivals: Moves = field(default_factory=Moves.of)
    elsewhere: Moves = field(default_factory=Moves.of)

    @property
    def states(self) -> int:
        """Number of states before the loss."""
        return len(self.failed)

    @property
    def most_failed(self) -> int:
        """Maximum number of failures in a state."""
        return int(self.failed.max())


@dataclass(slots=True)
class _State:
    """A state under construction: one of its sets, the weight of all its sets, and its transitions by failure."""

    number: int
    failed: int
    some_set: int
    weight: float
    fatal_disks: float = 0.0
    fatal_ways: float = 0.0
    safe: dict[Hashable, float] = field(default_factory=dict)


def survives(shape: Shape) -> int:
    """Return the number of failures that a shape survives in any combination."""
    counts = [sets for sets, _sum in shape.weighed((1,) * shape.disks)]
    return next((k for k, sets in enumerate(counts) if sets < comb(shape.disks, k)), len(counts)) - 1


@lru_cache(maxsize=512)
def deepest(shape: Shape) -> int:
    """Return the number of failures beyond which a loss practically never gets without having happened already."""
    return _MAX_FAILED if isinstance(shape, Threshold) else min(_MAX_FAILED, survives(shape) + _DEEPER)


@lru_cache(maxsize=512)
def chain_of(
    shape: Shape,
    weights: tuple[float, ...] | None = None,
    most_states: int = MAX_STATES,
    most_failed: int = MAX_DISKS,
) -> Chain:
    """Return the chain of a group. ``weights``: each disk's failure rate in multiples of the mean, None if all equal.

    Sets of more than ``most_failed`` disks count as lost.
    """
    return _Growing(shape, weights, most_states, most_failed).chain()


class _Growing:
    """Builder of a chain, failure by failure. Lives only while ``chain_of`` runs."""

    def __init__(self, shape: Shape, weights: tuple[float, ...] | None, most_states: int, most_failed: int) -> None:
        self.shape = shape
        self.most_failed, self.is_cut = most_failed, False
        self.weights = weights or (1.0,) * shape.disks
        self.uneven = len(set(self.weights)) > 1
        # a threshold's state is its number of failures: there are never many states, and no need to merge any
        self.most_states = shape.disks + 1 if isinstance(shape, Threshold) and not self.uneven else most_states
        classes = sorted(set(self.weights))
        self.classes = [sum(1 << i for i, own in enumerate(self.weights) if own == one) for one in classes]
        self.states: list[_State] = []
        self.up: list[tuple[int, int, float]] = []
        self.down: list[tuple[int, int, float]] = []

    def chain(self) -> Chain:
        level = {self._alike(0): _State(0, 0, 0, 1.0)}
        self.states += level.values()
        while level:
            reached = self._look_ahead(level)
            if len(self.states) + len(reached) > self.most_states:
                self._count_the_rest(level)
                break
            level = self._grow(level, reached)
        self.up += [(one.number, len(self.states), one.fatal_ways) for one in self.states if one.fatal_ways]
        return self._as_arrays(exact=not level and not self.is_cut)

    def _alike(self, failed: int) -> Hashable:
        if not self.uneven:
            return self.shape.alike(failed)
        if isinstance(self.shape, Threshold):
            return tuple((failed & same).bit_count() for same in self.classes)
        return failed

    def _look_ahead(self, level: dict[Hashable, _State]) -> dict[Hashable, int]:
        """Find each state's transitions by one more failure; return the next states' keys, with a set of each."""
        reached: dict[Hashable, int] = {}
        for state in level.values():
            safe = defaultdict[Hashable, float](float)
            for disk, weight in enumerate(self.weights):
                after = state.some_set | 1 << disk
                if after == state.some_set:
                    continue
                fatal = self.shape.fatal(after)
                state.fatal_disks += fatal
                if fatal or state.failed == self.most_failed:
                    state.fatal_ways += weight
                    self.is_cut |= not fatal
                else:
                    key = self._alike(after)
                    reached.setdefault(key, after)
                    safe[key] += weight
            state.safe = dict(safe)
        return reached

    def _grow(self, level: dict[Hashable, _State], reached: dict[Hashable, int]) -> dict[Hashable, _State]:
        following: dict[Hashable, _State] = {}
        for key, some_set in reached.items():
            state = _State(len(self.states), some_set.bit_count(), some_set, 0.0)
            following[key] = state
            self.states.append(state)
            repairs = defaultdict[Hashable, int](int)
            for disk in range(self.shape.disks):
                if some_set >> disk & 1:
                    repairs[self._alike(some_set ^ 1 << disk)] += 1
            for before, disks in repairs.items():
                self.down.append((state.number, level[before].number, disks))
                # in equilibrium as many failures lead here as repairs lead back
                state.weight = level[before].weight * level[before].safe[key] / disks
        for before in level.values():
            self.up += [(before.number, following[key].number, ways) for key, ways in before.safe.items()]
        return following

    def _count_the_rest(self, level: dict[Hashable, _State]) -> None:
        """Add states by number of failures alone, above the sets of ``level``."""
        below = list(level.values())
        for k, (safe, fatal) in enumerate(self._rates_between_numbers()):
            if k <= below[0].failed:
                continue
            deepest = k == self.most_failed
            ways = float(fatal + safe if deepest else fatal)
            state = _State(len(self.states), k, 0, 1.0, float(fatal), ways, {} if deepest else {None: float(safe)})
            self.states.append(state)
            flows = [one.weight * sum(one.safe.values()) for one in below]
            for one, flow in zip(below, flows, strict=True):
                if flow:
                    self.up.append((one.number, state.number, sum(one.safe.values())))
                    self.down.append((state.number, one.number, k * flow / sum(flows)))
            if deepest:
                return
            below = [state]

    def _rates_between_numbers(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield, for k = 0, 1 … failures that lose nothing, the number of safe and of fatal ways to one more."""
        scale = _SCALE if self.uneven else 1
        whole = [round(weight * scale) for weight in self.weights]
        sums = (*self.shape.weighed(whole), (0, 0))
        for k, ((weight, times_sum), (next_weight, _)) in enumerate(pairwise(sums)):
            if not weight:
                return
            more = (k + 1) * next_weight
            yield Fraction(more, weight * scale), Fraction(sum(whole) * weight - times_sum - more, weight * scale)

    def _as_arrays(self, exact: bool) -> Chain:
        return Chain(
            failed=np.array([state.failed for state in self.states], dtype=np.int64),
            exposed=np.array([state.fatal_disks for state in self.states]),
            failures=Moves.of(self.up),
            repairs=Moves.of(self.down),
            exact=exact,
        )
