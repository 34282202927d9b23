"""Stations are made when they are first wanted, or before that while nobody does anything: some bring numpy and plots.

A page that was prepared opens at once; each step of preparing is short enough to go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from .rail import Station
from .widgets.panel import TabPlace

_QUIET_MS = 400  # after a key or a click nothing is prepared for so long
_BETWEEN_MS = 30  # two steps of preparing


@runtime_checkable
class InParts(Protocol):
    """A station that can be made in parts."""

    def prepare(self) -> bool:
        """Make the next part; False when there is none left."""
        ...


class LazyStations(QObject):
    """Makes stations for ``stack``, each by its maker, and gives them their place in Tab's order."""

    def __init__(
        self,
        stack: QStackedWidget,
        place: TabPlace,
        made: dict[Station, QWidget],
        makers: Mapping[Station, Callable[[], QWidget]],
    ) -> None:
        super().__init__(stack)
        self._stack, self._place, self._made, self._makers = stack, place, made, makers
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._prepare)

    def is_made(self, station: Station) -> bool:
        """Whether ``station`` is there already."""
        return station in self._made

    def __getitem__(self, station: Station) -> QWidget:
        """Return the station, made now if it isn't there yet."""
        if station not in self._made:
            self._made[station] = self._makers[station]()
            self._stack.addWidget(self._made[station])
            self._place.give(self._made[station])
        return self._made[station]

    @Slot()
    def prepare(self) -> None:
        """Make all stations from now on, a part at a time, while there is nothing else to do."""
        app = QApplication.instance()
        if app is not None:
            app.installEventFilter(self)
        self._soon.start(_BETWEEN_MS)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: whoever types or clicks goes first."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel):
            self._soon.start(_QUIET_MS)
        return super().eventFilter(watched, event)

    @Slot()
    def _prepare(self) -> None:
        if self.prepare_part():
            self._soon.start(_BETWEEN_MS)
        elif (app := QApplication.instance()) is not None:
            app.removeEventFilter(self)

    def prepare_part(self) -> bool:
        """Make one part of one station; False when all is made."""
        for station in self._makers:
            if station not in self._made:
                _ = self[station]
                return True
            widget = self._made[station]
            if isinstance(widget, InParts) and widget.prepare():
                return True
        return False
