"""The Plan station: options on the left, the stage in the middle, results on the right, all updated together."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QStackedLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.stations.loss.model import LossModel
from raidwright.ui.stations.loss.page import LossPage
from raidwright.ui.stations.plan.stage.panel import StagePanel
from raidwright.ui.stations.speed.model import SpeedModel
from raidwright.ui.stations.speed.page import SpeedPage
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.panel import Notice, Panel, TabPlace, button, column, label, row, scrolled

from .candidates import Candidates
from .choices import Choices
from .model import Draft, PlanModel
from .plan_file import PlanFileRow
from .ranking import RankingModel
from .rare_choices import RareChoices
from .result import Result
from .walk.model import WalkModel
from .walk.page import WalkPage
from .wishes import WishesForm

_SIDE = 324
_RIGHT = ((1300, 348), (1100, 292), (0, 242))  # widths, from the station's width on
_WIDE, _HIGH = 1100, 760  # at least that wide and less high, the options extend down to the candidates' foot


class _Side(Panel):
    """A column as wide as its widest content so far, so that a change of options doesn't move the stage."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self._widest = _SIDE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Qt: its own width, at which nothing in it is truncated."""
        self._widest = max(self._widest, super().minimumSizeHint().width())
        return QSize(self._widest, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Qt: the same width."""
        return QSize(self.sizeHint().width(), super().minimumSizeHint().height())


class PlanStation(QWidget):
    """The station. ``next_wanted`` asks for Build, ``disks_wanted`` for Disks; ``walked`` follows the walk's end.

    ``begins_with_walk``: the walk leads to the first plan.
    """

    next_wanted = Signal()
    disks_wanted = Signal()
    walked = Signal()

    def __init__(self, model: PlanModel, parent: QWidget | None = None, *, begins_with_walk: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("plan-station")
        self._model = model
        self._ranking = RankingModel(model, self)
        self._is_walking = begins_with_walk
        self._walk: WalkPage | None = None
        self._cockpit: QWidget | None = None
        self._layers = QStackedLayout(self)
        self._nothing = self._empty()
        self._layers.addWidget(self._nothing)
        self._made_cockpit()  # also while it is hidden: its parts open files and paste commands
        model.changed.connect(self._show)
        model.opened.connect(self._show_cockpit)
        self._show(model.draft)

    @Slot()
    def walk(self) -> None:
        """Start the walk, a few questions that lead to a plan."""
        self._is_walking = True
        self._walk_page().begin()
        self._show(self._model.draft)
        self._walk_page().setFocus()

    def _walk_page(self) -> WalkPage:
        if self._walk is None:
            walk = WalkModel(self._model, self._ranking, self)
            walk.ended.connect(self._end_walk)
            walk.disks_wanted.connect(self.disks_wanted)
            self._walk = WalkPage(walk, self)
            self._layers.addWidget(self._walk)
        return self._walk

    @Slot()
    def _end_walk(self) -> None:
        self._show_cockpit()
        self._right.focus_next()
        self.walked.emit()

    @Slot()
    def _show_cockpit(self) -> None:
        self._is_walking = False
        self._show(self._model.draft)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: focus the place for choosing."""
        super().focusInEvent(event)
        if self._walk is not None and self._layers.currentWidget() is self._walk:
            self._walk.setFocus()

    def _full(self) -> QWidget:
        ranking = self._ranking
        self._losses = LossModel(self._model, self)
        self._speeds = SpeedModel(self._model, self)
        self._loss_page: LossPage | None = None
        self._speed_page: SpeedPage | None = None
        whole = QWidget(self)  # created in their final parent: reparenting a widget restyles all its children
        main = QWidget(whole)
        planning = QWidget(main)
        self._left = self._left_panel(ranking, planning)
        self._stage = StagePanel(self._model, planning)
        self._candidates = Candidates(ranking, self._losses, planning)
        self._place = TabPlace(main)
        self._right = Result(self._model, self._losses, self._speeds, whole)  # last in the Tab order
        self._right.next_wanted.connect(self.next_wanted)
        self._right.assumptions_wanted.connect(self.show_assumptions)
        self._right.speeds_wanted.connect(self.show_speeds)
        self._grid = grid = QGridLayout(planning)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_M)
        grid.addWidget(self._stage, 0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 5)
        grid.setRowStretch(1, 2)
        self._main = QStackedLayout(main)
        self._main.addWidget(planning)
        self._main.currentChanged.connect(self._arrange)
        self._arrange()
        box = QHBoxLayout(whole)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.setSpacing(SPACE_M)
        box.addWidget(main)
        box.addWidget(self._right)
        return whole

    @Slot()
    def _arrange(self) -> None:
        """Put the options beside the stage, or on a low and wide window beside the candidates as well.

        If the width is small, a page on the loss or the speeds hides the results on the right.
        """
        is_wide = self.width() >= _WIDE
        self._right.setVisible(is_wide or self._main.currentIndex() == 0)
        beside_all = self.height() < _HIGH and is_wide
        self._grid.addWidget(self._left, 0, 0, 2 if beside_all else 1, 1)
        self._grid.addWidget(self._candidates, 1, 1 if beside_all else 0, 1, 1 if beside_all else 2)

    @Slot()
    def show_assumptions(self) -> None:
        """Show the loss's assumptions instead of the stage and the candidates."""
        if self._loss_page is None:
            self._loss_page = LossPage(self._losses, self._ranking)
            self._loss_page.back_wanted.connect(self._go_back)
            self._add(self._loss_page)
        self._main.setCurrentWidget(self._loss_page)

    @Slot()
    def show_speeds(self) -> None:
        """Show every speed, and its basis, in the same place."""
        if self._speed_page is None:
            self._speed_page = SpeedPage(self._speeds)
            self._speed_page.back_wanted.connect(self._go_back)
            self._add(self._speed_page)
        self._main.setCurrentWidget(self._speed_page)

    @Slot()
    def _go_back(self) -> None:
        self._main.setCurrentIndex(0)

    def _add(self, page: QWidget) -> None:
        page.setMinimumSize(1, 1)  # while it is hidden, the plan's minimum size doesn't include it
        self._main.addWidget(page)
        self._place.give(page)

    def _left_panel(self, ranking: RankingModel, planning: QWidget) -> Panel:
        panel = _Side(planning)
        inner = QWidget(panel)
        guide = button(tr("Guide me"), "plan-walk", hint=tr("A few questions that lead to a plan"))
        guide.setParent(inner)  # before the others, since Tab comes to them in this order
        guide.setProperty("kind", "link")
        guide.clicked.connect(self.walk)
        head = row(label(tr("What matters to you"), "title"))
        head.addStretch(1)
        head.addWidget(guide)
        parts = column(
            head,
            WishesForm(ranking, inner),
            PlanFileRow(self._model, inner),
            Choices(self._model, inner),
            RareChoices(self._model, inner),
        )
        parts.addStretch(1)
        scroll_bar = (SPACE_M, 0, 0, 0) if inner.isRightToLeft() else (0, 0, SPACE_M, 0)
        parts.setContentsMargins(*scroll_bar)
        inner.setLayout(parts)
        panel.body.addWidget(scrolled(inner, panel))
        return panel

    def _empty(self) -> QWidget:
        notice = Notice("plan-notice")
        notice.say(
            tr("Choose disks first"),
            tr("An array needs two disks or more. Choose them, and every layout that they allow is here."),
            tr("To the disks"),
            tr("Paste a command …"),
        )
        notice.also_acted.connect(self._model.pasting)
        notice.acted.connect(self.disks_wanted)
        return notice

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: on a small window, reserve the space for the stage first."""
        if self._cockpit is not None:
            self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        self._right.setFixedWidth(next(width for least, width in _RIGHT if self.width() >= least))
        self._arrange()

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        if draft.plan is None:
            self._layers.setCurrentWidget(self._nothing)
        elif self._is_walking and not draft.is_locked:
            self._layers.setCurrentWidget(self._walk_page())
        else:
            self._layers.setCurrentWidget(self._made_cockpit())

    def _made_cockpit(self) -> QWidget:
        if self._cockpit is None:
            self._cockpit = self._full()
            self._fit()
            self._layers.addWidget(self._cockpit)
        return self._cockpit
