"""The Plan station: options on the left, the stage in the middle, results on the right, all updated together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QStackedLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.draft import Draft
from raidwright.ui.stations.plan.loss.model import LossModel
from raidwright.ui.stations.plan.loss.page import LossPage
from raidwright.ui.stations.plan.speed.model import SpeedModel
from raidwright.ui.stations.plan.speed.page import SpeedPage
from raidwright.ui.stations.plan.stage.panel import StagePanel
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.panel import Notice, Panel, TabPlace, button, column, label, row, scrolled

from .candidates import Candidates
from .choices import Choices
from .details import DetailsPage
from .model import PlanModel
from .plan_file import PlanFileRow
from .ranking import RankingModel
from .rare_choices import RareChoices
from .result import Result
from .walk.model import WalkModel
from .walk.page import WalkPage
from .wishes import WishesForm

_SIDE = 300
_RIGHT = ((1300, 348), (1100, 316))  # widths, from the station's width on
_NARROW = (254, 284)  # the least and the most below that: what choices and stage leave
_WIDE = 1100  # from that width on, the tiles stay beside a page

_PAGE = TypeVar("_PAGE", DetailsPage, LossPage, SpeedPage)


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
        self._pages: dict[type[QWidget], QWidget] = {}
        self._page: QWidget | None = None
        whole = QWidget(self)  # created in their final parent: reparenting a widget restyles all its children
        self._left = self._left_panel(ranking, whole)
        self._stage = StagePanel(self._model, whole)
        self._candidates = Candidates(ranking, self._losses, whole)
        self._place = TabPlace(whole)
        self._right = Result(self._model, self._losses, self._speeds, whole)  # last in the Tab order
        self._right.next_wanted.connect(self.next_wanted)
        self._right.details_wanted.connect(self.show_details)
        self._right.assumptions_wanted.connect(self.show_assumptions)
        self._right.speeds_wanted.connect(self.show_speeds)
        self._grid = grid = QGridLayout(whole)
        grid.setContentsMargins(*(SPACE_L,) * 4)
        grid.setSpacing(SPACE_M)
        grid.addWidget(self._left, 0, 0)
        grid.addWidget(self._stage, 0, 1)
        grid.addWidget(self._candidates, 1, 0, 1, 2)
        grid.addWidget(self._right, 0, 2, 2, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(0, 4)
        grid.setRowStretch(1, 2)
        return whole

    @Slot()
    def _arrange(self) -> None:
        """Put a page where stage and layouts are, or put these back; on a narrow window it hides the tiles, too."""
        page, is_wide = self._page, self.width() >= _WIDE
        for part in (self._left, self._stage, self._candidates):
            part.setVisible(page is None)
        self._right.setVisible(is_wide or page is None)
        if page is not None:
            self._grid.addWidget(page, 0, 0, 2, 2 if is_wide else 3)

    @Slot()
    def show_details(self) -> None:
        """Show space and survival in detail instead of the stage and the candidates."""
        self._open(DetailsPage, lambda: DetailsPage(self._model))

    @Slot()
    def show_assumptions(self) -> None:
        """Show the loss's assumptions in the same place."""
        self._open(LossPage, lambda: LossPage(self._losses, self._ranking))

    @Slot()
    def show_speeds(self) -> None:
        """Show every speed, and its basis, in the same place."""
        self._open(SpeedPage, lambda: SpeedPage(self._speeds))

    def _open(self, kind: type[_PAGE], make: Callable[[], _PAGE]) -> None:
        if kind not in self._pages:
            page = make()
            page.back_wanted.connect(self._go_back)
            self._grid.addWidget(page, 0, 0, 2, 2)
            self._place.give(page)
            self._pages[kind] = page
        self._show_page(self._pages[kind])

    @Slot()
    def _go_back(self) -> None:
        self._show_page(None)

    def _show_page(self, page: QWidget | None) -> None:
        left, self._page = self._page, page
        if page is not None:
            page.show()
            page.setFocus()
        self._arrange()
        if left is not None and left is not page:
            left.hide()

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
        wishes, files = WishesForm(ranking, inner), PlanFileRow(self._model, inner)
        choices = Choices(self._model, inner)
        parts = column(head, wishes, files, choices, RareChoices(self._model, choices.rare, inner))
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
        beside = self._left.sizeHint().width() + self._stage.minimumSizeHint().width() + 2 * SPACE_L + 2 * SPACE_M
        narrow = max(_NARROW[0], min(self.width() - beside, _NARROW[1]))
        self._right.setFixedWidth(next((width for least, width in _RIGHT if self.width() >= least), narrow))
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
