"""The live curve of a workload, drawn by pyqtgraph in the scheme's colours."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import pyqtgraph
from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.core.protocol.measured import Sample
from raidwright.text.catalogue import tr
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.plot import dress_plot, keep_axes_painted, plot_in
from raidwright.ui.widgets.role import say_role

from .beside import Expected
from .strips import AXIS_WIDTH
from .thinned import Thinned, without_partial

_BAND_ALPHA = 40
_GRID_ALPHA = 0.35
_ROOM = 1.1  # minimum margin above the highest point


class Curve(QWidget):
    """MB/s over seconds, in front of the predicted range and one disk's line; the mean, once known, is dashed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curve")
        say_role(self, QAccessible.Role.Chart)
        self.setAccessibleName(tr("Megabytes a second over time; the table beside it has the same figures"))
        self._plot = plot_in(self)
        self._plot.setAntialiasing(True)
        self._band = pyqtgraph.LinearRegionItem(orientation="horizontal", movable=False)
        self._alone = pyqtgraph.InfiniteLine(angle=0)
        self._names = tuple(pyqtgraph.TextItem(text, anchor=(0, 1)) for text in (tr("predicted"), tr("one disk")))
        for item in (self._band, self._alone, *self._names):
            item.setVisible(False)
            self._plot.addItem(item)
        self._plot.getAxis("left").setWidth(AXIS_WIDTH)
        keep_axes_painted(self._plot)
        self._line = self._plot.plot()
        self._points, self._seconds, self._least_top, self._has_axes = Thinned(), 0.0, 1.0, False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._draw)
        self._mean = pyqtgraph.InfiniteLine(angle=0)
        self._mean.setVisible(False)
        self._plot.addItem(self._mean)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self._plot)
        self._dress()

    def show_samples(
        self, samples: Sequence[Sample], seconds: float, mean: float | None, expected: Expected | None = None
    ) -> None:
        """Draw ``samples`` on an axis of ``seconds``, from 0 so that heights compare.

        With a ``mean`` the measurement is over, and a partial sample at its end is left out. Without any samples the
        axes are drawn if there is something ``expected``.
        """
        self._points, self._seconds = Thinned(), seconds
        self._has_axes = bool(samples) or expected is not None
        if mean is not None:
            samples = without_partial(samples)
        self._least_top = max(mean or 0, expected.high_mb_s if expected else 0, 1)
        for sample in samples:
            self._points.add(sample.seconds, sample.read_mb_s + sample.write_mb_s)
        self._draw()
        self._mean.setVisible(mean is not None)
        if mean is not None:
            self._mean.setValue(mean)

        self._show_expected(expected)

    @property
    def point_count(self) -> int:
        """The number of points drawn."""
        return len(self._points.xs)

    @property
    def top(self) -> float:
        """The upper end of the axis, in MB/s."""
        return float(self._plot.viewRange()[1][1])

    def add(self, sample: Sample) -> None:
        """Add a sample, in constant time; several samples at once are drawn once."""
        self._points.add(sample.seconds, sample.read_mb_s + sample.write_mb_s)
        self._soon.start()

    @Slot()
    def _draw(self) -> None:
        xs, ys = self._points.xs, self._points.ys
        self._plot.setVisible(self._has_axes or bool(xs))  # axes of nothing are hidden
        self._line.setData(xs, ys)
        self._plot.setXRange(0, max(self._seconds, xs[-1] if xs else 0), padding=0.01)
        self._least_top = max([*ys, self._least_top])  # it stays: the last point, a growing mean, goes up and down
        top = _round_top(self._least_top)
        self._plot.setYRange(-0.025 * top, top, padding=0)  # room for the label 0, which is omitted otherwise

    def _show_expected(self, expected: Expected | None) -> None:
        band, alone = self._names
        self._band.setVisible(expected is not None)
        band.setVisible(expected is not None)
        has_alone = expected is not None and expected.alone_mb_s is not None
        self._alone.setVisible(has_alone)
        alone.setVisible(has_alone)
        if expected is None:
            return
        self._band.setRegion((expected.low_mb_s, expected.high_mb_s))
        band.setPos(0, expected.high_mb_s)
        if expected.alone_mb_s is not None:
            self._alone.setValue(expected.alone_mb_s)
            alone.setPos(0, expected.alone_mb_s)

    def _dress(self) -> None:
        scheme = tokens_for(self.palette())
        dress_plot(self._plot, scheme)
        self._line.setPen(pyqtgraph.mkPen(scheme.accent, width=2))
        self._mean.setPen(pyqtgraph.mkPen(scheme.dim, width=1, style=Qt.PenStyle.DashLine))
        ground = QColor(scheme.accent)
        ground.setAlpha(_BAND_ALPHA)
        self._band.setBrush(ground)
        for edge in self._band.lines:
            edge.setPen(pyqtgraph.mkPen(None))
        self._alone.setPen(pyqtgraph.mkPen(scheme.dim, width=1.5))
        for name in self._names:
            name.setFont(font(tokens.TYPE_TINY))
            name.setColor(QColor(scheme.dim))
        for side, unit in (("left", tr("MB/s")), ("bottom", tr("seconds"))):
            axis = self._plot.getAxis(side)
            axis.setTickPen(pyqtgraph.mkPen(scheme.dim))  # of the grid
            axis.setLabel(unit, color=scheme.dim)
        self._plot.showGrid(x=False, y=True, alpha=_GRID_ALPHA)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: redraw in the other colours after a change of scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_mean"):
            self._dress()


def _round_top(highest: float) -> float:
    """Return an axis's end above ``highest``, of two digits: the same for many points, which saves repainting."""
    step: float = 10.0 ** (floor(log10(highest * _ROOM)) - 1)
    return step * ceil(highest * _ROOM / step)
