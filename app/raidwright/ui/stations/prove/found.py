"""The findings of a shoot-out: the verdict, a chart of the chosen workload, and the table of the same figures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QScrollArea, QSizePolicy, QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.operations.shootout.results import Findings
from raidwright.operations.shootout.shootout import Standing
from raidwright.runs.memory_speed import MEMORY_SPEED
from raidwright.text.catalogue import ended, joined, tr, translated
from raidwright.text.curves.member_curves import has_curves
from raidwright.text.reports.of_shootout import report_of
from raidwright.text.run import shootout as words
from raidwright.text.run.verdict import verdict
from raidwright.text.shown import Cell
from raidwright.text.turned import TurnedTable, turned
from raidwright.ui.report_file import save_report
from raidwright.ui.theme import tokens_for
from raidwright.ui.widgets.panel import Panel, button, column, label, row
from raidwright.ui.widgets.save_button import PICTURES, REPORTS, SaveButton
from raidwright.ui.widgets.segmented import Choice, Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import ROW_HEIGHT, Column, RowLook, TableModel

from .chart import ShootoutChart
from .chart_rows import ON_AVERAGE, ShootoutView, view_of, views
from .columns import LayoutRow, columns_of, rows_of
from .member_lines import MemberLines
from .model import ProveModel

_MIN_ROWS, _MAX_ROWS = 2, 5  # of the table, besides its head
_CHART_SHARE, _TABLE_SHARE = 2, 1
_LINES, _BARS = "lines", "bars"
_HEAD_EDGE = 12  # by which a table's head is higher than a row


class FoundPanel(Panel):
    """The panel, also while the shoot-out runs: then with its progress, and without any verdict."""

    def __init__(self, model: ProveModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("What was found"), parent=parent)
        self._model = model
        self._key = ""  # of the view that is shown
        self._drawing = _LINES  # where there are lines
        self._view: ShootoutView | None = None
        self._verdict = label("", "headline", name="prove-verdict", wrap=True)
        self._memory_speed = label(translated(MEMORY_SPEED), "practice", name="prove-memory-speed", wrap=True)
        self._failure = label("", "error", name="prove-failure", wrap=True)
        self._nothing = label(
            tr(
                "Each layout is built on the first part of these disks, measured healthy and with a disk lost, and "
                "taken away again. The chart grows here, with what was predicted beside it."
            ),
            "dim",
            name="prove-nothing",
            wrap=True,
        )
        self._save = SaveButton("prove", tr("shoot-out"), (*PICTURES, *REPORTS))
        self._save.wanted.connect(self._save_picture)
        self.head.addWidget(self._save)
        for text in (self._verdict, self._memory_speed, self._failure, self._nothing):
            text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
            self.body.addWidget(text)
        self.body.addLayout(self._progress())
        self.body.addWidget(self._bar)
        self._drawn = self._chart_and_table()
        self._rest = QWidget(self)  # below the text, as long as there is no chart
        self.body.addWidget(self._drawn, 1)
        self.body.addWidget(self._rest, 1)
        model.changed.connect(self.show_found)
        self.show_found()

    def _progress(self) -> QHBoxLayout:
        self._standing = label("", "dim", name="prove-standing", wrap=True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("How far the shoot-out is"))
        self._cancel = button(tr("Stop and clean up"), "prove-cancel")
        self._cancel.clicked.connect(self._model.job.cancel)
        under_way = row(self._standing, self._cancel)
        under_way.setStretch(0, 1)
        return under_way

    def _chart_and_table(self) -> QWidget:
        self._which = Segmented("prove-view", tr("Speed shown"), wrap=True)
        self._which.chosen.connect(self._choose_view)
        self._chart = ShootoutChart()
        self._chart.chosen.connect(self._model.look_at)
        area = QScrollArea()  # sideways, where many layouts compete
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        ground = QWidget()  # the area's own widget has a transparent ground, which tells nothing of the scheme
        ground.setLayout(column(self._chart))
        area.setWidget(ground)
        self._figures = TableModel(columns_of(None), self._look)
        self._table = Table(self._figures, "prove-figures", tr("What was found"))
        self._table.row_activated.connect(lambda at: self._model.look_at(self._figures.rows[at].group.place))
        self._as_bars = QWidget()
        self._pairs = TableModel(_pair_columns(None))
        self._pair_table = Table(self._pairs, "prove-turned", tr("Both side by side"))
        bars = column(area, self._table, self._pair_table)
        bars.setStretch(0, _CHART_SHARE)
        bars.setStretch(1, _TABLE_SHARE)
        bars.setStretch(2, _TABLE_SHARE)
        self._as_bars.setLayout(bars)
        self._as_lines = MemberLines(self._model.overlays)
        self._how_drawn = Segmented("prove-drawn", tr("How it is drawn"))
        self._how_drawn.chosen.connect(self._choose_drawing)
        drawn = QWidget(self)
        box = column(row(self._how_drawn, self._which), self._as_bars, self._as_lines)
        box.setStretch(1, 1)
        box.setStretch(2, 1)
        drawn.setLayout(box)
        return drawn

    def _look(self, one: LayoutRow) -> RowLook:
        return RowLook(marked=one.group.place == self._model.looked_at)

    @Slot()
    def show_found(self) -> None:
        """Show the model's findings, and its progress."""
        model, found = self._model, self._model.findings
        self._show_progress()
        has_figures = found is not None and bool(found.figures)
        for part, is_shown in ((self._nothing, not has_figures), (self._rest, not has_figures)):
            part.setVisible(is_shown)
        for part in (self._drawn, self._save):
            part.setVisible(has_figures)
        self._verdict.setVisible(has_figures and not model.job.is_busy)  # a part of the contestants decides nothing
        self._memory_speed.setVisible(found is not None and has_figures and found.is_at_memory_speed)
        self._save.setEnabled(not model.job.is_busy)
        if found is None or not has_figures:
            return
        said = verdict(found)
        if model.was_cut_off and found.is_decided:
            said = tr("It was not held to its end. Until then: {verdict}", verdict=said)
        self._verdict.setText(said)
        self._show_views(found)

    def _show_progress(self) -> None:
        job = self._model.job
        standing = job.progress if isinstance(job.progress, Standing) else None
        doing = words.standing_words(standing) if standing is not None else tr("Waiting …")
        self._standing.setText(doing if job.is_busy else "")
        self._bar.setValue(round(100 * job.progress.fraction))
        for part in (self._standing, self._bar, self._cancel):
            part.setVisible(job.is_busy)
        self._failure.setText(f"✕ {job.failure}" if job.failure and not job.is_busy else "")
        self._failure.setVisible(bool(self._failure.text()))

    def _show_views(self, found: Findings) -> None:
        is_lines = self._shows_lines(found)
        offered = [one for one in views(found) if not (is_lines and one[0] == ON_AVERAGE)]
        keys = [key for key, _name, _hint in offered]
        self._key = self._key if self._key in keys else keys[0]
        self._which.setVisible(len(keys) > 1)
        self._which.show_choices([Choice(key, name, hint=hint) for key, name, hint in offered], self._key)
        self._as_lines.setVisible(is_lines)
        self._as_bars.setVisible(not is_lines)
        if is_lines:
            workload = next(one for one in found.contest.suite.workloads if str(one) == self._key)
            self._as_lines.show_findings(found, workload)
        view = view_of(found, self._key, is_decided=self._model.is_decided)
        self._view = view
        self._chart.show_view(view, self._model.looked_at)
        self._figures.show_columns(columns_of(view))
        self._figures.show_rows(rows := rows_of(view, found))
        pair = turned(found)
        self._table.setVisible(pair is None)
        self._pair_table.setVisible(pair is not None)
        self._pairs.show_columns(_pair_columns(pair))
        self._pairs.show_rows(pair.rows if pair is not None else ())
        for table, shown in ((self._table, len(rows)), (self._pair_table, len(pair.rows) if pair else 0)):
            count = max(_MIN_ROWS, min(_MAX_ROWS, shown))
            table.setMinimumHeight(ROW_HEIGHT * (_MIN_ROWS + 1) + 2)
            table.setMaximumHeight(ROW_HEIGHT * (count + 1) + _HEAD_EDGE)

    def _shows_lines(self, found: Findings) -> bool:
        """Return whether lines over the number of disks are shown: by choice, where there are any."""
        has_lines = has_curves(found)
        self._how_drawn.setVisible(has_lines)
        choices = (
            Choice(_LINES, tr("by disks"), hint=tr("A line a layout, over the number of its disks.")),
            Choice(_BARS, tr("as bars"), hint=tr("Bars for each layout and number of disks.")),
        )
        self._how_drawn.show_choices(choices, self._drawing)
        return has_lines and self._drawing == _LINES

    @Slot(str)
    def _choose_drawing(self, drawing: str) -> None:
        self._drawing = drawing
        self.show_found()

    @Slot(str)
    def _choose_view(self, key: str) -> None:
        self._key = key
        self.show_found()

    @Slot(object)
    def _save_picture(self, path: Path) -> None:
        found, view = self._model.findings, self._view
        if found is None or view is None:
            return
        title, is_lines = joined(ended(self._verdict.text()), view.title), self._as_lines.isVisible()
        try:
            if path.suffix.lower().removeprefix(".") in REPORTS:
                save_report(path, report_of(found, self._model.found_slice_bytes, self._as_lines.overlay))
            elif is_lines:
                self._as_lines.chart.save(path, view.title, tokens_for(self.palette()))
            else:
                self._chart.save(path, title, tokens_for(self.palette()))
        except RaidwrightError as error:
            self._failure.setText(f"✕ {translated(error.sentence)}")
            self._failure.setVisible(True)


def _pair_columns(pair: TurnedTable | None) -> tuple[Column, ...]:
    """Return the columns of two layouts side by side: workloads are the rows."""
    first, second = (pair.first, pair.second) if pair is not None else ("", "")
    return (
        Column(tr("Workload"), lambda one: Cell(one.name), stretch=True),
        Column(first, lambda one: Cell(one.first), align="right"),
        Column(second, lambda one: Cell(one.second), align="right"),
        Column(tr("Second in % of the first"), lambda one: Cell(one.ratio), align="right"),
    )
