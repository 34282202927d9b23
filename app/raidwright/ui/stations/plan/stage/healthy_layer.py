"""The stage's cached layer without failures: the columns, and each row separately.

Scrolling then paints only the rows that become visible; 60 frames per second leave no time for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from raidwright.colours import Tokens

from .layout import ROW
from .paint import Stamps
from .picture import PicturePainter, StagePicture


class _Row(NamedTuple):
    """A cached row: its sheet, and its index from the sheet's top."""

    sheet: QPixmap
    place: int


class HealthyLayer:
    """The layer below failures and touches. A row looks the same at every scroll position."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._columns = QPixmap()
        self._rows: dict[int, _Row] = {}
        self._stamps: Stamps = {}

    def paint(self, painter: QPainter, picture: StagePicture, scheme: Tokens, ratio: float) -> None:
        """Paint ``picture``'s layer without failures with ``painter``."""
        heads = picture.columns, picture.asides
        key = (picture.scene.source, heads, picture.layout, picture.most_digits, scheme, ratio)
        if key != self._key:
            self._key, self._rows, self._stamps = key, {}, {}
            with self._sheet(picture, scheme, ratio, picture.layout.height) as (self._columns, hand):
                hand.paint_columns()
        painter.drawPixmap(0, 0, self._columns)
        in_sight: dict[int, _Row] = {}
        for number, band in enumerate(picture.scene.bands):
            rows = band.rows.tolist()
            new = [place for place, row in enumerate(rows) if row not in self._rows]
            if new:
                with self._sheet(picture, scheme, ratio, len(new) * ROW) as (sheet, hand):
                    hand.paint_rows(number, new, 0)
                self._rows |= {rows[place]: _Row(sheet, below) for below, place in enumerate(new)}
            top = picture.layout.band_top(number)
            for place, row in enumerate(rows):
                in_sight[row] = known = self._rows[row]
                height, width = ROW * ratio, picture.layout.width * ratio
                part = QRectF(0, known.place * height, width, height)
                painter.drawPixmap(QPointF(0, top + place * ROW), known.sheet, part)
        self._rows = in_sight  # drop the others: a sheet is freed with the last of its rows

    @contextmanager
    def _sheet(
        self, picture: StagePicture, scheme: Tokens, ratio: float, height: int
    ) -> Iterator[tuple[QPixmap, PicturePainter]]:
        """Yield a transparent pixmap of the stage's width, and its painter."""
        sheet = QPixmap(round(picture.layout.width * ratio), ceil(height * ratio))
        sheet.setDevicePixelRatio(ratio)
        sheet.fill(Qt.GlobalColor.transparent)
        painter = QPainter(sheet)
        yield sheet, PicturePainter(painter, picture, scheme, ratio, self._stamps)
        painter.end()
