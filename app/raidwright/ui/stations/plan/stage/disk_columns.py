"""A picture of disks as columns, as both stages have it: a click or a key fails a disk, hovering explains."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.widgets.role import say_role

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class DiskColumns(QWidget):
    """The common part of the stages. ``failure_wanted`` carries the clicked column."""

    failure_wanted = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(tr("Where everything lies"))
        say_role(self, QAccessible.Role.Canvas)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 120)
        self._cursor = 0

    def sizeHint(self) -> QSize:
        """Qt: the picture's preferred size."""
        return QSize(660, 400)

    @property
    def column_count(self) -> int:
        """The number of disks."""
        raise NotImplementedError

    def column_at(self, point: QPointF) -> int:
        """Return the column at ``point``, -1 beside them."""
        raise NotImplementedError

    def words_at(self, point: QPointF) -> str:
        """Return the words for ``point``, "" beside the columns."""
        raise NotImplementedError

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on a column fails its disk, another restores it."""
        column = self.column_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and column >= 0:
            self._cursor = column
            self.failure_wanted.emit(column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: arrows move from disk to disk, Space, Enter or a digit fails one."""
        count = self.column_count
        if event.key() in _STEPS and count:
            self._cursor = (self._cursor + _STEPS[Qt.Key(event.key())]) % count
            self.update()
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return) and count:
            self.failure_wanted.emit(self._cursor)
        elif event.text().isdigit() and event.text().isascii() and int(event.text()) < count:
            self._cursor = int(event.text())
            self.failure_wanted.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Qt: hovering shows a part's content and a column's disk."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(QPointF(event.pos())), self)
            return True
        return super().event(event)
