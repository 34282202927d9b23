"""The tile of the loss: two probabilities with their ranges, the cause, and the way to the assumptions."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.text.catalogue import ended, tr
from raidwright.text.plan.loss import (
    cause_words,
    chance_in_words,
    chance_with_range,
    range_in_words,
    range_meaning,
    unbroken,
    years_words,
)
from raidwright.ui.widgets.panel import Panel, button, label, row

from .model import LossModel


class LossSummary(Panel):
    """The tile. ``assumptions_wanted`` asks for the page on the loss."""

    assumptions_wanted = Signal()

    def __init__(self, model: LossModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("loss-summary")
        self._model = model
        self._title = label("", "title", name="loss-title", wrap=True)
        self._array = label("", "tile", name="loss-array", wrap=True)
        self._range = label("", "dim", name="loss-range", wrap=True)
        self._cause = label("", "dim", name="loss-cause", wrap=True)
        more = button(tr("Assumptions"), "loss-assumptions")
        more.setProperty("kind", "link")
        more.clicked.connect(self.assumptions_wanted)
        head = row()
        head.addWidget(self._title, 1)
        head.addWidget(more)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        for part in (self._array, self._range, self._cause):
            self.body.addWidget(part)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        loss = self._model.loss
        if loss is None:
            return
        self._title.setText(tr("Lost within {years}", years=years_words(loss.years)))
        self._array.setText(chance_in_words(loss.array.probability))
        ends = range_in_words(loss.array.low, loss.array.high)
        self._range.setText(unbroken(ends) if ends != self._array.text() else "")
        self._range.setVisible(bool(self._range.text()))
        self._cause.setText(ended(cause_words(loss)))
        hint = [range_meaning()]
        if loss.sectors.probability > loss.array.probability:
            hint.append(tr("At least one sector: {chance}", chance=chance_with_range(loss.sectors)))
        for part in (self._array, self._range):
            part.setToolTip("\n\n".join(hint))
            part.setAccessibleDescription(hint[-1])
