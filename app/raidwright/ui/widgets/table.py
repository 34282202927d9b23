"""Tables of frozen values (``table_rows``): the view paints lines, badges and chosen rows."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QObject,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from raidwright.colours import Tokens
from raidwright.text.shown import Cell
from raidwright.ui import tokens
from raidwright.ui.theme import font, tokens_for

from .table_rows import ROW_HEIGHT, Index, TableModel, alignment, text_width

_MEASURED = 32  # rows from either end
_MIN_ELIDED = 160  # what is left of a longer text tells it from others
_MAX_STRETCHED = 190  # longer text is truncated before another column is hidden
_BY_KEYS = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)


@functools.lru_cache(4096)
def _cell_width(text: str, badge: str) -> int:
    metrics = QFontMetrics(font(tokens.TYPE_SMALL))
    return text_width(metrics, text) + (metrics.horizontalAdvance(badge) + 3 * tokens.SPACE_S if badge else 0)


class _Painter(QStyledItemDelegate):
    def __init__(self, model: TableModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        cell = self._model.cell_at(index)
        return QSize(_cell_width(cell.text, cell.badge), ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        widget: Any = getattr(option, "widget", None)
        scheme: Tokens = widget.scheme
        cell, look = self._model.cell_at(index), self._model.look_at(index)
        rect: QRect = getattr(option, "rect")  # noqa: B009  the stubs leave the option's fields out
        painter.save()
        if look.heading:
            _paint_heading(painter, rect, widget.row_rect(index.row()), look.heading, scheme)
            painter.restore()
            return
        if look.marked:
            painter.fillRect(rect, QColor(scheme.accent_soft))
        painter.fillRect(rect.x(), rect.bottom(), rect.width(), 1, QColor(scheme.line))
        inner = rect.adjusted(tokens.SPACE_S, 0, -tokens.SPACE_S, 0)
        if cell.badge:
            inner.setLeft(_paint_badge(painter, inner, cell, scheme))
        painter.setPen(QColor(scheme.dim if look.muted else scheme.text))
        painter.setFont(font(tokens.TYPE_SMALL, QFont.Weight.DemiBold if look.marked else QFont.Weight.Normal))
        shown = cell.text
        if _cell_width(cell.text, "") - 2 * tokens.SPACE_S > inner.width():
            shown = painter.fontMetrics().elidedText(cell.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, alignment(self._model.columns[index.column()]), shown)
        if widget.shows_focus and widget.hasFocus() and widget.currentIndex().row() == index.row():
            painter.fillRect(rect.x(), rect.y(), rect.width(), 1, QColor(scheme.accent))
            painter.fillRect(rect.x(), rect.bottom() - 1, rect.width(), 2, QColor(scheme.accent))
        painter.restore()


def _paint_heading(painter: QPainter, rect: QRect, row: QRect, words: str, scheme: Tokens) -> None:
    """Paint the part in ``rect`` of a heading across the whole ``row``."""
    painter.setClipRect(rect)
    painter.fillRect(rect, QColor(scheme.sunken))
    painter.setPen(QColor(scheme.text))
    painter.setFont(font(tokens.TYPE_SMALL, QFont.Weight.DemiBold))
    inner = row.adjusted(tokens.SPACE_S, 0, -tokens.SPACE_S, 0)
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, inner.width())
    painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def _paint_badge(painter: QPainter, rect: QRect, cell: Cell, scheme: Tokens) -> int:
    """Paint the badge at the left of ``rect``; return the start of the text."""
    ink, ground = {
        "good": (scheme.green, scheme.green_soft),
        "warn": (scheme.amber, scheme.amber_soft),
        "bad": (scheme.red, scheme.red_soft),
        "info": (scheme.accent, scheme.accent_soft),
    }[cell.tone]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font(tokens.TYPE_TINY, QFont.Weight.DemiBold))
    width = painter.fontMetrics().horizontalAdvance(cell.badge) + 2 * tokens.SPACE_S
    pill = QRectF(rect.x(), rect.center().y() - 8.5, width, 18)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(pill, 9, 9)
    painter.setPen(QPen(QColor(ink)))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, cell.badge)
    return int(pill.right()) + 6


class Table(QTableView):
    """A table selected by rows. A click, Space or Enter on a row emits ``row_activated`` with its number.

    ``shows_focus``: the focused row is outlined for keyboard users; for others it would look chosen.
    """

    row_activated = Signal(int)

    def __init__(self, model: TableModel, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        model.setParent(self)
        self.setModel(model)
        self.setItemDelegate(_Painter(model, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.shows_focus = False
        self.scheme = tokens_for(self.palette())
        self._rows, self._title_widths, self._room = model, list[int](), self.width()
        self._sought, self._scrolled_to = -1, 0  # the row in sight, and the scroll bar's value there
        self._prepare_columns()
        model.reads_anew.connect(self._fit_columns)
        model.headerDataChanged.connect(self._forget_titles)
        self._fit_columns()

    def _prepare_columns(self) -> None:
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        # Measuring as Qt does is too slow at each change.
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @Slot()
    def _forget_titles(self) -> None:
        self._title_widths = []
        self._fit_columns()

    @Slot()
    def _fit_columns(self) -> None:
        """Fit each column to its content; hide spare ones if not all of them fit."""
        header, columns = self.horizontalHeader(), self._rows.columns
        needed = self._widths()
        least = [
            min(width, _MAX_STRETCHED) if column.stretch else width
            for width, column in zip(needed, columns, strict=True)
        ]
        left_over = self._hide_what_lacks_room(needed, least)
        stretches = any(one.stretch and not self.isColumnHidden(place) for place, one in enumerate(columns))
        for place, width in enumerate(needed):
            if columns[place].elides and (left_over < 0 or not stretches):
                header.resizeSection(place, max(self._title_widths[place], width + left_over))
            elif columns[place].stretch:
                self._stretch(place, left_over + least[place])
            elif not self.isColumnHidden(place) and header.sectionSize(place) != width:
                header.resizeSection(place, width)

    def _hide_what_lacks_room(self, needed: Sequence[int], least: Sequence[int]) -> int:
        """Hide columns that don't fit; return the width left over, less than 0 if the others don't fit, either."""
        columns = self._rows.columns
        left_over = self._room - sum(width for width, column in zip(least, columns, strict=True) if column.wanted)
        hidden = {place for place, column in enumerate(columns) if not column.wanted}
        for place, column in reversed(tuple(enumerate(columns))):
            if column.wanted and column.spare and left_over < 0:
                left_over += least[place]
                hidden.add(place)
        longest = max((width for width, column in zip(needed, columns, strict=True) if column.elides), default=0)
        for place, column in enumerate(columns):
            if column.wanted and column.yields and left_over < min(0, _MIN_ELIDED - longest):
                left_over += least[place]
                hidden.add(place)
        for place in range(len(columns)):
            if self.isColumnHidden(place) != (place in hidden):
                self.setColumnHidden(place, place in hidden)
        return left_over

    def _stretch(self, place: int, room: int) -> None:
        """Give a column the remaining width; if its title needs more, the table scrolls."""
        header, least = self.horizontalHeader(), self._title_widths[place]
        mode = QHeaderView.ResizeMode.Stretch if room >= least else QHeaderView.ResizeMode.Fixed
        if header.sectionResizeMode(place) is not mode:
            header.setSectionResizeMode(place, mode)
        if mode is QHeaderView.ResizeMode.Fixed:
            header.resizeSection(place, least)

    def _widths(self) -> list[int]:
        """Return the widths of titles and cells; of many rows only the first and the last are measured."""
        if not self._title_widths:
            header = self.horizontalHeader()
            needed = map(header.sectionSizeFromContents, range(header.count()))  # of hidden columns, too
            self._title_widths = [max(header.minimumSectionSize(), size.width()) for size in needed]
        count = len(self._rows.rows)
        rows = {*range(min(count, _MEASURED)), *range(max(0, count - _MEASURED), count)}
        cells = [self._rows.cells_of(row) for row in rows]
        return [
            max(title, max((_cell_width(row[place].text, row[place].badge) for row in cells), default=0))
            for place, title in enumerate(self._title_widths)
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: fit the columns to the new width."""
        # The event's size, not the viewport's: PySide creates all widget classes when it first wraps one made by Qt.
        self._room = event.size().width()
        is_there_yet = self.verticalScrollBar().value() == self._scrolled_to  # Qt may limit it below
        super().resizeEvent(event)  # a scroll bar may appear here, and change the size
        self._fit_columns()
        if self._sought >= 0 and is_there_yet:
            self._scroll_to_sought()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt: find the scheme once for all cells, since that is slow."""
        self.scheme = tokens_for(self.palette())
        super().paintEvent(event)

    def bring_into_sight(self, row: int) -> None:
        """Scroll to ``row``, and again when the table's height changes, until the user scrolls."""
        self._sought = row
        self._scroll_to_sought()

    def _scroll_to_sought(self) -> None:
        """Scroll to the row; Qt scrolls to no cell of a hidden column."""
        shown = (column for column in range(self.model().columnCount()) if not self.isColumnHidden(column))
        self.scrollTo(self.model().index(self._sought, next(shown, 0)))
        self._scrolled_to = self.verticalScrollBar().value()

    def row_rect(self, row: int) -> QRect:
        """Return the rectangle of ``row`` in the viewport; the last columns may be hidden."""
        model, whole = self.model(), QRect()
        for column in range(model.columnCount()):
            whole = whole.united(self.visualRect(model.index(row, column)))
        return whole

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: a click anywhere in a row activates the row."""
        self._show_focus(False)
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            self.row_activated.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: Space and Enter activate the focused row."""
        self._show_focus(True)
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: Any) -> None:
        """Qt: focus the first row if none was, so that arrow keys have a start."""
        super().focusInEvent(event)
        if event.reason() in _BY_KEYS:
            self._show_focus(True)
        if not self.currentIndex().isValid() and self.model().rowCount():
            self.setCurrentIndex(self.model().index(0, 0))

    def _show_focus(self, shows: bool) -> None:
        if self.shows_focus != shows:
            self.shows_focus = shows
            self.viewport().update()
