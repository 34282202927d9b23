"""One practice machine for all tests that leave it unchanged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from dbus_fast import Message
from dbus_fast.aio import MessageBus
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("4x8TB", at_memory_speed=True))) as machine:
        yield machine


def ask(lab: Lab, message: Message, role: Role = "root") -> Message:
    """Return the reply to a caller of ``role`` on the lab's bus."""

    async def conversation() -> Message:
        bus = await MessageBus(bus_address=lab.bus_address(role)).connect()
        try:
            answer = await bus.call(message)
            assert answer is not None
            return answer
        finally:
            bus.disconnect()
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    return asyncio.run(conversation())


def drives(lab: Lab) -> dict[str, dict[str, Any]]:
    """UDisks2's drives by serial, as properties of ``org.freedesktop.UDisks2.Drive``."""
    answer = ask(
        lab,
        Message(
            destination="org.freedesktop.UDisks2",
            path="/org/freedesktop/UDisks2",
            interface="org.freedesktop.DBus.ObjectManager",
            member="GetManagedObjects",
        ),
    )
    found = [interfaces.get("org.freedesktop.UDisks2.Drive") for interfaces in answer.body[0].values()]
    plain = [{name: variant.value for name, variant in drive.items()} for drive in found if drive]
    return {drive["Serial"]: drive for drive in plain if drive["Serial"]}
