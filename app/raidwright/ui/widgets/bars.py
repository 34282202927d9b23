"""Bars with the band in which the truth may lie, and a mark to hold them against; and the pieces that others paint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from raidwright.ui import tokens
from raidwright.ui.theme import tokens_for

_BAND, _BAR, _GAP, _OVER = 10.0, 6.0, 2.0, 2.0  # pixels: heights, between two, and how far the mark stands out
_BAND_SHARE = 0.28  # of a bar's colour in its band
_MIN_WIDTH = 1.5


class Bar(NamedTuple):
    """A ``likely`` value with the ends of its band; ``strength`` (0 to 1) of its colour."""

    likely: float
    low: float
    high: float
    strength: float = 1.0


class Bars(QWidget):
    """A few bars one below the other, from 0 on, on one scale with an upright mark across all of them."""

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
        """Where ``value`` lies, in pixels from the left."""
        return value / self._most * (self.width() - 1)

    def _fit(self) -> None:
        count = max(1, len(self._bars))
        self.setFixedHeight(round(count * _BAND + (count - 1) * _GAP + 2 * _OVER))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: each bar over its band, then the mark."""
        if not self._bars:
            return
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row, bar in enumerate(self._bars):
            top, colour = _OVER + row * (_BAND + _GAP), tokens.mix(scheme.accent, scheme.panel, bar.strength)
            low, likely, high = (self.place_of(value) for value in (bar.low, bar.likely, bar.high))
            band = QRectF(low, top, max(_MIN_WIDTH, high - low), _BAND)
            paint_span(painter, band, tokens.mix(colour, scheme.panel, _BAND_SHARE))
            whole = QRectF(0, top + (_BAND - _BAR) / 2, max(_MIN_WIDTH, likely), _BAR)
            paint_span(painter, whole, colour)
        paint_mark(painter, self.place_of(self._mark), (0.0, float(self.height())), scheme)


def paint_span(painter: QPainter, span: QRectF, colour: str) -> None:
    """A piece of a bar; nothing where it has no width."""
    if span.width() > 0:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRect(span)


def paint_mark(painter: QPainter, x: float, ends: tuple[float, float], scheme: tokens.Tokens) -> None:
    """An upright line that bars are held against, between two heights."""
    painter.setPen(QPen(QColor(scheme.text), 1.5))
    painter.drawLine(QPointF(x, ends[0]), QPointF(x, ends[1]))
