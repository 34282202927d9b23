"""Client side of a lab's control socket: sends a request and its input, receives the answering frames."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .relay import hang_up
from .wire import CONTROL_CHANNEL, Closed, Frame, FrameLine, FrameType


def converse(
    path: Path, request: dict[str, object], stdin: Iterable[bytes], silence_seconds: float | None = None
) -> Iterator[Frame]:
    """Yield the frames that answer ``request`` at the socket ``path``, the last being an EXIT.

    Raises Closed if nothing listens there, or nothing arrives for ``silence_seconds``.
    """
    with _connected(path) as control:
        if silence_seconds is not None:
            control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(silence_seconds))
        threading.Thread(target=_feed, args=(control.dup(), request, stdin), daemon=True).start()
        try:
            for frame in FrameLine(control.fileno()).frames():
                yield frame
                if frame.kind is FrameType.EXIT:
                    return
        finally:
            hang_up(control)
    raise Closed


def ask_to_stop(path: Path, patience_seconds: float) -> None:
    """Stop the supervisor at ``path`` and wait for its end; raises TimeoutError if it doesn't end."""
    with suppress(Closed, ConnectionError), _connected(path) as control:  # it may be ending already
        control.settimeout(patience_seconds)
        FrameLine(control.fileno()).send(_opening({"stop": True}))
        control.recv(1)  # ends when the supervisor does


def _connected(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError as error:
        connection.close()
        raise Closed from error
    return connection


def _feed(connection: socket.socket, request: dict[str, object], stdin: Iterable[bytes]) -> None:
    """Send ``request`` and the input. Takes its own duplicate of the socket: the number mustn't be reused meanwhile."""
    with connection:
        line = FrameLine(connection.fileno())
        try:
            line.send(_opening(request))
            for data in stdin:
                line.send(Frame(CONTROL_CHANNEL, FrameType.DATA, data))
            line.send(Frame(CONTROL_CHANNEL, FrameType.EOF))
        except Closed:
            return  # the answer's reader sees it too


def _opening(request: dict[str, object]) -> Frame:
    return Frame(CONTROL_CHANNEL, FrameType.OPEN, json.dumps(request).encode())


def _timeval(seconds: float) -> bytes:
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1_000_000))  # struct timeval
