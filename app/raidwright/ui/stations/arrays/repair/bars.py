"""A notice at every station for each degraded array."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Slot

from raidwright.text.array.empty_slots import is_usual
from raidwright.text.array.holds import grows_as_raid4
from raidwright.text.array.repair import note
from raidwright.ui.frame.notices import Notices

from .model import RepairModel


class DegradedNotices(QObject):
    """Shows ``model``'s arrays in ``notices``; an array's notice is named ``degraded-`` and its name."""

    def __init__(self, model: RepairModel, notices: Notices) -> None:
        super().__init__(model)
        self._model = model
        self._notices = notices
        self._said: frozenset[str] = frozenset()
        model.changed.connect(self._say)

    @Slot()
    def _say(self) -> None:
        said = {}
        for array in self._model.degraded:
            if is_usual(array) or grows_as_raid4(array):
                continue  # a NAS's slots for bays that have no disk, a RAID 0 that grows; its card tells
            said[f"degraded-{array.name}"] = note(array, functools.partial(self._model.open, array))
        for name in self._said - said.keys():
            self._notices.say(name, None)
        for name, each in said.items():
            self._notices.say(name, each)
        self._said = frozenset(said)
