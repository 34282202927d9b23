"""Lazy updates: expensive content is computed only while it is visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, SignalInstance, Slot
from PySide6.QtWidgets import QWidget


class InSight(QObject):
    """Calls ``refresh`` when ``widget`` is shown, and after each ``changed`` while it is visible, once idle."""

    def __init__(self, widget: QWidget, changed: SignalInstance, refresh: Callable[[], None]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._refresh = refresh
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(refresh)
        widget.installEventFilter(self)
        changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        if self._widget.isVisible():
            self._soon.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: refresh when the widget is shown."""
        if event.type() == QEvent.Type.Show:
            self._refresh()
        return super().eventFilter(watched, event)
