"""Two layouts side by side: a row for each workload and state, a column for each layout, and the ratio between them."""

from __future__ import annotations

from statistics import fmean
from typing import NamedTuple

from raidwright.operations.shootout.results import Figure, Findings
from raidwright.runs.run import ArrayState

from .catalogue import number, tr, translated, with_commas
from .run.measurements import figure, is_counted, short
from .run.shootout import STATES, contestant_name, unit, values


class TurnedRow(NamedTuple):
    """A workload in a state: both rates in its unit, each with its IOPS where those aren't the unit, and the ratio."""

    name: str
    first: str
    second: str
    ratio: str  # the second in percent of the first


class TurnedTable(NamedTuple):
    """The names of both layouts, and the rows."""

    first: str
    second: str
    rows: tuple[TurnedRow, ...]


def turned(findings: Findings) -> TurnedTable | None:
    """Return the table; None unless just two layouts take part."""
    places = [place for place, one in enumerate(findings.contest.contestants) if not one.is_alone]
    if len(places) != 2:
        return None
    first, second = places
    rows = []
    for state in findings.contest.states:
        for workload in findings.contest.suite.workloads:
            one, other = (findings.of(place, state, workload) for place in (first, second))
            if one is not None or other is not None:
                name = with_commas(short(str(workload)), unit(workload))
                if state is not ArrayState.HEALTHY:
                    name = with_commas(name, translated(STATES[state]).lower())
                rows.append(TurnedRow(name, _rate(one), _rate(other), _ratio(one, other)))
    contestants = findings.contest.contestants
    return TurnedTable(contestant_name(contestants[first]), contestant_name(contestants[second]), tuple(rows))


def _rate(one: Figure | None) -> str:
    if one is None:
        return "–"
    rate = figure(fmean(values(one)))
    if one.counts_files or is_counted(one.workload.pattern.block_bytes):
        return rate
    return tr("{rate} ({iops} IOPS)", rate=rate, iops=figure(one.iops))


def _ratio(one: Figure | None, other: Figure | None) -> str:
    if one is None or other is None or not fmean(values(one)):
        return "–"
    return number(fmean(values(other)) / fmean(values(one)), ".0%")
