"""The stage of a joined plan: a click or a key fails a disk, which is lost to every array that it is in."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.theme import tokens_for
from raidwright.ui.widgets.role import say_role

from .paint import paint_ring
from .sliced import JoinedScene
from .sliced_picture import SlicedPainter, SlicedPicture, slice_at, sliced_layout


class SlicedStage(QWidget):
    """The stage. ``failure_wanted`` carries the clicked column."""

    failure_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sliced-stage")
        self.setAccessibleName(tr("Where everything lies"))
        say_role(self, QAccessible.Role.Canvas)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 120)
        self.picture: SlicedPicture | None = None
        self._scene: JoinedScene | None = None
        self._failed: frozenset[int] = frozenset()
        self._cursor = 0

    def sizeHint(self) -> QSize:
        """Qt: the picture's preferred size."""
        return QSize(660, 400)

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a column fails its disk, another restores it."""
        column = self.picture.layout.column_at(event.position()) if self.picture else -1
        if event.button() is Qt.MouseButton.LeftButton and column >= 0:
            self._cursor = column
            self.failure_wanted.emit(column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows move from disk to disk, Space, Enter or a digit fails one."""
        count = len(self._scene.disks) if self._scene else 0
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps and count:
            self._cursor = (self._cursor + steps[Qt.Key(event.key())]) % count
            self.update()
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return) and count:
            self.failure_wanted.emit(self._cursor)
        elif event.text().isdigit() and event.text().isascii() and int(event.text()) < count:
            self._cursor = int(event.text())
            self.failure_wanted.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Qt: hovering shows a slice and a column's disk."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Qt: lay out anew."""
        self._compose()
