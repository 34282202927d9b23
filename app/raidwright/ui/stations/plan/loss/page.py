"""The page on the probability of data loss: assumptions on the left, results on the right."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from raidwright.analysis.reliability.drivers import tornado
from raidwright.analysis.reliability.loss import CurvePoint, Loss, Swing
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import tr
from raidwright.text.plan.loss import (
    bought_sentence,
    chance_in_words,
    driver_name,
    loss_sentences,
    range_in_words,
    range_meaning,
    unbroken,
)
from raidwright.text.plan.names import long_name
from raidwright.text.shown import Cell
from raidwright.ui.stations.plan.ranking import RankingModel
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.panel import Panel, label, row, scrolled
from raidwright.ui.widgets.segmented import Choice, Segmented
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.widgets.twins import twins_of

from .form import AssumptionsForm
from .late_chart import LateChart
from .line import MAX_LINES, LossLine
from .model import LossModel
from .tornado import Tornado

_ARRAY, _SECTORS = "array", "sectors"
_FORM_WIDTH = 396


@dataclass(frozen=True, slots=True)
class _Year:
    """A row of the chart's table."""

    name: str
    point: CurvePoint


class LossPage(QWidget):
    """The page. ``back_wanted`` asks for the plan. Nothing is computed while it is hidden."""

    back_wanted = Signal()

    def __init__(self, model: LossModel, ranking: RankingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-page")
        self._model, self._ranking = model, ranking
        form = AssumptionsForm(model)
        form.setFixedWidth(_FORM_WIDTH)
        form.back_wanted.connect(self.back_wanted)
        answers = QVBoxLayout()
        answers.setSpacing(SPACE_M)
        answers.addWidget(self._curve_panel(), 5)
        answers.addWidget(self._reasons_panel(), 6)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(form)
        box.addLayout(answers, 1)
        model.changed.connect(self._show)
        ranking.changed.connect(self._show)

    def _curve_panel(self) -> Panel:
        panel = Panel()
        self._sentence = label("", name="loss-sentence", wrap=True)
        self._chart = LateChart()
        self._years = TableModel(
            (
                Column(tr("Years"), lambda one: Cell(f"{one.point.years:g}"), align="right"),
                Column(tr("Layout"), lambda one: Cell(one.name)),
                Column(tr("Likely"), lambda one: Cell(chance_in_words(one.point.probability))),
                Column(tr("Range"), lambda one: Cell(range_in_words(one.point.low, one.point.high)), stretch=True),
            )
        )
        twins, toggle = twins_of(self._chart, Table(self._years, "loss-years-table", tr("The years")), "loss-curve")
        self._of = Segmented("loss-of", tr("The loss of"))
        self._of.show_choices([Choice(_ARRAY, tr("the whole array")), Choice(_SECTORS, tr("a sector"))], _ARRAY)
        self._kind = _ARRAY
        self._of.chosen.connect(self._choose_kind)
        head = row(label(tr("How likely is a loss?"), "headline"))
        head.addStretch(1)
        head.addWidget(toggle)
        panel.body.addLayout(head)
        panel.body.addWidget(self._of)
        panel.body.addWidget(self._sentence)
        panel.body.addWidget(label(range_meaning(), "dim", name="loss-range-meaning", wrap=True))
        panel.body.addWidget(twins, 1)
        return panel

    def _reasons_panel(self) -> Panel:
        panel = Panel()
        self._tornado = Tornado()
        self._swings = TableModel(
            (
                Column(tr("What matters"), lambda one: Cell(driver_name(one.driver)), stretch=True),
                Column(tr("If it goes well"), lambda one: Cell(chance_in_words(one.safer))),
                Column(tr("If it goes badly"), lambda one: Cell(chance_in_words(one.worse))),
            )
        )
        table = Table(self._swings, "loss-swings-table", tr("What matters most"))
        table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # as high as the bars
        twins, toggle = twins_of(self._tornado, table, "loss-matters")
        self._matters = label("", "title", name="loss-matters-title")
        head = row(self._matters)
        head.addStretch(1)
        head.addWidget(toggle)
        self._buys = label("", name="loss-buys", wrap=True)
        self._backup = label("", "dim", name="loss-backup", wrap=True)
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_S)
        box.addLayout(head)
        for part in (twins, label(tr("What a change buys"), "title"), self._buys, self._backup):
            box.addWidget(part)
        box.addStretch(1)
        panel.body.addWidget(scrolled(inner))
        return panel

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: compute changes made meanwhile."""
        super().showEvent(event)
        self._show()

    @Slot()
    def _show(self) -> None:
        loss = self._model.loss
        if loss is None or not self.isVisible():
            return
        *said, backup = loss_sentences(loss)
        self._sentence.setText(unbroken(said[-1] if self._kind == _SECTORS else said[0]))
        self._backup.setText(backup)
        self._show_lines(loss)
        self._show_reasons(loss)

    def _show_lines(self, loss: Loss) -> None:
        losses = (loss, *map(self._model.of, self._runners_up()))
        sectors = self._kind == _SECTORS
        lines = [LossLine(long_name(one.plan.top), one.sector_curve if sectors else one.curve) for one in losses]
        self._chart.show_lines(lines)
        steps = range(4, len(loss.curve), 4)
        self._years.show_rows([_Year(line.name, line.points[step]) for step in steps for line in lines])

    def _runners_up(self) -> list[Plan]:
        others = [one for one in self._ranking.ranking.candidates if not self._ranking.is_chosen(one)]
        return [one.prepared.plan for one in others[: MAX_LINES - 1]]

    def _show_reasons(self, loss: Loss) -> None:
        sectors = self._kind == _SECTORS
        swings: tuple[Swing, ...] = tornado(loss, sectors=sectors)
        of = tr("a sector") if sectors else tr("the whole array")
        self._matters.setText(tr("What matters for {what}, each alone", what=of))
        self._tornado.show_swings(swings, (loss.sectors if sectors else loss.array).probability)
        self._swings.show_rows(swings)
        self._buys.setText("\n".join(bought_sentence(one) for one in self._model.bought()))

    @Slot(str)
    def _choose_kind(self, kind: str) -> None:
        self._kind = kind
        self._show()
