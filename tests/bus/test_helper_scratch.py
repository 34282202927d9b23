"""Removal of recorded scratch arrays by the helper: only their own parts, whatever has happened since."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from dbus_fast import unpack_variants
from dbus_fast.aio import MessageBus
from raidwright.core.errors import InputError
from raidwright.core.model.plan import Member
from raidwright_helper.host import md
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.journal import Record
from raidwright_helper.records import scratch as scratch_module
from raidwright_helper.records.scratch import ScratchArrays
from raidwright_helper.verbs import disk_verbs

from .helper_house import PATIENCE_S, House, put_text
from .private_bus import PrivateBus

UUID, INNER, FOREIGN = (f"{digit * 8}:0a1b2c3d:0a1b2c3d:0a1b2c3d" for digit in "123")
NUMBERS = {"a": 1, "b": 2}
ARRAY = 9


@dataclass(slots=True)
class Machine:
    """Two disks with superblocks, perhaps an array on them, and a log."""

    superblocks: Mapping[str, str]
    running: str = ""
    holds: tuple[Signature, ...] = ()
    freed: list[tuple[str, ...]] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    seen = Machine({"a": UUID, "b": UUID})
    names = {number: name for name, number in NUMBERS.items()}

    @contextlib.contextmanager
    def pinned(_host: Host, path: str, *, who: str) -> Iterator[Pinned]:
        name = path.rpartition("/")[2]
        yield Pinned(NUMBERS[name], name, -1)

    async def superblock_uuid(node: str) -> str:
        return seen.superblocks[node]

    async def read_array(_host: Host, _number: int) -> SimpleNamespace:
        return SimpleNamespace(uuid=seen.running)

    async def dismantle(_host: Host, disks: list[int], _log: list[str]) -> None:
        seen.freed.append(tuple(names[number] for number in disks))

    async def found_on(_node: str) -> tuple[Signature, ...]:
        return seen.holds

    async def nothing(*_: object) -> None: ...

    monkeypatch.setattr(scratch_module, "pinned", pinned)
    monkeypatch.setattr(scratch_module, "verify_identity", lambda *_: None)
    monkeypatch.setattr(scratch_module, "lock_out_udev", nothing)
    monkeypatch.setattr(disk_verbs, "settle", nothing)
    monkeypatch.setattr(scratch_module, "found_on", found_on)
    monkeypatch.setattr(Host, "whole", lambda _host, number: number)
    monkeypatch.setattr(Host, "node", lambda _host, number: f"/dev/{number}")
    monkeypatch.setattr(md, "superblock_uuid", superblock_uuid)
    monkeypatch.setattr(md, "arrays_on", lambda _host, disks: (ARRAY,) if disks and seen.running else ())
    monkeypatch.setattr(md, "read_array", read_array)
    monkeypatch.setattr(md, "dismantle", dismantle)
    monkeypatch.setattr(md, "stop_arrays", nothing)
    monkeypatch.setattr(Host, "partitions", lambda *_: ())
    monkeypatch.setattr(Host, "holders", lambda *_: ())
    monkeypatch.setattr(
        scratch_module, "_clear_places", lambda _host, device, _member: seen.cleared.append(device.node)
    )
    return seen


def _noted(house: House, owner: str = ":0.1", boot: str = "now") -> ScratchArrays:
    put_text(house.root / "host/proc/sys/kernel/random/boot_id", f"{boot}\n")
    arrays = ScratchArrays(house.settings.host, Claims(), house.settings.notes)
    disks = [HeldDisk(Member(name, 2**40), Pinned(number, name, -1), None, ()) for name, number in NUMBERS.items()]  # type: ignore[arg-type]
    arrays.note([INNER, UUID], owner, disks)
    return arrays


def _remove(arrays: ScratchArrays) -> None:
    with contextlib.ExitStack() as until:
        asyncio.run(arrays.remove(arrays.find(UUID), Record("StopScratch", 0), until))


@pytest.mark.parametrize(
    ("superblocks", "running", "freed"),
    [
        ({"a": UUID, "b": UUID}, UUID, ("a", "b")),
        ({"a": INNER, "b": INNER}, UUID, ("a", "b")),  # of an inner array
        ({"a": UUID, "b": UUID}, "", ("a", "b")),  # stopped, or never started
        ({"a": UUID, "b": ""}, "", ("a",)),  # interrupted while the superblocks were written or erased
        ({"a": "", "b": ""}, "", ()),  # before they were written
        ({"a": UUID, "b": FOREIGN}, "", ("a",)),  # one has joined another array since
        ({"a": FOREIGN, "b": FOREIGN}, FOREIGN, ()),
    ],
)
def test_what_carries_its_superblock_is_freed_and_nothing_else(
    house: House, machine: Machine, superblocks: Mapping[str, str], running: str, freed: tuple[str, ...]
) -> None:
    arrays = _noted(house)
    machine.superblocks, machine.running = superblocks, running
    _remove(arrays)
    assert machine.freed == [freed]
    assert tuple(machine.cleared) == freed
    assert not list(arrays.all())


def test_a_running_array_of_others_on_its_disks_is_left_alone(house: House, machine: Machine) -> None:
    arrays, machine.running = _noted(house), FOREIGN
    with pytest.raises(InputError, match="nothing was stopped"):
        _remove(arrays)
    assert machine.freed == []


def test_a_file_system_that_was_cut_off_goes_with_its_array(
    house: House, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiped: list[Signature] = []

    async def wipe(_host: Host, _number: int, found: list[Signature], _log: list[str]) -> None:
        wiped.extend(found)

    monkeypatch.setattr(scratch_module, "wipe", wipe)
    ours, other = Signature("xfs", 0, 4, label="rw-measured"), Signature("gpt", 512, 8)
    arrays, machine.running, machine.holds = _noted(house), UUID, (ours, other)
    _remove(arrays)
    assert (wiped, machine.freed) == ([ours], [("a", "b")])


@pytest.mark.parametrize("boot", ["now", "before"])
def test_after_a_restart_it_goes_whoever_bears_its_owners_name_now(
    house: House, machine: Machine, shared_bus: PrivateBus, boot: str
) -> None:
    async def test() -> None:
        somebody = await MessageBus(bus_address=shared_bus.address).connect()
        arrays = _noted(house, str(somebody.unique_name), boot)
        put_text(house.root / "host/proc/sys/kernel/random/boot_id", "now\n")
        async with house.open() as client:  # its start looks for orphans
            [listed] = unpack_variants((await client.call("ListScratch")).body)
            while boot == "before" and listed:  # it is being taken away
                [listed] = unpack_variants((await client.call("ListScratch")).body)
            assert [one["uuid"] for one in listed] == ([UUID] if boot == "now" else [])
            assert len(list(arrays.all())) == len(listed)
        somebody.disconnect()

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


EXT4, MEASURED = Signature("ext4", 1080, 2), Signature("xfs", 0, 4, label="rw-measured")
OWN_INNER = Signature("linux_raid_member", 4096, 4, uuid="22222222-0a1b-2c3d-0a1b-2c3d0a1b2c3d")


@pytest.mark.parametrize("boot", ["now", "before"])
@pytest.mark.parametrize(
    ("holds", "stays"),
    [
        ((EXT4,), True),
        ((MEASURED, EXT4), True),
        ((Signature("crypto_LUKS", 0, 6),), True),
        ((Signature("linux_raid_member", 4096, 4, uuid="33333333-0a1b-2c3d-0a1b-2c3d0a1b2c3d"),), True),
        ((MEASURED,), False),
        ((OWN_INNER,), False),  # of an inner array, interrupted while it was stopped
        ((), False),
    ],
)
def test_what_somebody_put_on_it_goes_only_if_somebody_asks(
    house: House,
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    boot: str,
    holds: tuple[Signature, ...],
    stays: bool,
) -> None:
    async def wipe(*_: object) -> None: ...

    monkeypatch.setattr(scratch_module, "wipe", wipe)
    arrays = _noted(house, boot=boot)
    put_text(house.root / "host/proc/sys/kernel/random/boot_id", "now\n")
    machine.running, machine.holds = UUID, holds

    async def test() -> None:
        async with house.open() as client:  # its start finds it without an owner
            while len(listed := unpack_variants((await client.call("ListScratch")).body)[0]) != stays:
                await asyncio.sleep(0.05)
            if stays:
                assert "has come to hold something" in listed[0]["why_left"]
                await client.call("StopScratch", "s", UUID)
                await client.signal("Ended")

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))
    assert machine.freed == [("a", "b")]
    assert not list(arrays.all())
