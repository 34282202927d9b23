"""The rows of a table: frozen values, and columns that format them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from raidwright.text.shown import Cell
from raidwright.ui import tokens

Index = QModelIndex | QPersistentModelIndex
ROW_HEIGHT = 30


class Column(NamedTuple):
    """A column's title and the format of its cells; numbers are right-aligned, one column may stretch.

    ``room`` is text that always fits, so that late values change no widths. ``spare`` columns are hidden, the last
    first, if not all of them fit; one that ``elides`` gets narrower if the rest don't fit, either, and wider if
    nothing stretches. One that ``yields`` is hidden before that gets unreadable, one that isn't ``wanted`` always.
    ``hint`` makes a cell's hint when it is looked at, for those that take longer to say than the cell.
    """

    title: str
    cell: Callable[[Any], Cell]
    align: Literal["left", "right"] = "left"
    stretch: bool = False
    room: str = ""
    spare: bool = False
    wanted: bool = True
    elides: bool = False
    yields: bool = False
    hint: Callable[[Any], str] | None = None


class RowLook(NamedTuple):
    """The look of a row: ``marked`` is chosen, ``muted`` can't be chosen; ``words`` is for screen readers.

    ``heading``: the row is a heading for the rows below it, with this text.
    """

    marked: bool = False
    muted: bool = False
    words: str = ""
    heading: str = ""


def _plain(_row: Any) -> RowLook:
    return RowLook()


def _itself(row: Any) -> Any:
    return row


class _Read(NamedTuple):
    """The cached cells and look of a row."""

    look: RowLook
    cells: tuple[Cell, ...]


class TableModel(QAbstractTableModel):
    """Rows of any frozen value, formatted by columns: each row once, and again after a change of rows or columns.

    ``key`` identifies a row while its data change. ``reads_anew`` is emitted after all signals of a change.
    """

    reads_anew = Signal()

    def __init__(
        self,
        columns: Sequence[Column],
        look: Callable[[Any], RowLook] = _plain,
        parent: QObject | None = None,
        key: Callable[[Any], object] = _itself,
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._look = look
        self._key = key
        self.rows: tuple[Any, ...] = ()
        self._known: dict[int, _Read] = {}

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Show ``rows``; the view keeps its position and current row, and repaints only changed ones."""
        rows = tuple(rows)
        if len(rows) != len(self.rows):
            self._come_and_go(rows)
            self.reads_anew.emit()
            return
        self.rows = rows
        before, self._known = self._known, {}
        changed = [row for row in sorted(before) if self._read(row) != before[row]]
        for first, last in _runs(changed):
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))
        if changed:
            self.reads_anew.emit()

    def _come_and_go(self, rows: tuple[Any, ...]) -> None:
        """Insert or remove rows where ``rows`` first differ from the previous ones, seen from the end."""
        before, more = self.rows, len(rows) - len(self.rows)
        pairs = zip(map(self._key, reversed(before)), map(self._key, reversed(rows)), strict=False)
        same = sum(1 for _pair in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
        end = len(before) - same
        if more > 0:
            self.beginInsertRows(QModelIndex(), end, end + more - 1)
            self.rows, self._known = rows, {}
            self.endInsertRows()
        else:
            self.beginRemoveRows(QModelIndex(), end + more, end - 1)
            self.rows, self._known = rows, {}
            self.endRemoveRows()
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.columns) - 1))

    def show_columns(self, columns: Sequence[Column]) -> None:
        """Set other columns, of the same number; call ``show_rows`` next."""
        before, self.columns = self.columns, tuple(columns)
        if any((old.title, old.wanted) != (new.title, new.wanted) for old, new in zip(before, columns, strict=True)):
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def rowCount(self, parent: Index | None = None) -> int:
        """Qt: rows under the root only."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Qt: columns under the root only."""
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return the columns' titles."""
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.columns[section].title
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return alignment(self.columns[section])
            if role == Qt.ItemDataRole.SizeHintRole and self.columns[section].room:
                return QSize(text_width(QFontMetrics(QApplication.font()), self.columns[section].room), ROW_HEIGHT)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's text, hint and alignment."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell_at(index).words
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._hint_at(index) or self.look_at(index).heading or None
        if role == Qt.ItemDataRole.AccessibleTextRole and self.look_at(index).heading:
            return self.look_at(index).heading if index.column() == 0 else ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(part for part in (self.cell_at(index).words, self.look_at(index).words) if part)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(self.columns[index.column()])
        return None

    def cell_at(self, index: Index) -> Cell:
        """Return the cell, for painting."""
        return self._read(index.row()).cells[index.column()]

    def _hint_at(self, index: Index) -> str:
        made = self.columns[index.column()].hint
        return self.cell_at(index).hint if made is None else made(self.rows[index.row()])

    def cells_of(self, row: int) -> tuple[Cell, ...]:
        """Return all cells of a row."""
        return self._read(row).cells

    def look_at(self, index: Index) -> RowLook:
        """Return the look of the row of ``index``."""
        return self._read(index.row()).look

    def _read(self, row: int) -> _Read:
        known = self._known.get(row)
        if known is None:
            value = self.rows[row]
            known = _Read(self._look(value), tuple(column.cell(value) for column in self.columns))
            self._known[row] = known
        return known


_SIDES = {
    "left": Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    "right": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
}


def alignment(column: Column) -> Qt.AlignmentFlag:
    """Return the alignment of the column's cells."""
    return _SIDES[column.align]


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of rows without a gap."""
    for _start, run in itertools.groupby(enumerate(rows), key=lambda each: each[1] - each[0]):
        members = [row for _place, row in run]
        yield members[0], members[-1]


def text_width(metrics: QFontMetrics, text: str) -> int:
    """Return the pixels that ``text`` needs in a cell."""
    # A chosen row is bolder and so a little wider.
    return int(metrics.horizontalAdvance(text) * 1.06 + 2 * tokens.SPACE_S + 1)
