"""A group's chain with the spares of its array: which failed disks have a replacement, and how many are on order.

Every failure orders a replacement, which comes after a wait of its own. A failed disk takes a spare that stands by,
or else the next replacement that comes and that no other takes; its rebuild starts then. With s spares and o
replacements on order, o − s disks wait (none while o ≤ s): (what has failed, o) says it all for an array that is one
group. Where groups share the spares a state also says how many of the waiting disks are the group's own; the others'
failures come in at a constant rate, and whose turn it is is drawn among those that wait.

Of the failed disks each is as likely to be the one that waits as any other: so it is where all are alike and, since
turning and mirroring exchange them, where two failed disks of a ring are. Spares that stand by don't fail.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb, exp
from typing import NamedTuple

import numpy as np

from .chains import Chain, Moves, chain_of
from .groups import Shape, Threshold

_FEWEST_STATES, _MOST_STATES = 4, 24
_DEEPER = 4  # failures beyond what any set of them survives: more are taken for lost
_MOST_SPARES = 8
_ROOM = 64  # for states that differ in how many have failed and how many are on order
_UNLIKELY = 1e-6
_MOST_ELSEWHERE = 16


class _State(NamedTuple):
    failed: int  # a state of the chain without spares
    ordered: int
    waiting: int  # of the group's own disks


@dataclass(frozen=True, slots=True)
class Spares:
    """``spares`` stand by for the group and for groups elsewhere, which have up to ``elsewhere`` more on order."""

    spares: int
    elsewhere: int = 0

    @classmethod
    def shared(cls, spares: int, on_order: float) -> Spares:
        """Where the others have a Poisson number on order, of mean ``on_order``: what is unlikely is left out."""
        chance = left = exp(-on_order)
        most = 0
        while most < _MOST_ELSEWHERE and 1 - left > _UNLIKELY:
            most += 1
            chance *= on_order / most
            left += chance
        return cls(spares, most)


@lru_cache(maxsize=256)
def spared_chain(shape: Shape, weights: tuple[float, ...] | None, spares: Spares) -> Chain:
    """The chain of a group for which ``spares`` stand by. Exact for disks that are alike and share with no others.

    Of many spares ``_MOST_SPARES`` count; sets of more failures than a quick answer has room for are taken for lost.
    """
    alike = isinstance(shape, Threshold) and (weights is None or len(set(weights)) == 1)
    exact = alike and not spares.elsewhere and spares.spares <= _MOST_SPARES
    spares = replace(spares, spares=min(spares.spares, _MOST_SPARES))
    most_states = max(_FEWEST_STATES, _MOST_STATES // (spares.spares + 2))
    deepest = max(k for k in range(_ROOM) if (k + 1) * (spares.spares + 1 + k / 2) <= _ROOM)
    most_failed = deepest if isinstance(shape, Threshold) else min(deepest, _survives(shape) + _DEEPER)
    plain = chain_of(shape, weights, most_states, most_failed)
    return _Growing(plain, spares).chain(exact=exact and plain.exact)


def _survives(shape: Shape) -> int:
    """How many failures a shape survives whichever they are."""
    weights = (1,) * shape.disks
    counts = [sets for sets, _sum in shape.weighed(weights)]
    return next((k for k, sets in enumerate(counts) if sets < comb(shape.disks, k)), len(counts)) - 1


class _Growing:
    """The states that are reached, and the moves between them. Lives only while ``spared_chain`` runs."""

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
        """Of each kind: where to (None: the loss), and in how many ways."""
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
        in_line = max(0, ordered - self.spares.spares)  # all disks that wait, others' included
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
