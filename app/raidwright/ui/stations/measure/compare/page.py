"""The Compare page: runs to choose from, and beside them the bars, the ratio, and the verdict in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from raidwright.runs.run import Run
from raidwright.text.catalogue import joined, ntr, tr, with_commas
from raidwright.text.run import measurements
from raidwright.text.shown import Cell
from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.panel import Panel, button, column, label, row, scrolled
from raidwright.ui.widgets.save_button import SaveButton
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel
from raidwright.ui.widgets.twins import twins_of

from .model import CompareModel
from .picture import BarsView
from .rows import WorkloadRow

_LEFT_SHARE = 0.42


class ComparePage(QWidget):
    """The page. ``back_wanted`` asks for the curve."""

    back_wanted = Signal()

    def __init__(self, model: CompareModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare-page")
        self._model = model
        self._runs = TableModel(_run_columns(model), self._look)
        self._rows = TableModel(_row_columns())
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        self._left = self._choice_panel()
        box.addWidget(self._left)
        box.addWidget(self._result_panel(), 1)
        model.changed.connect(self._show)
        self._show()

    def begin_with(self, run: Run) -> None:
        """Put ``run`` alone on side A."""
        self._model.clear()
        self._model.pick(run)

    def begin_with_sides(self, first: Sequence[Run], second: Sequence[Run]) -> None:
        """Compare ``second`` with ``first``."""
        self._model.show_sides(first, second)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: reserve a share of the width for choosing."""
        self._left.setFixedWidth(round(_LEFT_SHARE * self.width()))
        super().resizeEvent(event)

    def _choice_panel(self) -> Panel:
        panel = Panel()
        back = button(tr("← Back to measuring"), "compare-back")
        back.clicked.connect(self.back_wanted)
        self._clear = button(tr("Choose none"), "compare-clear")
        self._clear.clicked.connect(self._model.clear)
        head = row(back)
        head.addStretch(1)
        head.addWidget(self._clear)
        series = QCheckBox(tr("Use all repeats of a test"))
        series.setObjectName("compare-series")
        series.setChecked(self._model.takes_series)
        series.toggled.connect(self._model.take_series)
        table = Table(self._runs, "compare-runs", tr("Runs"))
        table.row_activated.connect(self._activated)
        panel.body.addLayout(head)
        panel.body.addWidget(label(tr("What is compared?"), "headline"))
        panel.body.addWidget(
            label(tr("Pick two: the first is A, the second is B. Click one again to leave it out."), "dim", wrap=True)
        )
        panel.body.addWidget(table, 1)
        panel.body.addWidget(series)
        return panel

    def _result_panel(self) -> Panel:
        panel = Panel()
        self._picture = BarsView("compare-picture")
        self._picture.setAccessibleName(tr("Runs compared; the table beside it has the same figures"))
        table = Table(self._rows, "compare-table", tr("Runs compared"))
        bars = QWidget()
        bars.setLayout(column(self._picture))
        twins, self._toggle = twins_of(scrolled(bars), table, "compare")
        self._save = SaveButton("compare", tr("comparison"))
        self._save.wanted.connect(self._save_picture)
        head = row(label(tr("Compared"), "title"), spacing=SPACE_S)
        head.addStretch(1)
        for part in (self._toggle, self._save):
            head.addWidget(part)
        self._failure = label("", "error", name="compare-failure", wrap=True)
        self._hint = label("", "dim", name="compare-hint", wrap=True)
        panel.body.addLayout(head)
        panel.body.addWidget(self._failure)
        panel.body.addWidget(self._hint)
        panel.body.addWidget(twins, 1)
        return panel

    @Slot(int)
    def _activated(self, place: int) -> None:
        if not isinstance(runs := self._runs.rows[place], str):
            self._model.pick(runs[0])

    def _look(self, runs: tuple[Run, ...] | str) -> RowLook:
        if isinstance(runs, str):
            return RowLook(heading=runs)
        side = self._model.side_of.get(runs[0].id, "")
        return RowLook(marked=bool(side), words=tr("on side {side}", side=side) if side else "")

    @Slot()
    def _show(self) -> None:
        model = self._model
        self._runs.show_rows(_under_headings(model.groups))
        self._rows.show_rows(model.rows)
        self._picture.show_rows(model.rows)
        self._failure.setText(f"✕ {model.failure}" if model.failure else "")
        self._failure.setVisible(bool(model.failure))
        self._hint.setText(model.hint)
        self._hint.setVisible(bool(model.hint))
        self._clear.setEnabled(bool(model.side_of))
        for part in (self._toggle, self._save):
            part.setEnabled(bool(model.rows))

    @Slot(object)
    def _save_picture(self, path: Path) -> None:
        self._model.save_picture(path, tokens_for(self.palette()))


def _under_headings(groups: Sequence[tuple[Run, ...]]) -> tuple[tuple[Run, ...] | str, ...]:
    """Return the rows, those of a shoot-out or a sweep together under its title."""
    rows: dict[str, list[tuple[Run, ...]]] = {}
    titles: dict[str, str] = {}
    for group in groups:
        run = group[-1]
        is_series = run.series is not None and run.series.kind in measurements.TRIALS
        key = run.series.id if run.series is not None and is_series else run.id
        rows.setdefault(key, []).append(group)
        titles[key] = measurements.series_title(run) if is_series else ""  # of the oldest, which comes last
    listed: list[tuple[Run, ...] | str] = []
    for key, found in rows.items():
        listed += [titles[key], *found] if titles[key] else found
    return tuple(listed)


def _run_columns(model: CompareModel) -> tuple[Column, ...]:
    def column(title: str, cell: Callable[[tuple[Run, ...]], Cell], **more: Any) -> Column:
        return Column(title, lambda runs: Cell() if isinstance(runs, str) else cell(runs), **more)

    return (
        column(tr("Side"), lambda runs: _side(model.side_of.get(runs[0].id, ""))),
        column(
            tr("What"),
            lambda runs: Cell(measurements.subject(runs[0]), hint=_hint(runs[0])),
            stretch=True,
        ),
        column(tr("State"), lambda runs: Cell(measurements.state(runs[0]))),
        column(tr("Tests"), _tests, spare=True),
        column(tr("When"), lambda runs: Cell(measurements.when(runs[-1].started))),
    )


def _tests(runs: tuple[Run, ...]) -> Cell:
    """Return the workload, or the number of workloads, and the repeats of each or a single run's speed."""
    kinds = list(dict.fromkeys(run.workload for run in reversed(runs)))
    each = len(runs) // len(kinds)
    what = measurements.short(kinds[0]) if len(kinds) == 1 else ntr("{count} test", "{count} tests", len(kinds))
    single = f"{what} · {measurements.speed(runs[0])}" if len(runs) == 1 else what
    return Cell(f"{what} × {each}" if each > 1 else single, hint="\n".join(map(measurements.workload, kinds)))


def _side(side: str) -> Cell:
    return Cell("", badge=side, tone="info" if side == "A" else "good") if side else Cell("")


def _hint(run: Run) -> str:
    return with_commas(measurements.subject(run), measurements.state(run), measurements.machine(run))


def _row_columns() -> tuple[Column, ...]:
    return (
        Column(tr("Workload"), lambda one: Cell(one.short, hint=one.title)),
        Column(tr("A"), lambda one: Cell(one.lines[0].figure), align="right"),
        Column(tr("B"), lambda one: Cell(one.lines[-1].figure), align="right"),
        Column(tr("Ratio"), lambda one: Cell(one.ratio, hint=_range(one)), align="right"),
        Column(tr("Range"), lambda one: Cell(_range(one)), align="right", spare=True),
        Column(tr("Verdict"), _verdict, stretch=True),
    )


def _range(one: WorkloadRow) -> str:
    return tr("{low} to {high}", low=one.low, high=one.high) if one.low else ""


def _verdict(one: WorkloadRow) -> Cell:
    hint = joined(one.verdict, one.warning, *one.remarks)
    return Cell(one.briefly, badge="⚠" if one.warning else "", tone="warn", hint=hint)
