"""The stage's picture as a file: vectors for a page, pixels for a message; the same picture as in the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator

from raidwright.core.errors import InputError
from raidwright.ui import tokens
from raidwright.ui.theme import font
from raidwright.ui.tokens import Tokens

from .picture import Picture, PicturePainter

_PIXEL_RATIO = 2  # sharp on paper and on dense screens
_DOTS_PER_INCH = 96  # at which a unit of the file is a pixel of the window, for figures too
_MARGIN = 16
_TITLE = 30


def save_picture(path: Path, picture: Picture, title: str, scheme: Tokens) -> None:
    """Write ``picture`` under its ``title`` into ``path``: SVG where it is called so, else PNG.

    Raises InputError when the file can't be written.
    """
    content = as_svg(picture, title, scheme) if path.suffix.lower() == ".svg" else as_png(picture, title, scheme)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(
            "“{path}” can't be written: {why}. Choose another folder or name.",
            code="picture-file",
            path=path,
            why=error.strerror,
        ) from error


def as_svg(picture: Picture, title: str, scheme: Tokens) -> bytes:
    """The picture in vectors, one unit a pixel of the window."""
    size = _size(picture)
    content = QByteArray()
    buffer = QBuffer(content)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_DOTS_PER_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    _draw(painter, picture, title, scheme, 0)
    painter.end()
    return bytes(content.data())


def as_png(picture: Picture, title: str, scheme: Tokens) -> bytes:
    """The picture in pixels, twice as many as in the window each way."""
    image = QImage(_size(picture) * _PIXEL_RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_PIXEL_RATIO)
    painter = QPainter(image)
    _draw(painter, picture, title, scheme, _PIXEL_RATIO)
    painter.end()
    content = QByteArray()
    buffer = QBuffer(content)  # the writer doesn't keep it alive
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(content.data())


def _size(picture: Picture) -> QSize:
    return QSize(picture.layout.width + 2 * _MARGIN, picture.layout.bottom + _TITLE + 2 * _MARGIN)


def _draw(painter: QPainter, picture: Picture, title: str, scheme: Tokens, ratio: float) -> None:
    size = _size(picture)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(scheme.panel))
    painter.setPen(QColor(scheme.text))
    painter.setFont(font(tokens.TYPE_TITLE, QFont.Weight.DemiBold))
    line = QRectF(_MARGIN, _MARGIN, picture.layout.width, _TITLE)
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)
    painter.translate(_MARGIN, _MARGIN + _TITLE)
    parts = PicturePainter(painter, picture, scheme, ratio)
    parts.paint_healthy()
    parts.paint_failures()
    parts.paint_touches()
    parts.paint_gaps()
