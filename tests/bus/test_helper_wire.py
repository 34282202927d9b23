"""A bus that is slow to read doesn't end the helper's connection."""

from __future__ import annotations

import asyncio

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus
from raidwright_helper.wire import wait_for_room

from .private_bus import PrivateBus, private_bus

_DBUS = "org.freedesktop.DBus"
_MANY = 3000  # of a kibibyte each: far more than a socket has room for


async def _talk(bus: MessageBus, daemon: PrivateBus) -> Message:
    with daemon.frozen():
        for _ in range(_MANY):
            bus.send(Message.new_signal("/org/raidwright", "org.raidwright.Test", "Said", "s", ["x" * 1024]))
        await asyncio.sleep(0.1)
    call = Message(destination=_DBUS, path="/org/freedesktop/DBus", interface=_DBUS, member="GetId")
    return await asyncio.wait_for(bus.call(call), 30)


def test_a_full_socket_is_waited_for() -> None:
    async def test() -> None:
        bus = await MessageBus(bus_address=daemon.address).connect()
        wait_for_room(bus)
        try:
            assert (await _talk(bus, daemon)).message_type is MessageType.METHOD_RETURN
        finally:
            bus.disconnect()

    with private_bus() as daemon:
        asyncio.run(test())
