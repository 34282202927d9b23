"""A machine watched for the window: notifications when it disconnects and reconnects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from dbus_fast.signature import Variant
from raidwright.machine.connection import Connection, ConnectionState
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.watch import Watch

from .fake_udisks import BLOCKS, NAME, ROOT, FakeUDisks, device_bytes, disk
from .private_bus import private_bus

_MD = f"{ROOT}/mdraid/one"


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


def test_an_arrays_members_that_come_after_it_are_waited_for() -> None:
    """As UDisks2 2.11 announces them: a command right after a build found members without a name."""
    members = [[f"{BLOCKS}/sd{letter}", slot, ["in_sync"], 0, {}] for slot, letter in enumerate("ab")]
    array = {
        "UUID": Variant("s", "a:b:c:d"),
        "Level": Variant("s", "raid1"),
        "Running": Variant("b", True),
        "ActiveDevices": Variant("a(oiasta{sv})", members),
    }
    block = {
        "Device": Variant("ay", device_bytes("/dev/md127")),
        "MDRaid": Variant("o", _MD),
        "Size": Variant("t", 10**9),
    }
    runs = {_MD: {f"{NAME}.MDRaid": array}, f"{BLOCKS}/md127": {f"{NAME}.Block": block}}

    async def built(address: str) -> None:
        udisks = FakeUDisks(address, disk("a") | runs)
        await udisks.start()
        try:
            async with Machine.connect(address) as machine:
                seen = asyncio.ensure_future(machine.facts_seen())
                await asyncio.sleep(0.5)
                assert not seen.done()
                await udisks.add(disk("b"))
                await asyncio.wait_for(seen, 60)
                assert [place.device for place in machine.snapshot.arrays[0].places] == ["/dev/sda", "/dev/sdb"]
        finally:
            await udisks.stop()

    with private_bus() as bus:
        asyncio.run(built(bus.address))
