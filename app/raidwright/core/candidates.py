"""Candidates: every sensible plan for a pool, assessed once, and ranked by wishes as often as a slider moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .assessment import Assessment, assess
from .disk import Disk
from .errors import PlanRefused
from .ideal_speed import Speeds, ideal_speeds
from .layouts import PARITY_DISKS, Level, parse_copies
from .plan import Member, Metadata, Plan
from .sensible_plans import sensible_plans


@dataclass(frozen=True, slots=True)
class Wishes:
    """What matters: failures that every set of must be survived, conditions, and weights from 0 to 100."""

    must_survive: int = 1
    space: int = 50
    safety: int = 50
    reading: int = 50
    writing: int = 50
    random: int = 50
    will_grow: bool = False
    must_boot: bool = False


@dataclass(frozen=True, slots=True)
class Merits:
    """What weights weigh, each from 0 to 1. Speeds are shares of all disks' together (``ideal_speed``)."""

    space: float
    safety: float
    reading: float
    writing: float
    random: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan assessed, with all of it that ranking needs and wishes don't change."""

    assessment: Assessment
    speeds: Speeds
    merits: Merits
    survives: int
    can_grow: bool
    can_boot: bool

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.assessment.plan


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan in its place: ``score`` from 0 to 1, and one sentence on why it stands there, with its gist.

    ``unmet`` names the wishes that it fails (``must_survive``, ``will_grow``, ``must_boot``); those that fail none
    come first.
    """

    prepared: Prepared
    score: float
    why: str
    gist: str
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, best first. ``relax`` says which wish to relax when none meets them all, else it is empty."""

    candidates: tuple[Candidate, ...]
    relax: str = ""


def enumerate_plans(members: tuple[Member, ...], disks: Mapping[str, Disk] | None = None) -> tuple[Prepared, ...]:
    """Every sensible plan that ``members`` allow, assessed; to be done once a pool. Refused ones are left out."""
    pool_bytes = sum(member.size_bytes for member in members)
    prepared = []
    for plan in sensible_plans(members):
        try:
            assessment = assess(plan, disks)
        except PlanRefused:
            continue  # disks too small for this layout: not a candidate
        prepared.append(_prepare(assessment, pool_bytes, len(members)))
    return tuple(prepared)


def candidates_for(members: tuple[Member, ...], wishes: Wishes) -> Ranking:
    """``enumerate_plans`` and ``rank`` together."""
    return rank(enumerate_plans(members), wishes)


def _prepare(assessment: Assessment, pool_bytes: int, disks: int) -> Prepared:
    plan, survival, speeds = assessment.plan, assessment.survival, ideal_speeds(assessment.plan)
    most = survival.most()
    survived, ways = survival.counts(most + 1)
    stands = most + survived / ways if ways else most
    return Prepared(
        assessment=assessment,
        speeds=speeds,
        merits=Merits(
            space=assessment.capacity.array_bytes / pool_bytes,
            safety=1 - 0.5**stands,
            reading=speeds.read / disks,
            writing=speeds.write / disks,
            random=(speeds.random_read + speeds.random_write) / (2 * disks),
        ),
        survives=most,
        can_grow=any(item.possible for item in assessment.forecloses if item.change == "more-members"),
        can_boot=plan.level is Level.RAID1 and plan.metadata in (Metadata.V1_0, Metadata.V0_90),
    )


def rank(prepared: tuple[Prepared, ...], wishes: Wishes) -> Ranking:
    """The plans in order for ``wishes``: those that meet all conditions first, each part by its weighted merits."""
    shown = [item for item in prepared if wishes.must_boot or not item.can_boot]
    unmet = {id(item): _unmet(item, wishes) for item in shown}
    meeting = [item for item in shown if not unmet[id(item)]]
    best = {name: max((getattr(item.merits, name) for item in meeting), default=2.0) for name in Merits.__slots__}
    scores = {id(item): _score(item.merits, wishes) for item in shown}
    ordered = sorted(shown, key=lambda item: (len(unmet[id(item)]), -scores[id(item)]))
    candidates = tuple(
        Candidate(item, scores[id(item)], *_why(item, ordered[0], wishes, unmet[id(item)], best), unmet[id(item)])
        for item in ordered
    )
    return Ranking(candidates, "" if meeting else _what_to_relax(shown, wishes))


_CONDITIONS: dict[str, Callable[[Prepared, Wishes], bool]] = {
    "must_survive": lambda item, wishes: item.survives >= wishes.must_survive,
    "will_grow": lambda item, wishes: item.can_grow or not wishes.will_grow,
    "must_boot": lambda item, wishes: item.can_boot or not wishes.must_boot,
}


def _unmet(item: Prepared, wishes: Wishes) -> tuple[str, ...]:
    return tuple(name for name, meets in _CONDITIONS.items() if not meets(item, wishes))


def _score(merits: Merits, wishes: Wishes) -> float:
    weights = {name: getattr(wishes, name) for name in Merits.__slots__}
    total = sum(weights.values())
    return sum(weight * getattr(merits, name) for name, weight in weights.items()) / total if total else 0.0


_STRENGTHS = {
    "space": "most space",
    "safety": "survives most",
    "reading": "fastest reading",
    "writing": "fastest writing",
    "random": "fastest small I/O",
}
_BETTER = {
    "space": "more space",
    "safety": "safer",
    "reading": "faster reading",
    "writing": "faster writing",
    "random": "faster small I/O",
}
_MISSED = {
    "will_grow": "can't take more disks later",
    "must_boot": "firmware can't boot from it",
}
_MISSED_GIST = {"must_survive": "survives less", "will_grow": "can't grow", "must_boot": "can't boot"}
_SAME = 1e-9  # merits are sums of floats


def _why(
    item: Prepared, first: Prepared, wishes: Wishes, unmet: tuple[str, ...], best: dict[str, float]
) -> tuple[str, str]:
    """Why ``item`` stands where it stands, and that in two or three words."""
    if unmet:
        missed = {"must_survive": _survives_only(item.survives, wishes.must_survive)} | _MISSED
        return _sentence(", ".join(missed[name] for name in unmet)), _MISSED_GIST[unmet[0]]
    weighed = sorted(_STRENGTHS, key=lambda name: -getattr(wishes, name))
    strengths = [_STRENGTHS[name] for name in weighed if getattr(item.merits, name) >= best[name] - _SAME]
    better = [_BETTER[name] for name in weighed if getattr(item.merits, name) > getattr(first.merits, name) + _SAME]
    if strengths:
        said, gist = ", ".join(strengths[:2]), strengths[0]
    elif better:
        said, gist = f"{' and '.join(better[:2])} than the first", better[0]
    else:
        said = f"{item.merits.space:.0%} of the space, any {item.survives} may fail"
        gist = "best on balance" if item is first else "nothing better"
        said += "" if item is first else "; in nothing better than the first"
    weakness = _weakness(item.plan)
    return _sentence(f"{said}; {weakness}" if weakness else said), gist


def _survives_only(survives: int, asked: int) -> str:
    if survives <= 0:
        return f"survives no failure, and you asked for {asked}"
    return f"survives {survives} failure{'s' if survives > 1 else ''} for certain, and you asked for {asked}"


def _weakness(plan: Plan) -> str:
    if plan.level is Level.RAID10:
        copies = parse_copies(plan.effective_layout or "n2")
        return "final, it can't be changed later" if copies.far > 1 and not copies.offset else ""
    if plan.level in PARITY_DISKS or any(
        isinstance(inner, Plan) and inner.level in PARITY_DISKS for inner in plan.members
    ):
        return "small writes must read first"
    if plan.level is Level.RAID1:
        return "the space of one disk"
    return "" if plan.is_nested else "one failed disk takes all"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _what_to_relax(shown: list[Prepared], wishes: Wishes) -> str:
    if not shown:
        return "These disks allow no array; add another disk."
    alone = [name for name in _CONDITIONS if any(_unmet(item, wishes) == (name,) for item in shown)]
    if "must_survive" in alone:
        most = max(item.survives for item in shown if _unmet(item, wishes) == ("must_survive",))
        return f"No plan of these disks survives any {wishes.must_survive} failures; ask for {most}, or add disks."
    reliefs = {
        "will_grow": "Nothing that can grow meets the other wishes; give up adding disks later.",
        "must_boot": "Only a mirror can be booted from by any firmware, and it doesn't meet the other wishes; "
        "boot from another disk.",
    }
    if alone:
        return reliefs[alone[0]]
    return "Several wishes stand against each other; relax how many failures must be survived, then booting."
