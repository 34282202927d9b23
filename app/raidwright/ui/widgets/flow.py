"""A layout that wraps its items into lines."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from raidwright.ui.tokens import SPACE_S


class Flow(QLayout):
    """A layout that wraps like words; ``tall`` items are centred vertically in their line.

    Items whose size policy lets them grow share the rest of their line.
    """

    def __init__(self, *parts: QWidget, spacing: int = SPACE_S) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        for part in parts:
            self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Qt: return the number of items."""
        return len(self._items)

    def itemAt(self, place: int) -> QLayoutItem | None:
        """Qt: return the item at ``place``."""
        return self._items[place] if 0 <= place < len(self._items) else None

    def takeAt(self, place: int) -> QLayoutItem | None:
        """Qt: remove and return the item at ``place``."""
        return self._items.pop(place) if 0 <= place < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: neither direction."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Qt: true, since narrower widths need more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: return the height of the lines at that width."""
        lines = self._lines(width)
        return sum(map(_height, lines)) + self.spacing() * (len(lines) - 1) if lines else 0

    def sizeHint(self) -> QSize:
        """Qt: return the size of all items in one line."""
        hints = [item.sizeHint() for item in self._shown()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSize(self) -> QSize:
        """Qt: return the size of the widest item alone in its line."""
        sizes = [item.minimumSize() for item in self._shown()]
        return QSize(max((one.width() for one in sizes), default=0), max((one.height() for one in sizes), default=0))

    def setGeometry(self, rect: QRect) -> None:
        """Qt: position all items."""
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
                # Imported here: PySide creates a class on first access, and the 566 names of this one take 4 ms.
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


class _Wrapping(QWidget):
    """Its lines are never cut: a page too low for its content takes height from what can do without."""

    def event(self, event: QEvent) -> bool:
        """Qt: after another width or other parts, hold the height of the lines; Qt's own least height is of one."""
        done = super().event(event)
        lines = self.layout()
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and lines is not None:
            self.setMinimumHeight(lines.heightForWidth(self.width()))
        return done


def wrapping(*parts: QWidget, spacing: int = SPACE_S) -> QWidget:
    """Return a widget whose ``parts`` wrap.

    A Flow within another layout isn't safe: PySide 6.11 loses its items when its page is shown a second time.
    """
    result = _Wrapping()
    result.setLayout(Flow(*parts, spacing=spacing))
    return result
