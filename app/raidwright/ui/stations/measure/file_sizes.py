"""The dialog of files by size: the rate over the size of a file on an empty array, as a curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.core.system.filesystem import ALIGNED_KINDS, MEASURED_KINDS, FileSystemKind
from raidwright.machine.states.volume import State
from raidwright.operations.file_sizes import ACTS, SIZES_MIB, FileSizes, FileSizesFound, SizePoint, fitting
from raidwright.operations.file_systems import Setup
from raidwright.operations.operation import Operation
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.curves.file_sizes import NAMES, size_chart, size_words
from raidwright.text.reports.of_file_sizes import report_of_sizes
from raidwright.text.run import measurements as words
from raidwright.text.shown import Cell
from raidwright.ui.report_file import save_report
from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.panel import row
from raidwright.ui.widgets.save_button import PICTURES, REPORTS, SaveButton
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.widgets.twins import twins_of

from .series_dialog import SeriesDialog, SeriesModel, choice, count

_WIDTH, _HEIGHT, _MAX_REPEATS = 860, 580, 10
_MIB = 2**20


class FileSizesDialog(SeriesDialog):
    """The dialog on ``array``, which must hold nothing: each size is written on a new file system."""

    def __init__(self, model: SeriesModel, session: Session, array: State, parent: QWidget) -> None:
        super().__init__(model, "file-sizes", tr("Files by size on “{name}”", name=array.name), parent)
        self._session, self._array = session, array
        self.resize(_WIDTH, _HEIGHT)
        self._kind = choice("file-sizes-kind", tr("File system"))
        for kind in MEASURED_KINDS:
            self._kind.addItem(words.file_system(kind, aligned=kind in ALIGNED_KINDS), str(kind))
        self._kind.setCurrentIndex(max(0, self._kind.findData(model.chosen[0] if model.chosen else "")))
        self._repeats = count("file-sizes-repeats", tr("Repeats"), _MAX_REPEATS, 1, tr(" times"))
        self._repeats.setSpecialValueText(tr("once"))
        self._controls = (self._kind, self._repeats)
        self._rows = TableModel(self._columns())
        self._chart = LineChartView("file-sizes-chart", in_panel=False)
        twins, toggle = twins_of(self._chart, Table(self._rows, "file-sizes-values", tr("Sizes")), "file-sizes")
        self._save = SaveButton("file-sizes", tr("files"), (*PICTURES, *REPORTS))
        self._save.wanted.connect(self._save_file)
        head = row(wrapping(*self._controls, spacing=SPACE_M), spacing=SPACE_M)
        head.addStretch(1)
        head.addWidget(self._save)
        head.addWidget(toggle)
        intro = tr(
            "A file of each size on a new file system: written and flushed, read from the disks, and read again from "
            "memory. Only an array that holds nothing is taken; it is empty again afterwards."
        )
        self.lay_out(intro, (head,), twins)
        self._kind.currentIndexChanged.connect(model.forget)

    @staticmethod
    def _columns() -> tuple[Column, ...]:
        def rate(act: Any) -> Column:
            def cell(one: SizePoint) -> Cell:
                rates = one.rates(act)
                return Cell(words.figure(sum(rates) / len(rates)) if rates else "–")

            return Column(translated(NAMES[act]), cell, align="right")

        return (Column(tr("MiB"), lambda one: Cell(str(one.value)), stretch=True), *map(rate, ACTS))

    @property
    def _setup(self) -> Setup:
        kind = FileSystemKind(self._kind.currentData())
        return Setup(kind, kind in ALIGNED_KINDS)

    def order(self) -> tuple[Operation[Any], tuple[str, ...]]:
        """As ``SeriesDialog.order``."""
        connection, sizes = self._session.connection, fitting(SIZES_MIB, self._array.size_bytes // _MIB)
        wanted = FileSizes(
            f"md:{self._array.uuid}",
            self._setup,
            sizes or SIZES_MIB[:1],
            connection.title,
            self._repeats.value(),
            connection.is_practice,
        )
        return wanted, (str(self._setup.kind),)

    def result_words(self) -> str:
        """As ``SeriesDialog.result_words``."""
        return size_words(self.model.result)

    def show_points(self) -> None:
        """As ``SeriesDialog.show_points``."""
        found: FileSizesFound | None = self.model.result
        self._rows.show_rows(self.model.points)
        self._chart.show_chart(size_chart(found.setup if found is not None else self._setup, self.model.points))
        self._save.setVisible(found is not None)

    @Slot(object)
    def _save_file(self, path: Path) -> None:
        found: FileSizesFound | None = self.model.result
        if found is None:
            return
        try:
            if path.suffix.lower().removeprefix(".") in REPORTS:
                save_report(path, report_of_sizes(found, self._array.name))
            else:
                self._chart.save(path, size_words(found), tokens_for(self.palette()))
        except RaidwrightError as error:
            self.say_failure(translated(error.sentence))
