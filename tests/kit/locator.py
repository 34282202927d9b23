"""Locator of widgets on the screen, so that a journey can use the real window with real X events.

Read-only: a line of JSON ``{"name": "station-plan", "part": "256 KiB"}`` on a local socket is answered by the visible
widget of that object name: its rectangle on the screen, its words, its state. The socket lies in a directory that only
its user can enter.
"""

from __future__ import annotations

import json
import socket
from io import BufferedRWPair
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, QSocketNotifier, Qt, Slot
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)


class Locator(QObject):
    """Server on a local socket for as long as it lives; it needs no more of Qt than the window does."""

    def __init__(self, path: str, parent: QObject) -> None:
        super().__init__(parent)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(f"{path}.2" if Path(path).exists() else path)
        self._server.listen()
        self._calls = QSocketNotifier(self._server.fileno(), QSocketNotifier.Type.Read, self)
        self._calls.activated.connect(self._accept)

    @Slot()
    def _accept(self) -> None:
        line, _ = self._server.accept()
        lines = line.makefile("rwb")
        questions = QSocketNotifier(line.fileno(), QSocketNotifier.Type.Read, self)
        questions.activated.connect(lambda *_: _answer(lines, questions))


def _answer(lines: BufferedRWPair, questions: QSocketNotifier) -> None:
    """Answer the next question, sent after the previous answer; an empty line ends them."""
    if not (line := lines.readline()):
        questions.setEnabled(False)
        lines.close()
        return
    query = json.loads(line)
    lines.write(json.dumps(describe(query["name"], query.get("part"))).encode() + b"\n")
    lines.flush()


def describe(name: str, part: str | None) -> dict[str, object]:
    """Return the rectangle, words and state of the visible widget ``name`` (its ``part``); ``{}`` if there is none."""
    for top in QApplication.topLevelWidgets():
        named = [top] if top.objectName() == name else []
        for widget in [*named, *top.findChildren(QWidget, name)]:
            if widget.isVisible():
                return _describe(widget, part)
    return {}


def _describe(widget: QWidget, part: str | None) -> dict[str, object]:
    if part is not None and not isinstance(widget, (QAbstractItemView, QMenu)):
        return {}
    rect: QRect | None = widget.rect()
    if part and isinstance(widget, QAbstractItemView):
        rect = _part_rect(widget, part)
    elif part and isinstance(widget, QMenu):
        rect = next((widget.actionGeometry(one) for one in widget.actions() if one.objectName() == part), None)
    if rect is None:
        return {}
    ratio = widget.devicePixelRatioF()
    corner = widget.mapToGlobal(QPoint(rect.x(), rect.y()))
    return {
        "x": round(corner.x() * ratio),
        "y": round(corner.y() * ratio),
        "width": round(rect.width() * ratio),
        "height": round(rect.height() * ratio),
        "enabled": widget.isEnabled(),
        "checked": isinstance(widget, QAbstractButton) and widget.isChecked(),
        "text": _text(widget),
        "shown": not widget.visibleRegion().isEmpty(),
        "active": widget.isActiveWindow(),
    }


def _part_rect(view: QAbstractItemView, part: str) -> QRect | None:
    model = view.model()
    for row in range(model.rowCount()):
        for column in range(model.columnCount()):
            index = model.index(row, column)
            if part in str(index.data(Qt.ItemDataRole.DisplayRole) or ""):
                view.scrollTo(index)
                rect = view.visualRect(index)
                corner = view.viewport().mapTo(view, rect.topLeft())
                return QRect(corner, rect.size())
    return None


def _text(widget: QWidget) -> str:
    if isinstance(widget, (QLabel, QLineEdit, QAbstractButton)):
        return widget.text()
    if isinstance(widget, QPlainTextEdit):
        return widget.toPlainText()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    if isinstance(widget, QAbstractItemView):
        model = widget.model()
        rows = range(model.rowCount())
        columns = range(model.columnCount())
        cells = [[str(model.index(row, column).data() or "") for column in columns] for row in rows]
        return "\n".join("\t".join(row) for row in cells)
    return widget.accessibleDescription() or widget.accessibleName()
