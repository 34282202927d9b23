"""Geometry of the stage's columns and cells, in pixels of the widget; no painting here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF

HEAD, RESERVED = 26, 17  # the line with the slot and the disk, and the space reserved by md
ROW = 26
_GAP, _EDGE, _NARROW_EDGE = 26, 6, 1
_WIDEST, _BETWEEN, _BETWEEN_MANY = 168, 8, 2
_MANY, _NARROW = 12, 48


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cell: the band, the row counted from the first visible one, and the slot."""

    band: int
    row: int
    slot: int


@dataclass(frozen=True)
class StageLayout:
    """The geometry. ``band_rows`` are the rows drawn of each band; all bands have space for the same number.

    ``asides`` are columns without cells at the right of the slots': disks that hold none of the array's data.
    """

    width: int
    height: int
    slots: int
    band_rows: tuple[int, ...]
    asides: int = 0

    @cached_property
    def rows_in_sight(self) -> int:
        """The rows of each band that fit."""
        return rows_that_fit(self.height, len(self.band_rows))

    @cached_property
    def _between(self) -> int:
        return _BETWEEN if self.columns <= _MANY else _BETWEEN_MANY

    @property
    def columns(self) -> int:
        """The number of columns, those aside included."""
        return self.slots + self.asides

    @cached_property
    def column_width(self) -> int:
        """Whole pixels, so that equal columns look equal."""
        count = max(1, self.columns)
        return max(1, min(_WIDEST, (self.width - (count - 1) * self._between) // count))

    @property
    def edge(self) -> int:
        """The distance between a column's side and its cells."""
        return _EDGE if self.column_width > _NARROW else _NARROW_EDGE

    @property
    def bottom(self) -> int:
        """The lower end of the columns."""
        return self.band_top(len(self.band_rows) - 1) + self.band_rows[-1] * ROW + _EDGE - 2

    def left(self, slot: int) -> int:
        """Return the left side of a slot's column."""
        step = self.column_width + self._between
        return (self.width - self.columns * step + self._between) // 2 + slot * step

    def column(self, slot: int) -> QRectF:
        """Return the rectangle of a slot's column."""
        return QRectF(self.left(slot), 0, self.column_width, self.bottom)

    def band_top(self, band: int) -> int:
        """Return the top of a band's first row."""
        return HEAD + RESERVED + _EDGE + band * (self.rows_in_sight * ROW + _GAP)

    def gap_middle(self, band: int) -> float:
        """Return the line between a band and the one before it."""
        return self.band_top(band) - _GAP / 2 - 2

    def cell(self, place: CellPlace) -> QRectF:
        """Return the rectangle of a cell."""
        top = self.band_top(place.band) + place.row * ROW
        return QRectF(self.left(place.slot) + self.edge, top, self.column_width - 2 * self.edge, ROW - 4)

    def slot_at(self, point: QPointF) -> int:
        """Return the slot of the column at ``point``, -1 beside them."""
        return next((slot for slot in range(self.slots) if self.column(slot).contains(point)), -1)

    def aside_at(self, point: QPointF) -> int:
        """Return which of the columns aside is at ``point``, -1 beside them."""
        found = (place for place in range(self.asides) if self.column(self.slots + place).contains(point))
        return next(found, -1)

    def cell_at(self, point: QPointF) -> CellPlace | None:
        """Return the cell at ``point``; None over headings and gaps, and beside the columns."""
        slot = self.slot_at(point)
        for band, rows in enumerate(self.band_rows):
            row = int(point.y() - self.band_top(band)) // ROW
            if slot >= 0 and point.y() >= self.band_top(band) and row < rows:
                return CellPlace(band, row, slot)
        return None


def rows_that_fit(height: int, bands: int) -> int:
    """Return the rows of each of ``bands`` bands that fit into ``height``, at least one."""
    room = height - HEAD - RESERVED - 2 * _EDGE - (bands - 1) * _GAP
    return max(1, room // ROW // max(1, bands))


def height_of(rows: int, bands: int) -> int:
    """Return the height of ``rows`` in each of ``bands`` bands."""
    return HEAD + RESERVED + 2 * _EDGE + (bands - 1) * _GAP + rows * bands * ROW
