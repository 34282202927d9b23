"""The stage's picture as a file, as in the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from raidwright.colours import Tokens
from raidwright.runs.files import write_file
from raidwright.ui import tokens
from raidwright.ui.theme import font
from raidwright.ui.widgets.picture_file import PIXEL_RATIO, png_of, svg_of

from .picture import PicturePainter, StagePicture
from .sliced_picture import SlicedPainter, SlicedPicture

_MARGIN = 16
_TITLE = 30


def save_picture(path: Path, picture: StagePicture | SlicedPicture, title: str, scheme: Tokens) -> None:
    """Write ``picture`` under its ``title`` to ``path``: SVG for that suffix, else PNG.

    Raises InputError if the file can't be written.
    """
    is_svg = path.suffix.lower() == ".svg"
    write_file(path, as_svg(picture, title, scheme) if is_svg else as_png(picture, title, scheme), "picture-file")


def as_svg(picture: StagePicture | SlicedPicture, title: str, scheme: Tokens) -> bytes:
    """Return the picture as SVG."""
    return svg_of(_size(picture), title, lambda painter: _draw(painter, picture, title, scheme, 0))


def as_png(picture: StagePicture | SlicedPicture, title: str, scheme: Tokens) -> bytes:
    """Return the picture as PNG."""
    return png_of(_size(picture), lambda painter: _draw(painter, picture, title, scheme, PIXEL_RATIO))


def _size(picture: StagePicture | SlicedPicture) -> QSize:
    bottom = picture.layout.height if isinstance(picture, SlicedPicture) else picture.layout.bottom
    return QSize(picture.layout.width + 2 * _MARGIN, bottom + _TITLE + 2 * _MARGIN)


def _draw(painter: QPainter, picture: StagePicture | SlicedPicture, title: str, scheme: Tokens, ratio: float) -> None:
    size = _size(picture)
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(scheme.panel))
    painter.setPen(QColor(scheme.text))
    painter.setFont(font(tokens.TYPE_TITLE, QFont.Weight.DemiBold))
    line = QRectF(_MARGIN, _MARGIN, picture.layout.width, _TITLE)
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)
    painter.translate(_MARGIN, _MARGIN + _TITLE)
    if isinstance(picture, SlicedPicture):
        SlicedPainter(painter, picture, scheme, ratio).paint()
        return
    parts = PicturePainter(painter, picture, scheme, ratio)
    parts.paint_healthy()
    parts.paint_failures()
    parts.paint_touches()
    parts.paint_gaps()
