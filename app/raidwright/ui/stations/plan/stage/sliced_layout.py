"""Geometry of a joined plan's stage in pixels: columns, slices, free parts, and the arrays' names beside them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from .sliced import JoinedScene, Slice

HEAD, LOW_HEAD = 34, 18  # two lines, number and size, and the disk; the first alone
CELL_ROW, NAME_LINE = 22, 16
_WIDEST, _BETWEEN, _BETWEEN_MANY, _MANY = 110, 12, 3, 12
_EDGE, _NARROW_EDGE, _NARROW = 6, 1, 40
_SEAM = 2  # between two slices
_BESIDE = 14


@dataclass(frozen=True, slots=True)
class SlicedLayout:
    """The geometry. ``names_width`` is kept free at the end for the arrays' ``names``; 0 for none."""

    scene: JoinedScene
    width: int
    height: int
    names_width: int
    names: tuple[str, ...] = ()
    head: int = HEAD

    @property
    def _between(self) -> int:
        return _BETWEEN if len(self.scene.disks) <= _MANY else _BETWEEN_MANY

    @property
    def _room(self) -> int:
        return self.width - (self.names_width + _BESIDE if self.names_width else 0)

    @property
    def column_width(self) -> int:
        """Whole pixels, so that equal columns look equal."""
        count = max(1, len(self.scene.disks))
        return max(1, min(_WIDEST, (self._room - (count - 1) * self._between) // count))

    @property
    def edge(self) -> int:
        """The distance between a slice's side and its cells."""
        return _EDGE if self.column_width > _NARROW else _NARROW_EDGE

    @property
    def _columns_width(self) -> int:
        return len(self.scene.disks) * (self.column_width + self._between) - self._between

    def left(self, column: int) -> int:
        """Return the left side of a column."""
        first = max(0, (self._room - self._columns_width) // 2)
        return first + column * (self.column_width + self._between)

    @property
    def names_left(self) -> int:
        """The left side of the arrays' names."""
        return self.left(0) + self._columns_width + _BESIDE

    def _y(self, share: float) -> float:
        return self.head + share * (self.height - self.head - 2)

    def column(self, column: int) -> QRectF:
        """Return the rectangle of a disk with its heading."""
        return QRectF(self.left(column), 0, self.column_width, self._y(self.scene.disks[column].height))

    def body(self, column: int) -> QRectF:
        """Return the rectangle of a disk, of true height."""
        return self.column(column).adjusted(0, self.head, 0, 0)

    def slice(self, column: int, part: Slice) -> QRectF:
        """Return the rectangle of a slice."""
        top = self._y(part.top)
        high = max(1.0, self._y(part.top + part.height) - top - _SEAM)
        return QRectF(self.left(column), top, self.column_width, high)

    def free(self, column: int) -> QRectF:
        """Return the rectangle of a disk's free part; an empty one for none."""
        part = self.scene.disks[column].free
        if part is None:
            return QRectF()
        top = self._y(part.top)
        return QRectF(self.left(column), top, self.column_width, self._y(part.top + part.height) - top)

    def cells(self, column: int, part: Slice) -> list[QRectF]:
        """Return the rectangles of the chunks that a slice shows, from its beginning on."""
        whole = self.slice(column, part)
        count = int((whole.height() - 2) // CELL_ROW)
        size = self.column_width - 2 * self.edge
        return [QRectF(whole.left() + self.edge, whole.top() + 4 + row * CELL_ROW, size, CELL_ROW - 4)
                for row in range(count)]  # fmt: skip

    def column_at(self, point: QPointF) -> int:
        """Return the column at ``point``, -1 beside them."""
        columns = range(len(self.scene.disks))
        return next((column for column in columns if self.column(column).contains(point)), -1)

    def name_lines(self) -> int:
        """Return how many lines each array's name may have, so that none overlaps the next: 3 at most, 0 for none."""
        middles = sorted(self.name_middle(array) for array in range(len(self.scene.arrays)))
        room = min((below - above for above, below in pairwise(middles)), default=float(self.height))
        return min(3, int(room // NAME_LINE))

    def name_middle(self, array: int) -> float:
        """Return the height at which an array's name stands: the middle of its tallest slice."""
        rects = [self.slice(column, part) for column, disk in enumerate(self.scene.disks)
                 for part in disk.slices if part.array == array]  # fmt: skip
        return max(rects, key=lambda rect: rect.height()).center().y() if rects else self.head
