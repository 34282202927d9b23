"""The loss probability over the years, of the chosen plan and its neighbours, drawn by pyqtgraph on a log scale."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from raidwright.colours import STRIPES, Tokens
from raidwright.text.catalogue import tr
from raidwright.text.plan.loss import one_in
from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import SPACE_L, SPACE_S
from raidwright.ui.widgets.panel import label
from raidwright.ui.widgets.plot import dress_plot, plot_in
from raidwright.ui.widgets.role import say_role

from .line import MAX_LINES, LossLine

_MIN_CHANCE = 1e-15  # smaller values are shown alike
_MAX_TICKS = 6
_WIDTHS = (4, 2, 2)  # the chosen line is wider, to show under another that coincides
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)


def _colour(place: int, scheme: Tokens) -> QColor:
    return QColor((scheme.accent, STRIPES[5], STRIPES[2])[place])


def _height(chance: float) -> float:
    return log10(max(chance, _MIN_CHANCE))


class LossChart(QWidget):
    """Up to ``MAX_LINES`` lines with their ranges, distinguished by colours, dashes and names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-chart")
        say_role(self, QAccessible.Role.Chart)
        self.setAccessibleName(tr("The chance of a loss over the years; as a table it has the figures"))
        self._plot = plot_in(self)
        self._plot.setAntialiasing(True)
        self._curves = [tuple(self._plot.plot() for _curve in range(3)) for _line in range(MAX_LINES)]
        self._bands = [pyqtgraph.FillBetweenItem(low, high) for low, _likely, high in self._curves]
        for band in self._bands:
            self._plot.addItem(band)
        self._keys = [_Key(place) for place in range(MAX_LINES)]
        keys = QHBoxLayout()
        keys.setSpacing(SPACE_L)
        for key in self._keys:
            keys.addWidget(key)
        keys.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addLayout(keys)
        box.addWidget(self._plot, 1)
        self._dress()

    def show_lines(self, lines: Sequence[LossLine]) -> None:
        """Draw ``lines``, the chosen plan's first."""
        for place, key in enumerate(self._keys):
            line = lines[place] if place < len(lines) else None
            key.setVisible(line is not None)
            self._bands[place].setVisible(line is not None)
            if line is not None:
                key.name.setText(line.name)
            points = line.points[1:] if line is not None else ()  # no 0 on a log scale
            years = [point.years for point in points]
            for curve, chances in zip(
                self._curves[place],
                ([p.low for p in points], [p.probability for p in points], [p.high for p in points]),
                strict=True,
            ):
                curve.setData(years, [_height(chance) for chance in chances])
        if lines:
            self._scale(lines)

    def _scale(self, lines: Sequence[LossLine]) -> None:
        least = floor(min(_height(line.points[1].low) for line in lines))
        most = min(0, max(least + 1, ceil(max(_height(line.points[-1].high) for line in lines))))
        every = ceil((most - least) / _MAX_TICKS) or 1
        ticks = [(power, one_in(10.0**power) if power else tr("certain"))
                 for power in range(most, least - 1, -every)]  # fmt: skip
        self._plot.getAxis("left").setTicks([ticks])
        self._plot.setYRange(least, most, padding=0.08)
        self._plot.setXRange(0, lines[0].points[-1].years, padding=0.01)

    def _dress(self) -> None:
        scheme = tokens_for(self.palette())
        dress_plot(self._plot, scheme, hideOverlappingLabels=False)
        for place, (low, likely, high) in enumerate(self._curves):
            colour = _colour(place, scheme)
            likely.setPen(pyqtgraph.mkPen(colour, width=_WIDTHS[place], style=_DASHES[place]))
            for edge in (low, high):
                edge.setPen(pyqtgraph.mkPen(None))
            shade = QColor(colour)
            shade.setAlphaF(0.22 if place == 0 else 0.10)
            self._bands[place].setBrush(shade)
        self._plot.getAxis("left").setWidth(96)
        self._plot.getAxis("bottom").setLabel(tr("years from now"), color=scheme.dim)
        self._plot.showGrid(x=False, y=True, alpha=0.15)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: redraw in the other colours after a change of scheme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_keys"):
            self._dress()


class _Key(QWidget):
    """A legend entry: a piece of a line, and its name."""

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self.name = label("", "title" if place == 0 else "dim")
        box = QHBoxLayout(self)
        box.setContentsMargins(32, 0, 0, 0)
        box.addWidget(self.name)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the line as in the plot."""
        painter, middle = QPainter(self), self.height() / 2
        painter.setPen(
            QPen(_colour(self._place, tokens_for(self.palette())), _WIDTHS[self._place], _DASHES[self._place])
        )
        painter.drawLine(QPointF(0, middle), QPointF(25, middle))
