"""The search for lost members: which disks may be in which slots, ranked by what their stripes say.

A disk that no superblock names is a guess. So a way with a slot left empty comes before one that fills it, unless the
stripes prove that the disk belongs there; what the stripes contradict isn't a way at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, islice, permutations
from math import comb, perm

from raidwright.core.model.plan import MdArray

from .hypothesis import RescueReason
from .stripes import Compared, Proof, StripeShape

MAX_QUESTIONS = 1000
_MANY = 16  # blocks
_MAX_ORDERS = 20_000  # looked through; more are said to be left out

Order = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Search:
    """Slots to fill: ``known`` are the disks by slot, ``empty`` the slots for which there are ``candidates``.

    ``counts`` are how many of these slots are filled, in the order to try it, and ``fewer`` those to try if the stripes
    contradict all of these. ``stated`` is the reason if ``known`` alone is a way, as a card says it.
    """

    plan: MdArray
    uuid: str
    known: Order
    empty: tuple[int, ...]
    candidates: tuple[str, ...]
    counts: tuple[int, ...]
    fewer: tuple[int, ...] = ()
    stated: RescueReason | None = None

    def first(self) -> Order | None:
        """Return the order with the most members, or None."""
        if not self.counts:
            return self.known if any(self.known) else None
        return next(self._orders(max(self.counts)), None)

    def _orders(self, count: int) -> Iterator[Order]:
        for places in combinations(self.empty, count):
            for disks in permutations(self.candidates, count):
                filled = list(self.known)
                for slot, disk in zip(places, disks, strict=True):
                    filled[slot] = disk
                yield tuple(filled)

    def questions(self, *, has_places: bool) -> tuple[Order, ...]:
        """Return the orders of which the stripes are compared: one of each set, where the order makes no difference."""
        ways = chain.from_iterable(map(self._orders, (*reversed(self.counts), *self.fewer)))
        stated = (self.known,) if self.stated else ()
        asked: dict[Order, Order] = {}
        for order in islice(chain(stated, ways), _MAX_ORDERS):
            asked.setdefault(_key(order, has_places=has_places), order)
            if len(asked) >= MAX_QUESTIONS:
                break
        return tuple(asked.values())

    def narrowed(self, proven: Collection[str]) -> Search:
        """Return the search among the disks ``proven`` to be members, if they are enough."""
        some = tuple(disk for disk in self.candidates if disk in proven)
        return replace(self, candidates=some) if len(some) >= max(self.counts, default=1) else self

    @property
    def size(self) -> int:
        """Number of orders."""
        return sum(comb(len(self.empty), count) * perm(len(self.candidates), count) for count in self.counts)

    def ranked(self, evidence: Evidence, kept: Collection[str]) -> Ranked:
        """Return the orders by rank. ``kept`` are the disks whose superblock is the array's."""
        asked = self._ranked(self.counts, evidence, kept)
        return asked if asked.orders or not self.fewer else self._ranked(self.fewer, evidence, kept)

    def _ranked(self, counts: Collection[int], evidence: Evidence, kept: Collection[str]) -> Ranked:
        by_proof: dict[Proof, list[Order]] = {proof: [] for proof in Proof}
        for order in islice(chain.from_iterable(map(self._orders, counts)), _MAX_ORDERS):
            by_proof[evidence.proof(order, kept)].append(order)
        total = replace(self, counts=tuple(counts)).size
        agree = by_proof[Proof.AGREES]
        proven = [set(order) for order in agree]
        untold = [order for order in by_proof[Proof.UNTOLD] if not any(set(order) - {None} <= one for one in proven)]
        refuted = len(by_proof[Proof.CONTRADICTS])
        looked = sum(map(len, by_proof.values()))
        return Ranked((*agree, *untold, *by_proof[Proof.DOUBTFUL]), refuted, total - looked)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Orders, the best first; how many more the stripes contradict, and how many nobody looked at."""

    orders: tuple[Order, ...] = ()
    refuted: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stripes of the orders that were compared, by what makes a difference; without any, nothing is told."""

    has_places: bool = False
    found: Mapping[Order, tuple[Order, Compared]] = field(default_factory=dict)

    @classmethod
    def of(cls, compared: Mapping[Order, Compared], *, has_places: bool) -> Evidence:
        """Return the evidence of ``compared`` orders."""
        by_key = {_key(order, has_places=has_places): (order, one) for order, one in compared.items()}
        return cls(has_places, by_key)

    def proven(self, kept: Collection[str]) -> set[str]:
        """Return the disks of which the stripes prove that they are members."""
        agree = (order for order, _ in self.found.values() if self.proof(order, kept) is Proof.AGREES)
        return {disk for order in agree for disk in order if disk}

    def proof(self, order: Order, kept: Collection[str]) -> Proof:
        """Return what the stripes say of ``order``."""
        known = self.found.get(_key(order, has_places=self.has_places))
        if known is None:
            return Proof.UNTOLD
        asked, compared = known
        return compared.proof([slot for slot, disk in enumerate(asked) if disk and disk not in kept])


def is_blank(told: Mapping[str, Compared], disk: str, kept: Collection[str]) -> bool:
    """Return whether ``disk`` is zero wherever the answer ``told`` looked, and some of the ``kept`` members aren't."""
    have_data = any(told[one].told >= _MANY for one in kept if one in told)
    return have_data and disk in told and told[disk].looked >= _MANY and not told[disk].told


def _key(order: Order, *, has_places: bool) -> Order:
    return order if has_places else tuple(sorted(order, key=lambda disk: disk or ""))


def shape_of(plan: MdArray) -> StripeShape:
    """Return the shape of an array whose superblocks are made anew by ``plan``."""
    return StripeShape(
        plan.level,
        len(plan.members),
        (plan.component_size_kib or 0) * 1024,
        plan.effective_chunk_kib * 1024,
        plan.effective_layout,
    )
