"""Bars with their range and a reference line, and the parts that other widgets paint."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from raidwright.colours import Tokens, mix
from raidwright.text.catalogue import number
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for

_BAND, _BAR, _GAP, _OVER = 10.0, 6.0, 2.0, 2.0  # pixels: heights, spacing, and how far the line extends beyond the bars
_BAND_SHARE = 0.28  # opacity of a bar's colour in its range
_MIN_WIDTH = 1.5
AXIS_HEIGHT = 22.0
_MAX_TICKS = 4  # besides 0
_TICK, _TICK_ROOM = 4.0, 60.0  # height, and the width of its number


class Bar(NamedTuple):
    """A ``likely`` value with the ends of its range; ``colour`` as ``#RRGGBB``, "" for the scheme's accent."""

    likely: float
    low: float
    high: float
    colour: str = ""


class Bars(QWidget):
    """A few bars below each other, from 0 on, on one scale with a vertical reference line."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._bars: tuple[Bar, ...] = ()
        self._mark, self._most = 0.0, 1.0
        self._fit()

    def show_bars(self, bars: Sequence[Bar], mark: float, most: float) -> None:
        """Show ``bars`` and the ``mark`` on a scale that ends at ``most``."""
        if (tuple(bars), mark, most) != (self._bars, self._mark, self._most):
            self._bars, self._mark, self._most = tuple(bars), mark, most
            self._fit()
            self.update()

    def place_of(self, value: float) -> float:
        """Return the position of ``value``, in pixels from the left."""
        return value / self._most * (self.width() - 1)

    def _fit(self) -> None:
        count = max(1, len(self._bars))
        self.setFixedHeight(round(count * _BAND + (count - 1) * _GAP + 2 * _OVER))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint each bar over its range, then the line."""
        if not self._bars:
            return
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row, bar in enumerate(self._bars):
            top, colour = _OVER + row * (_BAND + _GAP), bar.colour or scheme.accent
            low, likely, high = (self.place_of(value) for value in (bar.low, bar.likely, bar.high))
            band = QRectF(low, top, max(_MIN_WIDTH, high - low), _BAND)
            paint_span(painter, band, mix(colour, scheme.panel, _BAND_SHARE))
            whole = QRectF(0, top + (_BAND - _BAR) / 2, max(_MIN_WIDTH, likely), _BAR)
            paint_span(painter, whole, colour)
        paint_mark(painter, self.place_of(self._mark), (0.0, float(self.height())), scheme)


class Scale(QWidget):
    """The axis below bars on one scale: round numbers, and the ``unit`` at the right."""

    def __init__(self, name: str, unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._unit, self._most = unit, 1.0
        self.setFixedHeight(round(AXIS_HEIGHT))

    def show_scale(self, most: float) -> None:
        """Show a scale that ends at ``most``."""
        if most != self._most:
            self._most = most
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the axis."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_axis(painter, (0.5, self.width() - 1.0, self._most), self._unit, tokens_for(self.palette()))


def ticks(most: float) -> tuple[float, ...]:
    """Return round numbers from 0 up to at most ``most``, the end of a scale."""
    step = 10.0 ** floor(log10(most / _MAX_TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if most / (step * factor) <= _MAX_TICKS)
    return tuple(step * count for count in range(floor(most / step) + 1))


def paint_axis(painter: QPainter, place: tuple[float, float, float], unit: str, scheme: Tokens) -> None:
    """Paint the axis of a scale; ``place`` is its top, its width in pixels, and the value at its end."""
    top, width, most = place
    painter.setFont(font(tokens.TYPE_SMALL))
    pen = QPen(QColor(scheme.dim), 1)
    painter.setPen(pen)
    painter.drawLine(QPointF(0, top), QPointF(width, top))
    below, height = top + _TICK, AXIS_HEIGHT - _TICK
    middle = Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(0, below, width, height), int(Qt.AlignmentFlag.AlignRight | middle), unit)
    taken = width - painter.fontMetrics().horizontalAdvance(unit) - _TICK_ROOM / 2  # by the unit
    for value in ticks(most) if most > 0 else ():
        x = width * value / most
        painter.drawLine(QPointF(x, top), QPointF(x, top + _TICK))
        if not value:
            painter.drawText(QRectF(0, below, _TICK_ROOM, height), int(Qt.AlignmentFlag.AlignLeft | middle), "0")
        elif x <= taken:
            room = QRectF(x - _TICK_ROOM / 2, below, _TICK_ROOM, height)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignHCenter | middle), number(value, ",g"))


def paint_span(painter: QPainter, span: QRectF, colour: str) -> None:
    """Paint a segment of a bar; nothing if its width is 0."""
    if span.width() > 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRect(span)


def paint_mark(painter: QPainter, x: float, ends: tuple[float, float], scheme: Tokens) -> None:
    """Paint a vertical reference line between two heights."""
    painter.setPen(QPen(QColor(scheme.text), 1.5))
    painter.drawLine(QPointF(x, ends[0]), QPointF(x, ends[1]))
