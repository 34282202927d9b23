"""The Arrays station as the first thing seen of a machine that has arrays."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from raidwright.core.model.names import is_scratch_name
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.ui.station import Station
from raidwright.ui.stations.disks.model import DisksModel

from .rail import Rail


class ArraysFirst(QObject):
    """Opens the station once for each machine, unless somebody is at work already. Scratch arrays don't count."""

    def __init__(self, session: Session, rail: Rail, disks: DisksModel, show: Callable[[Station], object]) -> None:
        super().__init__(rail)
        self._session, self._rail, self._disks, self._show = session, rail, disks, show
        self._seen = ""  # title of the machine that was looked at
        session.snapshot_changed.connect(self._look)

    @Slot(object)
    def _look(self, snapshot: Snapshot) -> None:
        if snapshot.problem or not (snapshot.disks or snapshot.arrays):
            return
        before, self._seen = self._seen, self._session.connection.title
        here = (array for array in snapshot.arrays if array.running or array.member_devices)
        has_arrays = any(not is_scratch_name(array.name) for array in here)
        is_idle = self._rail.station is Station.DISKS and not self._disks.chosen
        if before != self._seen and has_arrays and is_idle:
            self._show(Station.ARRAYS)
