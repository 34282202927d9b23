"""A slow bus doesn't end the helper's connection."""

from __future__ import annotations

import asyncio

from dbus_fast import Message
from dbus_fast.aio import MessageBus
from raidwright_helper.service.wire import InOrder, wait_for_room

from .private_bus import PrivateBus, private_bus

_DBUS = "org.freedesktop.DBus"
_TEST = "org.raidwright.Test"
_MANY = 3000  # of a kibibyte each: far more than a socket's buffer


async def _heard(bus: MessageBus, daemon: PrivateBus) -> list[int]:
    """Return the numbers of the signals sent while the bus read nothing, in order of arrival."""
    heard: list[int] = []
    is_last = asyncio.Event()

    def hear(message: Message) -> None:
        if message.member == "Said":
            heard.append(message.body[0])
            if message.body[0] == _MANY - 1:
                is_last.set()

    bus.add_message_handler(hear)
    await bus.call(
        Message(
            destination=_DBUS,
            path="/org/freedesktop/DBus",
            interface=_DBUS,
            member="AddMatch",
            signature="s",
            body=[f"interface='{_TEST}'"],
        )
    )
    with daemon.frozen():
        for number in range(_MANY):
            bus.send(Message.new_signal("/org/raidwright", _TEST, "Said", "us", [number, "x" * 1024]))
        await asyncio.sleep(0.1)
    await asyncio.wait_for(is_last.wait(), 120)
    return heard


def test_a_full_socket_is_waited_for_and_nothing_overtakes() -> None:
    async def test() -> None:
        bus = await MessageBus(bus_address=daemon.address).connect()
        wait_for_room(bus)
        try:
            assert await _heard(bus, daemon) == list(range(_MANY))
        finally:
            bus.disconnect()

    with private_bus() as daemon:
        asyncio.run(test())


def test_what_has_waited_longest_goes_first() -> None:
    waiting = InOrder("abc")
    assert (waiting.pop(), waiting.popleft(), waiting.pop()) == ("a", "b", "c")
