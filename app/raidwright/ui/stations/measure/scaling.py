"""The dialog of a scaling: a workload at rising queue depths, or by more and more programs at once."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from raidwright.core.system.workload import Workload
from raidwright.operations.operation import Operation
from raidwright.operations.scaling import SCALED, LoadPoint, Scaling, scaled_workloads
from raidwright.session import Session
from raidwright.text.catalogue import number, tr
from raidwright.text.run import measurements as words
from raidwright.text.run.scaling import SCALABLE, scalable_words, scaled_title, scaled_words
from raidwright.text.shown import Cell
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import label, row
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel

from .beside import Expected, expected_of, in_words
from .load_chart import LoadChart, LoadFigures
from .model import MeasureModel, Target
from .series_dialog import SeriesDialog, SeriesModel, choice, count

_WIDTH, _HEIGHT = 960, 560
_TABLE_WIDTH = 500
_FIRST_SECONDS, _FIRST_REPEATS = 5, 1
_MAX_SECONDS, _MAX_REPEATS = 600, 10


class ScalingDialog(SeriesDialog):
    """The dialog on ``target``. The predictions are there before anything is measured."""

    def __init__(
        self, model: SeriesModel, measuring: MeasureModel, session: Session, target: Target, parent: QWidget
    ) -> None:
        super().__init__(model, "scaling", tr("Scaling of “{name}”", name=target.title), parent)
        self._measuring, self._session, self._target = measuring, session, target
        self.resize(_WIDTH, _HEIGHT)
        self._expected: dict[str, Expected | None] = {}
        self._make_controls()
        self._rows = TableModel(self._columns())
        table = Table(self._rows, "scaling-values", tr("Values"))
        table.setFixedWidth(_TABLE_WIDTH)
        self._chart = LoadChart()
        middle = QWidget()
        beside = row(table, spacing=SPACE_L)
        beside.addWidget(self._chart, 1)
        middle.setLayout(beside)
        self._key = label(tr("Points: measured · dashed, with its range: predicted · line: one disk alone"), "dim")
        choices = wrapping(self._scaled, self._workload, self._seconds, self._repeats, spacing=SPACE_M)
        intro = tr(
            "One workload with more and more to do at once: as long as the speed rises, disks were waiting; from where "
            "it doesn't, requests only wait longer."
        )
        self.lay_out(intro, (choices, self._key), middle)
        for chosen in (self._scaled, self._workload):
            chosen.currentIndexChanged.connect(model.forget)  # other predictions then take its place

    def _make_controls(self) -> None:
        self._scaled = choice("scaling-what", tr("What grows"))
        for scaled in SCALED:
            self._scaled.addItem(scaled_title(scaled), scaled)
        self._workload = choice("scaling-workload", tr("Workload"))
        for kind in SCALABLE:
            if self._target.is_array or not kind.writes:
                self._workload.addItem(scalable_words(kind), str(kind))
        self._seconds = count("scaling-seconds", tr("Seconds"), _MAX_SECONDS, _FIRST_SECONDS, tr(" s"))
        self._repeats = count("scaling-repeats", tr("Repeats"), _MAX_REPEATS, _FIRST_REPEATS, tr(" times"))
        self._repeats.setSpecialValueText(tr("once"))
        scaled, workload = self.model.chosen or (next(iter(SCALED)), str(next(iter(SCALABLE))))
        self._scaled.setCurrentIndex(self._scaled.findData(scaled))
        self._workload.setCurrentIndex(self._workload.findData(workload))
        self._controls = (self._scaled, self._workload, self._seconds, self._repeats)

    def _columns(self) -> tuple[Column, ...]:
        def speed(one: LoadPoint) -> Cell:
            said = words.speed_words(one.workload, one.mb_s, one.iops) if one.is_measured else "–"
            return Cell(said, hint=words.workload(one.workload))

        def latency(one: LoadPoint) -> Cell:
            return Cell(words.figure(one.latency_ms) if one.is_measured else "–")

        return (
            Column(tr("At once"), lambda one: Cell(str(one.value)), align="right"),
            Column(tr("Speed"), speed, align="right", stretch=True),
            Column(tr("Predicted"), self._predicted, align="right"),
            Column(tr("Off by"), self._deviation, align="right"),
            Column(tr("Latency, ms"), latency, align="right"),
        )

    def _predicted(self, one: LoadPoint) -> Cell:
        expected = self._expectation(one)
        if expected is None:
            return Cell("–")
        iops = expected.mb_s * 1e6 / expected.block_bytes
        said = words.speed_words(one.workload, expected.mb_s, iops)
        return Cell(said, hint=in_words(expected, one.mb_s if one.is_measured else None))

    def _deviation(self, one: LoadPoint) -> Cell:
        expected = self._expectation(one)
        if expected is None or not one.is_measured or not expected.mb_s:
            return Cell("–")
        is_within = expected.low_mb_s <= one.mb_s <= expected.high_mb_s
        hint = tr("within the predicted range") if is_within else tr("outside of the predicted range")
        return Cell(number(one.mb_s / expected.mb_s - 1, "+.0%") + ("" if is_within else " !"), hint=hint)

    def _expectation(self, one: LoadPoint) -> Expected | None:
        key = one.runs[0].id if one.runs else one.workload
        if key not in self._expected:
            self._expected[key] = expected_of(one.runs[0] if one.runs else self._measuring.meant(one.workload))
        return self._expected[key]

    def order(self) -> tuple[Operation[Any], tuple[str, ...]]:
        """As ``SeriesDialog.order``."""
        scaled, workload = self._scaled.currentData(), self._workload.currentData()
        connection = self._session.connection
        scaling = Scaling(
            self._target.key,
            Workload(workload),
            scaled,
            SCALED[scaled],
            self._seconds.value(),
            connection.title,
            self._repeats.value(),
            is_practice=connection.is_practice,
        )
        return scaling, (scaled, workload)

    def result_words(self) -> str:
        """As ``SeriesDialog.result_words``."""
        return scaled_words(self.model.result)

    def show_points(self) -> None:
        """As ``SeriesDialog.show_points``; before the first, those that would be measured."""
        points: tuple[LoadPoint, ...] = self.model.points or self._planned()
        self._rows.show_rows(points)
        block_bytes = Workload(self._workload.currentData()).pattern.block_bytes
        is_counted = words.is_counted(block_bytes)
        figures = tuple(self._figures(one, 1e6 / block_bytes if is_counted else 1.0) for one in points)
        unit = tr("IOPS") if is_counted else tr("MB/s")
        self._chart.show_figures(figures, scaled_title(self._scaled.currentData()), unit)
        self._key.setVisible(any(one.predicted is not None for one in figures))

    def _planned(self) -> tuple[LoadPoint, ...]:
        scaled, workload = self._scaled.currentData(), Workload(self._workload.currentData())
        names = scaled_workloads(workload, scaled, SCALED[scaled])
        return tuple(LoadPoint(value, str(name)) for value, name in zip(SCALED[scaled], names, strict=True))

    def _figures(self, one: LoadPoint, scale: float) -> LoadFigures:
        measured = one.mb_s * scale if one.is_measured else None
        expected = self._expectation(one)
        if expected is None:
            return LoadFigures(one.value, measured)
        alone = expected.alone_mb_s
        return LoadFigures(
            one.value,
            measured,
            expected.mb_s * scale,
            expected.low_mb_s * scale,
            expected.high_mb_s * scale,
            alone * scale if alone is not None else None,
        )
