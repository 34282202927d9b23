"""The UDisks2 client on a private bus: one query, udisksd's messages only, and every change."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from dbus_fast.aio import MessageBus
from dbus_fast.message import Message
from dbus_fast.signature import Variant
from raidwright.core.errors import Unreachable
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot

from .fake_udisks import BLOCKS, DRIVES, NAME, ROOT, FakeUDisks, disk
from .private_bus import PrivateBus, private_bus

_WAIT_SECONDS = 180.0
_MANAGER = "org.freedesktop.DBus.ObjectManager"


@pytest.fixture
def bus() -> Iterator[PrivateBus]:
    with private_bus() as each:
        yield each


@contextlib.asynccontextmanager
async def _watched(
    bus: PrivateBus,
) -> AsyncIterator[tuple[FakeUDisks, Machine, Callable[[Callable[[Snapshot], bool]], Awaitable[Snapshot]]]]:
    """Yield a fake with one disk, a machine that sees it, and a function that waits for a snapshot."""
    fake = FakeUDisks(bus.address, disk("a"))
    await fake.start()
    async with Machine.connect(bus.address) as machine:
        changed = asyncio.Event()
        machine.watch(lambda _snapshot: changed.set())

        async def until(holds: Callable[[Snapshot], bool]) -> Snapshot:
            async with asyncio.timeout(_WAIT_SECONDS):
                while not holds(machine.snapshot):
                    await changed.wait()
                    changed.clear()
            return machine.snapshot

        yield fake, machine, until
    await fake.stop()


def _ping(client: str) -> Message:
    """Return a message whose reply shows that ``client`` has received everything sent before."""
    return Message(destination=client, path="/", interface="org.freedesktop.DBus.Peer", member="Ping")


def _devices(snapshot: Snapshot) -> list[str]:
    return [each.device for each in snapshot.disks]


def test_one_question_and_no_introspection(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, machine, until):
            assert _devices(machine.snapshot) == ["/dev/sda"]
            await fake.add(disk("b"))
            await until(lambda snapshot: len(snapshot.disks) == 2)
            assert fake.calls == ["GetManagedObjects"]

    asyncio.run(scene())


def test_disks_come_and_go(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, _machine, until):
            await fake.add(disk("b"))
            await until(lambda snapshot: _devices(snapshot) == ["/dev/sda", "/dev/sdb"])
            await fake.remove(f"{BLOCKS}/sda", f"{DRIVES}/WDC_DISK_SERIALA")
            await until(lambda snapshot: _devices(snapshot) == ["/dev/sdb"])

    asyncio.run(scene())


def test_a_property_changes(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, _machine, until):
            signature = {"IdUsage": Variant("s", "filesystem"), "IdType": Variant("s", "ext4")}
            await fake.change(f"{BLOCKS}/sda", f"{NAME}.Block", signature)
            await until(lambda snapshot: not snapshot.disks[0].is_free)

    asyncio.run(scene())


def test_many_changes_are_one_snapshot(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, machine, until):
            snapshots: list[Snapshot] = []
            machine.watch(snapshots.append)
            for letter in "bcdefgh":
                await fake.add(disk(letter))
            await until(lambda snapshot: len(snapshot.disks) == 8)
            assert len(snapshots) <= 3

    asyncio.run(scene())


def test_changes_of_unknown_objects_are_harmless(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, _machine, until):
            await fake.change(f"{BLOCKS}/ghost", f"{NAME}.Block", {"Size": Variant("t", 1)})
            await fake.change(f"{BLOCKS}/sda", f"{NAME}.Brandnew", {"Size": Variant("t", 1)})
            await fake.emit(ROOT, _MANAGER, "InterfacesRemoved", "oas", ["/ghost", ["x.y"]])
            await fake.add({f"{ROOT}/jobs/1": {f"{NAME}.Job": {"Progress": Variant("d", 0.5)}}})
            await fake.add(disk("b"))
            assert _devices(await until(lambda snapshot: len(snapshot.disks) == 2)) == ["/dev/sda", "/dev/sdb"]

    asyncio.run(scene())


def test_after_a_restart_the_disks_are_others_and_meanwhile_those_last_seen(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, _machine, until):
            await fake.stop()
            gone = await until(lambda snapshot: snapshot.problem != "")
            assert _devices(gone) == ["/dev/sda"]  # who can't be asked any more takes no disk away
            assert "UDisks2" in gone.problem
            fake.objects = disk("c")
            await fake.start()
            back = await until(lambda snapshot: snapshot.problem == "")
            assert _devices(back) == ["/dev/sdc"]

    asyncio.run(scene())


def test_changes_on_the_way_of_the_answer_are_not_lost(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (fake, _machine, until):
            await fake.stop()
            await until(lambda snapshot: snapshot.problem != "")
            fake.before_answer = disk("b")  # announced after the call, and not in its reply
            await fake.start()
            await until(lambda snapshot: _devices(snapshot) == ["/dev/sda", "/dev/sdb"])

    asyncio.run(scene())


def test_strangers_are_not_believed(bus: PrivateBus) -> None:
    """Neither broadcasts (the match rules name the sender) nor unicasts (the receiver checks)."""

    async def scene() -> None:
        async with _watched(bus) as (fake, machine, until):
            stranger = await MessageBus(bus_address=bus.address).connect()
            for destination in (None, fake.clients[0]):
                removal = Message.new_signal(
                    ROOT, _MANAGER, "InterfacesRemoved", "oas", [f"{BLOCKS}/sda", [f"{NAME}.Block"]]
                )
                removal.destination = destination
                await stranger.send(removal)
            await stranger.call(_ping(fake.clients[0]))
            await fake.add(disk("c"))
            await until(lambda snapshot: len(snapshot.disks) == 2)
            assert _devices(machine.snapshot) == ["/dev/sda", "/dev/sdc"]
            stranger.disconnect()
            await stranger.wait_for_disconnect()  # type: ignore[no-untyped-call]

    asyncio.run(scene())


def test_the_bus_itself_goes_and_comes_back() -> None:
    async def scene() -> None:
        with private_bus() as bus:
            async with _watched(bus) as (fake, _machine, until):
                bus.stop()
                with contextlib.suppress(EOFError):
                    await fake.bus.wait_for_disconnect()  # type: ignore[no-untyped-call]
                # UDisks2 may be seen to leave first.
                await until(lambda snapshot: "connection" in snapshot.problem)
                bus.start()
                await fake.start()
                await until(lambda snapshot: snapshot.problem == "" and len(snapshot.disks) == 1)

    asyncio.run(scene())


def test_no_udisks_is_said(bus: PrivateBus) -> None:
    with pytest.raises(Unreachable, match="udisks2"):
        asyncio.run(Machine.open(bus.address))


def test_no_bus_is_said() -> None:
    with pytest.raises(Unreachable, match="can't be reached"):
        asyncio.run(Machine.open("unix:path=/nowhere/bus"))


def test_closing_leaves_nothing(bus: PrivateBus) -> None:
    async def scene() -> None:
        async with _watched(bus) as (_fake, machine, _until):
            await machine.close()
            calls: list[Snapshot] = []
            machine.watch(calls.append)
            assert asyncio.all_tasks() == {asyncio.current_task()}
            with pytest.raises(Unreachable):
                _ = machine.helper

    asyncio.run(scene())
