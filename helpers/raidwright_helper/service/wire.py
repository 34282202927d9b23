"""The socket of the bus: it waits when full, and sends in order."""

from __future__ import annotations

import socket
from collections import deque
from typing import Any

from dbus_fast.aio import MessageBus

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


def wait_for_room(bus: MessageBus) -> None:
    """Make the connected ``bus`` wait while the socket is full, and then send in order."""
    writer: Any = bus._writer  # noqa: SLF001  (it has no other door)
    writer.sock = PatientSocket(writer.sock)
    writer.messages = InOrder(writer.messages)
