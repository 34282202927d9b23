"""Ranking of candidates by the user's wishes, repeated on every move of a slider.

A plan's score is the sum of its merits, each times its wish, and of its ease, which has a fixed weight. Since merits
only add, a plan that is better than another in nothing is never ranked above it, and raising a wish ranks no plan
below one that has less of the merit. Plans that fail a condition are below those that fail none.

One rule precedes the score: a plan with warnings is never recommended first, as long as one with fewer meets the
conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from raidwright.analysis.findings.finding import Severity
from raidwright.core.messages import Message, say
from raidwright.core.model.plan import Member

from .candidates import Merits, Prepared, enumerate_plans
from .reasons import Reasons, reasons_of
from .sensible_plans import has_many_copies

_SURVIVED_BY_FEW_COPIES = 2
_EASE = 40.0  # fixed, beside wishes from 0 to 100


@dataclass(frozen=True, slots=True)
class Wishes:
    """The user's wishes: failures to survive in any combination, conditions, and weights from 0 to 100.

    Speeds count only if requested.
    """

    must_survive: int = 1
    space: int = 50
    safety: int = 50
    reading: int = 0
    writing: int = 0
    random: int = 0
    will_grow: bool = False
    must_boot: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked plan: ``score`` from 0 to 1, and its differences from its neighbour.

    ``unmet`` names the wishes that it fails (``must_survive``, ``will_grow``, ``must_boot``); those that fail none
    come first. ``asked`` is the number of failures to survive; ``asked_more``: there are other conditions as well.
    ``meeting`` is the number of candidates that meet all of them.
    """

    prepared: Prepared
    score: float
    reasons: Reasons
    unmet: tuple[str, ...]
    asked: int
    asked_more: bool = False
    meeting: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first. ``relax`` names the wish to relax if none meets them all, else it is empty."""

    candidates: tuple[Candidate, ...]
    relax: str = ""


def candidates_for(members: tuple[Member, ...], wishes: Wishes) -> Ranking:
    """Enumerate and rank the plans for ``members``."""
    return rank(enumerate_plans(members, joined=True), wishes)


def rank(prepared: Iterable[Prepared], wishes: Wishes) -> Ranking:
    """Rank the plans for ``wishes``."""
    shown = [item for item in prepared if _is_shown(item, wishes)]
    unmet = {id(item): _unmet(item, wishes) for item in shown}
    meeting = best_first((item for item in shown if not unmet[id(item)]), wishes)
    others = [item for item in shown if unmet[id(item)]]
    ordered = [
        *meeting,
        *sorted(others, key=lambda item: (len(unmet[id(item)]), _short_of(item, wishes), *_place(item, wishes))),
    ]
    weights = {name: getattr(wishes, name) for name in Merits.__slots__}
    reasons = reasons_of(ordered, len(meeting), weights)
    if meeting and _place(meeting[0], wishes) > min(_place(item, wishes) for item in meeting):
        reasons = (replace(reasons[0], is_first=False, is_warned_of_least=True), *reasons[1:])
    asked_more = wishes.will_grow or wishes.must_boot
    candidates = tuple(
        Candidate(item, _score(item, wishes), why, unmet[id(item)], wishes.must_survive, asked_more, len(meeting))
        for item, why in zip(ordered, reasons, strict=True)
    )
    return Ranking(candidates, "" if meeting else _what_to_relax(shown, wishes))


def best_first(meeting: Iterable[Prepared], wishes: Wishes) -> list[Prepared]:
    """Sort plans that meet the conditions: the best of those with the fewest warnings, then all others by score."""
    ordered = sorted(meeting, key=lambda item: _place(item, wishes))
    if ordered:
        first = min(ordered, key=lambda item: _warned_of(item, wishes))
        ordered = [first, *(item for item in ordered if item is not first)]
    return ordered


def most_joined(prepared: Iterable[Prepared], wishes: Wishes, above_bytes: int) -> Prepared | None:
    """Return the joined plan that holds most of those that leave fewest wishes unmet; None if none holds more."""
    joined = (one for one in prepared if one.plan.volume and _is_shown(one, wishes))
    larger = (one for one in joined if one.array_bytes > above_bytes)
    return min(larger, key=lambda one: (len(_unmet(one, wishes)), -one.array_bytes), default=None)


def _is_shown(item: Prepared, wishes: Wishes) -> bool:
    """Return True unless the plan is only for booting, or for surviving many failures, and that isn't wished."""
    if item.can_boot and not wishes.must_boot:
        return False
    return wishes.must_survive > _SURVIVED_BY_FEW_COPIES or not has_many_copies(item.plan)


def _place(item: Prepared, wishes: Wishes) -> tuple[float, ...]:
    """Return the sort key of plans that meet as many conditions: score; among equals, other weights' scores."""
    others = _worth(item, Wishes()), _worth(item, Wishes(reading=50, writing=50, random=50))
    return -_worth(item, wishes), *(-worth for worth in others)


def _score(item: Prepared, wishes: Wishes) -> float:
    weights: list[int] = [getattr(wishes, name) for name in Merits.__slots__]
    return _worth(item, wishes) / (sum(weights) + _EASE)


def _worth(item: Prepared, wishes: Wishes) -> float:
    merits = item.merits
    worth = (
        wishes.space * merits.space
        + wishes.safety * merits.safety
        + wishes.reading * merits.reading
        + wishes.writing * merits.writing
        + wishes.random * merits.random
        + _EASE * item.ease
    )
    return round(worth, 9)  # merits have six digits


def _warned_of(item: Prepared, wishes: Wishes) -> tuple[int, int]:
    """Return (dangers, warnings). If no failure must be survived, missing redundancy doesn't count."""
    counted = [one for one in item.telling if wishes.must_survive or one.code != "no-redundancy"]
    dangers = sum(one.severity is Severity.DANGER for one in counted)
    return dangers, len(counted) - dangers


_CONDITIONS: dict[str, Callable[[Prepared, Wishes], bool]] = {
    "must_survive": lambda item, wishes: item.survives >= wishes.must_survive,
    "will_grow": lambda item, wishes: item.can_grow or not wishes.will_grow,
    "must_boot": lambda item, wishes: item.can_boot or not wishes.must_boot,
}


def _unmet(item: Prepared, wishes: Wishes) -> tuple[str, ...]:
    return tuple(name for name, meets in _CONDITIONS.items() if not meets(item, wishes))


def _short_of(item: Prepared, wishes: Wishes) -> int:
    """Return how many failures fewer than asked for the plan survives; raid0 is further from it than raid5."""
    return max(0, wishes.must_survive - max(0, item.survives))


def _what_to_relax(shown: list[Prepared], wishes: Wishes) -> Message:
    if not shown:
        return say("These disks allow no array; add more disks, or take larger ones.")
    alone = [name for name in _CONDITIONS if any(_unmet(item, wishes) == (name,) for item in shown)]
    if "must_survive" in alone:
        most = max(item.survives for item in shown if _unmet(item, wishes) == ("must_survive",))
        return say(
            "No plan of these disks survives any {must_survive} failures; ask for {most}, or add disks.",
            must_survive=wishes.must_survive,
            most=most,
        )
    reliefs = {
        "will_grow": say("Nothing that can grow meets the other wishes; give up adding disks later."),
        "must_boot": say(
            "Only a mirror can be booted from by any firmware, and it doesn't meet the other wishes; "
            "boot from another disk."
        ),
    }
    if alone:
        return reliefs[alone[0]]
    return say("Several wishes stand against each other; relax how many failures must be survived, then booting.")
