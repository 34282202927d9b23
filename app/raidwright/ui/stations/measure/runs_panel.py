"""The kept runs beside the curve, grouped by what was measured."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.runs.run import Run
from raidwright.runs.table import runs_as_csv
from raidwright.text.catalogue import ntr, tr
from raidwright.ui.widgets.panel import Panel, button, label
from raidwright.ui.widgets.row_menu import Entry, RowMenu, copying
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import RowLook, TableModel

from .columns import Heading, grouped, run_columns
from .model import MeasureModel


class RunsPanel(Panel):
    """The panel. ``compare_wanted`` asks for the Compare page, and carries the first Run, or None."""

    compare_wanted = Signal(object)

    def __init__(self, model: MeasureModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Runs"), tr("kept on this computer"), parent)
        self._model = model
        self._rows = TableModel(run_columns(), self._look)
        self._listed: tuple[tuple[Run, ...], tuple[Run | Heading, ...]] = ((), ())
        table = Table(self._rows, "measure-runs", tr("Runs"))
        table.row_activated.connect(self._activated)
        RowMenu(table, self._entries)
        self._none = label(tr("Nothing has been measured yet."), "dim", wrap=True)
        self.to_compare = button(tr("Compare …"), "measure-compare")
        self.to_compare.clicked.connect(lambda: self.compare_wanted.emit(None))
        self.head.addWidget(self.to_compare)
        self._never_ended = label("", "dim", name="measure-never-ended", wrap=True)
        self.body.addWidget(self._none)
        self.body.addWidget(table, 1)
        self.body.addWidget(self._never_ended)
        model.runs_changed.connect(self.show_runs)
        self.show_runs()

    def _look(self, run: Run | Heading) -> RowLook:
        if isinstance(run, Heading):
            return RowLook(heading=run.title)
        return RowLook(marked=self._model.shown is not None and run.id == self._model.shown.id)

    @Slot(int)
    def _activated(self, place: int) -> None:
        if not isinstance(run := self._rows.rows[place], Heading):
            self._model.show_run(run)

    def _entries(self, place: int) -> tuple[Entry, ...]:
        run: Run | Heading = self._rows.rows[place]
        if isinstance(run, Heading):
            return ()
        return (
            Entry("show", tr("Show it"), lambda: self._model.show_run(run)),
            Entry("compare", tr("Compare it …"), lambda: self.compare_wanted.emit(run)),
            copying("csv", tr("Copy as CSV"), runs_as_csv((run,))),
        )

    @Slot()
    def show_runs(self) -> None:
        """Show the model's runs, and mark the one shown."""
        if self._listed[0] is not self._model.runs:
            self._listed = (self._model.runs, grouped(self._model.runs))
        self._rows.show_rows(self._listed[1])
        self._none.setVisible(not self._model.runs)
        self.to_compare.setEnabled(bool(self._model.runs))
        lost = self._model.never_ended
        self._never_ended.setText(
            ntr(
                "{count} earlier run has no end: it runs elsewhere, or the program stopped in the middle. It can't be "
                "compared.",
                "{count} earlier runs have no end: they run elsewhere, or the program stopped in the middle. They "
                "can't be compared.",
                lost,
            )
        )
        self._never_ended.setVisible(lost > 0)
