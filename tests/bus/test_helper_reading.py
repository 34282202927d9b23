"""Incoming messages: headers before bodies, unneeded bodies skipped, and room for users with fewer calls."""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from dbus_fast import Message, MessageFlag, MessageType, Variant
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.core.protocol.errors import Busy
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, PATH
from raidwright_helper.service import places
from raidwright_helper.service.dispatcher import Dispatcher
from raidwright_helper.service.places import MAX_OF_A_USER, MAX_PLACES, Places
from raidwright_helper.service.reading import MAX_BODY_BYTES, BusReader, MessageHeader

from .fake_polkit import Answer
from .helper_house import PATIENCE_S, House, a_plan

LONG: list[list[str]] = [[]] * (MAX_BODY_BYTES // 4 + 1)  # of ``aas``: an empty array takes four bytes


@pytest.fixture
def unmarshalled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the members of the calls whose bodies were unmarshalled."""
    seen: list[str] = []
    real = MessageHeader.body

    def body(incoming: MessageHeader) -> Any:
        seen.append(incoming.member)
        return real(incoming)

    monkeypatch.setattr(MessageHeader, "body", body)
    return seen


def test_a_body_of_the_wrong_types_or_too_long_is_never_unmarshalled(house: House, unmarshalled: list[str]) -> None:
    too_long = a_plan() | {"x": Variant("s", "x" * MAX_BODY_BYTES)}

    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("ListBuilds", "aas", [["x"]] * 1000)
            assert reply.error_name == "org.freedesktop.DBus.Error.InvalidArgs"
            reply = await client.call("ListBuilds", "aas", LONG)
            assert reply.error_name == "org.freedesktop.DBus.Error.LimitsExceeded"
            reply = await client.call("CreateArray", "a{sv}a{sv}", too_long, {})
            assert reply.error_name == "org.freedesktop.DBus.Error.LimitsExceeded"
            assert not house.polkit.questions
            assert not unmarshalled
            assert (await client.call("ListBuilds")).message_type is MessageType.METHOD_RETURN
            assert unmarshalled == ["ListBuilds"]

    asyncio.run(asyncio.wait_for(test(), 4 * PATIENCE_S))


def test_what_others_signal_and_answer_is_never_looked_at(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    real = MessageHeader.message

    def message(incoming: MessageHeader) -> Any:
        looked.append(f"{incoming.sender} {incoming.member} {incoming.reply_serial}")
        return real(incoming)

    async def test() -> None:
        async with house.open() as client:
            monkeypatch.setattr(MessageHeader, "message", message)
            for signal in ("NameOwnerChanged", "Said"):
                await client.bus.send(
                    Message(
                        message_type=MessageType.SIGNAL,
                        destination=BUS_NAME,
                        path="/org/freedesktop/DBus",
                        interface="org.freedesktop.DBus",
                        member=signal,
                        signature="sss",
                        body=["x", "x", ""],
                    )
                )
            await client.call("Ping", interface="org.freedesktop.DBus.Peer")
            assert not [line for line in looked if line.startswith(client.name)]

    asyncio.run(asyncio.wait_for(test(), 4 * PATIENCE_S))


def test_what_a_user_has_in_flight_is_counted_in_bytes(house: House, unmarshalled: list[str]) -> None:
    half = a_plan() | {"x": Variant("s", "x" * (MAX_BODY_BYTES * 2 // 5))}

    async def test() -> None:
        async with house.open(Answer.SILENCE) as client:
            others = [await house.client() for _ in range(3)]
            calls = [asyncio.create_task(one.call("CreateArray", "a{sv}a{sv}", half, {})) for one in others]
            done, waiting = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            assert [call.result().error_name for call in done] == [f"{INTERFACE}.Error.Busy"]
            assert unmarshalled == ["CreateArray"] * 2
            assert (await client.call("Ping", interface="org.freedesktop.DBus.Peer")).body == []
            for call in waiting:
                call.cancel()

    asyncio.run(asyncio.wait_for(test(), 4 * PATIENCE_S))


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take each connection's user from its name."""

    async def uid_of(_self: Dispatcher, sender: str) -> int:
        return int(sender.rpartition(".")[2])

    monkeypatch.setattr(Dispatcher, "_uid_of", uid_of)


async def _waits(house: Places, uid: int, taken: list[int]) -> str:
    try:
        with house.of(uid, 100) as place, place.waiting():
            taken.append(uid)
            await asyncio.Event().wait()
    except Busy:
        return "refused"
    except asyncio.CancelledError:
        return "taken away" if place.is_taken_away else "ended"
    return "never"


def test_users_with_all_their_prompts_open_leave_room_for_the_next() -> None:
    """Two of them filled all places once; now the user with most by far gives one up."""

    async def test() -> None:
        rooms, taken = Places(), list[int]()
        hoarders = [2000 + number for number in range(MAX_PLACES // MAX_OF_A_USER)]
        calls = [asyncio.create_task(_waits(rooms, uid, taken)) for uid in hoarders for _ in range(MAX_OF_A_USER)]
        await asyncio.sleep(0)
        assert len(taken) == MAX_PLACES
        newcomer = asyncio.create_task(_waits(rooms, 1000, taken))
        await asyncio.sleep(0.01)
        assert taken[-1] == 1000
        assert [await call for call in calls if call.done()] == ["taken away"]
        again = asyncio.create_task(_waits(rooms, hoarders[1], taken))
        assert await again == "refused"
        for call in (*calls, newcomer):
            call.cancel()
        assert await newcomer == "ended"

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_whoever_lost_a_place_is_told(house: House, room: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MAX_PLACES", 3)

    async def test() -> None:
        async with house.open(Answer.SILENCE):
            hoarder, newcomer = await house.client(), await house.client()
            calls = [asyncio.create_task(hoarder.call("ExamineDisks", interactive=True)) for _ in range(3)]
            while len(house.polkit.questions) < 3:
                await asyncio.sleep(0.01)
            late = asyncio.create_task(newcomer.call("ExamineDisks", interactive=True))
            done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            assert [call.result().error_name for call in done] == [f"{INTERFACE}.Error.Busy"]
            assert await house.polkit.withdrawn.get() in {question.ticket for question in house.polkit.questions[:3]}
            while house.polkit.questions[-1].subject != newcomer.name:
                await asyncio.sleep(0.01)
            for call in (*calls, late):
                call.cancel()

    asyncio.run(asyncio.wait_for(test(), 4 * PATIENCE_S))


class _Socket:
    """Socket that returns its data in chunks of the given size."""

    def __init__(self, data: bytes, sizes: Iterator[int]) -> None:
        self._data = data
        self._sizes = sizes

    def recv(self, most: int) -> bytes:
        size = min(most, next(self._sizes))
        given, self._data = self._data[:size], self._data[size:]
        if not given:
            raise BlockingIOError
        return given


class _Bus:
    """The part of dbus-fast's bus that a reader needs."""

    def __init__(self) -> None:
        self._method_return_handlers = {7: None}
        self.got: list[Message] = []
        self.broken: list[Exception] = []

    def _process_message(self, message: Message) -> None:
        self.got.append(message)

    def _finalize(self, error: Exception) -> None:
        self.broken.append(error)


def _reader(bus: _Bus, calls: list[MessageHeader]) -> BusReader:
    reader = BusReader.__new__(BusReader)  # without a loop to read the socket
    reader._bus, reader._on_call, reader._waiting, reader._skipping_bytes = bus, calls.append, bytearray(), 0
    return reader


def _sent(number: int, body_bytes: int, **more: Any) -> bytes:
    message = Message(
        destination=BUS_NAME,
        path=PATH,
        interface=INTERFACE,
        member=f"Call{number}",
        serial=number + 1,
        signature="s",
        body=["x" * body_bytes],
        **more,
    )
    return bytes(message._marshall(False))


_LENGTHS = (0, 7, 1000, MAX_BODY_BYTES - 5, MAX_BODY_BYTES - 4, 2 * MAX_BODY_BYTES)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(_LENGTHS), max_size=4),
    st.lists(st.one_of(st.integers(1, 40), st.just(2**16)), min_size=1, max_size=5),
)
def test_messages_are_told_apart_however_they_come_in(lengths: list[int], sizes: list[int]) -> None:
    calls: list[MessageHeader] = []
    bus, data = _Bus(), b"".join(_sent(number, length) for number, length in enumerate(lengths))
    reader, given_sizes = _reader(bus, calls), itertools.cycle(sizes)
    position = 0
    while position < len(data):
        size = 2**16 if position > 4096 else next(given_sizes)
        reader._take(data[position : position + size])
        position += size
    assert [(call.member, call.serial, call.signature) for call in calls] == [
        (f"Call{number}", number + 1, "s") for number in range(len(lengths))
    ]
    for call, length in zip(calls, lengths, strict=True):
        assert call.body_bytes == length + 5  # its length, and a terminating zero
        if call.body_bytes > MAX_BODY_BYTES:
            assert not call.data
        else:
            assert call.body() == ["x" * length]
    assert len(reader._waiting) == 0


@pytest.mark.parametrize("flags", [0, 3, 0x80, 0xFF])
def test_any_flags_are_read_as_they_are(flags: int) -> None:
    calls: list[MessageHeader] = []
    data = bytearray(_sent(1, 3))
    data[2] = flags
    _reader(_Bus(), calls)._take(bytes(data))
    [call] = calls
    assert call.flags == flags
    assert call.wants_reply == (not flags & MessageFlag.NO_REPLY_EXPECTED)
    assert call.body() == ["xxx"]


def test_an_answer_is_taken_only_by_who_waits_for_it() -> None:
    bus, calls = _Bus(), list[MessageHeader]()
    reader = _reader(bus, calls)
    for serial in (6, 7):
        reader._take(_sent(serial, 3, message_type=MessageType.METHOD_RETURN, reply_serial=serial))
    assert [message.reply_serial for message in bus.got] == [7]
    assert not calls


def test_a_head_with_an_endless_field_is_left_out_and_the_next_message_is_read() -> None:
    bus, calls = _Bus(), list[MessageHeader]()
    reader = _reader(bus, calls)
    fields = struct.pack("<BB", 1, 1) + b"o\0" + struct.pack("<I", 20_000) + b"/" + b"x" * 19_999 + b"\0"
    reader._take(struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 0, 1, len(fields)) + fields + b"\0" * (-len(fields) % 8))
    reader._take(
        struct.pack("<BBBBIII", ord("l"), 1, 0, 1, 0, 1, 8) + b"\x63\x01t\0\0\0\0\0"
    )  # a field of another type
    reader._take(_sent(2, 3))
    assert [call.member for call in calls] == ["Call2"]


def test_what_is_no_message_ends_the_connection() -> None:
    bus = _Bus()
    reader = _reader(bus, [])
    bus._sock, bus._fd = _Socket(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", iter([100] * 3)), 0  # type: ignore[attr-defined]

    async def read() -> None:
        reader._read()

    asyncio.run(read())
    assert [type(error) for error in bus.broken] == [ValueError]
