"""A group's chain with the spares of its array: failed disks with a replacement, and replacements on order.

Every failure orders a replacement, which arrives after an independent delay. A failed disk takes an available spare,
or else the next replacement to arrive that no other disk takes; its rebuild starts then. With s spares and o
replacements on order, o − s disks wait (none while o ≤ s): (failed set, o) is the complete state for an array of one
group. If groups share the spares, a state also has the number of the group's own disks among those waiting; the
others' failures arrive at a constant rate, and the next disk served is drawn at random among those waiting.

Each failed disk is equally likely to be the one waiting: exact if all are equal and, by rotation and reflection,
for two failed disks of a ring. Spares don't fail before use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp
from typing import NamedTuple

import numpy as np

from .chains import Chain, Moves, chain_of, survives
from .groups import Shape, Threshold

_FEWEST_STATES, _MAX_STATES = 4, 12
_DEEPER = 4  # failures beyond what any set survives: more count as lost
_MAX_SPARES = 8
_ROOM = 64  # for states that differ in the numbers of failures and of orders
_UNLIKELY = 1e-6
_MAX_ELSEWHERE = 16


class _State(NamedTuple):
    failed: int  # a state of the chain without spares
    ordered: int
    waiting: int  # of the group's own disks


@dataclass(frozen=True, slots=True)
class Spares:
    """``spares`` are available to the group and to other groups, which have up to ``elsewhere`` more on order."""

    spares: int
    elsewhere: int = 0

    @classmethod
    def shared(cls, spares: int, on_order: float) -> Spares:
        """Make spares shared with others that have a Poisson number on order, of mean ``on_order``, truncated."""
        chance = left = exp(-on_order)
        most = 0
        while most < _MAX_ELSEWHERE and 1 - left > _UNLIKELY:
            most += 1
            chance *= on_order / most
            left += chance
        return cls(spares, most)


@lru_cache(maxsize=256)
def spared_chain(shape: Shape, weights: tuple[float, ...] | None, spares: Spares) -> Chain:
    """Return the chain of a group with ``spares``. Exact for equal disks that share with no others.

    At most ``_MAX_SPARES`` count; sets of more failures than a quick solution allows count as lost.
    """
    alike = isinstance(shape, Threshold) and (weights is None or len(set(weights)) == 1)
    exact = alike and not spares.elsewhere and spares.spares <= _MAX_SPARES
    spares = replace(spares, spares=min(spares.spares, _MAX_SPARES))
    most_states = max(_FEWEST_STATES, _MAX_STATES // (spares.spares + 2))
    deepest = max(k for k in range(_ROOM) if (k + 1) * (spares.spares + 1 + k / 2) <= _ROOM)
    most_failed = deepest if isinstance(shape, Threshold) else min(deepest, survives(shape) + _DEEPER)
    plain = chain_of(shape, weights, most_states, most_failed)
    return _Growing(plain, spares).chain(exact=exact and plain.exact)


class _Growing:
    """Builder of the reachable states and their transitions. Lives only while ``spared_chain`` runs."""

    def __init__(self, plain: Chain, spares: Spares) -> None:
        self.plain, self.spares = plain, spares
        self.failures, self.repairs = _by_origin(plain.failures), _by_origin(plain.repairs)
        self.most_ordered = spares.spares + plain.most_failed + spares.elsewhere

    def chain(self, *, exact: bool) -> Chain:
        start = _State(0, 0, 0)
        place, todo = {start: 0}, [start]
        moves: dict[str, list[tuple[_State, _State | None, float]]] = defaultdict(list)
        for state in todo:  # grows meanwhile
            for kind, reached, ways in self._moves(state):
                moves[kind].append((state, reached, ways))
                if reached is not None and reached not in place:
                    place[reached] = len(place)
                    todo.append(reached)
        failed = np.array([state.failed for state in place])

        def of(kind: str) -> Moves:
            return Moves.of((place[a], len(place) if b is None else place[b], ways) for a, b, ways in moves[kind])

        return Chain(
            failed=self.plain.failed[failed],
            exposed=self.plain.exposed[failed],
            failures=of("failures"),
            repairs=of("repairs"),
            exact=exact,
            arrivals=of("arrivals"),
            elsewhere=of("elsewhere"),
        )

    def _moves(self, state: _State) -> Iterator[tuple[str, _State | None, float]]:
        """Yield transitions: the kind, the next state (None: the loss), and the factor."""
        failed, ordered, waiting = state
        more, spare = min(ordered + 1, self.most_ordered), ordered < self.spares.spares
        for after, ways in self.failures[failed]:
            lost = after == self.plain.states
            yield "failures", None if lost else _State(after, more, waiting + (not spare)), ways
        count = int(self.plain.failed[failed])
        for after, disks in self.repairs[failed] if count > waiting else ():
            yield "repairs", _State(after, ordered, waiting), disks * (count - waiting) / count
        if self.spares.elsewhere and more > ordered:
            yield "elsewhere", _State(failed, more, waiting), 1.0
        in_line = max(0, ordered - self.spares.spares)  # all waiting disks, others' included
        own = waiting / in_line if in_line else 0.0
        if own:
            yield "arrivals", _State(failed, ordered - 1, waiting - 1), ordered * own
        if ordered and own < 1:
            yield "arrivals", _State(failed, ordered - 1, waiting), ordered * (1 - own)


def _by_origin(moves: Moves) -> dict[int, list[tuple[int, float]]]:
    by_origin: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for origin, to, ways in zip(moves.origin.tolist(), moves.to.tolist(), moves.ways.tolist(), strict=True):
        by_origin[origin].append((to, ways))
    return by_origin
