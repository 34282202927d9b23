"""The context menu of a table's row: by a right click, or by the menu key on the focused row."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtWidgets import QApplication, QMenu

from .table import Table


class Entry(NamedTuple):
    """An action on a row; its QAction is named ``row-{name}``."""

    name: str
    text: str
    act: Callable[[], object]
    is_open: bool = True


def copying(name: str, text: str, what: str) -> Entry:
    """Return an entry that copies ``what`` to the clipboard; disabled if it is empty."""
    return Entry(name, text, lambda: QApplication.clipboard().setText(what), is_open=bool(what))


class RowMenu(QObject):
    """The menu of ``entries``, for the number of a row of ``table``; None is a separator."""

    def __init__(self, table: Table, entries: Callable[[int], tuple[Entry | None, ...]]) -> None:
        super().__init__(table)
        self._table, self._entries = table, entries
        self.menu = QMenu(table)
        self.menu.setObjectName(f"{table.objectName()}-menu")
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._open)

    @Slot(QPoint)
    def _open(self, place: QPoint) -> None:
        index = self._table.indexAt(place)
        if index.isValid():
            self.fill(index.row())
        if index.isValid() and not self.menu.isEmpty():
            self.menu.popup(self._table.viewport().mapToGlobal(place))

    def fill(self, row: int) -> None:
        """Fill the menu for ``row``."""
        self.menu.clear()
        for entry in self._entries(row):
            if entry is None:
                self.menu.addSeparator()
                continue
            action = self.menu.addAction(entry.text)
            action.setObjectName(f"row-{entry.name}")
            action.setEnabled(entry.is_open)
            action.triggered.connect(lambda _on=False, act=entry.act: act())
