"""The loss over the years as a sparkline: one line, and its range."""

from __future__ import annotations

from math import floor, log10

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QAccessible, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from raidwright.analysis.reliability.loss import CurvePoint, Loss
from raidwright.text.catalogue import tr
from raidwright.text.loss import chance_in_words, years_words
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.role import say_role

_HEIGHT, _FOOT, _HEAD = 76, 16, 8


def ceiling_of(chance: float) -> float:
    """Return 1, 2 or 5 of a power of ten, at least ``chance`` and at most 1, as the end of an axis."""
    if chance <= 0:
        return 1.0
    power = 10.0 ** floor(log10(chance))
    return min(1.0, next(step * power for step in (1, 2, 5, 10) if chance <= step * power * 1.000001))


class LossSketch(QWidget):
    """The array's loss, from 0 to the number of years."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-sketch")
        self.setAccessibleName(tr("The chance of losing the array, over the years"))
        say_role(self, QAccessible.Role.Chart)
        self.setFixedHeight(_HEIGHT)
        self._curve: tuple[CurvePoint, ...] = ()
        # the upper grid line's value and label, and the label's width
        self._most, self._top, self._left = 1.0, "", 0.0

    def show_loss(self, loss: Loss) -> None:
        """Draw ``loss``."""
        self._curve = loss.curve
        self._most = ceiling_of(max(point.high for point in loss.curve))
        self._top = chance_in_words(self._most) if self._most < 1 else tr("certain")
        self._left = QFontMetricsF(font(tokens.TYPE_TINY)).horizontalAdvance(self._top) + 8
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint two grid lines, the range, and the likely line."""
        if not self._curve:
            return
        scheme, curve = tokens_for(self.palette()), self._curve
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter, scheme)
        band = [self._spot(point, point.high) for point in curve]
        band += [self._spot(point, point.low) for point in reversed(curve)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.mix(scheme.accent, scheme.panel, 0.25)))
        painter.drawPolygon(QPolygonF(band))
        painter.setPen(QPen(QColor(scheme.accent), 2))
        painter.drawPolyline(QPolygonF([self._spot(point, point.probability) for point in curve]))

    def _area(self) -> QRectF:
        return QRectF(self.rect()).adjusted(self._left, _HEAD, -2, -_FOOT)

    def _spot(self, point: CurvePoint, chance: float) -> QPointF:
        area = self._area()
        across, up = point.years / self._curve[-1].years, chance / self._most
        return QPointF(area.left() + area.width() * across, area.bottom() - area.height() * up)

    def _paint_axes(self, painter: QPainter, scheme: tokens.Tokens) -> None:
        area = self._area()
        painter.setFont(font(tokens.TYPE_TINY))
        sides = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for height, words in ((area.top(), self._top), (area.bottom(), "0")):
            painter.setPen(QColor(scheme.line))
            painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))
            painter.setPen(QColor(scheme.dim))
            painter.drawText(QRectF(0, height - 8, self._left - 6, 16), sides, words)
        foot = QRectF(area.left(), area.bottom() + 2, area.width(), _FOOT)
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, tr("today"))
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, years_words(self._curve[-1].years))
