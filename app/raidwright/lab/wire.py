"""Protocol between a lab's guest and its host: many channels over one stream of bytes.

The same code runs on both ends. A frame is a header (channel, kind, length) and a payload. The host opens channels,
numbers them and never reuses a number, so a late frame can't reach the wrong one. Each direction of a channel has a
flow-control window: a sender may be that far ahead of the consumer, so that a channel that nobody reads blocks only
itself.

Threads rather than asyncio: importing asyncio costs a second under the guest's kernel.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from queue import SimpleQueue

_HEADER = struct.Struct("!IBI")
_NUMBER = struct.Struct("!i")
_WINDOW_BYTES = 256 * 1024
_CHUNK_BYTES = 8 * 1024  # the most bulk data that can delay a bus message
# A tty buffers 4096 unread bytes (N_TTY_BUF_SIZE), and UML's serial line does not wake up again
# once that is full. So the host is never further ahead of the guest's reader than this.
TTY_AHEAD_BYTES = 3072
_READ_BYTES = 64 * 1024
CONTROL_CHANNEL = 0


class FrameType(IntEnum):
    """Frame types."""

    HELLO = 0  # the guest is ready
    OPEN = 1  # JSON: the channel's request
    DATA = 2  # bus bytes, stdin, stdout
    ERROR_DATA = 3  # stderr
    EOF = 4  # no more DATA from this side
    EXIT = 5  # a command's exit code, negative for a signal
    CREDIT = 6  # number of bytes consumed
    CLOSE = 7  # end of the channel
    TAKEN = 8  # number of bytes read off the line itself


_CREDITED = frozenset({FrameType.DATA, FrameType.ERROR_DATA})


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; ``number`` decodes the payload of EXIT, CREDIT and TAKEN."""

    channel: int
    kind: FrameType
    payload: bytes = b""

    @property
    def number(self) -> int:
        """The payload as a signed 32-bit integer."""
        value: int = _NUMBER.unpack(self.payload)[0]
        return value


def numbered(channel: int, kind: FrameType, value: int) -> Frame:
    """Return a frame whose payload is an integer."""
    return Frame(channel, kind, _NUMBER.pack(value))


class Closed(Exception):
    """The channel or the line has ended."""


class FrameLine:
    """Frames over a file descriptor (a raw serial line, a socket). Sending is thread-safe.

    With ``ahead_bytes`` at most that many bytes are in flight to the reader, which must then have ``tells`` set to
    acknowledge the bytes read.
    """

    def __init__(self, fd: int, *, ahead_bytes: int | None = None, tells: bool = False) -> None:
        self._fd = fd
        self._ahead_bytes = ahead_bytes
        self._tells = tells
        self._sending = threading.Lock()
        self._on_the_way = 0
        self._moved = threading.Condition()
        self._is_gone = False

    def send(self, frame: Frame) -> None:
        """Write one whole frame; raises Closed if the other end is gone."""
        left = memoryview(_HEADER.pack(frame.channel, frame.kind, len(frame.payload)) + frame.payload)
        with self._sending:
            while left:
                room = self._room(len(left))
                self._write(left[:room])
                left = left[room:]

    def _write(self, left: memoryview) -> None:
        while left:
            try:
                left = left[os.write(self._fd, left) :]
            except OSError as error:
                raise Closed from error

    def _room(self, wanted: int) -> int:
        """Return how many of ``wanted`` bytes may be written now; waits until at least one may."""
        if self._ahead_bytes is None:
            return wanted
        most = self._ahead_bytes
        with self._moved:
            self._moved.wait_for(lambda: self._is_gone or self._on_the_way < most)
            if self._is_gone:
                raise Closed
            room = min(wanted, most - self._on_the_way)
            self._on_the_way += room
        return room

    def frames(self) -> Iterator[Frame]:
        """Yield frames as they arrive, until the other end is gone."""
        held, untold = bytearray(), 0
        while data := self._read():
            held += data
            untold += len(data)
            if self._tells and untold >= TTY_AHEAD_BYTES // 4:
                self.send(numbered(CONTROL_CHANNEL, FrameType.TAKEN, untold))
                untold = 0
            while frame := _split_off(held):
                if frame.kind is FrameType.TAKEN:
                    self._let_go(frame.number)
                else:
                    yield frame
        with self._moved:
            self._is_gone = True
            self._moved.notify_all()

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, _READ_BYTES)
        except OSError:
            return b""  # the other end of the tty or socket is gone

    def _let_go(self, taken: int) -> None:
        with self._moved:
            self._on_the_way -= taken
            self._moved.notify_all()


def _split_off(held: bytearray) -> Frame | None:
    """Remove and return the first frame of ``held``; None if it is incomplete."""
    if len(held) < _HEADER.size:
        return None
    channel, kind, length = _HEADER.unpack_from(held)
    end = _HEADER.size + length
    if len(held) < end:
        return None
    payload = bytes(held[_HEADER.size : end])
    del held[:end]
    return Frame(channel, FrameType(kind), payload)


class Channel:
    """One conversation on a line. One thread may send, another receive."""

    def __init__(self, line: FrameLine, number: int) -> None:
        self.number = number
        self._line = line
        self._inbox: SimpleQueue[Frame | None] = SimpleQueue()
        self._credit = _WINDOW_BYTES
        self._state = threading.Condition()
        self._is_closed = False
        self._has_said_so = False

    def send(self, kind: FrameType, payload: bytes = b"") -> None:
        """Send, waiting while the receiver is a window behind; raises Closed."""
        if kind not in _CREDITED:
            self._line.send(Frame(self.number, kind, payload))
            return
        for start in range(0, len(payload), _CHUNK_BYTES):
            chunk = payload[start : start + _CHUNK_BYTES]
            self._spend(len(chunk))
            self._line.send(Frame(self.number, kind, chunk))

    def send_exit(self, code: int) -> None:
        """Send a command's exit code."""
        self._line.send(numbered(self.number, FrameType.EXIT, code))

    def frames(self) -> Iterator[Frame]:
        """Yield frames as they arrive, until the channel closes. Requesting the next marks a frame as consumed."""
        owed = 0
        while frame := self._inbox.get():
            yield frame
            owed += len(frame.payload) if frame.kind in _CREDITED else 0
            if owed >= _WINDOW_BYTES // 4:
                self._line.send(numbered(self.number, FrameType.CREDIT, owed))
                owed = 0

    def close(self) -> None:
        """End the channel on both sides. Every holder must call this in the end, whichever side ended the channel."""
        self.drop()
        with self._state:
            has_said_so, self._has_said_so = self._has_said_so, True
        if not has_said_so:
            with suppress(Closed):  # the line has ended already
                self._line.send(Frame(self.number, FrameType.CLOSE))

    def deliver(self, frame: Frame) -> None:
        """Process a frame from the line (called by the mux, never blocks)."""
        if frame.kind is FrameType.CREDIT:
            with self._state:
                self._credit += frame.number
                self._state.notify_all()
        else:
            self._inbox.put(frame)

    def drop(self) -> None:
        """Mark the channel as closed by the other side or the line, and wake all waiting threads (never blocks)."""
        with self._state:
            self._is_closed = True
            self._state.notify_all()
        self._inbox.put(None)

    def _spend(self, size: int) -> None:
        with self._state:
            self._state.wait_for(lambda: self._is_closed or self._credit >= size)
            if self._is_closed:
                raise Closed
            self._credit -= size


class Mux:
    """Channels of a line. ``serve`` is called for each channel that the other side opens, in a thread of its own."""

    def __init__(self, line: FrameLine, serve: Callable[[Channel, bytes], None] | None = None) -> None:
        self._line = line
        self._serve = serve
        self._channels: dict[int, Channel] = {}
        self._last_number = CONTROL_CHANNEL
        self._opening = threading.Lock()
        self.greeted = threading.Event()  # HELLO has been received

    def open(self, request: bytes) -> Channel:
        """Open a channel for ``request`` (JSON); raises Closed if the line is gone."""
        with self._opening:
            self._last_number += 1
            channel = self._channels[self._last_number] = Channel(self._line, self._last_number)
        channel.send(FrameType.OPEN, request)
        return channel

    def run(self) -> None:
        """Deliver frames until the line ends, then end every channel."""
        with suppress(Closed):  # sending TAKEN may be the first to find the line gone
            for frame in self._line.frames():
                self._dispatch(frame)
        for channel in list(self._channels.values()):
            channel.drop()

    def _dispatch(self, frame: Frame) -> None:
        if frame.kind is FrameType.OPEN and self._serve:
            channel = self._channels[frame.channel] = Channel(self._line, frame.channel)
            threading.Thread(target=self._serve, args=(channel, frame.payload), daemon=True).start()
        elif frame.kind is FrameType.HELLO:
            self.greeted.set()
        elif frame.kind is FrameType.CLOSE:
            # Answered by the channel's holder: two readers that write could deadlock.
            if ended := self._channels.pop(frame.channel, None):
                ended.drop()
        elif known := self._channels.get(frame.channel):
            known.deliver(frame)
