"""The line's frames and channels, and the opening words of a bus connection, without a machine."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.lab.guest.sasl import Opening
from raidwright.lab.wire import TTY_AHEAD_BYTES, Channel, Closed, FrameLine, FrameType, Mux


def _echo(channel: Channel, payload: bytes) -> None:
    """Send everything back; never read if told to be ``deaf``."""
    if payload == b"deaf":
        return
    try:
        for frame in channel.frames():
            if frame.kind is FrameType.EOF:
                channel.send_exit(len(payload))
            else:
                channel.send(frame.kind, frame.payload)
    except Closed:
        pass  # the other side had read enough
    finally:
        channel.close()


@pytest.fixture
def host() -> Iterator[Mux]:
    """The host's end of a line with an echo at the other end, under the tty's limit."""
    before = set(threading.enumerate())
    ours, theirs = socket.socketpair()
    host = Mux(FrameLine(ours.fileno(), ahead_bytes=TTY_AHEAD_BYTES))
    guest = Mux(FrameLine(theirs.fileno(), tells=True), _echo)
    readers = [threading.Thread(target=mux.run) for mux in (host, guest)]
    for reader in readers:
        reader.start()
    yield host
    ours.shutdown(socket.SHUT_RDWR)
    for thread in set(threading.enumerate()) - before:
        thread.join()  # an echo's last words would go to whatever has the descriptor's number next
    ours.close()
    theirs.close()


def test_bytes_come_back_whole_and_in_order(host: Mux) -> None:
    channel = host.open(b"twelve bytes")
    sent = os.urandom(3_000_000)

    def feed() -> None:
        channel.send(FrameType.DATA, sent)
        channel.send(FrameType.EOF)

    feeding = threading.Thread(target=feed)
    feeding.start()
    received = bytearray()
    for frame in channel.frames():
        if frame.kind is FrameType.EXIT:
            assert frame.number == 12
            break
        received += frame.payload
    feeding.join()
    channel.close()
    assert received == sent


def test_a_channel_that_nobody_reads_holds_up_no_other(host: Mux) -> None:
    deaf = host.open(b"deaf")
    stuck = threading.Thread(target=_send_until_closed, args=(deaf,))
    stuck.start()
    other = host.open(b"")
    other.send(FrameType.DATA, b"still here")
    assert next(other.frames()).payload == b"still here"
    assert stuck.is_alive()
    deaf.close()
    other.close()
    stuck.join(60)
    assert not stuck.is_alive()


def _send_until_closed(channel: Channel) -> None:
    with pytest.raises(Closed):
        channel.send(FrameType.DATA, bytes(10_000_000))


def test_channels_closing_while_data_flows_both_ways_never_lock_up(host: Mux) -> None:
    def use(size: int) -> None:
        channel = host.open(b"")
        channel.send(FrameType.DATA, bytes(size))
        next(channel.frames())
        channel.close()

    users = [threading.Thread(target=use, args=(size,)) for size in range(50_000, 250_000, 5_000)]
    for user in users:
        user.start()
    for user in users:
        user.join(120)
        assert not user.is_alive()


OPENINGS = [
    (b"\0AUTH EXTERNAL 30\r\n", b"\0AUTH EXTERNAL 31303031\r\n"),
    (b"\0AUTH EXTERNAL\r\nDATA\r\n", b"\0AUTH EXTERNAL\r\nDATA\r\n"),
    (b"\0AUTH EXTERNAL\r\nDATA 30\r\n", b"\0AUTH EXTERNAL\r\nDATA 31303031\r\n"),
    (b"\0AUTH\r\n", b"\0AUTH\r\n"),
    (b"NEGOTIATE_UNIX_FD\r\n", b"NO_UNIX_FD_HERE\r\n"),
    (b"BEGIN\r\nAUTH EXTERNAL 30\r\n", b"BEGIN\r\nAUTH EXTERNAL 30\r\n"),
]


@pytest.mark.parametrize(("said", "passed"), OPENINGS)
def test_an_opening_is_rewritten(said: bytes, passed: bytes) -> None:
    assert Opening(1001).rewrite(said) == passed


@given(st.binary(), st.lists(st.integers(0, 400)))
def test_an_opening_in_pieces_is_the_same_opening(message: bytes, cuts: list[int]) -> None:
    whole = b"\0AUTH EXTERNAL 30\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n" + message
    opening, pieces, start = Opening(0), b"", 0
    for end in [*sorted(cuts), len(whole)]:
        pieces += opening.rewrite(whole[start:end])
        start = max(start, end)
    assert pieces == b"\0AUTH EXTERNAL 30\r\nNO_UNIX_FD_HERE\r\nBEGIN\r\n" + message
