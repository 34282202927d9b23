"""The loss beside the plan: two probabilities with their ranges, a sparkline, the cause, and the assumptions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.text.catalogue import ended, tr
from raidwright.text.loss import cause_words, chance_with_range, range_meaning, unbroken, years_words
from raidwright.ui.tokens import SPACE_XS
from raidwright.ui.widgets.panel import button, label, row

from .model import LossModel
from .sketch import LossSketch


class LossSummary(QWidget):
    """The summary. ``assumptions_wanted`` asks for the page on the loss."""

    assumptions_wanted = Signal()

    def __init__(self, model: LossModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-summary")
        self._model = model
        self._title = label("", "title", name="loss-title", wrap=True)
        self._array = label("", name="loss-array", wrap=True)
        self._sectors = label("", "dim", name="loss-sectors", wrap=True)
        for chance in (self._array, self._sectors):
            chance.setToolTip(range_meaning())
        self._sketch = LossSketch()
        self._cause = label("", name="loss-cause", wrap=True)
        self._more = button(tr("Assumptions"), "loss-assumptions")
        self._more.setProperty("kind", "link")
        self._more.clicked.connect(self.assumptions_wanted)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        head = row()
        head.addWidget(self._title, 1)
        head.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        box.addLayout(head)
        for part in (self._array, self._sketch, self._cause, self._sectors):
            box.addWidget(part)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        loss = self._model.loss
        if loss is None:
            return
        self._title.setText(tr("Losing data within {years}", years=years_words(loss.years)))
        self._array.setText(tr("The whole array: {chance}", chance=unbroken(chance_with_range(loss.array))))
        self._sectors.setText(tr("At least one sector: {chance}", chance=unbroken(chance_with_range(loss.sectors))))
        self._sectors.setVisible(loss.sectors.probability > loss.array.probability)
        self._sketch.show_loss(loss)
        self._sketch.setAccessibleDescription(self._array.text())
        self._cause.setText(ended(cause_words(loss)))
