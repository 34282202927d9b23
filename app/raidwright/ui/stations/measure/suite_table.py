"""A suite's runs as one table: each workload's mean, prediction, deviation, multiple of one disk, and spread."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.runs.run import Run
from raidwright.text.catalogue import number, tr
from raidwright.text.run import measurements as words
from raidwright.text.run.shootout import times
from raidwright.text.shown import Cell
from raidwright.ui.widgets.panel import Panel
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

from .beside import Expected, expected_of, in_words

_MAX_ROWS, _ROW_HEIGHT = 8, 30


class SuiteRow(NamedTuple):
    """A workload: its mean, and the relative spread of its repeats, None for a single one."""

    workload: str
    mb_s: float
    iops: float
    spread: float | None
    expected: Expected | None
    runs: tuple[str, ...]  # run ids


def rows_of(runs: Sequence[Run]) -> tuple[SuiteRow, ...]:
    """Return the rows of one series' runs, in the order of measurement."""
    ordered = sorted(runs, key=lambda run: run.started)
    firsts = {run.result.workload: place for place, run in reversed(list(enumerate(ordered)))}
    ordered.sort(key=lambda run: firsts[run.result.workload])
    return tuple(
        _row(workload, tuple(group)) for workload, group in groupby(ordered, key=lambda run: run.result.workload)
    )


def _row(workload: str, runs: tuple[Run, ...]) -> SuiteRow:
    rates = [run.result.mb_s for run in runs]
    mean = fmean(rates)
    spread = (max(rates) - min(rates)) / mean if len(rates) > 1 and mean else None
    iops = fmean([run.result.iops for run in runs])
    return SuiteRow(workload, mean, iops, spread, expected_of(runs[0]), tuple(run.id for run in runs))


class SuitePanel(Panel):
    """The table of the series that the shown run belongs to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Suite"), parent=parent)
        self._looked_at = ""
        self._series: tuple[str, ...] = ()
        self._rows = TableModel(
            (
                Column(tr("Workload"), lambda one: Cell(words.short(one.workload), hint=words.workload(one.workload)),
                       stretch=True),
                Column(tr("Speed"), lambda one: Cell(words.speed_words(one.workload, one.mb_s, one.iops)),
                       align="right"),
                Column(tr("Predicted"), _predicted, align="right"),
                Column(tr("Off by"), _deviation, align="right"),
                Column(tr("One disk"), _alone, align="right", spare=True),
                Column(tr("Spread"), _spread, align="right", spare=True),
            ),
            lambda one: RowLook(marked=self._looked_at in one.runs),
        )  # fmt: skip
        self._table = Table(self._rows, "measure-suite-rows", tr("Suite"))
        self.body.addWidget(self._table)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def show_run(self, run: Run | None, runs: Sequence[Run]) -> None:
        """Show the series of ``run`` among ``runs``; nothing unless it is a suite."""
        series = run.series if run is not None and run.series is not None and run.series.kind == "suite" else None
        self.setVisible(series is not None)
        if series is None or run is None:
            return
        of_it = [one for one in runs if one.series is not None and one.series.id == series.id]
        self._looked_at, ids = run.id, tuple(one.id for one in of_it)
        rows = rows_of(of_it) if ids != self._series else self._rows.rows  # predicting is slow
        self._series = ids
        self.title.setText(words.suite(series.name))
        self._rows.show_rows(rows)
        self._table.setFixedHeight(_ROW_HEIGHT * (min(_MAX_ROWS, len(rows)) + 1) + 4)


def _spread(one: SuiteRow) -> Cell:
    return Cell("–" if one.spread is None else number(one.spread, ".1%"))


def _alone(one: SuiteRow) -> Cell:
    alone = one.expected.alone_mb_s if one.expected else None
    return Cell(times(one.mb_s / alone) if alone else "–", hint=tr("in multiples of what one disk does alone"))


def _predicted(one: SuiteRow) -> Cell:
    """Return the prediction in the unit of the measured speed, with its range on hover."""
    if one.expected is None:
        return Cell("–")
    iops = one.expected.mb_s * 1e6 / one.expected.block_bytes
    return Cell(words.speed_words(one.workload, one.expected.mb_s, iops), hint=in_words(one.expected, None))


def _deviation(one: SuiteRow) -> Cell:
    """Return “+4%”, “+46% !” where the measured mean lies outside of the predicted range."""
    if one.expected is None or not one.expected.mb_s:
        return Cell("–")
    share = number(one.mb_s / one.expected.mb_s - 1, "+.0%")
    if one.expected.low_mb_s <= one.mb_s <= one.expected.high_mb_s:
        return Cell(share, hint=tr("within the predicted range"))
    return Cell(f"{share} !", hint=tr("outside of the predicted range"))
