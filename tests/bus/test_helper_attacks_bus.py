"""Attacks on the dispatcher: malformed messages, late prompts, and crowds of callers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from dbus_fast import Message, MessageFlag, MessageType, Variant
from raidwright.core.protocol.names import BUS_NAME, INTERFACE, PATH
from raidwright_helper.jobs.bus_values import ascii_text
from raidwright_helper.service.dispatcher import MAX_CALLS_OF_ONE, Dispatcher
from raidwright_helper.service.places import MAX_OF_A_USER
from raidwright_helper.service.wire import PEER
from raidwright_helper.verbs import disk_verbs as verbs

from .fake_polkit import Answer, FakePolkit
from .helper_house import PATIENCE_S, Client, House, a_plan, variants

OPTIONS = variants({"confirmed_name": "tank"})
ERROR = f"{INTERFACE}.Error"
DBUS = "org.freedesktop.DBus"


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


class SlowPolkit(FakePolkit):
    """Fake polkit that delays every answer until told."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.asked: asyncio.Queue[Message] = asyncio.Queue()

    def _reply(self, message: Message) -> Message | bool:
        self.asked.put_nowait(message)
        return True

    def answer_to(self, message: Message, *, is_allowed: bool) -> None:
        """Answer at last."""
        assert self._bus
        self._bus.send(Message.new_method_return(message, "(bba{ss})", [[is_allowed, False, {}]]))


@pytest.fixture
def slow(house: House) -> SlowPolkit:
    """The house's polkit, with delayed answers."""
    house.polkit = SlowPolkit(house.polkit.address)
    return house.polkit


@pytest.mark.parametrize("flags", [3, 5, 6, 7, 8, 0x80, 0xFF])
def test_no_flags_end_it(house: House, flags: int) -> None:
    async def test() -> None:
        async with house.open() as client:
            await client.bus.send(_call("ExamineDisks", flags=MessageFlag(flags)))
            assert (await client.call("ExamineDisks")).message_type is MessageType.METHOD_RETURN

    run(test())


def _call(member: str, **more: Any) -> Message:
    return Message(destination=BUS_NAME, path=PATH, interface=INTERFACE, member=member, **more)


def test_of_the_peers_interface_there_is_only_ping(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            assert (await client.call("Ping", interface=PEER)).message_type is MessageType.METHOD_RETURN
            reply = await client.call("GetMachineId", interface=PEER)
            assert reply.error_name == "org.freedesktop.DBus.Error.UnknownMethod"

    run(test())


def test_what_it_says_back_moves_no_cursor_and_is_no_echo_chamber(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            for hostile in ("raid\x1b[2J\x07", "x" * 200_000, "\u202eräid"):
                for key in ("level", "layout"):
                    plan = a_plan(**{key: hostile})
                    reply = await client.call("CreateArray", "a{sv}a{sv}", plan, OPTIONS)
                    assert reply.error_name == f"{ERROR}.BadInput"
                    texts = [reply.body[0], *(str(field.value) for field in reply.body[2].values())]
                    assert all(text.isprintable() and text.isascii() and len(text) <= 2**14 for text in texts)

    run(test())
    assert ascii_text("a\x1bb\r\nc") == "a b  c"


def test_a_forged_answer_of_polkit_is_none(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    acts: list[object] = []
    monkeypatch.setattr(verbs.Verbs, "_examine", lambda *_: acts.append("examined"))

    async def test() -> None:
        async with house.open(Answer.SILENCE) as client:
            call = asyncio.create_task(client.call("ExamineDisks"))
            while not house.polkit.questions:
                await asyncio.sleep(0.01)
            owner = await _ask_bus(client, "GetNameOwner", BUS_NAME)
            forger = await house.client()
            for serial in range(1, 60):
                await forger.bus.send(
                    Message(
                        message_type=MessageType.METHOD_RETURN,
                        destination=owner,
                        reply_serial=serial,
                        signature="(bba{ss})",
                        body=[[True, False, {}]],
                    )
                )
            await client.call("Ping", interface=PEER)
            await asyncio.sleep(0.2)
            assert not call.done()
            call.cancel()

    run(test())
    assert not acts


async def _ask_bus(client: Client, member: str, argument: str) -> Any:
    reply = await client.bus.call(
        Message(
            destination=DBUS,
            path="/org/freedesktop/DBus",
            interface=DBUS,
            member=member,
            signature="s",
            body=[argument],
        )
    )
    return reply.body[0]


def test_a_forged_word_of_the_bus_ends_nobodys_call(house: House, slow: SlowPolkit) -> None:
    async def test() -> None:
        async with house.open() as client:
            call = asyncio.create_task(client.call("ExamineDisks"))
            question = await slow.asked.get()
            forger = await house.client()
            await forger.bus.send(
                Message(
                    message_type=MessageType.SIGNAL,
                    destination=BUS_NAME,
                    path="/org/freedesktop/DBus",
                    interface=DBUS,
                    member="NameOwnerChanged",
                    signature="sss",
                    body=[client.name, client.name, ""],
                )
            )
            await forger.call("Ping", interface=PEER)
            assert slow.withdrawn.empty()
            slow.answer_to(question, is_allowed=True)
            assert (await call).message_type is MessageType.METHOD_RETURN

    run(test())


def test_a_slow_prompt_keeps_nobody_else_waiting(house: House, slow: SlowPolkit) -> None:
    async def test() -> None:
        async with house.open() as client:
            waiting = asyncio.create_task(client.call("ExamineDisks", interactive=True))
            first = await slow.asked.get()
            other = await house.client()
            calls = [asyncio.create_task(other.call("ExamineDisks")) for _ in range(3)]
            for _ in calls:
                slow.answer_to(await slow.asked.get(), is_allowed=True)
            replies = await asyncio.gather(*calls)
            assert all(reply.message_type is MessageType.METHOD_RETURN for reply in replies)
            assert not waiting.done()
            slow.answer_to(first, is_allowed=True)
            assert (await waiting).message_type is MessageType.METHOD_RETURN

    run(test())


@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_permission_that_comes_after_the_caller_left_serves_nobody(
    house: House, slow: SlowPolkit, monkeypatch: pytest.MonkeyPatch, is_allowed: bool
) -> None:
    acts: list[object] = []
    monkeypatch.setattr(verbs.Verbs, "_create", lambda *_: acts.append("created"))

    async def test() -> None:
        async with house.open() as client:
            leaver = await house.client()
            call = asyncio.create_task(
                leaver.call("CreateArray", "a{sv}a{sv}", a_plan(), OPTIONS, interactive=True),
            )
            question = await slow.asked.get()
            call.cancel()
            leaver.bus.disconnect()
            await slow.withdrawn.get()
            slow.answer_to(question, is_allowed=is_allowed)
            await client.call("Ping", interface=PEER)

    run(test())
    assert not acts


def test_a_denied_prompt_does_nothing_and_says_so(
    house: House, slow: SlowPolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[object] = []
    monkeypatch.setattr(verbs.Verbs, "_create", lambda *_: acts.append("created"))

    async def test() -> None:
        async with house.open() as client:
            call = asyncio.create_task(client.call("CreateArray", "a{sv}a{sv}", a_plan(), OPTIONS, interactive=True))
            slow.answer_to(await slow.asked.get(), is_allowed=False)
            reply = await call
            assert reply.error_name == f"{ERROR}.Denied"
            assert "administrator" in reply.body[0]

    run(test())
    assert not acts


def test_one_user_on_many_connections_leaves_room_for_another(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    administrator: list[str] = []

    async def uid_of(_self: Dispatcher, sender: str) -> int:
        return 1000 if sender in administrator else 1001

    monkeypatch.setattr(Dispatcher, "_uid_of", uid_of)

    async def test() -> None:
        async with house.open(Answer.SILENCE) as client:
            administrator.append(client.name)
            crowd = [await house.client() for _ in range(MAX_OF_A_USER // MAX_CALLS_OF_ONE)]
            calls = [asyncio.create_task(one.call("ExamineDisks")) for one in crowd * MAX_CALLS_OF_ONE]
            while len(house.polkit.questions) < MAX_OF_A_USER:
                await asyncio.sleep(0.01)
            late = await house.client()
            assert (await late.call("ExamineDisks")).error_name == f"{ERROR}.Busy"
            calls.append(asyncio.create_task(client.call("ExamineDisks")))
            while house.polkit.questions[-1].subject != client.name:
                await asyncio.sleep(0.01)
            for call in calls:
                call.cancel()

    run(test())


def test_values_of_every_type_are_read_or_refused(house: House) -> None:
    nested = Variant("s", "x")
    for _ in range(50):
        nested = Variant("v", nested)
    strange = [
        nested,
        Variant("a{qv}", {1: Variant("s", "x")}),
        Variant("a(ss)", [["a", "b"]] * 500),
        Variant("g", "a{sv}"),
        Variant("d", float("nan")),
        Variant("ay", b"\xff" * 4096),
        Variant("x", -(2**63)),
        Variant("t", 2**64 - 1),
    ]

    async def test() -> None:
        async with house.open() as client:
            for value in strange:
                for key in ("level", "name", "members", "chunk_kib", "journal", "links"):
                    reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan() | {key: value}, OPTIONS)
                    assert reply.error_name == f"{ERROR}.BadInput", (key, value)

    run(test())
