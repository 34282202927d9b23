"""The stage: disks as columns, chunks as cells in their true places; click or press a key to fail a disk."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ...core.geometry import Geometry, Role
from ...core.stage import CellState
from ...core.units import decimal_size
from .. import tokens
from ..theme import font, tokens_for
from .scene import Band, Scene, rows_to_scroll, scene_of
from .stage_paint import CellPaint, paint_cell, paint_column, paint_head

_HEAD, _RESERVED, _GAP, _EDGE = 26, 17, 26, 6
_ROW, _WIDEST, _BETWEEN = 26, 168, 8


@dataclass(frozen=True, slots=True)
class Column:
    """What stands over a column: the slot, its title, whose disk it is, and what its reserved head holds."""

    slot: str
    title: str
    disk: str
    reserved: str
    hint: str


class Stage(QWidget):
    """``failure_wanted`` carries the slot that was clicked; ``scrolled`` says that other rows are in sight."""

    failure_wanted = Signal(int)
    scrolled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stage")
        self.setAccessibleName(self.tr("Where everything lies"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 220)
        self._geometry: Geometry | None = None
        self._columns: tuple[Column, ...] = ()
        self._failed: frozenset[int] = frozenset()
        self._scene: Scene | None = None
        self._first = 0
        self._cursor = 0

    def sizeHint(self) -> QSize:
        """Qt: as the picture of the look has it."""
        return QSize(660, 400)

    def show_layout(self, geometry: Geometry | None, columns: tuple[Column, ...]) -> None:
        """Draw ``geometry``, or nothing; the row in sight is kept where it still exists."""
        self._geometry, self._columns = geometry, columns
        self._cursor = min(self._cursor, max(0, len(columns) - 1))
        self._refresh()

    def show_failures(self, failed: frozenset[int]) -> None:
        """Draw these slots failed, and what that does to every chunk."""
        self._failed = failed
        self._refresh()

    @property
    def first(self) -> int:
        """The first row in sight, counted from the beginning of its band."""
        return self._first

    @property
    def last_first(self) -> int:
        """The largest ``first``."""
        return max(0, rows_to_scroll(self._geometry) - self.rows_in_sight) if self._geometry else 0

    @property
    def rows_in_sight(self) -> int:
        """Rows of each band that fit."""
        bands = len(self._scene.bands) if self._scene else 1
        room = self.height() - _HEAD - _RESERVED - 2 * _EDGE - (bands - 1) * _GAP
        return max(1, int(room // _ROW) // bands)

    def scroll_to(self, first: int) -> None:
        """Put ``first`` at the top of every band."""
        first = min(max(0, first), self.last_first)
        if first != self._first:
            self._first = first
            self._refresh()

    def slot_at(self, point: QPointF) -> int:
        """The slot of the column at ``point``, -1 beside them."""
        for slot in range(len(self._columns)):
            if self.column_rect(slot).contains(point):
                return slot
        return -1

    def column_rect(self, slot: int) -> QRectF:
        """Where a slot's column stands."""
        count = max(1, len(self._columns))
        between = _BETWEEN if count <= 12 else 3
        width = min(_WIDEST, (self.width() - (count - 1) * between) / count)
        left = (self.width() - count * width - (count - 1) * between) / 2
        return QRectF(left + slot * (width + between), 0, width, self._bottom())

    def cell_rect(self, band: int, row: int, slot: int) -> QRectF:
        """Where a cell stands: the ``row``-th in sight of the ``band``-th band."""
        column = self.column_rect(slot)
        edge = _EDGE if column.width() > 48 else 2
        top = self._band_top(band) + row * _ROW
        return QRectF(column.x() + edge, top, column.width() - 2 * edge, _ROW - 4)

    def _band_top(self, band: int) -> float:
        return _HEAD + _RESERVED + _EDGE + band * (self.rows_in_sight * _ROW + _GAP)

    def _bottom(self) -> float:
        if self._scene is None:
            return float(self.height())
        last = len(self._scene.bands) - 1
        return self._band_top(last) + len(self._scene.bands[last].rows) * _ROW + _EDGE - 2

    def _refresh(self) -> None:
        if self._geometry is None:
            self._scene = None
        else:
            for _settling in range(2):  # how many rows fit depends on how many bands there are
                self._first = min(self._first, self.last_first)
                self._scene = scene_of(self._geometry, self._first, self.rows_in_sight, self._failed)
        self.scrolled.emit()
        self.update()

    # -- painting --

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: draw it all; what is out of sight was never made."""
        if self._scene is None:
            return
        scheme = tokens_for(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for slot, column in enumerate(self._columns):
            self._paint_column(painter, slot, column, scheme)
        for place, band in enumerate(self._scene.bands):
            if place:
                self._paint_gap(painter, place, scheme)
            self._paint_band(painter, place, band, scheme)

    def _paint_column(self, painter: QPainter, slot: int, column: Column, scheme: tokens.Tokens) -> None:
        rect, failed = self.column_rect(slot), slot in self._failed
        paint_column(painter, rect, scheme, failed=failed, focused=self.hasFocus() and slot == self._cursor)
        wide = rect.width() > 110
        head = rect.adjusted(_EDGE + 2, 0, -_EDGE - 2, 0) if wide else rect
        head.setHeight(_HEAD)
        painter.setPen(QColor(scheme.red if failed else scheme.text))
        painter.setFont(font(tokens.TYPE_SMALL if wide else tokens.TYPE_TINY, QFont.Weight.DemiBold))
        mark = "✕ " if failed and rect.width() > 30 else ""
        title = mark + (column.title if rect.width() > 56 else column.slot)
        side = Qt.AlignmentFlag.AlignLeft if wide else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(head, side | Qt.AlignmentFlag.AlignVCenter, title)
        if wide:
            painter.setFont(font(tokens.TYPE_TINY))
            painter.setPen(QColor(scheme.red if failed else scheme.dim))
            painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, column.disk)
        edge = _EDGE if rect.width() > 48 else 2
        reserved = QRectF(rect.x() + edge, _HEAD, rect.width() - 2 * edge, _RESERVED - 3)
        paint_head(painter, reserved, column.reserved, scheme, failed=failed)

    def _paint_band(self, painter: QPainter, place: int, band: Band, scheme: tokens.Tokens) -> None:
        cells = band.cells
        roles, chunks, copies = cells.role.tolist(), cells.chunk.tolist(), cells.copy.tolist()
        colours, states = band.colour.tolist(), band.state.tolist()
        words = {copy: self._copy_words(copy) for copy in range(1, 5)}
        for row in range(len(band.rows)):
            for slot in range(len(self._columns)):
                if roles[row][slot] != Role.EMPTY:
                    copy = copies[row][slot]
                    cell = CellPaint(
                        Role(roles[row][slot]),
                        chunks[row][slot],
                        copy,
                        colours[row][slot],
                        CellState(states[row][slot]),
                    )
                    paint_cell(painter, self.cell_rect(place, row, slot), cell, scheme, words.get(copy, ""))

    def _paint_gap(self, painter: QPainter, place: int, scheme: tokens.Tokens) -> None:
        assert self._scene is not None  # noqa: S101 -- narrows the type
        middle = self._band_top(place) - _GAP / 2 - 2
        left, right = self.column_rect(0).left(), self.column_rect(len(self._columns) - 1).right()
        first, second = self._scene.bands[place - 1], self._scene.bands[place]
        distance = int(second.rows[0] - first.rows[0]) * self._scene.chunk_sectors * 512
        text = self.tr("{distance} further in: the {copies}").format(
            distance=decimal_size(distance), copies=self._copies_words(place)
        )
        painter.setFont(font(tokens.TYPE_TINY))
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * tokens.SPACE_S
        label = QRectF((left + right - width) / 2, middle - 9, width, 18)
        painter.setPen(QPen(QColor(scheme.dim), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        painter.setPen(QPen(QColor(scheme.line), 1))
        painter.setBrush(QColor(scheme.panel))
        painter.drawRoundedRect(label, 9, 9)
        painter.setPen(QColor(scheme.dim))
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)

    def _copy_words(self, copy: int) -> str:
        return {1: self.tr("2nd copy"), 2: self.tr("3rd copy")}.get(copy, self.tr("{n}th copy").format(n=copy + 1))

    def _copies_words(self, copy: int) -> str:
        words = {1: self.tr("second copies"), 2: self.tr("third copies")}
        return words.get(copy, self.tr("{n}th copies").format(n=copy + 1))

    # -- hand and keyboard --

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a column fails its disk, another brings it back."""
        slot = self.slot_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and slot >= 0:
            self._cursor = slot
            self.failure_wanted.emit(slot)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: the wheel goes through the rows."""
        step = max(1, self.rows_in_sight // 3)
        self.scroll_to(self._first - step * (1 if event.angleDelta().y() > 0 else -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows go from disk to disk, Space or a digit fails one, Page Up and Down and Home and End scroll."""
        key, sight = event.key(), self.rows_in_sight
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        jumps = {
            Qt.Key.Key_Up: self._first - 1,
            Qt.Key.Key_Down: self._first + 1,
            Qt.Key.Key_PageUp: self._first - sight,
            Qt.Key.Key_PageDown: self._first + sight,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: self.last_first,
        }
        if key in steps and self._columns:
            self._cursor = (self._cursor + steps[Qt.Key(key)]) % len(self._columns)
            self.update()
        elif key in jumps:
            self.scroll_to(jumps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
            self.failure_wanted.emit(self._cursor)
        elif event.text().isdigit() and event.text().isascii() and int(event.text()) < len(self._columns):
            self._cursor = int(event.text())
            self.failure_wanted.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Qt: hovering a column says which disk it is."""
        if isinstance(event, QHelpEvent):
            slot = self.slot_at(QPointF(event.pos()))
            if slot >= 0:
                QToolTip.showText(event.globalPos(), self._columns[slot].hint, self)
                return True
        return super().event(event)

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Qt: more or fewer rows fit."""
        self._refresh()
