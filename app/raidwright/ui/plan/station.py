"""The Plan station: choices on the left, the stage in the middle, what you get on the right, all moving together."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedLayout, QWidget

from ..loss.model import LossModel
from ..panel import Notice, Panel, column, label, row, scrolled
from ..tokens import SPACE_L, SPACE_M
from .candidates import Candidates
from .choices import Choices
from .model import Draft, PlanModel
from .plan_file import PlanFileRow
from .ranking import RankingModel
from .result import Result
from .stage_panel import StagePanel
from .wishes import WishesForm

_SIDE, _RIGHT = 324, 348
_RIGHT_NARROW = 292
_NARROW = 1300


class PlanStation(QWidget):
    """``next_wanted`` asks for Build, ``disks_wanted`` for Disks."""

    next_wanted = Signal()
    disks_wanted = Signal()

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-station")
        self._model = model
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._full())
        self._layers.addWidget(self._empty())
        model.changed.connect(self._show)
        self._show(model.draft)

    def _full(self) -> QWidget:
        ranking = RankingModel(self._model, self)
        self._ranking, self._losses = ranking, LossModel(self._model, self)
        self._loss_page: QWidget | None = None
        self._right = Result(self._model, self._losses)
        self._right.next_wanted.connect(self.next_wanted)
        self._right.assumptions_wanted.connect(self.show_assumptions)
        left = self._left_panel(ranking)
        planning = QWidget()
        grid = QGridLayout(planning)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_M)
        grid.addWidget(left, 0, 0)
        grid.addWidget(StagePanel(self._model), 0, 1)
        grid.addWidget(Candidates(ranking, self._losses), 1, 0, 1, 2)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 5)
        grid.setRowStretch(1, 2)
        main = QWidget()
        self._main = QStackedLayout(main)
        self._main.addWidget(planning)
        whole = QWidget()
        box = row(main, self._right, spacing=SPACE_M)
        box.setContentsMargins(*(SPACE_L,) * 4)
        whole.setLayout(box)
        return whole

    @Slot()
    def show_assumptions(self) -> None:
        """Put what a loss rests on in the place of the stage and the candidates."""
        if self._loss_page is None:
            from ..loss.page import LossPage  # noqa: PLC0415 -- made when it is asked for

            page = LossPage(self._losses, self._ranking)
            page.back_wanted.connect(lambda: self._main.setCurrentIndex(0))
            self._main.addWidget(page)
            self._loss_page = page
        self._main.setCurrentWidget(self._loss_page)

    def _left_panel(self, ranking: RankingModel) -> Panel:
        parts = column(
            label(self.tr("What matters to you"), "title"),
            WishesForm(ranking),
            PlanFileRow(self._model),
            Choices(self._model),
        )
        parts.addStretch(1)
        parts.setContentsMargins(0, 0, SPACE_M, 0)  # beside the scroll bar
        inner = QWidget()
        inner.setLayout(parts)
        panel = Panel()
        panel.body.addWidget(scrolled(inner))
        panel.setFixedWidth(max(_SIDE, inner.minimumSizeHint().width() + 2 * SPACE_L))
        return panel

    def _empty(self) -> QWidget:
        notice = Notice("plan-notice")
        notice.say(
            self.tr("Choose disks first"),
            self.tr("An array needs two disks or more. Choose them, and every layout that they allow is here."),
            self.tr("To the disks"),
        )
        notice.acted.connect(self.disks_wanted)
        return notice

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: where there is little room, the stage has the first claim to it."""
        self._right.setFixedWidth(_RIGHT_NARROW if self.width() < _NARROW else _RIGHT)
        super().resizeEvent(event)

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        self._layers.setCurrentIndex(1 if draft.plan is None else 0)
