"""UDisks2's objects, mirrored from the bus: subscribe, fetch once, then apply the changes.

Plain values only; ``inventory`` makes disks and arrays of them. UDisks2's API: ``org.freedesktop.UDisks2.xml`` of the
udisks project.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from raidwright.core.errors import RaidwrightError
from raidwright.machine.bus import DAEMON, Bus, BusCall, ReceivedSignal, owner_rule
from raidwright.machine.bus_errors import connection_lost, unreachable

from .objects import BLOCK, MANAGER, MDRAID, ROOT, UDISKS_NAME, Objects

_PROPERTIES = "org.freedesktop.DBus.Properties"
# The first call includes the service's activation, and a machine that has just booted is busy.
_FIRST_ANSWER_SECONDS = 30.0
_RETRY_SECONDS = 2.0
_RULES = (
    f"type='signal',sender='{UDISKS_NAME}',path='{ROOT}',interface='{MANAGER}'",
    f"type='signal',sender='{UDISKS_NAME}',path_namespace='{ROOT}',interface='{_PROPERTIES}'",
    owner_rule(UDISKS_NAME),
)
_LOG = logging.getLogger(__name__)

# Properties of an array that change with its geometry: the end of a reshape shows in SyncAction alone.
_SHAPE = frozenset({"ActiveDevices", "SyncAction", "Level", "NumDevices", "Size"})


class UDisks:
    """The objects of one udisksd. ``changed`` is called after each change, from the loop's thread.

    ``problem`` is the error while there are no objects, else None. A restart of udisksd empties ``objects`` and fills
    them again. ``structure`` counts changes to block devices themselves and to arrays' members, but not to progress or
    temperatures.
    """

    def __init__(self, bus: Bus, changed: Callable[[], None]) -> None:
        self.objects: Objects = {}
        self.problem: RaidwrightError | None = None
        self.structure = 0
        self._bus = bus
        self._changed = changed
        self._owner = ""
        self._early: list[ReceivedSignal] | None = None  # signals received during GetManagedObjects
        self._stale = asyncio.Event()

    async def start(self) -> None:
        """Subscribe, then fetch; ``receive`` must be listening to the bus. Raises Unreachable."""
        await self._bus.subscribe(*_RULES)
        await self._fill()

    async def keep_filled(self) -> None:
        """Fetch again each time that udisksd has started or stopped (the call activates it); until cancelled."""
        while await self._stale.wait():
            self._stale.clear()
            try:
                await self._fill()
            except RaidwrightError as error:
                _LOG.info("%s", error)
                with contextlib.suppress(TimeoutError):  # udisksd's return ends the wait as well
                    await asyncio.wait_for(self._stale.wait(), _RETRY_SECONDS)
                self._stale.set()

    def look_again(self) -> None:
        """Fetch again now, if there are no objects."""
        if self.problem is not None:
            self._stale.set()

    async def _fill(self) -> None:
        """Call GetManagedObjects, which activates udisksd if it isn't running."""
        self._early = []
        try:
            reply = await self._bus.call(
                BusCall(UDISKS_NAME, ROOT, MANAGER, "GetManagedObjects"), limit_seconds=_FIRST_ANSWER_SECONDS
            )
        finally:
            early, self._early = self._early, None
        self.objects, self._owner, self.problem = reply.body[0], reply.sender, None
        self.structure += 1
        # Signals older than the answer are applied as well: the last value of each property is the newest anyway.
        for signal in early:
            self._apply(signal)
        self._changed()

    def receive(self, signal: ReceivedSignal | None) -> None:
        """Process one signal of the bus; None is the end of the connection."""
        if signal is None:
            self._empty(connection_lost())
        elif self._early is not None:
            self._early.append(signal)
        elif self._apply(signal):
            self._changed()

    def _apply(self, signal: ReceivedSignal) -> bool:
        """Apply one signal; return True if it changed anything mirrored here."""
        if signal.sender == DAEMON and signal.member == "NameOwnerChanged" and signal.body[0] == UDISKS_NAME:
            return self._new_owner(signal.body[2])
        if signal.sender != self._owner:  # our rules have sender=, but anyone may send unicast signals
            return False
        match signal.member:
            case "InterfacesAdded":
                self._add(signal.body[0], signal.body[1])
            case "InterfacesRemoved":
                self._remove(signal.body[0], signal.body[1])
            case "PropertiesChanged":
                return self._change(signal.path, *signal.body)
            case _:
                return False
        return True

    def _new_owner(self, owner: str) -> bool:
        if owner == self._owner:
            return False
        if self._owner:
            self._empty(unreachable(UDISKS_NAME, "stopped"))
        self._stale.set()
        return True

    def _empty(self, problem: RaidwrightError) -> None:
        self.objects, self._owner, self.problem = {}, "", problem
        self.structure += 1
        self._changed()

    def _add(self, path: str, interfaces: dict[str, dict[str, Any]]) -> None:
        self.objects.setdefault(path, {}).update(interfaces)
        self.structure += BLOCK in interfaces

    def _remove(self, path: str, interfaces: list[str]) -> None:
        kept = self.objects.get(path, {})
        for interface in interfaces:
            kept.pop(interface, None)
        if not kept:
            self.objects.pop(path, None)
        self.structure += BLOCK in interfaces

    def _change(self, path: str, interface: str, changed: dict[str, Any], invalidated: list[str]) -> bool:
        properties = self.objects.get(path, {}).get(interface)
        if properties is None:  # just removed, or an interface that was never announced
            return False
        properties.update(changed)
        for name in invalidated:
            properties.pop(name, None)
        self.structure += interface == BLOCK or (interface == MDRAID and not changed.keys().isdisjoint(_SHAPE))
        return True
