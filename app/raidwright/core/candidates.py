"""Every sensible plan for a pool, assessed once and ranked by wishes as often as a slider moves."""

from __future__ import annotations

from dataclasses import dataclass

from .assessment import Assessment
from .plan import Member


@dataclass(frozen=True, slots=True)
class Wishes:
    """What matters: disks that must be allowed to fail, and weights from 0 to 100."""

    must_survive: int = 1
    space: int = 50
    safety: int = 50
    reading: int = 50
    writing: int = 50
    random: int = 50
    will_grow: bool = False
    must_boot: bool = False


@dataclass(frozen=True, slots=True)
class Speeds:
    """Ideal bounds in multiples of one member's speed (performance.md section 2): relative, not a prediction."""

    read: float
    write: float
    random_read: float
    random_write: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan assessed, with what ranking needs and wishes don't change."""

    assessment: Assessment
    speeds: Speeds


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in its place: ``score`` from 0 to 1 and one sentence on why it stands there.

    ``unmet`` names the wishes that it fails (empty for those that meet all, which come first).
    """

    prepared: Prepared
    score: float
    why: str
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first. ``relax`` is the sentence that says which wish to relax when none meets them all."""

    candidates: tuple[Candidate, ...]
    relax: str = ""


def enumerate_plans(members: tuple[Member, ...]) -> tuple[Prepared, ...]:
    """Every sensible plan that ``members`` allow, assessed; do this once a pool."""
    raise NotImplementedError


def rank(prepared: tuple[Prepared, ...], wishes: Wishes) -> Ranking:
    """The plans in order for ``wishes``; fast enough for a slider."""
    raise NotImplementedError


def candidates_for(members: tuple[Member, ...], wishes: Wishes) -> Ranking:
    """``enumerate_plans`` and ``rank`` together."""
    return rank(enumerate_plans(members), wishes)
