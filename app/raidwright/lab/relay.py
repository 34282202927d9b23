"""A socket and a channel, joined: what comes out of one goes into the other until either ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from .wire import Channel, Closed, Kind

_READ_BYTES = 64 * 1024


def relay(sock: socket.socket, channel: Channel, rewrite: Callable[[bytes], bytes] = bytes) -> None:
    """Join the two and return when both have ended. ``rewrite`` sees what goes from the channel to the socket."""
    outgoing = threading.Thread(target=_from_socket, args=(sock, channel), daemon=True)
    outgoing.start()
    with suppress(OSError, Closed):  # one side hung up; the other is about to be
        for frame in channel.frames():
            sock.sendall(rewrite(frame.payload))
    hang_up(sock)
    channel.close()
    outgoing.join()


def pump(read: Callable[[int], bytes], channel: Channel, kind: Kind) -> None:
    """Send what ``read`` gives until it gives nothing; raises Closed, and what ``read`` raises."""
    while data := read(_READ_BYTES):
        channel.send(kind, data)


def _from_socket(sock: socket.socket, channel: Channel) -> None:
    with suppress(OSError, Closed):  # closing is all that is left to do then
        pump(sock.recv, channel, Kind.DATA)
    channel.close()


def hang_up(sock: socket.socket) -> None:
    """End the connection both ways, if it hasn't ended, without giving its number away to another."""
    with suppress(OSError):  # the peer may be faster
        sock.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads it
