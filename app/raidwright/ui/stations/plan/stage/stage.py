"""The stage: disks as columns, chunks as cells in their true places; a click or a key fails a disk."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from raidwright.analysis.geometry.of_plan import Geometry
from raidwright.ui.theme import tokens_for

from .disk_columns import DiskColumns
from .healthy_layer import HealthyLayer
from .layout import CellPlace, StageLayout, rows_that_fit
from .paint import paint_ring
from .picture import PicturePainter, SlotColumn, StagePicture, Touched
from .scene import Scene, band_starts, rows_to_scroll, scene_of, states_of
from .words import cell_words

Touches = Mapping[tuple[int, int], Touched]


class PlanStage(DiskColumns):
    """The stage. ``scrolled`` follows the visible rows."""

    scrolled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("stage", parent)
        self.geometry_shown: Geometry | None = None
        self.picture: StagePicture | None = None
        self._columns: tuple[SlotColumn, ...] = ()
        self._asides: tuple[SlotColumn, ...] = ()
        self._scene: Scene | None = None
        self._failed: frozenset[int] = frozenset()
        self._touches: Touches | None = None
        self._healthy = HealthyLayer()
        self._first = 0

    def show_layout(
        self, geometry: Geometry | None, columns: tuple[SlotColumn, ...], asides: tuple[SlotColumn, ...] = ()
    ) -> None:
        """Draw ``geometry`` without failures, or nothing; the first visible row is kept if it still exists."""
        self.geometry_shown, self._columns, self._asides = geometry, columns, asides
        self._failed, self._touches = frozenset(), None
        self._cursor = min(self._cursor, max(0, len(columns) - 1))
        self._refresh()

    def show_failures(self, failed: frozenset[int]) -> None:
        """Draw these slots as failed, with the state of every chunk."""
        self._failed = failed
        self._compose()

    def show_touches(self, touches: Touches | None) -> None:
        """Mark the reads and writes of an access, by (row, slot); None for no access."""
        self._touches = touches
        self._compose()

    @property
    def first(self) -> int:
        """The first visible row, counted from the beginning of its band."""
        return self._first

    @property
    def last_first(self) -> int:
        """The largest ``first``."""
        return max(0, rows_to_scroll(self.geometry_shown) - self.rows_in_sight) if self.geometry_shown else 0

    @property
    def rows_in_sight(self) -> int:
        """The rows of each band that fit."""
        return rows_that_fit(self.height(), len(self._scene.bands) if self._scene else 1)

    def scroll_to(self, first: int) -> None:
        """Scroll ``first`` to the top of every band."""
        first = min(max(0, first), self.last_first)
        if first != self._first:
            self._first = first
            self._refresh()

    def bring_into_sight(self, row: int) -> None:
        """Scroll, if necessary, until the array's ``row`` is in the upper third of its band."""
        if self.geometry_shown is not None:
            within = row - max((start for start in band_starts(self.geometry_shown) if start <= row), default=row)
            if not self._first <= within < self._first + self.rows_in_sight:
                self.scroll_to(within - self.rows_in_sight // 3)

    @property
    def column_count(self) -> int:
        """The number of slots."""
        return len(self._columns)

    def column_at(self, point: QPointF) -> int:
        """Return the slot of the column at ``point``, -1 beside them."""
        return self.picture.layout.slot_at(point) if self.picture else -1

    def column_rect(self, slot: int) -> QRectF:
        """Return the rectangle of a slot's column."""
        return self.picture.layout.column(slot) if self.picture else QRectF()

    def cell_rect(self, band: int, row: int, slot: int) -> QRectF:
        """Return the rectangle of a cell: the ``row``-th visible one of the ``band``-th band."""
        return self.picture.layout.cell(CellPlace(band, row, slot)) if self.picture else QRectF()

    def _refresh(self) -> None:
        """Update the scene for other rows or another layout."""
        if self.geometry_shown is None:
            self._scene = None
        else:
            for _settling in range(2):  # the number of rows that fit depends on the number of bands
                self._first = min(self._first, self.last_first)
                rows = self.rows_in_sight
                self._scene = scene_of(self.geometry_shown, self._first, rows)
                if self.rows_in_sight == rows:
                    break
        self._compose()
        self.scrolled.emit()

    def _compose(self) -> None:
        """Update the picture of the visible scene."""
        if self._scene is None or self.geometry_shown is None:
            self.picture = None
        else:
            rows = tuple(len(band.rows) for band in self._scene.bands)
            layout = StageLayout(self.width(), self.height(), len(self._columns), rows, len(self._asides))
            states = states_of(self.geometry_shown, self._scene, self._failed)
            self.picture = StagePicture(
                self._scene, self._columns, layout, states, self._failed, self._touches, self._asides
            )
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the cached layer, then failures and touches over it."""
        if self.picture is None:
            return
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        self._healthy.paint(painter, self.picture, scheme, self.devicePixelRatio())
        over = PicturePainter(painter, self.picture, scheme, self.devicePixelRatio())
        over.paint_failures()
        over.paint_touches()
        over.paint_gaps()
        if self.hasFocus():
            paint_ring(painter, self.picture.layout.column(self._cursor), scheme.accent)
        painter.end()

    # -- mouse and keyboard --

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: the wheel scrolls the rows."""
        step = max(1, self.rows_in_sight // 3)
        self.scroll_to(self._first - step * (1 if event.angleDelta().y() > 0 else -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: also, Up and Down, Page Up and Down, and Home and End scroll."""
        key, sight = event.key(), self.rows_in_sight
        jumps = {
            Qt.Key.Key_Up: self._first - 1,
            Qt.Key.Key_Down: self._first + 1,
            Qt.Key.Key_PageUp: self._first - sight,
            Qt.Key.Key_PageDown: self._first + sight,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.last_first,
        }
        if key in jumps:
            self.scroll_to(jumps[Qt.Key(key)])
        else:
            super().keyPressEvent(event)

    def words_at(self, point: QPointF) -> str:
        """Return the words for ``point``: a cell, else the column's disk, else ""."""
        if self.picture is None or self.geometry_shown is None:
            return ""
        if place := self.picture.layout.cell_at(point):
            return cell_words(self.geometry_shown, self.picture, place)
        slot, aside = self.column_at(point), self.picture.layout.aside_at(point)
        return self._columns[slot].hint if slot >= 0 else self._asides[aside].hint if aside >= 0 else ""

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Qt: more or fewer rows fit."""
        self._refresh()
