"""A group of disks as a Markov chain of what has failed, with states that symmetry makes the same taken as one.

Up to some number of failures the states are the failed sets themselves, up to symmetry; for parity, mirrors and near
copies, and for far copies on few disks, that is all of them, and the chain is exact. Where there would be more than
``MOST_STATES``, sets of more failures are told apart by their number alone. The chain of sets is reversible, and in
its balance all surviving sets of k failures are equally likely, so that the exact counts of survival give the rates
between numbers; what that leaves out is of the order of (failure rate × repair time)² of what such sets contribute,
which is little already, and nothing at all when nothing is repaired.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .groups import Shape, Threshold

MOST_STATES = 24


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """States 0 (nothing failed) to ``states`` − 1; ``states`` itself is the loss.

    ``failed`` counts each state's failures, ``exposed`` the disks whose failure would be the loss. ``up`` are failures:
    from, to, in how many ways (times the disk's own weight). ``down`` are repairs: from, to, of how many disks.
    ``exact`` is False where states hold sets that differ.
    """

    failed: NDArray[np.int64]
    exposed: NDArray[np.float64]
    up_from: NDArray[np.int64]
    up_to: NDArray[np.int64]
    up_ways: NDArray[np.float64]
    down_from: NDArray[np.int64]
    down_to: NDArray[np.int64]
    down_disks: NDArray[np.float64]
    exact: bool

    @property
    def states(self) -> int:
        """States before the loss."""
        return len(self.failed)

    @property
    def most_failed(self) -> int:
        """The most failures that a state has."""
        return int(self.failed[-1])


@dataclass(slots=True)
class _State:
    """A state while the chain grows: one of its sets, how many sets it stands for, and where its failures lead."""

    number: int
    failed: int
    some_set: int
    sets: Fraction
    fatal_disks: Fraction = Fraction(0)
    fatal_ways: float = 0.0
    safe: dict[Hashable, float] = field(default_factory=dict)
    safe_disks: dict[Hashable, int] = field(default_factory=dict)


@lru_cache(maxsize=512)
def chain_of(shape: Shape, weights: tuple[float, ...] | None = None, most_states: int = MOST_STATES) -> Chain:
    """The chain of a group. ``weights``: each disk's failure rate in multiples of the mean, None when all are alike.

    With unequal weights there are no counts to fall back on: sets beyond ``most_states`` are left out, which errs
    on the hopeful side by about (disks × failure rate × repair time) to the power of the failures kept.
    """
    return _Growing(shape, weights, most_states).chain()


class _Growing:
    """A chain that grows failure by failure. Lives only while ``chain_of`` runs."""

    def __init__(self, shape: Shape, weights: tuple[float, ...] | None, most_states: int) -> None:
        self.shape = shape
        self.weights = weights or (1.0,) * shape.disks
        self.uneven = len(set(self.weights)) > 1
        # how many have failed says all of a threshold: there are never many states, and no need to leave any out
        self.most_states = shape.disks + 1 if isinstance(shape, Threshold) and not self.uneven else most_states
        classes = sorted(set(self.weights))
        self.classes = [sum(1 << i for i, own in enumerate(self.weights) if own == one) for one in classes]
        self.states: list[_State] = []
        self.up: list[tuple[int, int, float]] = []
        self.down: list[tuple[int, int, float]] = []

    def chain(self) -> Chain:
        level = {self._alike(0): _State(0, 0, 0, Fraction(1))}
        self.states += level.values()
        while level:
            reached = self._look_ahead(level)
            if len(self.states) + len(reached) > self.most_states:
                if not self.uneven:
                    self._count_the_rest(level)
                break
            level = self._grow(level, reached)
        self.up += [(one.number, len(self.states), one.fatal_ways) for one in self.states if one.fatal_ways]
        return self._as_arrays(exact=not level)

    def _alike(self, failed: int) -> Hashable:
        if not self.uneven:
            return self.shape.alike(failed)
        if isinstance(self.shape, Threshold):
            return tuple((failed & same).bit_count() for same in self.classes)
        return failed

    def _look_ahead(self, level: dict[Hashable, _State]) -> dict[Hashable, int]:
        """Where one more failure leads from each state; returns the next states' keys, with a set of each."""
        reached: dict[Hashable, int] = {}
        for state in level.values():
            safe, disks = defaultdict[Hashable, float](float), defaultdict[Hashable, int](int)
            for disk, weight in enumerate(self.weights):
                after = state.some_set | 1 << disk
                if after == state.some_set:
                    continue
                if self.shape.fatal(after):
                    state.fatal_ways += weight
                    state.fatal_disks += 1
                else:
                    key = self._alike(after)
                    reached.setdefault(key, after)
                    safe[key] += weight
                    disks[key] += 1
            state.safe, state.safe_disks = dict(safe), dict(disks)
        return reached

    def _grow(self, level: dict[Hashable, _State], reached: dict[Hashable, int]) -> dict[Hashable, _State]:
        following: dict[Hashable, _State] = {}
        for key, some_set in reached.items():
            state = _State(len(self.states), some_set.bit_count(), some_set, Fraction(0))
            following[key] = state
            self.states.append(state)
            repairs = defaultdict[Hashable, int](int)
            for disk in range(self.shape.disks):
                if some_set >> disk & 1:
                    repairs[self._alike(some_set ^ 1 << disk)] += 1
            for before, disks in repairs.items():
                self.down.append((state.number, level[before].number, disks))
                # as many failures lead here as repairs lead back
                state.sets = level[before].sets * Fraction(level[before].safe_disks[key], disks)
        for before in level.values():
            self.up += [(before.number, following[key].number, ways) for key, ways in before.safe.items()]
        return following

    def _count_the_rest(self, level: dict[Hashable, _State]) -> None:
        """States for numbers of failures alone, above the sets of ``level``."""
        shape, disks = self.shape, self.shape.disks
        k = next(iter(level.values())).failed
        below = list(level.values())
        while k < disks and shape.survivors(k + 1):
            k += 1
            here, beyond = shape.survivors(k), shape.survivors(k + 1)
            fatal = Fraction((disks - k) * here - (k + 1) * beyond, here)
            state = _State(len(self.states), k, 0, Fraction(here), fatal_disks=fatal, fatal_ways=float(fatal))
            self.states.append(state)
            pairs = {one.number: one.sets * (disks - one.failed - one.fatal_disks) for one in below}
            whole = sum(pairs.values())
            for one in below:
                safe = disks - one.failed - one.fatal_disks
                if safe:
                    self.up.append((one.number, state.number, float(safe)))
                    self.down.append((state.number, one.number, k * float(pairs[one.number] / whole)))
            below = [state]

    def _as_arrays(self, exact: bool) -> Chain:
        up = np.array(self.up, dtype=np.float64).reshape(-1, 3)
        down = np.array(self.down, dtype=np.float64).reshape(-1, 3)
        return Chain(
            failed=np.array([state.failed for state in self.states], dtype=np.int64),
            exposed=np.array([float(state.fatal_disks) for state in self.states]),
            up_from=up[:, 0].astype(np.int64),
            up_to=up[:, 1].astype(np.int64),
            up_ways=up[:, 2],
            down_from=down[:, 0].astype(np.int64),
            down_to=down[:, 1].astype(np.int64),
            down_disks=down[:, 2],
            exact=exact,
        )
