"""The progress of a change, with pause and pace, and the last page."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QProgressBar, QWidget

from raidwright.core.md.sync import PAUSABLE
from raidwright.machine.states.volume import State
from raidwright.text.array import condition as words
from raidwright.text.array.growth import going_words
from raidwright.text.catalogue import joined, tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_XL
from raidwright.ui.widgets.panel import Panel, button, clear, column, label, row

from .model import BiggerModel
from .parts import Sketch, rows_of, shape_panel, step_list

_STEPS = 10_000


class ProgressPage(QWidget):
    """The page. ``pause_wanted`` and ``limit_wanted`` are about md's work; the others are what comes next."""

    pause_wanted = Signal()
    limit_wanted = Signal()
    card_wanted = Signal()
    good_wanted = Signal()
    closed = Signal()

    def __init__(self, sketch: Sketch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bigger-progress")
        self._sketch = sketch
        self._drawn: object = None
        self._title = label("", "question", name="bigger-going", wrap=True)
        self._at = label("", name="bigger-at", wrap=True)
        self._bar = QProgressBar()
        self._bar.setObjectName("bigger-bar")
        self._bar.setAccessibleName(tr("How far it is"))
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _STEPS)
        self._left = label("", "dim", name="bigger-left")
        note = tr("You may leave this page or close the window: it goes on, and the array stays in use.")
        self._note = label(note, "dim", wrap=True)
        self._pause = button("", "bigger-pause")
        self._pause.clicked.connect(self.pause_wanted)
        self._limit = button(tr("Limit its speed …"), "bigger-limit")
        self._limit.clicked.connect(self.limit_wanted)
        self._card = button(tr("Save the new recovery card …"), "bigger-card", primary=True)
        self._card.clicked.connect(self.card_wanted)
        self._good = button(tr("Is it good?"), "bigger-good")
        self._good.clicked.connect(self.good_wanted)
        leave = button(tr("← Arrays"), "bigger-leave")
        leave.clicked.connect(self.closed)
        panel = Panel()
        panel.body.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_XL)
        panel.body.setSpacing(SPACE_L)
        ways = row(self._card, self._good, self._pause, self._limit, leave, spacing=SPACE_M)
        ways.addStretch(1)
        for part in (self._title, self._at, self._bar, self._left):
            panel.body.addWidget(part)
        self._steps = column()
        panel.body.addLayout(self._steps)
        panel.body.addWidget(self._note)
        panel.body.addLayout(ways)
        panel.body.addStretch(1)
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE_M)
        self._grid.addWidget(panel, 0, 0)
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 1)
        whole = column(self._grid)
        whole.addStretch(1)
        self.setLayout(whole)

    def show_progress(self, model: BiggerModel, now: State, rows: int) -> None:
        """Show how far ``model``'s change is; ``now`` is the array as it was seen last. The picture has ``rows``."""
        self._draw(model, rows)
        title, sentence = model.ended
        is_over, job, way = bool(title), model.change.job, model.way
        self._title.setText(f"✓ {title}" if is_over else going_words(model.array.name, way) if way else "")
        self._at.setText(sentence if is_over else job.at)
        self._at.setVisible(bool(self._at.text()))
        self._bar.setValue(round(_STEPS * job.progress.fraction))
        left = words.time_left(now.sync_seconds_left)
        share = tr("{share:.0%}", share=job.progress.fraction)
        self._left.setText(" · ".join(filter(None, (share, left))))
        for part in (self._bar, self._left, self._note):
            part.setVisible(not is_over)
        is_paced = not is_over and now.sync_action in PAUSABLE
        is_paused = now.facts is not None and now.facts.is_paused
        self._pause.setText(tr("Let it go on") if is_paused else tr("Pause"))
        self._pause.setAccessibleName(self._pause.text())
        for paced in (self._pause, self._limit):
            paced.setVisible(is_paced)
        for following in (self._card, self._good):
            following.setVisible(is_over)
        self.setAccessibleName(self._title.text())
        self.setAccessibleDescription(joined(self._at.text(), self._left.text()))

    def _draw(self, model: BiggerModel, rows: int) -> None:
        """Draw the steps, and the array as it becomes; what comes next in the steps' place once it has."""
        chosen, today, is_over = model.chosen, model.today, bool(model.ended[0])
        if (model, chosen, is_over, rows) == self._drawn or chosen is None or chosen.figures is None or today is None:
            return
        self._drawn = model, chosen, is_over, rows
        if is_over and self.isVisible():
            self._card.setFocus()
        clear(self._steps)
        if (old := self._grid.itemAtPosition(0, 1)) is not None and (shown := old.widget()) is not None:
            self._grid.removeWidget(shown)
            shown.hide()
            shown.deleteLater()
        if is_over:
            card = tr("Save its new recovery card, and keep it away from this computer: the one of before describes "
                      "another array.")  # fmt: skip
            self._steps.addWidget(label(card, wrap=True))
        else:
            self._steps.addLayout(step_list(model))
        way = chosen.way
        if way is not None:
            picture = self._sketch(chosen.plan, *model.heads(way.after, way.before), rows)
            kind = tr("Now") if is_over else tr("After")
            panel = shape_panel(kind, picture, chosen.plan, rows_of(chosen.figures, today.figures))
            self._grid.addWidget(panel, 0, 1)
