"""The accessibility bus of a private session, and a screen reader's queries on it (AT-SPI 2, at-spi2-core)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_REGISTRY, _ROOT = "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"
_CALL_SECONDS = 120.0


class State(IntEnum):
    """Bits of a state set (atspi-constants.h, AtspiStateType)."""

    ENABLED = 8
    FOCUSABLE = 11
    FOCUSED = 12
    SENSITIVE = 24
    SHOWING = 25


class Node(NamedTuple):
    """An accessible, as it describes itself; ``role`` by its name, such as “push button”."""

    path: str
    role: str
    name: str
    states: frozenset[int]
    parent: str

    @property
    def is_shown(self) -> bool:
        """True if it is visible."""
        return State.SHOWING in self.states

    @property
    def is_open(self) -> bool:
        """True if it can be used."""
        return State.ENABLED in self.states or State.SENSITIVE in self.states


@contextlib.contextmanager
def session_bus(display: str) -> Iterator[str]:
    """Start a session bus for programs on ``display``, with an on-demand accessibility bus; yield its address."""
    environment = os.environ | {"DISPLAY": display, "GSETTINGS_BACKEND": "memory"}
    argv = ["dbus-daemon", "--session", "--nofork", "--print-address=1", "--nopidfile"]
    with subprocess.Popen(
        argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as daemon:
        assert daemon.stdout is not None
        try:
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


class Reader:
    """Client of the accessibility bus; ``focused`` has the path of each accessible that got the focus, in order."""

    def __init__(self, bus: MessageBus) -> None:
        self._bus = bus
        self.focused: asyncio.Queue[str] = asyncio.Queue()

    @classmethod
    @contextlib.asynccontextmanager
    async def on(cls, session_address: str) -> AsyncIterator[Reader]:
        """Connect a reader to the accessibility bus of the session at ``session_address``."""
        session = await MessageBus(bus_address=session_address, bus_type=BusType.SESSION).connect()
        (address,) = await _call(session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")
        bus = await MessageBus(bus_address=address).connect()
        reader = cls(bus)
        bus.add_message_handler(reader._take)
        rule = "type='signal',interface='org.a11y.atspi.Event.Object',member='StateChanged',arg0='focused'"
        daemon = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        await _call(bus, *daemon, "AddMatch", "s", rule)
        registry = (_REGISTRY, "/org/a11y/atspi/registry", _REGISTRY)
        await _call(bus, *registry, "RegisterEvent", "s", "object:state-changed:focused")
        yield reader
        bus.disconnect()
        session.disconnect()

    def _take(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL and message.member == "StateChanged" and message.body[1]:
            self.focused.put_nowait(message.path or "")

    async def program(self, name: str) -> tuple[str, str]:
        """Return the bus name and the root of the program ``name``, once it is there."""
        for _attempt in range(1200):
            (children,) = await _call(self._bus, _REGISTRY, _ROOT, _ACCESSIBLE, "GetChildren")
            for owner, path in children:
                with contextlib.suppress(ConnectionError):
                    if await self._property(owner, path, "Name") == name:
                        return owner, path
            await asyncio.sleep(0.1)
        raise LookupError(name)

    async def nodes(self, owner: str, path: str, parent: str = "") -> AsyncIterator[Node]:
        """Yield ``path`` of the program ``owner`` and its visible descendants; a table without its cells."""
        (role,) = await _call(self._bus, owner, path, _ACCESSIBLE, "GetRoleName")
        (words,) = await _call(self._bus, owner, path, _ACCESSIBLE, "GetState")
        states = frozenset(bit for bit in range(64) if words[bit // 32] >> bit % 32 & 1)
        node = Node(path, role, await self._property(owner, path, "Name"), states, parent)
        yield node
        if parent and (not node.is_shown or role in ("table", "list", "tree")):
            return
        (children,) = await _call(self._bus, owner, path, _ACCESSIBLE, "GetChildren")
        for _owner, child in children:
            async for one in self.nodes(owner, child, path):
                yield one

    async def _property(self, owner: str, path: str, name: str) -> Any:
        interface = "org.freedesktop.DBus.Properties"
        (value,) = await _call(self._bus, owner, path, interface, "Get", "ss", _ACCESSIBLE, name)
        assert isinstance(value, Variant)
        return value.value


async def _call(
    bus: MessageBus, owner: str, path: str, interface: str, member: str, signature: str = "", *arguments: object
) -> list[Any]:
    message = Message(
        destination=owner, path=path, interface=interface, member=member, signature=signature, body=list(arguments)
    )
    reply = await asyncio.wait_for(bus.call(message), _CALL_SECONDS)
    if reply.message_type is MessageType.ERROR:
        raise ConnectionError(f"{interface}.{member} of {owner} {path}: {reply.body}")
    return list(reply.body)
