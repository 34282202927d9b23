"""Relay between a socket and a channel: copies data both ways until either ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from .wire import Channel, Closed, FrameType

_READ_BYTES = 64 * 1024


def relay(sock: socket.socket, channel: Channel, rewrite: Callable[[bytes], bytes] = bytes) -> None:
    """Copy data both ways and return when both have ended. ``rewrite`` filters data from the channel to the socket."""
    outgoing = threading.Thread(target=_from_socket, args=(sock, channel), daemon=True)
    outgoing.start()
    with suppress(OSError, Closed):  # one side hung up; the other is about to be
        for frame in channel.frames():
            sock.sendall(rewrite(frame.payload))
    hang_up(sock)
    channel.close()
    outgoing.join()


def pump(read: Callable[[int], bytes], channel: Channel, kind: FrameType) -> None:
    """Send the output of ``read`` until it is empty; raises Closed, and the exceptions of ``read``."""
    while data := read(_READ_BYTES):
        channel.send(kind, data)


def _from_socket(sock: socket.socket, channel: Channel) -> None:
    with suppress(OSError, Closed):  # closing is all that is left to do then
        pump(sock.recv, channel, FrameType.DATA)
    channel.close()


def hang_up(sock: socket.socket) -> None:
    """Shut the connection down both ways, if still open, without freeing its descriptor number for reuse."""
    with suppress(OSError):  # the peer may be faster
        sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it
