"""Pictures as files: SVG for documents, PNG for messages, by the same drawing code as in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator, QSvgRenderer

from raidwright.colours import Tokens
from raidwright.ui import tokens
from raidwright.ui.theme import font

PIXEL_RATIO = 2  # sharp on paper and on high-resolution screens
_DOTS_PER_INCH = 96  # a unit of the file is a pixel of the window, for text too

_MARGIN, _TITLE = 20, 26

Draw = Callable[[QPainter], None]


def svg_of(size: QSize, title: str, draw: Draw) -> bytes:
    """Return the drawing of ``draw`` as SVG, one unit per pixel of the window."""
    content = QByteArray()
    buffer = QBuffer(content)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DOTS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    draw(painter)
    painter.end()
    return bytes(content.data())


def png_of(size: QSize, draw: Draw) -> bytes:
    """Return the drawing of ``draw`` as PNG, at twice the window's resolution."""
    image = QImage(size * PIXEL_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PIXEL_RATIO)
    painter = QPainter(image)
    draw(painter)
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)  # the writer holds no reference to it
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(content.data())


def picture_of_svg(svg: str, size: QSize, title: str, path: Path, scheme: Tokens) -> bytes:
    """Return the drawing ``svg`` of that ``size`` below its title, as the suffix of ``path`` asks: SVG, or PNG."""
    whole = QSize(size.width() + 2 * _MARGIN, size.height() + 2 * _MARGIN + _TITLE)

    def draw(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRectF(0, 0, whole.width(), whole.height()), QColor(scheme.panel))
        painter.setFont(font(tokens.TYPE_TITLE, QFont.Weight.DemiBold))
        painter.setPen(QColor(scheme.text))
        painter.drawText(QRectF(_MARGIN, _MARGIN, size.width(), _TITLE), int(Qt.AlignmentFlag.AlignLeft), title)
        QSvgRenderer(QByteArray(svg.encode())).render(
            painter, QRectF(_MARGIN, _MARGIN + _TITLE, size.width(), size.height())
        )

    return svg_of(whole, title, draw) if path.suffix.lower() == ".svg" else png_of(whole, draw)
