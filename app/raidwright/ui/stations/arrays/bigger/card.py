"""A card of the walk: a way to more space, its picture, its figures, a word for and against it, and one button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from raidwright.text.array.growth import TITLES, button_words, figures_in_words, remarks, why_not_words
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.names import shape_name
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.panel import Panel, badge, button, label, row, rule

from .model import BiggerModel, ShownChoice
from .parts import Sketch, figure_grid, remark_line


class GrowthCard(Panel):
    """The card of one choice; ``choose`` is its button, None where it can't be begun."""

    def __init__(self, model: BiggerModel, shown: ShownChoice, sketch: Sketch, rows: int, parent: QWidget) -> None:
        super().__init__(parent=parent)
        choice = shown.choice
        title = translated(TITLES[choice.kind])
        self.setObjectName(f"bigger-card-{choice.kind}")
        self.setAccessibleName(title)
        self.setProperty("card", "chosen" if shown.is_advised else "")
        margin = SPACE_L - shown.is_advised  # its border is wider
        self.body.setContentsMargins(margin, margin, margin, margin)
        self.body.setSpacing(SPACE_M)
        head = row(label(title, "question"))
        head.addStretch(1)
        if shown.is_advised:
            head.addWidget(badge(tr("recommended"), "good"), 0, Qt.AlignmentFlag.AlignVCenter)
        self.body.addLayout(head)
        self.choose: QPushButton | None = None
        self.is_possible = choice.is_possible
        why_not = why_not_words(choice)
        if not choice.is_possible or model.today is None or model.today.figures is None or shown.shown.figures is None:
            self.body.addWidget(label(tr("Not with this array as it is."), "title", wrap=True))
            self.body.addWidget(label(why_not, "dim", wrap=True, name="bigger-why-not"))
            self.body.addStretch(1)
            return
        before, after = model.today.figures, shown.shown.figures
        self.body.addWidget(label(shape_name(choice.way.after), "dim"))
        names, added = model.heads(choice.way.after, choice.way.before)
        self.body.addWidget(sketch(shown.shown.plan, names, added, rows))
        figures = figures_in_words(choice, before, after, shown.shown.time, model.name_of)
        self.body.addLayout(figure_grid(figures))
        self.body.addWidget(rule())
        said = remarks(choice, before, after, is_quickest=shown.is_quickest)
        for remark in said:
            self.body.addLayout(remark_line(remark))
        self.body.addStretch(1)
        if choice.begin is None:
            self.body.addWidget(label(why_not, "title", wrap=True, name="bigger-why-not"))
            return
        self.choose = button(button_words(choice, model.name_of), f"bigger-choose-{choice.kind}",
                             primary=shown.is_advised)  # fmt: skip
        self.choose.setAccessibleName(f"{title}: {self.choose.text()}")
        told = [f"{one.name}: {one.value} {one.below}".strip() for one in figures] + [one.text for one in said]
        self.choose.setAccessibleDescription(". ".join(told))
        self.choose.clicked.connect(lambda: model.choose(choice))
        self.body.addWidget(self.choose)
