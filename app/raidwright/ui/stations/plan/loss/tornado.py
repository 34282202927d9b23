"""Tornado chart: each assumption's effect as a bar, from the probability at its best value to that at its worst."""

from __future__ import annotations

from math import log10

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAccessible, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from raidwright.analysis.reliability.loss import Swing
from raidwright.colours import Tokens, mix
from raidwright.text.catalogue import tr, with_semicolons
from raidwright.text.plan.loss import chance_in_words, driver_name
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets.bars import paint_mark, paint_span
from raidwright.ui.widgets.role import say_role

_ROW, _BAR, _SIDE = 38, 12, 84
_MIN_CHANCE = 1e-15


class Tornado(QWidget):
    """Bars about the likely probability, the widest on top, on a log scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-tornado")
        self.setAccessibleName(tr("What matters most; as a table it has the figures"))
        say_role(self, QAccessible.Role.Chart)
        self._swings: tuple[Swing, ...] = ()
        self._likely = 0.0

    def show_swings(self, swings: tuple[Swing, ...], likely: float) -> None:
        """Show ``swings``, widest first, about the ``likely`` probability."""
        self._swings, self._likely = swings, likely
        self.setFixedHeight(max(1, len(swings)) * _ROW)
        self.setAccessibleDescription(with_semicolons(*map(self._words, swings)))
        self.update()

    def _words(self, swing: Swing) -> str:
        safer, worse = chance_in_words(swing.safer), chance_in_words(swing.worse)
        return tr("{what}: from {safer} to {worse}", what=driver_name(swing.driver), safer=safer, worse=worse)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint a line at the likely value, and each assumption's name over its bar."""
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(font(tokens.TYPE_SMALL))
        for place, swing in enumerate(self._swings):
            painter.setPen(QColor(scheme.text))
            words = driver_name(swing.driver)
            head = QRectF(0, place * _ROW, self.width(), 18)
            painter.drawText(head, Qt.AlignmentFlag.AlignLeft, words[:1].upper() + words[1:])
            self._paint_bar(painter, swing, place * _ROW + 19.0, scheme)

    def _paint_bar(self, painter: QPainter, swing: Swing, top: float, scheme: Tokens) -> None:
        left, middle, right = (self._place(chance) for chance in (swing.safer, self._likely, swing.worse))
        paint_span(painter, QRectF(left, top, middle - left, _BAR), mix(scheme.accent, scheme.panel, 0.4))
        paint_span(painter, QRectF(middle, top, right - middle, _BAR), scheme.accent)
        paint_mark(painter, middle, (top - 2, top + _BAR + 2), scheme)
        painter.setPen(QColor(scheme.dim))
        painter.setFont(font(tokens.TYPE_TINY))
        before = QRectF(left - _SIDE, top - 2, _SIDE - 6, _BAR + 4)
        after = QRectF(right + 6, top - 2, _SIDE, _BAR + 4)
        words = chance_in_words(swing.safer), chance_in_words(swing.worse)
        upright = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(before, Qt.AlignmentFlag.AlignRight | upright, words[0])
        painter.drawText(after, Qt.AlignmentFlag.AlignLeft | upright, words[1])
        painter.setFont(font(tokens.TYPE_SMALL))

    def _place(self, chance: float) -> float:
        ends = [end for swing in self._swings for end in (swing.safer, swing.worse)]
        least, most = (log10(max(end, _MIN_CHANCE)) for end in (min(ends), max(ends)))
        share = (log10(max(chance, _MIN_CHANCE)) - least) / (most - least) if most > least else 0.5
        return _SIDE + share * (self.width() - 2 * _SIDE)
