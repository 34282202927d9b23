"""A card of the walk: a picture, a choice's figures and words, and one large button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.text.plan.speed import figure
from raidwright.text.plan.walk import rate
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.bars import Bar, Bars
from raidwright.ui.widgets.panel import Panel, badge, button, column, label, row

from .content import CardContent, Rate
from .preview import JoinedPreview, PlanPreview, preview_of

_MAX_WIDTH, _HEAD_HEIGHT = 460, 24


class ChoiceCard(Panel):
    """A card; a click anywhere on it chooses, as its button does."""

    def __init__(self, content: CardContent, *, is_marked: bool, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName(f"walk-card-{content.key}")
        self.setProperty("card", "chosen" if is_marked else "")
        self.body.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        self.body.setSpacing(SPACE_S)
        self.setMaximumWidth(_MAX_WIDTH)
        head = label(content.title, "question", wrap=bool(content.kind))
        first = label(content.kind, "dim") if content.kind else head
        first.setMinimumHeight(_HEAD_HEIGHT)  # also without a badge
        over = row(first, spacing=SPACE_S)
        over.addStretch(1)
        if content.is_advised:
            over.addWidget(badge(tr("recommended"), "good"), 0, Qt.AlignmentFlag.AlignVCenter)
        self.body.addLayout(over)
        if content.kind:
            self.body.addWidget(head)
        if content.subtitle:
            self.body.addWidget(label(content.subtitle, wrap=True))
        self.preview: PlanPreview | JoinedPreview | None = None
        if content.plan is not None:
            self.preview = preview_of(content.plan, content.failures, content.access, self)
            self.body.addWidget(self.preview)
        for line in content.lines:
            self.body.addWidget(label(line, "title", wrap=True))
        self._add_figures(content)
        for one in content.rates:
            self.body.addLayout(_rate(one))
        self.body.addWidget(label(content.why_not or content.text, "dim", wrap=True))
        self.body.addStretch(1)
        self.choose = button(content.button, f"walk-choice-{content.key}", primary=is_marked)
        self.choose.setAccessibleName(f"{content.title}: {content.button}")
        self.choose.setAccessibleDescription(content.why_not or content.said_aloud)
        self.choose.setEnabled(not content.why_not)
        self.choose.clicked.connect(content.choose)
        self.body.addWidget(self.choose)

    def _add_figures(self, content: CardContent) -> None:
        if not content.figures:
            return
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_XS)
        for place, (name, value) in enumerate(content.figures):
            if content.rates or len(content.figures) == 1:  # large
                grid.addLayout(column(label(name, "dim", wrap=True), label(value, "headline"), spacing=0), 0, place)
                grid.setColumnStretch(place, 1)
            else:
                grid.addWidget(label(name, "dim"), place, 0)
                grid.addWidget(label(value, "title"), place, 1, Qt.AlignmentFlag.AlignRight)
        self.body.addLayout(grid)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: all of the card acts as its button."""
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.choose.click()


def _rate(one: Rate) -> QGridLayout:
    bars = Bars(f"walk-rate-{one.title}")
    found = one.prediction
    bars.show_bars((Bar(found.mb_s, found.low_mb_s, found.high_mb_s),), one.alone_mb_s, one.most_mb_s)
    bars.setAccessibleName(one.title)
    grid = QGridLayout()
    grid.setVerticalSpacing(SPACE_XS // 2)
    grid.addWidget(label(one.title, "dim"), 0, 0)
    grid.addWidget(label(rate(found, figure(found)), "title"), 0, 1, Qt.AlignmentFlag.AlignRight)
    grid.addWidget(bars, 1, 0, 1, 2)
    return grid
