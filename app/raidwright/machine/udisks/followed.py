"""UDisks2's objects, kept as they are on the bus: subscribe, ask once, then follow the changes.

Plain values only; ``inventory`` makes disks and arrays of them. UDisks2's API:
``org.freedesktop.UDisks2.xml`` of the udisks project.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

from raidwright.core.errors import RaidwrightError
from raidwright.machine.bus import DAEMON, Bus, Call, Signal, owner_rule
from raidwright.machine.bus_errors import connection_lost, unreachable

from .objects import BLOCK, MANAGER, MDRAID, ROOT, UDISKS_NAME, Objects

_PROPERTIES = "org.freedesktop.DBus.Properties"
# Activation of the service is part of the first answer, and a machine that just came up is busy.
_FIRST_ANSWER_SECONDS = 30.0
_RETRY_SECONDS = 2.0
_RULES = (
    f"type='signal',sender='{UDISKS_NAME}',path='{ROOT}',interface='{MANAGER}'",
    f"type='signal',sender='{UDISKS_NAME}',path_namespace='{ROOT}',interface='{_PROPERTIES}'",
    owner_rule(UDISKS_NAME),
)
_LOG = logging.getLogger(__name__)

# What of an array changes with its shape: the end of a reshape shows in SyncAction alone.
_SHAPE = frozenset({"ActiveDevices", "SyncAction", "Level", "NumDevices", "Size"})


class UDisks:
    """The objects of one udisksd. ``changed`` is called after each change, from the loop's thread.

    ``problem`` is the error while there is nothing to see, else None. A udisksd that restarts empties
    ``objects`` and fills them again. ``structure`` counts the changes to block devices themselves and to who is in
    an array, which progress and temperatures are not.
    """

    def __init__(self, bus: Bus, changed: Callable[[], None]) -> None:
        self.objects: Objects = {}
        self.problem: RaidwrightError | None = None
        self.structure = 0
        self._bus = bus
        self._changed = changed
        self._owner = ""
        self._early: list[Signal] | None = None  # signals that came while the objects were on their way
        self._stale = asyncio.Event()

    async def start(self) -> None:
        """Subscribe, then fill; ``receive`` must be listening to the bus. Raises Unreachable."""
        await self._bus.subscribe(*_RULES)
        await self._fill()

    async def keep_filled(self) -> None:
        """Fill again each time that udisksd has come, or gone (asking starts it); until cancelled."""
        while await self._stale.wait():
            self._stale.clear()
            try:
                await self._fill()
            except RaidwrightError as error:
                _LOG.info("%s", error)
                with contextlib.suppress(TimeoutError):  # its return is the end of waiting as well
                    await asyncio.wait_for(self._stale.wait(), _RETRY_SECONDS)
                self._stale.set()

    async def _fill(self) -> None:
        """One GetManagedObjects, which starts udisksd where it isn't running."""
        self._early = []
        try:
            reply = await self._bus.call(
                Call(UDISKS_NAME, ROOT, MANAGER, "GetManagedObjects"), limit_seconds=_FIRST_ANSWER_SECONDS
            )
        finally:
            early, self._early = self._early, None
        self.objects, self._owner, self.problem = reply.body[0], reply.sender, None
        self.structure += 1
        # Those older than the answer are repeated too: the last word on each property is the newest all the same.
        for signal in early:
            self._apply(signal)
        self._changed()

    def receive(self, signal: Signal | None) -> None:
        """Take in one signal of the bus; None is its end."""
        if signal is None:
            self._empty(connection_lost())
        elif self._early is not None:
            self._early.append(signal)
        elif self._apply(signal):
            self._changed()

    def _apply(self, signal: Signal) -> bool:
        """Take one signal in; whether it was about anything that we keep."""
        if signal.sender == DAEMON and signal.member == "NameOwnerChanged" and signal.body[0] == UDISKS_NAME:
            return self._new_owner(signal.body[2])
        if signal.sender != self._owner:  # only rules with sender= are ours, but anyone may send to us alone
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
        if properties is None:  # gone a moment ago, or of a kind that was never announced
            return False
        properties.update(changed)
        for name in invalidated:
            properties.pop(name, None)
        self.structure += interface == BLOCK or (interface == MDRAID and not changed.keys().isdisjoint(_SHAPE))
        return True
