"""Candidates in words shared by the window and the command line: reasons for a rank, and disks used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.ranking import Candidate
from raidwright.analysis.advice.reasons import Facet, RatioDifference, Reasons
from raidwright.analysis.advice.unused import Unused
from raidwright.core.messages import say
from raidwright.core.model.plan import Layer
from raidwright.text.catalogue import ended, joined, ntr, tr, translated, with_commas, with_semicolons
from raidwright.text.large_numbers import times_words

from .survival import in_words, share

Name = Callable[[Layer], str]
_AS_TB_BYTES = 999.5e9  # what rounds to 1 TB
_MAX_DIFFERENCES = 3
_LETTERS, _LETTERS_OF_WARNED = 26, 9  # what fits the window's table
_BEST_IN_BRIEF = {  # ``count`` meet the conditions, which ``standing_words`` names
    Facet.SPACE: say("most space of the {count}"),
    Facet.LOSS: say("safest of the {count}"),
    Facet.READING: say("fastest reading of the {count} (est.)"),
    Facet.WRITING: say("fastest writing of the {count} (est.)"),
    Facet.RANDOM: say("fastest small I/O of the {count} (est.)"),
}
_BEST = {  # of a set that the sentence names
    Facet.SPACE: say("most space"),
    Facet.LOSS: say("safest"),
    Facet.READING: say("fastest reading (estimated)"),
    Facet.WRITING: say("fastest writing (estimated)"),
    Facet.RANDOM: say("fastest small I/O (estimated)"),
}
_WORK = {
    Facet.READING: say("reading"),
    Facet.WRITING: say("writing"),
    Facet.RANDOM: say("small I/O"),
    Facet.SMALL_WRITES: say("small writes"),
}

_DOES = {
    Facet.READING: say("reads files"),
    Facet.WRITING: say("writes files"),
    Facet.RANDOM: say("does small accesses"),
    Facet.SMALL_WRITES: say("does small writes"),
}


def short_size(size_bytes: int) -> str:
    """Return the size as on a disk's label: ``8 TB``, ``500 GB``."""
    if size_bytes >= _AS_TB_BYTES:
        return tr("{number:.3g} TB", number=size_bytes / 1e12)
    return tr("{number:.3g} GB", number=size_bytes / 1e9)


def sizes_words(sizes: Iterable[tuple[int, int]]) -> str:
    """Return ``3 × 8 TB + 2 × 5 TB``."""
    return " + ".join(f"{count} × {short_size(size)}" for count, size in sizes)


def unused_in_brief(unused: Iterable[Unused]) -> str:
    """Return the unused space, whole disks and rests of larger ones: ``2 × 5 TB + 3 × 3 TB``; "" for none."""
    return sizes_words((one.count, one.unused_bytes) for one in unused)


def unused_sentence(unused: Iterable[Unused]) -> str:
    """Return “2 × 5 TB are left free. Of each of 3 × 8 TB, 3 TB stay unused.”; "" for none."""
    return joined(*map(_unused_sentence, unused))


def _unused_sentence(one: Unused) -> str:
    disks = sizes_words([(one.count, one.disk_bytes)])
    if one.is_whole:
        return ntr("{disks} is left free.", "{disks} are left free.", one.count, disks=disks)
    if one.is_above_slices:
        return ntr(
            "Of {disks}, {size} stay unused: too few disks are as large to protect it.",
            "Of each of {disks}, {size} stay unused: too few disks are as large to protect it.",
            one.count,
            disks=disks,
            size=short_size(one.unused_bytes),
        )
    return ntr(
        "Of {disks}, {size} stay unused: every member counts as the smallest does.",
        "Of each of {disks}, {size} stay unused: every member counts as the smallest does.",
        one.count,
        disks=disks,
        size=short_size(one.unused_bytes),
    )


def on_disks(plan_name: str, prepared: Prepared) -> str:
    """Return ``raid5 of 3 × 8 TB`` or ``raid6 of all 5`` for a pool of several sizes, else the name alone."""
    takes_all = not any(one.is_whole for one in prepared.unused)
    if not prepared.disk_sizes or (prepared.plan.volume and takes_all):
        return plan_name
    if not takes_all:
        return tr("{plan} of {disks}", plan=plan_name, disks=sizes_words(prepared.disk_sizes))
    return tr("{plan} of all {count}", plan=plan_name, count=sum(count for count, _size in prepared.disk_sizes))


def why_words(candidate: Candidate, name: Name) -> str:
    """Return the reasons for its rank, in full: unmet requirements, best merits, difference from the next, warnings."""
    reasons = candidate.reasons
    said = [tr("best on balance")] if reasons.is_first else []
    if reasons.is_warned_of_least:
        said.append(tr("first, since it has fewer warnings than those with a better score"))
    said += [_missed(candidate, unmet) for unmet in candidate.unmet]
    if candidate.prepared.plan.volume:
        said += [_uses_all(candidate.prepared)]
    if reasons.best_in:
        best = with_commas(*(translated(_BEST[facet]) for facet in reasons.best_in))
        said.append(_of_those(best, candidate))
    if reasons.against is not None:
        said.append(_against(candidate.prepared, reasons, name))
    said += [tr("warning: {sentence}", sentence=translated(finding.sentence)) for finding in candidate.prepared.telling]
    return joined(*(ended(part) for part in said if part))


def shared_warnings(candidates: Sequence[Candidate]) -> str:
    """Return the warnings that concern the disks in each redundant layout, which rank none; "" for none."""
    first = next((one.prepared for one in candidates), None)
    said = [] if first is None else [one for one in first.warnings if one not in first.telling]
    if not said:
        return ""
    return tr("Whichever layout: {sentences}", sentences=joined(*(translated(finding.sentence) for finding in said)))


def standing_words(candidates: Sequence[Candidate], place: int | None) -> str:
    """Return how many layouts there are, how many meet the conditions, and the rank of the one at ``place``."""
    count = len(candidates)
    said = ntr("{count} layout", "{count} layouts", count)
    if candidates and candidates[0].meeting < count:
        said = with_commas(said, _meeting_words(candidates[0]))
    if place is None:
        return tr("{layouts}; yours isn't one of them", layouts=said)
    if place == 0:
        return tr("{layouts}; yours ranks first", layouts=said)
    return tr("{layouts}; yours is no. {place}", layouts=said, place=place + 1)


def _meeting_words(first: Candidate) -> str:
    if first.asked_more:
        return ntr("{count} meets your conditions", "{count} meet your conditions", first.meeting)
    if first.asked == 1:
        return ntr("{count} survives any failure", "{count} survive any failure", first.meeting)
    return ntr(
        "{count} survives any {asked} failures",
        "{count} survive any {asked} failures",
        first.meeting,
        asked=first.asked,
    )


def _of_those(best: str, candidate: Candidate) -> str:
    """Return a superlative with the set that it holds for: the candidates that meet the conditions."""
    if candidate.asked_more:
        return tr("{best}, of those that meet your conditions", best=best)
    if not candidate.asked:
        return tr("{best}, of all", best=best)
    return ntr(
        "{best}, of those that survive any {count} failure",
        "{best}, of those that survive any {count} failures",
        candidate.asked,
        best=best,
    )


def _uses_all(prepared: Prepared) -> str:
    """Return why arrays are joined: space that a single array would leave."""
    if prepared.unused:
        return tr("uses all of your disks that can be protected")
    return tr("uses all of your disks")


def gist_words(candidate: Candidate) -> str:
    """Return the reasons in brief: an unmet requirement, or a best merit, or the gain over the next, and its cost.

    Merits without a weight are left out, and so is the cost where it doesn't fit.
    """
    reasons = candidate.reasons
    gains, costs = (_that_count(some, candidate) for some in (reasons.gains, reasons.costs))
    if candidate.unmet:
        others = [words for facet, words in (*gains, *costs) if facet not in (Facet.FAILURES, Facet.SHARE)]
        return " · ".join([translated(_MISSED_IN_BRIEF[candidate.unmet[0]]), *others[:1]])
    best = [tr(_BEST_IN_BRIEF[facet], count=candidate.meeting) for facet in reasons.best_in[:1]]
    best = best or [words for _, words in gains[:1]]
    if reasons.is_warned_of_least:
        return tr("fewest warnings")
    if reasons.is_first:
        return tr("best: {what}", what=best[0]) if best else tr("best on balance")
    first, *more = [*best, *(words for _, words in costs[:1])] or [tr("hardly different")]
    room = _LETTERS - (_LETTERS_OF_WARNED if candidate.prepared.telling else 0)
    return f"{first} · {more[0]}" if more and len(first) + len(more[0]) <= room else first


def _that_count(differences: Sequence[RatioDifference], candidate: Candidate) -> list[tuple[Facet, str]]:
    item, other = candidate.prepared, candidate.reasons.against
    counting = [one for one in differences if one.facet not in _WORK or one.weight]
    return [(one.facet, _in_brief(one, item, other)) for one in counting if other is not None]


_MISSED_IN_BRIEF = {
    "must_survive": say("survives less"),
    "will_grow": say("can't grow"),
    "must_boot": say("can't boot"),
}


def _missed(candidate: Candidate, unmet: str) -> str:
    if unmet == "will_grow":
        if candidate.prepared.plan.top.is_nested:
            return tr("takes whole arrays more, but no single disks")
        return tr("can't take more disks later")
    if unmet == "must_boot":
        return tr("firmware can't boot from it")
    survives = candidate.prepared.survives
    if survives <= 0:
        return tr("survives no failure, and you asked for {asked}", asked=candidate.asked)
    return ntr(
        "survives {count} failure for certain, and you asked for {asked}",
        "survives {count} failures for certain, and you asked for {asked}",
        survives,
        asked=candidate.asked,
    )


def _against(item: Prepared, reasons: Reasons, name: Name) -> str:
    other = reasons.against
    assert other is not None  # noqa: S101 -- checked before
    gains, costs = (_joined(some, item, other) for some in (reasons.gains, reasons.costs))
    both = [part for part in (gains, costs) if part]
    if len(both) == 2:
        both = [tr("{gains}, but {costs}", gains=gains, costs=costs)]
    differences = "".join(both) or tr("no difference that counts")
    called = name(other.plan.top) if other.disk_sizes == item.disk_sizes else on_disks(name(other.plan.top), other)
    return tr("compared with {called}: {differences}", called=called, differences=differences)


def _joined(differences: Sequence[RatioDifference], item: Prepared, other: Prepared) -> str:
    """Join the gravest differences, the predicted speeds last."""
    gravest = sorted(differences[:_MAX_DIFFERENCES], key=lambda one: one.facet in _DOES)
    return with_semicolons(*(_in_full(one, item, other) for one in gravest))


def _in_full(one: RatioDifference, item: Prepared, other: Prepared) -> str:
    match one.facet:
        case Facet.SPACE:
            size = short_size(abs(item.array_bytes - other.array_bytes))
            return tr("{size} more", size=size) if one.better else tr("{size} less", size=size)
        case Facet.FAILURES:
            return _failures_in_full(item, other)
        case Facet.SHARE:
            return _share_in_full(item, other)
        case Facet.LOSS:
            times = times_words(one.factor)
            return (
                tr("data lost {times} times less often", times=times)
                if one.better
                else tr("data lost {times} times as often", times=times)
            )
    return _kind_in_full(one, is_joined=bool(item.plan.volume or other.plan.volume))


def _failures_in_full(item: Prepared, other: Prepared) -> str:
    theirs = in_words(max(0, other.survives))
    if item.survives <= 0:
        return tr("no disk may fail instead of {theirs}", theirs=theirs)
    return ntr(
        "any {mine} disk may fail instead of {theirs}",
        "any {mine} disks may fail instead of {theirs}",
        item.survives,
        mine=in_words(item.survives),
        theirs=theirs,
    )


def _share_in_full(item: Prepared, other: Prepared) -> str:
    said = {"failures": in_words(item.survives + 1), "mine": _counts(item), "theirs": _counts(other)}
    if "%" in said["mine"]:
        return tr("if {failures} disks fail, nothing is lost in {mine} of the cases instead of {theirs}", **said)
    return tr("if {failures} disks fail, nothing is lost in {mine} cases instead of {theirs}", **said)


def _kind_in_full(one: RatioDifference, *, is_joined: bool) -> str:
    if one.facet is Facet.NESTED:
        if is_joined:
            return tr("one array instead of several, joined") if one.better else tr("several arrays, joined")
        return tr("one array instead of arrays in arrays") if one.better else tr("arrays in arrays")
    if one.facet is Facet.SCATTERED:
        return tr("the usual layout of copies") if one.better else tr("a less usual layout of copies")
    if one.better:
        return tr("{work} about {times:.2g} times as fast", work=_DOES[one.facet], times=one.factor)
    return tr("{work} at about {share:.0%} of the speed", work=_DOES[one.facet], share=_factor(one))


def _in_brief(one: RatioDifference, item: Prepared, other: Prepared) -> str:
    match one.facet:
        case Facet.SPACE:
            words = f"{'+' if one.better else '−'}{short_size(abs(item.array_bytes - other.array_bytes))}"
        case Facet.FAILURES:
            mine, theirs = max(0, item.survives), max(0, other.survives)
            words = (
                tr("any {mine} may fail, not {theirs}", mine=mine, theirs=theirs)
                if mine
                else tr("none may fail, not {theirs}", theirs=theirs)
            )
        case Facet.SHARE:
            failures = item.survives + 1
            words = tr(
                "{failures} fail: {mine}, not {theirs}", failures=failures, mine=_counts(item), theirs=_counts(other)
            )
        case Facet.LOSS:
            words = (
                tr("{times}× safer", times=times_words(one.factor))
                if one.better
                else tr("{times}× riskier", times=times_words(one.factor))
            )
        case Facet.NESTED:
            several = tr("joined arrays") if item.plan.volume else tr("arrays in arrays")
            words = tr("one array") if one.better else several
        case Facet.SCATTERED:
            words = tr("usual layout") if one.better else tr("less usual layout")
        case _:
            words = tr("{work} {share:.0%} (est.)", work=_WORK[one.facet], share=_factor(one))
    return words


def _counts(item: Prepared) -> str:
    return share(*item.assessment.survival.counts(item.survives + 1))


def _factor(one: RatioDifference) -> float:
    return one.factor if one.better else 1 / one.factor
