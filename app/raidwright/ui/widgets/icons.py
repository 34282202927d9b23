"""Line icons on a grid of 20 × 20, so that they are sharp at every scale, in the scheme's colour."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

_GRID = 20.0


Icon = Callable[[], QPainterPath]


def draw(painter: QPainter, icon: Icon, rect: QRectF, colour: str, width: float = 1.6) -> None:
    """Draw ``icon`` into ``rect``; ``width`` is the pen's, in units of the grid."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / _GRID, rect.height() / _GRID)
    pen = QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(icon())
    painter.restore()


def qicon(icon: Icon, colour: str, size: int = 18, scale: float = 3.0) -> QIcon:
    """Return ``icon`` for a button, drawn at ``scale`` device pixels per pixel, so that 300 % is sharp."""
    pixmap = QPixmap(int(size * scale), int(size * scale))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw(painter, icon, QRectF(0, 0, size, size), colour)
    painter.end()
    return QIcon(pixmap)


def strokes(*lines: tuple[tuple[float, float], ...]) -> QPainterPath:
    """Return a path of ``lines``, each through its points."""
    path = QPainterPath()
    for stroke in lines:
        path.moveTo(QPointF(*stroke[0]))
        for point in stroke[1:]:
            path.lineTo(QPointF(*point))
    return path


def undo() -> QPainterPath:
    """Return the path."""
    path = strokes(((7.5, 4), (3.5, 8), (7.5, 12)), ((3.5, 8), (12, 8)))
    path.cubicTo(17.8, 8, 17.8, 16, 12, 16)
    path.lineTo(8, 16)
    return path


def redo() -> QPainterPath:
    """Return the path."""
    path = strokes(((12.5, 4), (16.5, 8), (12.5, 12)), ((16.5, 8), (8, 8)))
    path.cubicTo(2.2, 8, 2.2, 16, 8, 16)
    path.lineTo(12, 16)
    return path


def tick() -> QPainterPath:
    """Return the path."""
    return strokes(((4, 10.5), (8.2, 14.8), (16, 5.5)))


def cross() -> QPainterPath:
    """Return the path."""
    return strokes(((5, 5), (15, 15)), ((15, 5), (5, 15)))


def menu() -> QPainterPath:
    """Return the path."""
    return strokes(*(((3.5, top), (16.5, top)) for top in (5.0, 10.0, 15.0)))
