"""Line icons on a grid of 20 × 20, so that they are sharp at every scale, in the scheme's colour."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

_GRID = 20.0


class Icon(StrEnum):
    """The icons."""

    DISKS = "disks"
    PLAN = "plan"
    PROVE = "prove"
    BUILD = "build"
    MEASURE = "measure"
    ARRAYS = "arrays"
    UNDO = "undo"
    REDO = "redo"
    TICK = "tick"
    CROSS = "cross"
    MENU = "menu"


def draw(painter: QPainter, icon: Icon, rect: QRectF, colour: str, width: float = 1.6) -> None:
    """Draw ``icon`` into ``rect``; ``width`` is the pen's, in units of the grid."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / _GRID, rect.height() / _GRID)
    pen = QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(_PATHS[icon]())
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


def _lines(*strokes: tuple[tuple[float, float], ...]) -> QPainterPath:
    path = QPainterPath()
    for stroke in strokes:
        path.moveTo(QPointF(*stroke[0]))
        for point in stroke[1:]:
            path.lineTo(QPointF(*point))
    return path


def _disks() -> QPainterPath:
    path = QPainterPath()
    for top in (3.0, 11.0):
        path.addRoundedRect(QRectF(2.5, top, 15, 6), 1.5, 1.5)
        path.addEllipse(QPointF(14, top + 3), 0.6, 0.6)
    return path


def _plan() -> QPainterPath:
    path = QPainterPath()
    for left in (2.5, 8.0, 13.5):
        for top in (3.0, 8.0, 13.0):
            path.addRoundedRect(QRectF(left, top, 4, 3.6), 0.8, 0.8)
    return path


def _prove() -> QPainterPath:
    path = _lines(((10, 3), (10, 16.5)), ((6, 16.5), (14, 16.5)), ((3.5, 5.5), (16.5, 5.5)))
    for middle in (4.2, 15.8):
        path.addPath(_lines(((middle, 5.5), (middle - 2.2, 11), (middle + 2.2, 11), (middle, 5.5))))
    return path


def _build() -> QPainterPath:
    path = QPainterPath()
    path.moveTo(10, 2.5)
    for x, y in ((17.5, 6.2), (10, 9.9), (2.5, 6.2)):
        path.lineTo(x, y)
    path.closeSubpath()
    path.addPath(_lines(((2.5, 10), (10, 13.7), (17.5, 10)), ((2.5, 13.8), (10, 17.5), (17.5, 13.8))))
    return path


def _measure() -> QPainterPath:
    path = QPainterPath(QPointF(2.5, 10))
    path.cubicTo(5, 2, 7.5, 2, 10, 10)
    path.cubicTo(12.5, 18, 15, 18, 17.5, 10)
    return path


def _arrays() -> QPainterPath:
    path = QPainterPath()
    for top in (2.5, 8.0, 13.5):
        path.addRoundedRect(QRectF(2.5, top, 15, 4), 1.2, 1.2)
        path.addPath(_lines(((5.5, top + 2), (10.5, top + 2))))
        path.addEllipse(QPointF(14.2, top + 2), 0.5, 0.5)
    return path


def _undo() -> QPainterPath:
    path = _lines(((7.5, 4), (3.5, 8), (7.5, 12)), ((3.5, 8), (12, 8)))
    path.cubicTo(17.8, 8, 17.8, 16, 12, 16)
    path.lineTo(8, 16)
    return path


def _redo() -> QPainterPath:
    path = _lines(((12.5, 4), (16.5, 8), (12.5, 12)), ((16.5, 8), (8, 8)))
    path.cubicTo(2.2, 8, 2.2, 16, 8, 16)
    path.lineTo(12, 16)
    return path


def _tick() -> QPainterPath:
    return _lines(((4, 10.5), (8.2, 14.8), (16, 5.5)))


def _cross() -> QPainterPath:
    return _lines(((5, 5), (15, 15)), ((15, 5), (5, 15)))


def _menu() -> QPainterPath:
    return _lines(*(((3.5, top), (16.5, top)) for top in (5.0, 10.0, 15.0)))


_PATHS: dict[Icon, Callable[[], QPainterPath]] = {
    Icon.DISKS: _disks,
    Icon.PLAN: _plan,
    Icon.PROVE: _prove,
    Icon.BUILD: _build,
    Icon.MEASURE: _measure,
    Icon.ARRAYS: _arrays,
    Icon.UNDO: _undo,
    Icon.REDO: _redo,
    Icon.TICK: _tick,
    Icon.CROSS: _cross,
    Icon.MENU: _menu,
}
