"""Notifications over a real session bus: sent to the owner of the name, and dropped without an owner, or a bus."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from raidwright.machine.bus import plain
from raidwright.machine.desktop import notify
from raidwright.session import Session
from raidwright.tasks import TaskThread

from .fake_desktop import desktop, words
from .private_bus import PrivateBus


@pytest.fixture
def session_bus(shared_bus: PrivateBus, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", shared_bus.address)
    return shared_bus.address


def test_the_desktop_is_asked_as_its_specification_says(session_bus: str) -> None:
    async def told() -> None:
        async with desktop(session_bus) as said:
            await notify("“tank” is built", "a < b & c")
            (message,) = said
        assert message.signature == "susssasa{sv}i"
        assert words(message) == ("Raidwright", "“tank” is built", "a &lt; b &amp; c")
        assert plain(message.body)[6] == {"desktop-entry": "org.raidwright.Raidwright"}

    asyncio.run(told())


def test_without_a_daemon_nothing_is_said(session_bus: str) -> None:
    asyncio.run(notify("Nobody", "hears this"))


def test_without_a_bus_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    asyncio.run(notify("Nobody", "hears this"))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "no address")
    asyncio.run(notify("Nobody", "hears this"))


def test_the_window_s_session_passes_it_on(session_bus: str) -> None:
    async def told() -> None:
        session = Session(TaskThread())
        async with desktop(session_bus) as said:
            session.notify("Done", "at last")
            async with asyncio.timeout(60):
                while not said:
                    await asyncio.sleep(0.02)
            await asyncio.to_thread(session.close)
        assert words(said[0]) == ("Raidwright", "Done", "at last")

    asyncio.run(told())
