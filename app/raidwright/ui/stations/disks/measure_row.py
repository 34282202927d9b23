"""The row below the disks for measuring the chosen ones: a button and a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui import tokens
from raidwright.ui.widgets.panel import button, label

if TYPE_CHECKING:
    from .measuring import DiskMeasuring


class MeasureRow(QWidget):
    """The row; disabled until there is a model to ``follow``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._button = button(tr("Measure how fast they are"), "disks-measure")
        self._button.setEnabled(False)
        self._words = label("", "dim", name="disks-measure-words", wrap=True)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.SPACE_M)
        box.addWidget(self._button)
        box.addWidget(self._words, 1)

    def follow(self, model: DiskMeasuring) -> None:
        """Show ``model`` from now on."""
        self._model = model
        self._button.clicked.connect(model.begin)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        self._button.setText(tr("Stop measuring") if self._model.job.is_busy else tr("Measure how fast they are"))
        self._button.setEnabled(bool(self._model.disks) or self._model.job.is_busy)
        self._words.setText(self._model.words)
