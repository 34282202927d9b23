"""A placeholder of the chart: its library takes longer to import than the rest of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.widgets.panel import label

from .line import LossLine

if TYPE_CHECKING:
    from .chart import LossChart


class LateChart(QWidget):
    """A LossChart created after the page around it has been painted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[LossLine] = ()
        self._chart: LossChart | None = None
        self._waits = label(tr("Drawing the curve…"), "dim")
        self._waits.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._make)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self._waits)

    def show_lines(self, lines: Sequence[LossLine]) -> None:
        """Draw ``lines``, the chosen plan's first, once the chart exists."""
        self._lines = lines
        if self._chart is not None:
            self._chart.show_lines(lines)

    @Slot()
    def _make(self) -> None:
        from .chart import LossChart  # noqa: PLC0415 -- imports pyqtgraph

        self._waits.hide()
        self._chart = LossChart()
        self._chart.show_lines(self._lines)
        self._box.addWidget(self._chart)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt: the page is visible."""
        super().paintEvent(event)
        if self._chart is None:
            self._soon.start(0)
