"""Pictures as files: SVG for documents, PNG for messages, by the same drawing code as in the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

PIXEL_RATIO = 2  # sharp on paper and on high-resolution screens
_DOTS_PER_INCH = 96  # a unit of the file is a pixel of the window, for text too

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
