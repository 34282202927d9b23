"""Things side by side that go on in the next line where there is no room for all of them in one."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from raidwright.ui.tokens import SPACE_S


class Flow(QLayout):
    """A layout that breaks into lines like words; ``tall`` items are centred in their line.

    Items that may grow, by their size policy, share what is left of their line.
    """

    def __init__(self, *parts: QWidget, spacing: int = SPACE_S) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        for part in parts:
            self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: one more at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Qt: how many there are."""
        return len(self._items)

    def itemAt(self, place: int) -> QLayoutItem | None:
        """Qt: the one at ``place``."""
        return self._items[place] if 0 <= place < len(self._items) else None

    def takeAt(self, place: int) -> QLayoutItem | None:
        """Qt: let go of the one at ``place``."""
        return self._items.pop(place) if 0 <= place < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: neither way."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Qt: the narrower, the more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: as many lines as that takes."""
        lines = self._lines(width)
        return sum(map(_height, lines)) + self.spacing() * (len(lines) - 1) if lines else 0

    def sizeHint(self) -> QSize:
        """Qt: all in one line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Qt: the widest alone in its line."""
        sizes = [item.minimumSize() for item in self._shown()]
        return QSize(max((one.width() for one in sizes), default=0), max((one.height() for one in sizes), default=0))

    def setGeometry(self, rect: QRect) -> None:
        """Qt: put all where they belong."""
        super().setGeometry(rect)
        top = rect.top()
        around = self.parentWidget()
        direction = around.layoutDirection() if around else Qt.LayoutDirection.LeftToRight
        for line in self._lines(rect.width()):
            left, height = rect.left(), _height(line)
            growing = [item for item in line if item.expandingDirections() & Qt.Orientation.Horizontal]
            spare = rect.width() - self._width(line)
            for item in line:
                size = item.sizeHint()
                if item in growing:
                    size.setWidth(size.width() + spare // len(growing))
                size.setWidth(min(size.width(), rect.width()))
                place = QRect(QPoint(left, top + (height - size.height()) // 2), size)
                # Asked for here: PySide makes a class when it is asked for, and the 566 names of this one take 4 ms.
                item.setGeometry(QtWidgets.QStyle.visualRect(direction, rect, place))
                left += size.width() + self.spacing()
            top += height + self.spacing()

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _width(self, line: list[QLayoutItem]) -> int:
        return sum(item.sizeHint().width() for item in line) + self.spacing() * (len(line) - 1)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        for item in self._shown():
            if lines and self._width([*lines[-1], item]) <= width:
                lines[-1].append(item)
            else:
                lines.append([item])
        return lines


def _height(line: list[QLayoutItem]) -> int:
    return max(item.sizeHint().height() for item in line)
