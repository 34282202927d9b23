"""A service that takes longer to start than dbus-daemon waits, as the helper does on a very busy machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from dbus_fast.aio import MessageBus
from dbus_fast.constants import MessageType
from dbus_fast.message import Message
from raidwright.core.errors import Unreachable
from raidwright.machine.bus import Bus, BusCall

from .private_bus import private_bus

_NAME = "org.example.Late"
_CALL = BusCall(_NAME, "/", _NAME, "Ask")
_LIMITS = """<servicedir>{folder}</servicedir><limit name="service_start_timeout">{late_ms}</limit>"""
_SERVICE = """[D-BUS Service]
Name={name}
Exec=/bin/sh -c "echo >> {folder}/starts; exec sleep 60"
"""


def _limits(folder: Path, late_ms: int) -> str:
    (folder / "late.service").write_text(_SERVICE.format(name=_NAME, folder=folder))
    return _LIMITS.format(folder=folder, late_ms=late_ms)


async def _own_at_start(address: str, starts: Path, count: int) -> MessageBus:
    """Own the name once the daemon tries to start it for the ``count``th time, and answer every call."""
    service = await MessageBus(bus_address=address).connect()

    def answer(message: Message) -> Message | None:
        is_ours = message.message_type is MessageType.METHOD_CALL and message.member == "Ask"
        return Message.new_method_return(message, "s", ["here"]) if is_ours else None

    service.add_message_handler(answer)
    while not starts.exists() or len(starts.read_text().splitlines()) < count:
        await asyncio.sleep(0.02)
    await service.request_name(_NAME)
    return service


def test_a_call_is_repeated_until_its_service_is_there(tmp_path: Path) -> None:
    async def ask(address: str) -> list[object]:
        own = asyncio.create_task(_own_at_start(address, tmp_path / "starts", 2))
        bus = await Bus.connect(address)
        reply = await bus.call(_CALL, limit_seconds=None)
        await bus.close()
        (await own).disconnect()
        return reply.body

    with private_bus(_limits(tmp_path, 2000)) as bus:
        assert asyncio.run(ask(bus.address)) == ["here"]


def test_a_service_that_never_comes_is_told(tmp_path: Path) -> None:
    async def ask(address: str) -> None:
        bus = await Bus.connect(address)
        try:
            with pytest.raises(Unreachable, match="doesn't answer"):
                await bus.call(_CALL, limit_seconds=None)
        finally:
            await bus.close()

    with private_bus(_limits(tmp_path, 200)) as bus:
        asyncio.run(ask(bus.address))
    assert len((tmp_path / "starts").read_text().splitlines()) == 5
