"""The few choices that lead a newcomer to a plan: failures to survive, purpose, three picks, a chunk.

Everything is taken from the ranking: a choice exists where a ranked plan stands for it, and the picks are ranked
plans. Pure; the sentences are in ``text.plan.walk``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.md.layouts import DEFAULT_CHUNK_KIB, Level
from raidwright.core.model.plan import MdArray, Member, Plan

from .candidates import Merits, Prepared
from .figures import Predictions
from .ranking import Ranking, Wishes, best_first, rank
from .reasons import RatioDifference, differences
from .speeds import predictions_of

MAX_FAILURES = 3
_MORE_SPACE, _FASTER, _SAFER = 1.05, 1.15, 2.0  # minimum factors of another pick worth looking at
_AS_MUCH = 1.05  # maximum factor of space or speed that counts as equal
_PARITY_CHUNK_KIB = 128  # of the stripe cache (1 MiB per disk) read-ahead over such chunks leaves half (of_speed)
_SMALL_PARITY_CHUNK_KIB = 64


class Purpose(StrEnum):
    """Purposes of an array."""

    FILES = "files"  # media and backups: large files in a row
    MACHINES = "machines"  # virtual machines and databases: small random I/O
    MIXED = "mixed"


_WEIGHTS: Mapping[Purpose, Wishes] = {
    Purpose.FILES: Wishes(space=80, safety=60, reading=10, writing=10, random=0),
    Purpose.MACHINES: Wishes(space=20, safety=50, reading=10, writing=10, random=90),
    Purpose.MIXED: Wishes(space=50, safety=50, reading=10, writing=10, random=30),
}


def with_purpose(wishes: Wishes, purpose: Purpose) -> Wishes:
    """Return ``wishes`` with the weights for ``purpose``; the conditions stay. Where no failure must be survived,
    safety has no weight.
    """
    weights = _WEIGHTS[purpose] if wishes.must_survive else replace(_WEIGHTS[purpose], safety=0)
    conditions = {"will_grow": wishes.will_grow, "must_boot": wishes.must_boot}
    return replace(weights, must_survive=wishes.must_survive, **conditions)


def purpose_of(wishes: Wishes) -> Purpose | None:
    """Return the purpose whose weights ``wishes`` has; None if the weights were set by hand."""
    return next((one for one in Purpose if with_purpose(wishes, one) == wishes), None)


def nearest_purpose(wishes: Wishes) -> Purpose:
    """Return the purpose nearest to weights set by hand."""
    if (known := purpose_of(wishes)) is not None:
        return known
    streams = wishes.reading + wishes.writing
    if wishes.random > 2 * streams:
        return Purpose.MACHINES
    return Purpose.MIXED if wishes.random else Purpose.FILES


@dataclass(frozen=True, slots=True)
class FailureChoice:
    """Any so many disks may fail: ``best`` is the plan for exactly that which ranks first.

    ``most_bytes`` is the space of the roomiest such plan. ``is_advised``: without a requirement of somebody's own, the
    plan that ranks first survives that much.
    """

    failures: int
    best: Prepared
    most_bytes: int
    is_advised: bool


def failure_choices(prepared: Iterable[Prepared], wishes: Wishes) -> tuple[FailureChoice, ...]:
    """Return the numbers of failures, from none to ``MAX_FAILURES``, that some plan survives and none more."""
    prepared, asked = tuple(prepared), replace(wishes, must_boot=False)
    first = rank(prepared, replace(asked, must_survive=1)).candidates[:1]
    advised = min(MAX_FAILURES, first[0].prepared.survives) if first else -1
    found = []
    for failures in range(MAX_FAILURES + 1):
        ranked = [one.prepared for one in rank(prepared, replace(asked, must_survive=failures)).candidates]
        exact = [one for one in ranked if _stands_for(one, failures)]
        if exact:
            most_bytes = max(one.array_bytes for one in exact)
            found.append(FailureChoice(failures, exact[0], most_bytes, failures == advised))
    return tuple(found)


def _stands_for(one: Prepared, failures: int) -> bool:
    return one.survives == failures if failures < MAX_FAILURES else one.survives >= failures


class PickReason(StrEnum):
    """Reasons for a pick."""

    OURS = "ours"  # best on balance
    SPACE = "space"
    FASTER = "faster"
    SAFER = "safer"


@dataclass(frozen=True, slots=True)
class Pick:
    """A ranked plan, and how it differs from the pick ``against``, those differences that weigh most first.

    ``is_less``: it survives fewer failures than were asked for.
    """

    kind: PickReason
    prepared: Prepared
    against: Prepared | None
    differences: tuple[RatioDifference, ...]
    is_less: bool = False


def picks_of(ranking: Ranking, wishes: Wishes) -> tuple[Pick, ...]:
    """Return at most three picks of ``ranking``: ours, one with more space, one that is faster; one that is safer
    where one of those doesn't exist. Empty where nothing meets the wishes.

    Only more space is offered for one failure fewer than was asked for, and only where nothing else has more.
    """
    meeting = [one.prepared for one in ranking.candidates if not one.unmet]
    if not meeting:
        return ()
    answers = _Answers.of(meeting, wishes)
    ordered = answers.in_order(meeting)
    ours = ordered[0]
    less = [
        one.prepared
        for one in ranking.candidates
        if one.unmet == ("must_survive",) and one.prepared.survives == wishes.must_survive - 1 > 0
    ]
    wanted: tuple[tuple[PickReason, list[Prepared], Callable[[Prepared], bool]], ...] = (
        (PickReason.SPACE, [*ordered, *less], lambda one: one.array_bytes > _MORE_SPACE * ours.array_bytes),
        (PickReason.FASTER, ordered, lambda one: answers.speed(one) > _FASTER * answers.speed(ours)),
        (PickReason.SAFER, ordered, lambda one: answers.is_safer_for_nothing(one, ours)),
    )
    chosen = {PickReason.OURS: ours}
    for kind, plans, is_it in wanted:
        others = [one for one in plans if all(one is not known for known in chosen.values())]
        if len(chosen) < len(wanted) and (found := next(filter(is_it, others), None)):
            chosen[kind] = found
    return tuple(_pick(kind, one, chosen, wishes) for kind, one in chosen.items())


@dataclass(frozen=True, slots=True)
class _Answers:
    """Wishes as answers to be taken at their word: safety beyond what was asked for is no gain by itself.

    More failures and spares count where they cost nothing that the purpose asks for, compared with ``plain``: the best
    plan that survives no more than was asked for, without spares. ``enough`` is the safety of the safest such plan.
    Somebody who can lose everything gets nothing else.
    """

    wishes: Wishes
    plain: Prepared
    enough: float

    @classmethod
    def of(cls, meeting: Sequence[Prepared], wishes: Wishes) -> _Answers:
        """Take ``wishes`` at their word among the plans that meet them."""
        asked = min(one.survives for one in meeting)
        exact = [one for one in meeting if one.survives == asked]
        plain = best_first([one for one in exact if not as_array(one.plan.top).spares] or exact, wishes)
        return cls(wishes, plain[0], max(one.merits.safety for one in plain))

    def in_order(self, meeting: Iterable[Prepared]) -> list[Prepared]:
        """Return the plans of ``meeting`` that answer, best first."""
        plans = {one.plan: one for one in meeting}
        counted = filter(None, map(self._counted, plans.values()))
        return [plans[one.plan] for one in best_first(counted, self.wishes)]

    def _counted(self, one: Prepared) -> Prepared | None:
        is_plain = one.survives <= self.plain.survives and not as_array(one.plan.top).spares
        if is_plain or self.costs_nothing(one, self.plain):
            return one
        if self.plain.survives < 1:
            return None
        return replace(one, merits=replace(one.merits, safety=min(self.enough, one.merits.safety)))

    def is_safer_for_nothing(self, one: Prepared, other: Prepared) -> bool:
        """Return True if ``one`` is safer than ``other``, and ``costs_nothing``."""
        return one.array_loss * _SAFER < other.array_loss and self.costs_nothing(one, other)

    def costs_nothing(self, one: Prepared, other: Prepared) -> bool:
        """Return True unless ``one`` has less than ``other`` of what the purpose asks for."""
        pairs = zip(self._asked_for(one), self._asked_for(other), strict=True)
        return all(mine * _AS_MUCH >= theirs for mine, theirs in pairs)

    def _asked_for(self, one: Prepared) -> tuple[float, ...]:
        small = (one.speeds.random_read, one.speeds.random_write)
        match nearest_purpose(self.wishes):
            case Purpose.FILES:
                return one.array_bytes, one.speeds.read
            case Purpose.MACHINES:
                return one.array_bytes, *small
            case Purpose.MIXED:
                return one.array_bytes, one.speeds.read, *small

    def speed(self, one: Prepared) -> float:
        """Return the speed that the purpose asks for as one figure; of streams if the wishes have none for speed."""
        merits, wishes = one.merits, self.wishes
        if nearest_purpose(wishes) is Purpose.MACHINES:
            return merits.random
        weighed = wishes.reading * merits.reading + wishes.writing * merits.writing + wishes.random * merits.random
        return weighed or merits.reading + merits.writing


def _pick(kind: PickReason, one: Prepared, chosen: Mapping[PickReason, Prepared], wishes: Wishes) -> Pick:
    """Compare ours with the next pick, and the others with ours."""
    against = next((other for other in chosen.values() if other is not one), None)
    weights = {name: float(getattr(wishes, name)) for name in Merits.__slots__}
    found = differences(one, against, weights) if against is not None else ()
    return Pick(kind, one, against, found, one.survives < wishes.must_survive)


class ChunkReason(StrEnum):
    """Reason for a chunk size."""

    NONE = "none"  # a level without chunks
    PARITY_FILES = "parity-files"  # a degraded array's stripe cache holds it
    PARITY_SMALL = "parity-small"  # stripes are filled sooner
    STRIPES = "stripes"  # a small access keeps one disk busy, a large one all


@dataclass(frozen=True, slots=True)
class ChunkAdvice:
    """The advised chunk in KiB, None for a level without any; alternatives; and the reason."""

    chunk_kib: int | None
    others_kib: tuple[int, ...]
    reason: ChunkReason


def chunk_advice(plan: Plan, purpose: Purpose) -> ChunkAdvice:
    """Return the chunk for ``plan``, an array for ``purpose``.

    Parity: ``raid5.c`` reads a degraded array through the stripe cache, and a write that fills its stripe reads
    nothing first (mdadm(8) --chunk, kernel raid5.c). Elsewhere mdadm's own.
    """
    arrays = [*plan.top.md_arrays()]
    if not any(one.level.is_chunked for one in arrays):
        return ChunkAdvice(None, (), ChunkReason.NONE)
    if any(one.level.parity_disks for one in arrays):
        if purpose is Purpose.MACHINES:
            others = (_PARITY_CHUNK_KIB, DEFAULT_CHUNK_KIB)
            return ChunkAdvice(_SMALL_PARITY_CHUNK_KIB, others, ChunkReason.PARITY_SMALL)
        others = (_SMALL_PARITY_CHUNK_KIB, DEFAULT_CHUNK_KIB)
        return ChunkAdvice(_PARITY_CHUNK_KIB, others, ChunkReason.PARITY_FILES)
    return ChunkAdvice(DEFAULT_CHUNK_KIB, (_PARITY_CHUNK_KIB,), ChunkReason.STRIPES)


def one_disk(pool: tuple[Member, ...]) -> Predictions:
    """Return the speeds of the largest disk of ``pool`` alone, to compare an array's speed with."""
    return predictions_of(Plan(MdArray(Level.LINEAR, (max(pool, key=lambda disk: disk.size_bytes),))))
