"""How the stage's cells and columns are painted. Colours come from the tokens, shapes say the same again."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen

from ...core.geometry import Role
from ...core.stage import CellState
from .. import tokens
from ..theme import font
from ..tokens import STRIPES, Tokens, ink_on, mix

_LABELS = {Role.P: "P", Role.Q: "Q"}
_ROOM_FOR_COPY_WORDS = 96
_NARROW, _TINIEST = 60, 8.5


@dataclass(frozen=True, slots=True)
class CellPaint:
    """One cell: its role, array chunk, copy (0 is the first), stripe colour and state."""

    role: Role
    chunk: int
    copy: int
    colour: int
    state: CellState


def paint_cell(painter: QPainter, rect: QRectF, cell: CellPaint, scheme: Tokens, copy_words: str) -> None:
    """Paint ``cell`` into ``rect``; ``copy_words`` is what a further copy is called."""
    ground = _ground(cell, scheme)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(rect, 3, 3)
    failed = cell.state in (CellState.RECONSTRUCTABLE, CellState.LOST)
    ink = scheme.red if failed else ink_on(ground)
    if cell.role in _LABELS:
        _hatch(painter, rect, mix(ink, ground, 0.35))
    if cell.state is CellState.LAST:
        painter.setPen(QPen(QColor(scheme.amber), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 3, 3)
    if cell.state is CellState.LOST:
        painter.setPen(QPen(QColor(scheme.red), 1.4))
        painter.drawLine(QLineF(rect.topLeft(), rect.bottomRight()))
        painter.drawLine(QLineF(rect.bottomLeft(), rect.topRight()))
    _label(painter, rect, cell, ink, copy_words)


def _ground(cell: CellPaint, scheme: Tokens) -> str:
    stripe = STRIPES[cell.colour]
    if cell.state in (CellState.RECONSTRUCTABLE, CellState.LOST):
        return mix(stripe, scheme.red_soft, 0.16)
    if cell.role is Role.DATA:
        return stripe
    return mix(stripe, scheme.panel, 0.55 if cell.role is Role.COPY else 0.4)


def _hatch(painter: QPainter, rect: QRectF, colour: str) -> None:
    painter.setBrush(QBrush(QColor(colour), Qt.BrushStyle.BDiagPattern))
    painter.drawRoundedRect(rect, 3, 3)


def _label(painter: QPainter, rect: QRectF, cell: CellPaint, ink: str, copy_words: str) -> None:
    text = _LABELS.get(cell.role, str(cell.chunk))
    painter.setPen(QColor(ink))
    first = cell.role is not Role.COPY
    narrow = rect.width() < _NARROW
    inner = rect if narrow else rect.adjusted(tokens.SPACE_S, 0, -tokens.SPACE_S, 0)
    side = Qt.AlignmentFlag.AlignHCenter if narrow else Qt.AlignmentFlag.AlignLeft
    for pixels in (tokens.TYPE_TINY, _TINIEST):
        painter.setFont(font(pixels, QFont.Weight.Bold if first else QFont.Weight.Medium))
        if painter.fontMetrics().horizontalAdvance(text) <= inner.width():
            painter.drawText(inner, side | Qt.AlignmentFlag.AlignVCenter, text)
            break
    if cell.role is Role.COPY and rect.width() > _ROOM_FOR_COPY_WORDS:
        painter.setFont(font(tokens.TYPE_TINY))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, copy_words)


def paint_column(painter: QPainter, rect: QRectF, scheme: Tokens, *, failed: bool, focused: bool) -> None:
    """Paint a disk's ground: red and pale when it has failed, ringed when the keyboard is on it."""
    edge = scheme.red if failed else scheme.line
    painter.setPen(QPen(QColor(scheme.accent if focused else edge), 2 if focused else 1))
    painter.setBrush(QColor(scheme.red_soft if failed else scheme.sunken))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), tokens.CORNER, tokens.CORNER)


def paint_head(painter: QPainter, rect: QRectF, text: str, scheme: Tokens, *, failed: bool) -> None:
    """Paint the reserved head: superblock, bitmap, and the room up to the data offset."""
    ink = scheme.red if failed else scheme.dim
    painter.setPen(QPen(QColor(ink), 1, Qt.PenStyle.DashLine))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    painter.setFont(font(10))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width() - 6))
    if rect.width() > 44:
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)
