"""The chart of a scaling: measured points over the prediction's band, and one disk alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.theme import tokens_for
from raidwright.ui.widgets.plot import dress_plot, plot_in
from raidwright.ui.widgets.role import say_role

_BAND_ALPHA = 40
_GRID_ALPHA = 0.35
_ROOM = 1.1  # above the highest point


class LoadFigures(NamedTuple):
    """A value's figures in one unit: measured, predicted with its range, and one disk alone; None if unknown."""

    value: int
    measured: float | None = None
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    alone: float | None = None


class LoadChart(QWidget):
    """The values are evenly spaced, as each is about twice the one before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scaling-chart")
        say_role(self, QAccessible.Role.Chart)
        self.setAccessibleName(tr("Speed over the load; the table beside it has the same figures"))
        self._plot = plot_in(self)
        self._plot.setAntialiasing(True)
        self._low, self._high = self._plot.plot(), self._plot.plot()
        self._band = pyqtgraph.FillBetweenItem(self._low, self._high)
        self._plot.addItem(self._band)
        self._alone, self._predicted, self._measured = self._plot.plot(), self._plot.plot(), self._plot.plot()
        self._title, self._unit = "", ""
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self._dress()

    def show_figures(self, figures: Sequence[LoadFigures], title: str, unit: str) -> None:
        """Draw ``figures`` over the values of what is called ``title``."""
        self._title, self._unit = title, unit
        for curve, name in (
            (self._measured, "measured"),
            (self._predicted, "predicted"),
            (self._low, "low"),
            (self._high, "high"),
            (self._alone, "alone"),
        ):
            known = [(x, y) for x, one in enumerate(figures) if (y := getattr(one, name)) is not None]
            curve.setData([x for x, _ in known], [y for _, y in known])
        self._band.setVisible(any(one.low is not None for one in figures))
        self._plot.getAxis("bottom").setTicks([[(x, str(one.value)) for x, one in enumerate(figures)]])
        top = max((y for one in figures for y in one[1:] if y is not None), default=1.0) * _ROOM
        self._plot.setYRange(-0.025 * top, top, padding=0)  # room for the label 0
        self._plot.setXRange(0, max(1, len(figures) - 1), padding=0.04)
        self._dress()

    def _dress(self) -> None:
        scheme = tokens_for(self.palette())
        dress_plot(self._plot, scheme)
        self._measured.setPen(pyqtgraph.mkPen(scheme.accent, width=2))
        self._measured.setSymbol("o")
        self._measured.setSymbolSize(7)
        self._measured.setSymbolBrush(QColor(scheme.accent))
        self._measured.setSymbolPen(pyqtgraph.mkPen(None))
        self._predicted.setPen(pyqtgraph.mkPen(scheme.accent, width=1, style=Qt.PenStyle.DashLine))
        self._alone.setPen(pyqtgraph.mkPen(scheme.dim, width=1.5))
        for edge in (self._low, self._high):
            edge.setPen(pyqtgraph.mkPen(None))
        ground = QColor(scheme.accent)
        ground.setAlpha(_BAND_ALPHA)
        self._band.setBrush(ground)
        for side, text in (("left", self._unit), ("bottom", self._title)):
            axis = self._plot.getAxis(side)
            axis.setTickPen(pyqtgraph.mkPen(scheme.dim))
            axis.setLabel(text, color=scheme.dim)
        self._plot.showGrid(x=False, y=True, alpha=_GRID_ALPHA)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: redraw in the other colours after a change of scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_title"):
            self._dress()
