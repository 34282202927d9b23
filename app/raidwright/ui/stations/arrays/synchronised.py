"""Desktop notifications of rebuilds and other sync actions: they take hours, and aren't jobs of the program."""

from __future__ import annotations

import time

from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot
from raidwright.text.catalogue import tr
from raidwright.ui.desktop_notices import LONG_SECONDS, DesktopNotices

from .station import SYNCHRONISING


class SynchronisedNotices:
    """Follows md's sync actions on a machine's arrays."""

    def __init__(self, desktop: DesktopNotices) -> None:
        self._desktop = desktop
        self._began_s: dict[str, float] = {}  # start of the sync action, by the array's UUID

    def see(self, snapshot: Snapshot, *, is_proving: bool) -> None:
        """Notify of what has ended; not of a shoot-out's scratch arrays."""
        if snapshot.problem:
            return  # a sync action may continue unseen
        now, before = time.monotonic(), self._began_s
        arrays = with_volumes(snapshot.arrays)
        at_it = [array.uuid for array in arrays if array.sync_action in SYNCHRONISING]
        self._began_s = {uuid: before.get(uuid, now) for uuid in at_it}
        if is_proving:
            return
        for array in arrays:
            if now - before.get(array.uuid, now) >= LONG_SECONDS and array.uuid not in self._began_s:
                self._say(array)

    def _say(self, array: State) -> None:
        if array.degraded:
            self._desktop.say(tr("“{name}” is still degraded", name=array.name), tr("md no longer synchronises it."))
        else:
            self._desktop.say(tr("“{name}”: md is done, and no disk is missing", name=array.name))
