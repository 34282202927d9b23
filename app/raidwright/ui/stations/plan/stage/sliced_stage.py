"""The stage of a joined plan: a click or a key fails a disk, which is lost to every array that it is in."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from raidwright.ui.theme import tokens_for

from .disk_columns import DiskColumns
from .paint import paint_ring
from .sliced import JoinedScene
from .sliced_picture import SlicedPainter, SlicedPicture, slice_at, sliced_layout


class SlicedStage(DiskColumns):
    """The stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("sliced-stage", parent)
        self.picture: SlicedPicture | None = None
        self._scene: JoinedScene | None = None
        self._failed: frozenset[int] = frozenset()

    @property
    def column_count(self) -> int:
        """The number of disks."""
        return len(self._scene.disks) if self._scene else 0

    def column_at(self, point: QPointF) -> int:
        """Return the column at ``point``, -1 beside them."""
        return self.picture.layout.column_at(point) if self.picture else -1

    def show_scene(self, scene: JoinedScene | None) -> None:
        """Draw ``scene`` without failures, or nothing."""
        self._scene, self._failed = scene, frozenset()
        self._cursor = min(self._cursor, max(0, len(scene.disks) - 1)) if scene else 0
        self._compose()

    def show_failures(self, failed: frozenset[int]) -> None:
        """Draw the disks in these columns as failed, with the state of every array."""
        self._failed = failed
        self._compose()

    def column_rect(self, column: int) -> QRectF:
        """Return the rectangle of a disk with its heading."""
        return self.picture.layout.column(column) if self.picture else QRectF()

    def words_at(self, point: QPointF) -> str:
        """Return the words for ``point``: a slice, what is free, else the disk, else ""."""
        if self.picture is None:
            return ""
        column, part = slice_at(self.picture, point)
        if column < 0:
            return ""
        disk = self.picture.scene.disks[column]
        if part is not None:
            return part.hint
        if disk.free is not None and self.picture.layout.free(column).contains(point):
            return disk.free.hint
        return disk.hint

    def _compose(self) -> None:
        self.picture = None
        if self._scene is not None:
            self.picture = SlicedPicture(sliced_layout(self._scene, self.width(), self.height()), self._failed)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the picture."""
        if self.picture is None:
            return
        scheme, painter = tokens_for(self.palette()), QPainter(self)
        SlicedPainter(painter, self.picture, scheme, self.devicePixelRatioF()).paint()
        if self.hasFocus():
            paint_ring(painter, self.picture.layout.column(self._cursor), scheme.accent)
        painter.end()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Qt: lay out anew."""
        self._compose()
