"""The Plan station: choices on the left, the stage in the middle, what you get on the right, all moving together."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QScrollBar, QStackedLayout, QWidget

from ...core.geometry import geometry_of
from ..panel import Notice, Panel, badge, column, label, restyle, row, scrolled
from ..tokens import SPACE_L, SPACE_M
from . import failures
from .candidates import Candidates
from .choices import Choices
from .columns import columns_of
from .model import Draft, PlanModel
from .ranking import RankingModel
from .result import Result
from .stage import Stage
from .wishes import WishesForm

_SIDE, _RIGHT = 324, 348
_SCROLL_STEPS = 1_000_000


class PlanStation(QWidget):
    """``next_wanted`` asks for Build, ``disks_wanted`` for Disks."""

    next_wanted = Signal()
    disks_wanted = Signal()

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-station")
        self._model = model
        self._stage = Stage()
        self._bar = QScrollBar(Qt.Orientation.Vertical)
        self._verdict = badge("", "good")
        self._sentence = label("", name="stage-sentence", wrap=True)
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._full())
        self._layers.addWidget(self._empty())
        self._stage.failure_wanted.connect(model.toggle_failure)
        self._stage.scrolled.connect(self._follow_stage)
        self._bar.valueChanged.connect(self._scroll)
        model.changed.connect(self._show)
        model.failed_changed.connect(self._show_failures)
        self._show(model.draft)

    def _full(self) -> QWidget:
        ranking = RankingModel(self._model, self)
        result = Result(self._model)
        result.setFixedWidth(_RIGHT)
        result.next_wanted.connect(self.next_wanted)
        left = self._left_panel(ranking)
        left.setFixedWidth(_SIDE)
        whole = QWidget()
        grid = QGridLayout(whole)
        grid.setContentsMargins(*(SPACE_L,) * 4)
        grid.setSpacing(SPACE_M)
        grid.addWidget(left, 0, 0)
        grid.addWidget(self._stage_panel(), 0, 1)
        grid.addWidget(Candidates(ranking), 1, 0, 1, 2)
        grid.addWidget(result, 0, 2, 2, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 5)
        grid.setRowStretch(1, 2)
        return whole

    def _left_panel(self, ranking: RankingModel) -> Panel:
        parts = column(
            label(self.tr("What matters to you"), "title"),
            WishesForm(ranking),
            label(self.tr("Layout"), "title"),
            Choices(self._model),
        )
        parts.addStretch(1)
        inner = QWidget()
        inner.setLayout(parts)
        panel = Panel()
        panel.body.addWidget(scrolled(inner))
        return panel

    def _stage_panel(self) -> Panel:
        panel = Panel(self.tr("Where everything lies"), self.tr("click a disk to fail it"))
        panel.body.addLayout(row(self._stage, self._bar), 1)
        self._sentence.setMinimumHeight(2 * self._sentence.fontMetrics().lineSpacing() + 2)  # the stage stays put
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        foot = row(spacing=SPACE_M)
        foot.addWidget(self._verdict, 0, Qt.AlignmentFlag.AlignTop)
        foot.addWidget(self._sentence, 1)
        panel.body.addLayout(foot)
        self._bar.setObjectName("stage-rows")
        self._bar.setAccessibleName(self.tr("Rows in sight"))
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

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        self._layers.setCurrentIndex(1 if draft.plan is None else 0)
        if draft.assessment is None:
            self._stage.show_layout(None, ())
            self._say("", "info", draft.refusal)
            return
        self._stage.show_layout(geometry_of(draft.assessment.plan), columns_of(draft.assessment))
        self._show_failures(self._model.failed)

    @Slot(object)
    def _show_failures(self, failed: frozenset[int]) -> None:
        self._stage.show_failures(failed)
        if self._model.draft.assessment is not None:
            told = failures.tell(self._model.draft.assessment, failed)
            self._say(told.word, told.tone, told.sentence)

    def _say(self, word: str, tone: str, sentence: str) -> None:
        self._verdict.setText(word)
        self._verdict.setVisible(bool(word))
        self._verdict.setProperty("badge", tone)
        restyle(self._verdict)
        self._sentence.setText(sentence)
        self._stage.setAccessibleDescription(sentence)

    @Slot()
    def _follow_stage(self) -> None:
        last = self._stage.last_first
        with QSignalBlocker(self._bar):
            steps = min(last, _SCROLL_STEPS)  # a scroll bar counts in int; 20 TB in 4 KiB chunks is more
            self._bar.setRange(0, steps)
            self._bar.setPageStep(max(1, min(self._stage.rows_in_sight, steps)))
            self._bar.setValue(round(self._stage.first * steps / last) if last else 0)
        self._bar.setVisible(last > 0)

    @Slot(int)
    def _scroll(self, value: int) -> None:
        last = self._stage.last_first
        self._stage.scroll_to(round(value * last / max(1, self._bar.maximum())))
