"""A plot, drawn by pyqtgraph in the scheme's colours: no menu, nothing to drag, and no focus."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsItem, QWidget

from raidwright.colours import Tokens
from raidwright.ui import tokens
from raidwright.ui.theme import font


def plot_in(parent: QWidget) -> pyqtgraph.PlotWidget:
    """Return a new plot in ``parent``, still in pyqtgraph's own colours (``dress_plot``)."""
    plot = pyqtgraph.PlotWidget(parent, enableMenu=False)
    plot.hideButtons()
    plot.setMouseEnabled(x=False, y=False)
    for part in (plot, plot.viewport()):
        part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return plot


def keep_axes_painted(plot: pyqtgraph.PlotWidget) -> None:
    """Cache the axes' painting between samples; Qt repaints them after changes."""
    for side in ("left", "bottom"):
        plot.getAxis(side).setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)


def dress_plot(plot: pyqtgraph.PlotWidget, scheme: Tokens, **style: object) -> None:
    """Give the plot's ground and axes the colours of ``scheme``; ``style`` is the axes'."""
    plot.setBackground(QColor(scheme.panel))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pyqtgraph.mkPen(scheme.line))
        axis.setTextPen(pyqtgraph.mkPen(scheme.dim))
        axis.setStyle(tickFont=font(tokens.TYPE_TINY), tickLength=0, **style)
        axis.enableAutoSIPrefix(False)
