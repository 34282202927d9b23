"""The verdict of a shoot-out in words: the winner, the reasons for a layout, and the line that a plan bears of it.

The rule: of the layouts that survive a lost disk the fastest under the deciding workloads wins; only where none of
them survives one, the fastest of all does. Nothing is said to win before all of them are measured.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.analysis.comparison.verdict import Verdict
from raidwright.analysis.layers.survival import survival_of
from raidwright.core.model.plan import Plan
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.text.catalogue import ntr, tr, with_commas
from raidwright.text.plan.survival import in_words

from .measurements import short
from .shootout import contestant_name, times

_UNDECIDED = (Verdict.EQUAL, Verdict.UNKNOWN)


def verdict(findings: Findings) -> str:
    """Return the winner, and its margin."""
    if findings.winner is None or not findings.is_decided:
        return tr("Not every layout was measured, so none is the fastest.")
    winner = findings.contest.contestants[findings.winner]
    name, score = contestant_name(winner), findings.board[0][1]
    if findings.is_at_memory_speed:
        return tr("{name} was fastest, at memory speed: on real disks another layout can be.", name=name)
    if findings.was_busy:
        return tr("{name} was fastest, while something else went on: measure again without it.", name=name)
    if not _is_contest(findings):
        return tr("The only layout measured: {name}, {times} on average.", name=name, times=times(score))
    if winner.survives_a_loss:
        return tr("The fastest that survives a lost disk: {name}, {times} on average.", name=name, times=times(score))
    return tr("The fastest: {name}, {times} on average; it survives no lost disk.", name=name, times=times(score))


def short_verdict(findings: Findings) -> str:
    """Return the winner's mark in the chart: “fastest that survives a lost disk”; "" if nothing else was measured."""
    if not _is_contest(findings):
        return ""
    if findings.is_at_memory_speed:
        return tr("fastest, at memory speed")
    if findings.was_busy:
        return tr("fastest, with other work")
    winner = findings.winner
    if winner is not None and findings.contest.contestants[winner].survives_a_loss:
        return tr("fastest that survives a lost disk")
    return tr("fastest; survives no lost disk")


def _is_contest(findings: Findings) -> bool:
    return len({one.wanted for one in findings.contest.contestants if one.is_layout}) > 1


def reasons(findings: Findings, place: int) -> Iterator[str]:
    """Yield the reasons for, or against, a contestant, a sentence each; of speeds none at memory speed."""
    contestant = findings.contest.contestants[place]
    may_fail = survival_of(contestant.wanted.top).most()
    if may_fail > 0:
        number = in_words(may_fail)
        yield ntr("Any {number} disk may fail.", "Any {number} disks may fail.", may_fail, number=number)
    else:
        yield tr("No disk may fail.")
    if findings.is_at_memory_speed:
        return
    found = findings.deciding(place, ArrayState.HEALTHY)
    rates = [
        tr("{times} {workload}", workload=short(str(one.workload)), times=times(findings.times_alone(one)))
        for one in found
        if findings.times_alone(one) is not None
    ]
    if rates:
        yield tr("Against one disk: {rates}.", rates=with_commas(*rates))
    yield from _kept(findings, place)
    if findings.is_decided:
        yield from _against_others(findings, place)


def _kept(findings: Findings, place: int) -> Iterator[str]:
    """Yield how much of its speed it keeps with a disk lost, and while that is rebuilt."""
    whole = findings.score(place)
    lost, rebuilding = (findings.score(place, state) for state in (ArrayState.DEGRADED, ArrayState.REBUILDING))
    if whole and lost:
        yield tr("With a disk lost it keeps {share:.0%} of its speed.", share=lost / whole)
    if whole and rebuilding:
        yield tr("While the disk is rebuilt it keeps {share:.0%}.", share=rebuilding / whole)


def _against_others(findings: Findings, place: int) -> Iterator[str]:
    contestants, peers, scores = findings.contest.contestants, findings.peers, dict(findings.board)
    faster = [other for other, score in findings.board if score > scores[place]] if place in scores else []
    if place == peers[0] and len(peers) > 1:
        following = contestant_name(contestants[peers[1]])
        lead = findings.lead
        if lead is not None and lead.verdict in _UNDECIDED:
            yield tr("The repeats can't tell it from the next, {name}.", name=following)
        else:
            yield tr("The next is {name}, {times}.", name=following, times=times(scores[peers[1]]))
    elif place != peers[0] and not contestants[place].survives_a_loss and contestants[peers[0]].survives_a_loss:
        yield tr("It doesn't win, however fast: it survives no lost disk.")
    elif place in scores and place != peers[0]:
        yield tr(
            "{name} is faster: {times}.", name=contestant_name(contestants[peers[0]]), times=times(scores[peers[0]])
        )
    for other in faster:
        if contestants[place].survives_a_loss and not contestants[other].survives_a_loss:
            yield tr("{name} is faster, but survives no lost disk.", name=contestant_name(contestants[other]))


def planned_words(findings: Findings, place: int) -> str:
    """Return the line on a contestant's plan: “Measured fastest of 3 layouts that survive a lost disk.”."""
    if findings.is_at_memory_speed:
        return tr("Tried in a shoot-out at memory speed, which says nothing about disks.")
    contestants = findings.contest.contestants
    if not findings.is_decided or place not in findings.peers:
        return tr("Measured in a shoot-out.")
    plans = list(dict.fromkeys(contestants[peer].wanted for peer in findings.peers))
    rank, count = plans.index(contestants[place].wanted) + 1, len(plans)
    if count == 1:
        return tr("Measured in a shoot-out.")
    survive = contestants[place].survives_a_loss
    if rank > 1:
        return tr("Measured in a shoot-out: number {rank} of {count} by speed.", rank=rank, count=count)
    if survive:
        return tr("Measured fastest of {count} layouts that survive a lost disk.", count=count)
    return tr("Measured fastest of {count} layouts; none survives a lost disk.", count=count)


def lines_of_plans(findings: Findings) -> dict[Plan, str]:
    """Return ``planned_words`` by plan, without one disk alone; of a plan under several file systems, the first's."""
    places = reversed(range(len(findings.contest.contestants)))
    found = {findings.contest.contestants[place].wanted: place for place in places}
    return {
        plan: planned_words(findings, place)
        for plan, place in found.items()
        if findings.contest.contestants[place].is_layout
    }
