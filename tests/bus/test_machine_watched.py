"""A machine watched for the window: notifications when it disconnects and reconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.values import Snapshot
from raidwright.operations.watch import Watch

from .fake_udisks import FakeUDisks
from .private_bus import private_bus


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.02)


def test_what_is_asked_once_it_is_reached_is_asked_again_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    told: list[object] = []

    def reached() -> int:
        return sum(isinstance(one, Connection) and one.state is ConnectionState.CONNECTED for one in told)

    async def go_and_come_back(address: str) -> None:
        udisks = FakeUDisks(address)
        await udisks.start()
        watching = asyncio.ensure_future(Watch().look_at(address, "admin", told.append))
        try:
            await _until(lambda: reached() == 1)
            await udisks.stop()
            await _until(lambda: any(isinstance(one, Snapshot) and bool(one.problem) for one in told))
            assert reached() == 1
            await udisks.start()
            await _until(lambda: reached() == 2)
        finally:
            watching.cancel()
            await asyncio.wait([watching])
            await udisks.stop()

    with private_bus() as bus:
        asyncio.run(go_and_come_back(bus.address))
