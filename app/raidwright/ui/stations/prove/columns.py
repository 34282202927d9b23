"""The table below the chart: a row per layout, with each figure of the view in a column whose head has its unit."""

from __future__ import annotations

from typing import NamedTuple

from raidwright.core.messages import say
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import ArrayState
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.run import shootout as words
from raidwright.text.run.comparisons import against_band
from raidwright.text.shown import Cell
from raidwright.ui.widgets.table_rows import Column

from .chart_rows import ON_AVERAGE, LayoutGroup, ShootoutView, StateBar, bar_words, figure

_HEADS = {
    ArrayState.HEALTHY: say("Healthy, {unit}"),
    ArrayState.DEGRADED: say("Disk lost, {unit}"),
    ArrayState.REBUILDING: say("Rebuilding, {unit}"),
}


class LayoutRow(NamedTuple):
    """A layout in one view; ``alone`` is one disk's rate there, None where it says nothing."""

    group: LayoutGroup
    view: ShootoutView

    @property
    def whole(self) -> StateBar | None:
        """The bar of the whole array."""
        return self.group.bar(ArrayState.HEALTHY)


def columns_of(view: ShootoutView | None) -> tuple[Column, ...]:
    """Return the columns, the same number for every view; those that a view doesn't need aren't ``wanted``."""
    states = view.states if view is not None else ()
    has_alone = view is not None and view.alone is not None
    has_predictions = view is not None and any(bar.predicted for group in view.groups for bar in group.bars)

    def of_state(state: ArrayState) -> Column:
        unit = "" if view is None else "×" if view.key == ON_AVERAGE else view.unit
        title = tr(_HEADS[state], unit=unit)
        return Column(title, lambda row: _cell(row, state), align="right", wanted=state in states)

    return (
        Column(tr("Layout"), lambda row: Cell(row.group.full_name, hint=row.group.mark), stretch=True),
        *map(of_state, ArrayState),
        Column(tr("Prediction"), _against, spare=True, wanted=has_predictions),
        Column(tr("Predicted, healthy"), _predicted, align="right", spare=True, wanted=has_predictions),
        Column(tr("× one disk"), _times, align="right", spare=True,
               wanted=has_alone and view is not None and view.key != ON_AVERAGE),
        Column(tr("Spread"), _spread, align="right", spare=True),
    )  # fmt: skip


def rows_of(view: ShootoutView, found: Findings) -> tuple[LayoutRow, ...]:
    """Return the rows of the view's groups that have figures, one disk alone first."""
    rows = [LayoutRow(group, view) for group in view.groups if group.bars]
    alone = [place for place, one in enumerate(found.contest.contestants) if one.is_alone]
    if view.alone is None or any(row.group.place in alone for row in rows):
        return tuple(rows)
    bar = StateBar(ArrayState.HEALTHY, view.alone, view.alone, view.alone)
    name = words.contestant_name(found.contest.contestants[alone[0]])
    return (LayoutRow(LayoutGroup(alone[0], name, "", name, (bar,), frozenset()), view), *rows)


def _cell(row: LayoutRow, state: ArrayState) -> Cell:
    bar = row.group.bar(state)
    if bar is not None:
        return Cell(figure(bar.value, row.view), hint=bar_words(bar, row.view))
    if state in row.group.lost_in:
        return Cell(tr("all lost"), hint=tr("with a disk lost: everything is lost"))
    return Cell("–")


def _predicted(row: LayoutRow) -> Cell:
    bar = row.whole
    if bar is None or bar.predicted is None:
        return Cell("–")
    likely, low, high = (figure(value, row.view) for value in bar.predicted)
    return Cell(tr("{likely} ({low} to {high})", likely=likely, low=low, high=high), hint=bar_words(bar, row.view))


def _times(row: LayoutRow) -> Cell:
    alone, bar = row.view.alone, row.whole
    return Cell(words.times(bar.value / alone if bar is not None and alone else None))


def _spread(row: LayoutRow) -> Cell:
    spread = row.whole.spread if row.whole is not None else None
    return Cell("–" if spread is None else number(spread, ".1%"), hint=tr("Range of the repeats, of the healthy array"))


def _against(row: LayoutRow) -> Cell:
    """Return “as predicted”, or the first figure that misses its prediction, with the others on hover."""
    bars = [bar for bar in row.group.bars if bar.predicted is not None]
    missed = [bar for bar in bars if bar.is_missed]
    if not bars:
        return Cell("–")
    if not missed:
        return Cell(badge=tr("as predicted"), tone="good")
    first = missed[0]
    ratio = first.value / first.predicted[0] if first.predicted else 1.0
    state = "" if first.state is ArrayState.HEALTHY else translated(words.STATES[first.state]).lower()
    hint = "\n".join(bar_words(bar, row.view) for bar in missed)
    return Cell(state, badge=against_band(ratio, is_inside=False), tone="warn", hint=hint)
