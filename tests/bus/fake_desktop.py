"""A notification daemon on a private bus, recording its calls."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.message import Message
from raidwright.machine.bus import plain

NAME = "org.freedesktop.Notifications"


@contextlib.asynccontextmanager
async def desktop(address: str) -> AsyncIterator[list[Message]]:
    """Answer Notify at ``address`` during the block; yields the calls."""
    said: list[Message] = []
    bus = await MessageBus(bus_address=address).connect()

    def take(message: Message) -> Message | None:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != NAME:
            return None
        said.append(message)
        return Message.new_method_return(message, "u", [len(said)])

    bus.add_message_handler(take)
    await bus.request_name(NAME)
    try:
        yield said
    finally:
        bus.disconnect()


def words(message: Message) -> tuple[str, str, str]:
    """Return the application, the title and the text."""
    body = plain(message.body)
    return str(body[0]), str(body[3]), str(body[4])
