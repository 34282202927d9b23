"""Painting of the stage's cells and columns. Colours come from the tokens, shapes repeat their meaning.

A cell without its number is painted once per look and then copied, which is many times faster; in vector output it is
painted each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from raidwright.analysis.geometry.of_plan import Role
from raidwright.analysis.geometry.states import CellState
from raidwright.colours import COPY_SHARE, PARITY_SHARE, STRIPES, Tokens, ink_on, mix
from raidwright.ui import tokens
from raidwright.ui.theme import font

Stamps = dict[object, QPixmap]
_LABELS = {Role.P: "P", Role.Q: "Q"}
_ROOM_FOR_HEAD = 44
_NARROW, _TINIEST = 60, 8.5
_FAILED = frozenset({CellState.RECONSTRUCTABLE, CellState.LOST})
_TAG = 16


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a cell without its number: role, stripe colour and state."""

    role: Role
    colour: int
    state: CellState

    def ground(self, scheme: Tokens) -> str:
        """Return the cell's background colour."""
        stripe = STRIPES[self.colour]
        if self.state in _FAILED:
            return mix(stripe, scheme.red_soft, 0.16)
        if self.role is Role.DATA:
            return stripe
        return mix(stripe, scheme.panel, COPY_SHARE if self.role is Role.COPY else PARITY_SHARE)

    def ink(self, scheme: Tokens) -> str:
        """Return the colour of its number."""
        return scheme.red if self.state in _FAILED else ink_on(self.ground(scheme))


class CellPainter:
    """Painter of one picture's cells: all of one ``size``, with the largest font in which ``widest`` fits.

    ``ratio`` is the number of device pixels per pixel, 0 for vector output; ``stamps`` are previously painted looks of
    the same size, scheme and ratio.
    """

    def __init__(
        self,
        painter: QPainter,
        scheme: Tokens,
        size: QSizeF,
        widest: str,
        ratio: float,
        stamps: Stamps | None = None,
    ) -> None:
        self._painter, self._scheme, self._size, self._ratio = painter, scheme, size, ratio
        self._stamps: Stamps = {} if stamps is None else stamps
        self._is_narrow = size.width() < _NARROW
        room = size.width() - (0 if self._is_narrow else 2 * tokens.SPACE_S)
        fits = QFontMetricsF(font(tokens.TYPE_TINY, QFont.Weight.Bold)).horizontalAdvance(widest) <= room
        pixels = tokens.TYPE_TINY if fits else _TINIEST
        self._bold, self._medium = font(pixels, QFont.Weight.Bold), font(pixels, QFont.Weight.Medium)
        self._small = font(tokens.TYPE_TINY)
        metrics = QFontMetricsF(self._bold)
        self._most_digits = max(0, int(room / metrics.horizontalAdvance("0")))
        self._room_for_words = size.width() - 3 * tokens.SPACE_S - len(widest) * metrics.horizontalAdvance("0")
        self._word_widths: dict[str, float] = {}
        self._digit, self._baseline = metrics.horizontalAdvance("0"), (size.height() + metrics.capHeight()) / 2

    def paint(self, look: Look, cells: Sequence[tuple[QPointF, int, str]]) -> None:
        """Paint cells of the same look: each position, chunk, and label of a further copy."""
        spots = [spot for spot, _chunk, _copy_words in cells]
        self._stamp(spots, self._size, look, lambda painter, rect: _paint_ground(painter, rect, look, self._scheme))
        painter, label = self._painter, _LABELS.get(look.role)
        painter.setPen(QColor(look.ink(self._scheme)))
        painter.setFont(self._medium if look.role is Role.COPY else self._bold)
        for spot, chunk, _copy_words in cells:
            text = label or self._shortened(str(chunk))
            left = (self._size.width() - len(text) * self._digit) / 2 if self._is_narrow else tokens.SPACE_S
            painter.drawText(QPointF(spot.x() + left, spot.y() + self._baseline), text)
        if look.role is Role.COPY:
            painter.setFont(self._small)
            for spot, _chunk, copy_words in cells:
                self._tell_copy(spot, copy_words)

    def _tell_copy(self, spot: QPointF, words: str) -> None:
        if words and self._width(words) <= self._room_for_words:
            inner = QRectF(spot, self._size).adjusted(0, 0, -tokens.SPACE_S, 0)
            self._painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def outline_last(self, spot: QPointF, count: int, step: int) -> None:
        """Outline ``count`` cells below each other, ``step`` apart: the last ones with their content."""
        pen = QPen(QColor(self._scheme.amber), 2)

        def paint(painter: QPainter, rect: QRectF) -> None:
            for place in range(count):
                _outline(painter, QRectF(rect.topLeft() + QPointF(0, place * step), self._size), pen)

        self._stamp([spot], QSizeF(self._size.width(), count * step), (CellState.LAST, count), paint)

    def mark_touched(self, spot: QPointF, *, reads: bool, writes: bool) -> None:
        """Outline a cell that is read (dotted) or written (solid), with the letters R and W on it."""
        style = Qt.PenStyle.SolidLine if writes else Qt.PenStyle.DotLine
        rect = QRectF(spot, self._size)
        _outline(self._painter, rect, QPen(QColor(self._scheme.text), 2.4, style))
        letters = "R" * reads + "W" * writes
        width = min(_TAG * len(letters), rect.width())
        tag = QRectF(rect.right() - width, rect.top(), width, rect.height())
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._scheme.text))
        self._painter.drawRoundedRect(tag, 3, 3)
        self._painter.setPen(QColor(self._scheme.panel))
        stacked = width < _TAG * len(letters)
        self._painter.setFont(font(_TINIEST if stacked else tokens.TYPE_TINY, QFont.Weight.Bold))
        height = tag.height() / len(letters)
        for place, letter in enumerate(letters):
            across = QRectF(tag.x() + place * _TAG, tag.y(), _TAG, tag.height())
            down = QRectF(tag.x(), tag.y() + place * height, tag.width(), height)
            self._painter.drawText(down if stacked else across, Qt.AlignmentFlag.AlignCenter, letter)

    def _shortened(self, number: str) -> str:
        """Return the last digits if not all fit: they distinguish neighbours."""
        if len(number) <= self._most_digits:
            return number
        return f"…{number[1 - self._most_digits :]}" if self._most_digits > 1 else ""

    def _width(self, words: str) -> float:
        if words not in self._word_widths:
            self._word_widths[words] = QFontMetricsF(self._small).horizontalAdvance(words)
        return self._word_widths[words]

    def _stamp(
        self, spots: Sequence[QPointF], size: QSizeF, key: object, paint: Callable[[QPainter, QRectF], None]
    ) -> None:
        if not self._ratio:
            for spot in spots:
                paint(self._painter, QRectF(spot, size))
            return
        stamp = self._stamps.get(key)
        if stamp is None:
            stamp = self._stamps[key] = self._cut(size, paint)
        for spot in spots:  # a thousand times per picture
            self._painter.drawPixmap(spot, stamp)

    def _cut(self, size: QSizeF, paint: Callable[[QPainter, QRectF], None]) -> QPixmap:
        stamp = QPixmap(ceil(size.width() * self._ratio), ceil(size.height() * self._ratio))
        stamp.setDevicePixelRatio(self._ratio)
        stamp.fill(Qt.GlobalColor.transparent)
        painter = QPainter(stamp)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint(painter, QRectF(QPointF(0, 0), size))
        painter.end()
        return stamp


def _paint_ground(painter: QPainter, rect: QRectF, look: Look, scheme: Tokens) -> None:
    ground = look.ground(scheme)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(rect, 3, 3)
    if look.role in _LABELS:
        painter.setBrush(QBrush(QColor(mix(look.ink(scheme), ground, 0.35)), Qt.BrushStyle.BDiagPattern))
        painter.drawRoundedRect(rect, 3, 3)
    if look.state is CellState.LOST:
        painter.setPen(QPen(QColor(scheme.red), 1.4))
        painter.drawLine(QLineF(rect.topLeft(), rect.bottomRight()))
        painter.drawLine(QLineF(rect.bottomLeft(), rect.topRight()))


def _outline(painter: QPainter, rect: QRectF, pen: QPen) -> None:
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)


def paint_column(painter: QPainter, rect: QRectF, scheme: Tokens, *, failed: bool, absent: bool = False) -> None:
    """Paint a disk's background: red and pale if it has failed, amber and dashed if it is missing."""
    edge, ground = (scheme.red, scheme.red_soft) if failed else (scheme.line, scheme.sunken)
    if absent and not failed:
        edge, ground = scheme.amber, scheme.amber_soft
    painter.setPen(QPen(QColor(edge), 1, Qt.PenStyle.DashLine if absent else Qt.PenStyle.SolidLine))
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), tokens.CORNER, tokens.CORNER)


def paint_ring(painter: QPainter, rect: QRectF, colour: str) -> None:
    """Outline a column: it has the keyboard focus, or takes part in an access."""
    painter.setPen(QPen(QColor(colour), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), tokens.CORNER, tokens.CORNER)


def paint_head(
    painter: QPainter, rect: QRectF, text: str, scheme: Tokens, *, failed: bool = False, brief: str = ""
) -> None:
    """Paint the reserved area: superblock, bitmap, and space up to the data offset; ``brief`` if it is narrow."""
    painter.setPen(QPen(QColor(scheme.red if failed else scheme.dim), 1, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setFont(font(10))
    metrics, room = painter.fontMetrics(), int(rect.width() - 6)
    said = brief if brief and metrics.horizontalAdvance(text) > room else text
    if rect.width() > _ROOM_FOR_HEAD:
        shown = metrics.elidedText(said, Qt.TextElideMode.ElideRight, room)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)
