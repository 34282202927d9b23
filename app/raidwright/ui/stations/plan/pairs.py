"""The matrix of pairs: the two-disk failures that the array survives."""

from __future__ import annotations

from itertools import combinations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from raidwright.colours import Tokens
from raidwright.text.catalogue import tr, with_semicolons
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for
from raidwright.ui.widgets import icons
from raidwright.ui.widgets.role import say_role

MAX_UNITS = 12
_WIDTH, _MAX_CELL = 200, 25.0


class PairMatrix(QWidget):
    """A tick or a cross for every pair of ``count`` disks; nothing above ``MAX_UNITS``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairs")
        self.setAccessibleName(tr("Which pairs of disks may fail"))
        say_role(self, QAccessible.Role.Chart)
        self._count = 0
        self._fatal: frozenset[tuple[int, int]] = frozenset()

    def show_pairs(self, count: int, fatal: frozenset[tuple[int, int]]) -> None:
        """Show ``count`` disks of which the ``fatal`` pairs lose data."""
        self._count, self._fatal = count, fatal
        self.setVisible(2 <= count <= MAX_UNITS)
        self.setFixedSize(self.sizeHint())
        words = with_semicolons(*(f"{one} + {other}" for one, other in sorted(fatal)))
        self.setAccessibleDescription(
            tr("Data is lost with: {pairs}", pairs=words) if fatal else tr("Every pair may fail.")
        )
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: square, with a heading for the numbers."""
        side = int(self._cell() * self._count)
        return QSize(side, side)

    def _cell(self) -> float:
        return min(_MAX_CELL, _WIDTH / max(1, self._count))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the upper triangle, since a pair has no order."""
        scheme, cell = tokens_for(self.palette()), self._cell()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for one in range(self._count):
            painter.setPen(QColor(scheme.dim))
            painter.setFont(font(tokens.TYPE_TINY if cell > 20 else 9, QFont.Weight.Medium))
            if one:
                painter.drawText(QRectF(one * cell, 0, cell, cell), Qt.AlignmentFlag.AlignCenter, str(one))
            if one < self._count - 1:  # the diagonal has no pairs
                painter.drawText(
                    QRectF(one * cell, (one + 1) * cell, cell, cell), Qt.AlignmentFlag.AlignCenter, str(one)
                )
            for other in range(one + 1, self._count):
                self._paint_pair(painter, one, other, scheme)

    def _box(self, one: int, other: int) -> QRectF:
        cell = self._cell()
        return QRectF(other * cell, (one + 1) * cell, cell, cell)

    def _paint_pair(self, painter: QPainter, one: int, other: int, scheme: Tokens) -> None:
        fatal, gap = (one, other) in self._fatal, 1.5
        box = self._box(one, other).adjusted(gap, gap, -gap, -gap)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(scheme.red_soft if fatal else scheme.green_soft))
        painter.drawRoundedRect(box, 4, 4)
        side = min(12.0, box.width() * 0.6)
        mark = QRectF(box.center().x() - side / 2, box.center().y() - side / 2, side, side)
        icons.draw(painter, icons.cross if fatal else icons.tick, mark, scheme.red if fatal else scheme.green, 2.4)

    def event(self, event: QEvent) -> bool:
        """Qt: hovering shows a pair in words."""
        if isinstance(event, QHelpEvent):
            point = QPointF(event.pos())
            for one, other in combinations(range(self._count), 2):
                if self._box(one, other).contains(point):
                    QToolTip.showText(event.globalPos(), self._words(one, other), self)
                    return True
        return super().event(event)

    def _words(self, one: int, other: int) -> str:
        if (one, other) in self._fatal:
            return tr("Slots {one} and {other} together: data is lost.", one=one, other=other)
        return tr("Slots {one} and {other} together: nothing is lost.", one=one, other=other)
