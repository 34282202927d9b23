"""The first look: what busctl prints becomes the same snapshot that the bus library sees, and nothing stays behind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.machine.machine import Machine
from raidwright.machine.udisks.first_look import FirstLook, objects_from

from .fake_udisks import FakeUDisks, disk
from .private_bus import PrivateBus, private_bus


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as each:
        yield each


def _children() -> list[str]:
    """The busctls that this thread has begun and that nobody has waited for."""
    ids = Path("/proc/thread-self/children").read_text(encoding="ascii").split()
    return [each for each in ids if "busctl" in Path(f"/proc/{each}/comm").read_text(encoding="utf-8")]


def test_it_sees_what_the_connection_sees(bus: PrivateBus) -> None:
    async def scene() -> None:
        fake = FakeUDisks(bus.address, disk("a", wwn="0x5000c500a1b2c3d4") | disk("b"))
        await fake.start()
        look = FirstLook(bus.address, "admin")
        seen = await asyncio.to_thread(look.take)
        async with Machine.connect(bus.address) as machine:
            assert len(machine.snapshot.disks) == 2
            assert seen == machine.snapshot
        await fake.stop()

    asyncio.run(scene())
    assert not _children()


def test_more_than_a_pipe_holds(bus: PrivateBus) -> None:
    many = {path: each for number in range(99) for path, each in disk(f"a{number}").items()}

    async def scene() -> None:
        fake = FakeUDisks(bus.address, many)
        await fake.start()
        seen = await asyncio.to_thread(FirstLook(bus.address, "admin").take)
        assert seen is not None
        assert len(seen.disks) == 99
        await fake.stop()

    asyncio.run(scene())


def test_nothing_is_seen_where_there_is_no_answer(
    bus: PrivateBus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FirstLook(bus.address, "admin").take() is None
    assert FirstLook("unix:path=/nowhere/at/all", "admin").take() is None
    monkeypatch.setenv("PATH", str(tmp_path))
    look = FirstLook(bus.address, "admin")
    assert look.is_ready
    assert look.take() is None
    broken = tmp_path / "busctl"
    broken.write_text("#!/bin/sh\necho '{\"type\":'; exit 1\n")
    broken.chmod(0o755)
    assert FirstLook(bus.address, "admin").take() is None


def test_a_look_that_nobody_waits_for_ends(bus: PrivateBus) -> None:
    with bus.frozen():
        look = FirstLook(bus.address, "admin")
        while not _children():
            time.sleep(0.01)
        assert not look.is_ready
        look.end()
        look.end()
        assert not _children()


def test_what_is_no_machine_is_said_before_anything_is_asked() -> None:
    with pytest.raises(InputError, match="not a machine"):
        FirstLook("nowhere", "admin")


def test_variants_are_unpacked_and_paths_are_text() -> None:
    device = {"type": "ay", "data": [*b"/dev/sda\0"]}
    configuration = {"type": "a(sa{sv})", "data": [["fstab", {"dir": {"type": "ay", "data": [*b"/srv\0"]}}]]}
    links = {"type": "aay", "data": [[*b"/dev/disk/by-id/a\0"], [*b"/dev/disk/by-id/b\0"]]}
    block = {"Device": device, "Configuration": configuration, "Symlinks": links, "Size": {"type": "t", "data": 8}}
    said = {"type": "a{oa{sa{sv}}}", "data": [{"/a": {"Block": block}}]}
    assert objects_from(said)["/a"]["Block"] == {
        "Device": "/dev/sda",
        "Configuration": [["fstab", {"dir": "/srv"}]],
        "Symlinks": ["/dev/disk/by-id/a", "/dev/disk/by-id/b"],
        "Size": 8,
    }
