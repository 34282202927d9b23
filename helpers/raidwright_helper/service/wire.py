"""The socket of the bus: it waits when full, and sends in order; a bus that has gone takes messages to nobody."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from typing import Any

from dbus_fast.aio import MessageBus
from dbus_fast.message import Message

PEER = "org.freedesktop.DBus.Peer"


class PatientSocket:
    """A non-blocking socket whose ``send`` returns 0 while its buffer is full.

    dbus-fast takes Python's BlockingIOError for the end of its connection: a caller that slows the bus down could end
    the helper. dbus-fast handles partial sends correctly, and continues when there is room.
    """

    def __init__(self, plain: socket.socket) -> None:
        self._plain = plain

    def send(self, data: memoryview) -> int:
        """Send as ``socket.send``; 0 if the buffer is full."""
        try:
            return self._plain.send(data)
        except BlockingIOError:
            return 0

    def sendmsg(self, buffers: list[memoryview], ancillary: list[tuple[int, int, object]]) -> int:
        """Send as ``socket.sendmsg``; 0 if the buffer is full."""
        try:
            return self._plain.sendmsg(buffers, ancillary)  # type: ignore[arg-type]
        except BlockingIOError:
            return 0


class InOrder(deque[Any]):
    """A queue whose ``pop`` takes the oldest: dbus-fast 1.84 would send the newest first."""

    pop = deque.popleft


def send(bus: MessageBus, message: Message) -> None:
    """Send; a bus that has gone takes nothing, and the service ends with it.

    Not dbus-fast's own send(): where its first write fails it goes on to watch the socket that it has just closed,
    raises for that, and leaves its future, with its exception, to nobody.
    """
    if not bus.connected or bus._writer is None:
        return
    message.serial = message.serial or bus.next_serial()
    sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    sent.add_done_callback(lambda done: None if done.cancelled() else done.exception())
    with contextlib.suppress(OSError):
        bus._writer.schedule_write(message, sent)


def wait_for_room(bus: MessageBus) -> None:
    """Make the connected ``bus`` wait while the socket is full, and then send in order."""
    writer: Any = bus._writer
    writer.sock = PatientSocket(writer.sock)
    writer.messages = InOrder(writer.messages)
