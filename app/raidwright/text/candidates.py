"""Candidates in words that both the window and the command line say: why one stands there, and on which disks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.ranking import Candidate
from raidwright.analysis.advice.reasons import Difference, Facet, Reasons
from raidwright.analysis.advice.unused import Unused
from raidwright.core.model.plan import Plan

from .survival import in_words

Name = Callable[[Plan], str]
_MOST_COUNTED = 99
_MOST_DIFFERENCES = 3
_LETTERS, _LETTERS_OF_WARNED = 26, 9  # what the window's table has room for
_BEST = {
    Facet.SPACE: "most space",
    Facet.LOSS: "safest",
    Facet.READING: "fastest reading by estimate",
    Facet.WRITING: "fastest writing by estimate",
    Facet.RANDOM: "fastest small I/O by estimate",
}
_WORK = {Facet.READING: "reading", Facet.WRITING: "writing", Facet.RANDOM: "small I/O"}


def short_size(size_bytes: int) -> str:
    """``8 TB``, ``500 GB``: as it stands on a disk's label."""
    return f"{size_bytes / 1e12:.3g} TB" if size_bytes >= 1e12 else f"{size_bytes / 1e9:.3g} GB"


def sizes_words(sizes: Iterable[tuple[int, int]]) -> str:
    """``3 × 8 TB + 2 × 5 TB``."""
    return " + ".join(f"{count} × {short_size(size)}" for count, size in sizes)


def unused_in_brief(unused: Iterable[Unused]) -> str:
    """``2 × 5 TB + 3 × 3 TB``: what lies idle, whole disks and the rest of larger ones; "" for nothing."""
    return sizes_words((one.count, one.unused_bytes) for one in unused)


def unused_sentence(unused: Iterable[Unused]) -> str:
    """“2 × 5 TB are left free. Of each of 3 × 8 TB, 3 TB stay unused.” "" for nothing."""
    return " ".join(map(_unused_sentence, unused))


def _unused_sentence(one: Unused) -> str:
    disks = sizes_words([(one.count, one.disk_bytes)])
    if one.is_whole:
        return f"{disks} {'are' if one.count > 1 else 'is'} left free."
    each = "each of " if one.count > 1 else ""
    return f"Of {each}{disks}, {short_size(one.unused_bytes)} stay unused: every member counts as the smallest does."


def on_disks(plan_name: str, prepared: Prepared) -> str:
    """``raid5 of 3 × 8 TB`` or ``raid6 of all 5`` where the pool has several sizes, else the name alone."""
    if not prepared.disk_sizes:
        return plan_name
    if any(one.is_whole for one in prepared.unused):
        return f"{plan_name} of {sizes_words(prepared.disk_sizes)}"
    return f"{plan_name} of all {sum(count for count, _size in prepared.disk_sizes)}"


def share(survived: int, ways: int) -> str:
    """“4 of 6”, or where there are many “78%”, rounded down: 100% is said of all and 0% of none alone."""
    if ways <= _MOST_COUNTED:
        return f"{survived} of {ways}"
    return "< 1%" if 0 < survived * 100 < ways else f"{survived * 100 // ways}%"


def why_words(candidate: Candidate, name: Name) -> str:
    """Why it stands there, in full: what it fails, what it is best in, how it differs from its neighbour, warnings."""
    reasons = candidate.reasons
    said = ["best on balance"] if reasons.is_first else []
    said += [_missed(candidate, unmet) for unmet in candidate.unmet]
    said += [", ".join(f"{_BEST[facet]} of all" for facet in reasons.best_in)]
    if reasons.against is not None:
        said.append(_against(candidate.prepared, reasons, name))
    said += [f"warned of: {finding.sentence}" for finding in candidate.prepared.warnings]
    return " ".join(_sentence(part) for part in said if part)


def gist_words(candidate: Candidate) -> str:
    """The same in a few words: what it fails, or has most of, or has over its neighbour, and what that costs.

    What nobody wished for is left out, and so is the cost where there is no room for it.
    """
    reasons = candidate.reasons
    gains, costs = (_that_count(some, candidate) for some in (reasons.gains, reasons.costs))
    if candidate.unmet:
        others = [words for words in (*gains, *costs) if not words.startswith("survives")]
        return " · ".join([_MISSED_IN_BRIEF[candidate.unmet[0]], *others[:1]])
    best = [_BEST[facet].replace("by estimate", "(est.)") for facet in reasons.best_in[:1]]
    if reasons.is_first:
        return f"best: {(best or gains)[0]}" if best or gains else "best on balance"
    first, *more = [*(best or gains[:1]), *costs[:1]] or ["hardly different"]
    room = _LETTERS - (_LETTERS_OF_WARNED if candidate.prepared.warnings else 0)
    return f"{first} · {more[0]}" if more and len(first) + len(more[0]) <= room else first


def _that_count(differences: Sequence[Difference], candidate: Candidate) -> list[str]:
    item, other = candidate.prepared, candidate.reasons.against
    counting = [one for one in differences if one.facet not in _WORK or one.weight]
    return [_in_brief(one, item, other) for one in counting if other is not None]


_MISSED_IN_BRIEF = {"must_survive": "survives less", "will_grow": "can't grow", "must_boot": "can't boot"}


def _missed(candidate: Candidate, unmet: str) -> str:
    if unmet == "will_grow":
        return "can't take more disks later"
    if unmet == "must_boot":
        return "firmware can't boot from it"
    survives = candidate.prepared.survives
    if survives <= 0:
        return f"survives no failure, and you asked for {candidate.asked}"
    return f"survives {survives} failure{'s' if survives > 1 else ''} for certain, and you asked for {candidate.asked}"


def _against(item: Prepared, reasons: Reasons, name: Name) -> str:
    other = reasons.against
    assert other is not None  # noqa: S101 -- asked before
    gains, costs = (_joined(some, item, other) for some in (reasons.gains, reasons.costs))
    differences = ", but ".join(part for part in (gains, costs) if part) or "no difference that counts"
    called = name(other.plan) if other.disk_sizes == item.disk_sizes else on_disks(name(other.plan), other)
    return f"against {called}: {differences}"


def _joined(differences: Sequence[Difference], item: Prepared, other: Prepared) -> str:
    """The gravest, estimates last and marked as such."""
    gravest = differences[:_MOST_DIFFERENCES]
    said = [_in_full(one, item, other) for one in gravest if one.facet not in _WORK]
    if estimated := [one for one in gravest if one.facet in _WORK]:
        said.append("by estimate " + ", ".join(_in_full(one, item, other) for one in estimated))
    return "; ".join(said)


def _in_full(one: Difference, item: Prepared, other: Prepared) -> str:
    match one.facet:
        case Facet.SPACE:
            words = f"{short_size(abs(item.array_bytes - other.array_bytes))} {'more' if one.better else 'less'}"
        case Facet.FAILURES:
            disks = "disk" if item.survives == 1 else "disks"
            mine = f"any {in_words(item.survives)} {disks}" if item.survives > 0 else "no disk"
            words = f"{mine} may fail instead of {in_words(max(0, other.survives))}"
        case Facet.SHARE:
            ways = f"{_counts(item)} of the ways" if "%" in _counts(item) else f"{_counts(item)} ways"
            words = f"{in_words(item.survives + 1)} failures are safe in {ways} instead of {_counts(other)}"
        case Facet.LOSS:
            words = f"lost {_times(one)} times {'less' if one.better else 'as'} often"
        case Facet.NESTED:
            words = "one array instead of arrays in arrays" if one.better else "arrays in arrays"
        case Facet.SCATTERED:
            words = "copies side by side" if one.better else "copies that don't lie side by side"
        case _:
            words = f"{_percent(one)} of the {_WORK[one.facet]}"
    return words


def _in_brief(one: Difference, item: Prepared, other: Prepared) -> str:
    match one.facet:
        case Facet.SPACE:
            words = f"{'+' if one.better else '−'}{short_size(abs(item.array_bytes - other.array_bytes))}"
        case Facet.FAILURES:
            words = f"survives {max(0, item.survives)} not {max(0, other.survives)}"
        case Facet.SHARE:
            words = f"survives {_counts(item)} not {_counts(other)}"
        case Facet.LOSS:
            words = f"{_times(one)}× {'safer' if one.better else 'riskier'}"
        case Facet.NESTED:
            words = "one array" if one.better else "arrays in arrays"
        case Facet.SCATTERED:
            words = "copies side by side" if one.better else "copies apart"
        case _:
            words = f"{_WORK[one.facet]} {_percent(one)} (est.)"
    return words


def _counts(item: Prepared) -> str:
    return share(*item.assessment.survival.counts(item.survives + 1))


def _percent(one: Difference) -> str:
    return f"{one.factor if one.better else 1 / one.factor:.0%}"


def _times(one: Difference) -> str:
    if one.factor >= 1e6:
        return f"{one.factor / 1e6:.2g} million"
    return f"{float(f'{one.factor:.2g}'):,.0f}" if one.factor >= 10 else f"{one.factor:.2g}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."
