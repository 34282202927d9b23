"""A shoot-out's findings as groups of bars: a group per layout, a bar per state of the array, for one workload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log
from statistics import fmean
from typing import NamedTuple

from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.run import ArrayState
from raidwright.suites import SuiteWorkload
from raidwright.text.catalogue import ended, joined, number, tr, translated, with_commas
from raidwright.text.run import measurements
from raidwright.text.run import shootout as words
from raidwright.text.run.verdict import short_verdict

ON_AVERAGE = "average"  # the key of the view of all deciding workloads together


class StateBar(NamedTuple):
    """A measured bar: its mean and the repeats' ends, and the ends of its predicted range, None without one."""

    state: ArrayState
    value: float
    low: float
    high: float
    predicted: tuple[float, float, float] | None = None  # likely, low, high

    @property
    def is_missed(self) -> bool:
        """True if the mean lies outside its predicted range."""
        return self.predicted is not None and not self.predicted[1] <= self.value <= self.predicted[2]

    @property
    def spread(self) -> float | None:
        """Range of the repeats, as a share of the mean; None for a single one."""
        return (self.high - self.low) / self.value if self.high > self.low else None


class LayoutGroup(NamedTuple):
    """A contestant: its place in the contest, its name in two lines, its bars so far, and the states that it loses."""

    place: int
    name: str
    more: str
    full_name: str
    bars: tuple[StateBar, ...]
    lost_in: frozenset[ArrayState]
    mark: str = ""  # the winner's words

    def bar(self, state: ArrayState) -> StateBar | None:
        """Return the bar of ``state``; None if it isn't measured."""
        return next((one for one in self.bars if one.state is state), None)


class ShootoutView(NamedTuple):
    """The groups of a workload, or of all deciding ones on average, in one ``unit``; ``alone`` is one disk's rate."""

    key: str
    title: str
    unit: str
    states: tuple[ArrayState, ...]
    groups: tuple[LayoutGroup, ...]
    alone: float | None = None

    @property
    def most(self) -> float:
        """The highest value that is drawn."""
        ends = [end for group in self.groups for bar in group.bars for end in (bar.high, *(bar.predicted or ()))]
        return max((*ends, self.alone or 0.0), default=0.0)

    def said_aloud(self) -> str:
        """Return the picture's content for screen readers."""
        return joined(*(ended(group_words(group, self).replace("\n", "; ")) for group in self.groups))


def views(found: Findings) -> tuple[tuple[str, str, str], ...]:
    """Return (key, name, hint) of every view: the average first, unless multiples of one disk say nothing."""
    single = [(str(one), _title(one), measurements.workload(str(one))) for one in found.contest.suite.workloads]
    if found.is_at_memory_speed or len(found.contest.suite.decisive) < 2:
        return tuple(single)
    decisive = [_title(one) for one in found.contest.suite.decisive]
    hint = tr("What decides: the mean of {workloads:and}, in multiples of one disk.", workloads=decisive)
    return ((ON_AVERAGE, tr("on average"), hint), *single)


def view_of(found: Findings, key: str, *, is_decided: bool) -> ShootoutView:
    """Return the view of that key. Once ``is_decided`` the best comes first, and the winner is marked."""
    contest = found.contest
    workload = next((one for one in contest.suite.workloads if str(one) == key), None)
    alone = [place for place, one in enumerate(contest.contestants) if one.is_alone]
    order = [place for place, _score in found.board] if is_decided else []
    order += [place for place in range(len(contest.contestants)) if place not in order]
    shown = [place for place in order if place not in alone]
    if len(alone) > 1 and workload is not None:  # a file system each: no one line is right for all
        shown = [*alone, *shown]
    groups = tuple(_group(found, place, workload, is_winner=is_decided and place == found.winner) for place in shown)
    if workload is None:
        return ShootoutView(ON_AVERAGE, tr("On average"), tr("× one disk"), contest.states, groups, 1.0)
    disk = found.of(alone[0], ArrayState.HEALTHY, workload) if len(alone) == 1 else None
    rate = fmean(words.values(disk)) if disk is not None and not found.is_at_memory_speed else None
    return ShootoutView(key, measurements.workload(key), words.unit(workload), contest.states, groups, rate)


def _title(workload: SuiteWorkload) -> str:
    return measurements.short(str(workload))


def _group(found: Findings, place: int, workload: SuiteWorkload | None, *, is_winner: bool) -> LayoutGroup:
    contestant = found.contest.contestants[place]
    is_lost = not contestant.survives_a_loss and contestant.is_layout
    lost_in = frozenset(found.contest.states) - {ArrayState.HEALTHY} if is_lost else frozenset[ArrayState]()
    bars = (_bar(found, place, state, workload) for state in found.contest.states)
    return LayoutGroup(
        place,
        *words.contestant_lines(contestant),
        words.contestant_name(contestant),
        tuple(one for one in bars if one is not None),
        lost_in,
        short_verdict(found) if is_winner else "",
    )


def _bar(found: Findings, place: int, state: ArrayState, workload: SuiteWorkload | None) -> StateBar | None:
    if workload is None:
        return _average(found, place, state)
    figure = found.of(place, state, workload)
    if figure is None:
        return None
    rates = words.values(figure)
    predicted = None if found.is_at_memory_speed else words.predicted_values(figure)
    return StateBar(state, fmean(rates), min(rates), max(rates), predicted)


def _average(found: Findings, place: int, state: ArrayState) -> StateBar | None:
    """Return the score as a bar; a contestant without all of its deciding figures has none yet."""
    figures, score = found.deciding(place, state), found.score(place, state)
    if score is None or len(figures) < len(found.contest.suite.decisive):
        return None
    scores = found.scores(place, state)
    return StateBar(state, score, min(scores), max(scores), _predicted_average(found, figures))


def _predicted_average(found: Findings, figures: Sequence[Figure]) -> tuple[float, float, float] | None:
    """Return the mean of the predictions in multiples of the measured disk; the ends if all err to the same side."""
    pairs = [(one.predicted, found.alone(one)) for one in figures]
    known = [(said, disk.mb_s) for said, disk in pairs if said is not None and disk is not None]
    if not known or len(known) < len(pairs):
        return None

    def mean(rates: Iterator[float]) -> float:
        return exp(fmean(map(log, rates)))

    return (
        mean(said.mb_s / disk for said, disk in known),
        mean(said.low_mb_s / disk for said, disk in known),
        mean(said.high_mb_s / disk for said, disk in known),
    )


def figure(value: float, view: ShootoutView) -> str:
    """Return a value of the view: “804”, “1.8×”."""
    return words.times(value) if view.key == ON_AVERAGE else measurements.figure(value)


def bare_figure(value: float, view: ShootoutView) -> str:
    """Return a value beside an axis that bears its unit: “804”, “1.80”."""
    return number(value, ".2f") if view.key == ON_AVERAGE else measurements.figure(value)


def bar_words(bar: StateBar, view: ShootoutView) -> str:
    """Return “with a disk lost: 176 MB/s, predicted 150 to 250”."""
    state = translated(words.STATES[bar.state]).lower()
    rate = figure(bar.value, view) if view.key == ON_AVERAGE else f"{figure(bar.value, view)} {view.unit}"
    if bar.predicted is None:
        return f"{state}: {rate}"
    low, high = (figure(end, view) for end in bar.predicted[1:])
    said = tr("predicted {low} to {high}", low=low, high=high)
    return with_commas(f"{state}: {rate}", said)


def group_words(group: LayoutGroup, view: ShootoutView) -> str:
    """Return the group in words, for its tooltip and for screen readers."""
    lines = [bar_words(bar, view) for bar in group.bars]
    if group.lost_in:
        lines.append(tr("with a disk lost: everything is lost"))
    if not lines:
        lines.append(tr("not measured yet"))
    return f"{with_commas(group.full_name, group.mark)}\n" + "\n".join(lines)
