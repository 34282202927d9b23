"""Columns and rows of the table of findings."""

from __future__ import annotations

from typing import NamedTuple

from raidwright.core.system.suites import MAX_OWN, Suite
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.text import measurements
from raidwright.text import shootout as words
from raidwright.text.catalogue import tr, translated
from raidwright.text.shown import Cell
from raidwright.ui.widgets.table_rows import Column

_MAX_WORKLOADS = max(MAX_OWN, *(len(suite.workloads) for suite in Suite))


class ContestantRow(NamedTuple):
    """A contestant in one state: its place, and the cells of its workloads."""

    place: int
    state: ArrayState
    cells: tuple[str, ...]
    leads: bool


def columns_of(found: Findings | None) -> tuple[Column, ...]:
    """Return the columns, the same number for every suite; those that a suite doesn't need aren't ``wanted``."""
    workloads = found.contest.suite.workloads if found else ()
    contestants = found.contest.contestants if found else ()

    def of_workload(number: int) -> Column:
        if number >= len(workloads):
            return Column("", lambda _row: Cell(), wanted=False, spare=True)
        title = measurements.title(str(workloads[number]))
        return Column(title, lambda one: Cell(one.cells[number]), align="right", room=f"{title}   ")

    return (
        Column(tr("Layout"), lambda one: Cell(words.contestant_name(contestants[one.place]))),
        Column(tr("State"), lambda one: Cell(translated(words.STATES[one.state]))),
        *(of_workload(number) for number in range(_MAX_WORKLOADS)),
    )


def rows_of(found: Findings) -> tuple[ContestantRow, ...]:
    """Return the rows: one disk alone, then by rank, then contestants without a score; each healthy, then degraded."""
    alone = [place for place, one in enumerate(found.contest.contestants) if one.is_alone]
    first = [*alone, *(place for place, _score in found.board)]
    places = [*first, *(place for place in range(len(found.contest.contestants)) if place not in first)]
    return tuple(
        ContestantRow(place, state, cells, place == found.winner and state is ArrayState.HEALTHY)
        for place in places
        for state in ArrayState
        if (cells := words.cells(found, place, state))
    )
