"""Showing which disk is meant: by its light or by reads, on that disk alone, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import JobFailed
from raidwright.core.protocol import codec, verbs
from raidwright.core.protocol.names import INTERFACE, JOB_INTERFACE
from raidwright.core.protocol.results import DiskLocated, LocateWay, NoLight
from raidwright.core.protocol.verb import CANCEL
from raidwright_helper.acts import locate
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult

from .helper_house import PATIENCE_S, Client, House, put_array, put_disk, variants

SIZE = 8 * 10**12
DISK = {"id": "wwn-0x5001", "model": "WD80EFZX", "serial": "ZHZ1", "size_bytes": SIZE}
ERROR = f"{INTERFACE}.Error"


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


class Bay:
    """Two disks of a house; ``ran`` has each command, ``codes`` ledctl's answers."""

    def __init__(self, house: House, ledctl: Path) -> None:
        self.house, self.root, self.ledctl = house, house.root / "host", ledctl
        self.ran: list[tuple[str, ...]] = []
        self.code = 0
        self.lasts_s = 0.0
        for name, number in (("sda", 1), ("sdb", 2)):
            put_disk(self.root, name, f"wwn-0x500{number}", "WD80EFZX", f"ZHZ{number}", SIZE)

    async def run(self, argv: Sequence[str], *, limit_s: float, accept: Sequence[int] = (0,)) -> ProgramResult:
        """Replace the start of a program."""
        assert limit_s <= 100
        self.ran.append(tuple(argv))
        if argv[0] == "/usr/bin/fio":
            await asyncio.sleep(self.lasts_s)
        code = self.code if any(word.startswith("locate=") for word in argv) and "--wait" in argv else 0
        if code not in accept:
            raise JobFailed("it failed")
        return ProgramResult(tuple(argv), code, "", "")

    @contextlib.contextmanager
    def pinned(self, host: Host, path: str, *, who: str) -> Iterator[Pinned]:
        """Replace opening a device; it is identified by its links."""
        del who
        [number] = [one for one in host.disks() if path.removeprefix("/dev/") in host.udev(one).links]
        yield Pinned(number, host.node(number), -1)

    def words(self, begins: str) -> list[str]:
        """Return the words of all commands that begin so."""
        return [word for argv in self.ran for word in argv if word.startswith(begins)]


@pytest.fixture
def bay(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Bay:
    bay = Bay(house, tmp_path / "ledctl")

    async def version() -> str:
        return "3.33"

    monkeypatch.setattr(locate, "pinned", bay.pinned)
    monkeypatch.setattr(locate, "verify_fio", version)
    monkeypatch.setattr(locate, "run", bay.run)
    monkeypatch.setattr(locate, "LEDCTL", str(bay.ledctl))
    return bay


async def _locate(client: Client, disk: dict[str, Any] = DISK, **options: Any) -> Any:
    return await client.ask(verbs.LOCATE_DISK, variants(disk), variants({"seconds": 1} | options))


async def _located(client: Client, **options: Any) -> tuple[DiskLocated, list[str]]:
    """Return the job's result, and its steps."""
    reply = await _locate(client, **options)
    assert not reply.error_name, reply.body
    steps = []
    while (signal := await client.signal("Progress", "Ended", "Failed")).member == "Progress":
        steps.append(signal.body[0])
    assert signal.member == "Ended", signal.body
    return codec.read(DiskLocated, signal.body[0]), steps


def test_only_the_disk_that_is_meant_is_shown_and_only_read(bay: Bay) -> None:
    async def test() -> None:
        async with bay.house.open() as client:
            done, steps = await _located(client)
            assert (done.way, done.no_light, steps) == (LocateWay.READS, NoLight.NO_PROGRAM, ["stage-blink"])
            [fio] = bay.ran
            assert "--filename=/dev/sda" in fio
            assert "--readonly" in fio
            assert "--rw=randread" in fio
            for wrong in ({"serial": "ZHZ2"}, {"size_bytes": 1}, {"id": "wwn-0x5002"}, {"model": "ST8000"}):
                reply = await _locate(client, DISK | wrong)
                assert str(reply.error_name).startswith(ERROR), wrong
            assert len(bay.ran) == 1

    run(test())


def test_the_light_of_that_bay_alone_goes_on_and_off(bay: Bay) -> None:
    bay.ledctl.touch()

    async def test() -> None:
        async with bay.house.open() as client:
            done, steps = await _located(client)
            assert (done.way, steps) == (LocateWay.LIGHT, ["stage-light"])

    run(test())
    assert bay.words("locate") == ["locate_off=/dev/sda", "locate=/dev/sda", "locate_off=/dev/sda"]
    assert len(bay.words("--listed-only")) == 3
    assert bay.words("--on-active")  # first of all: it goes out whatever becomes of the helper
    assert not bay.words("--filename")


def test_without_a_light_it_is_read_or_refused_with_the_reason(bay: Bay) -> None:
    async def test() -> None:
        async with bay.house.open() as client:
            reply = await _locate(client, way="light")
            assert "ledctl isn't installed" in reply.body[0]
            bay.ledctl.touch()
            bay.code = 33
            reply = await _locate(client, way="light")
            assert reply.error_name == f"{ERROR}.DiskRefused"
            assert "knows no light of its bay" in reply.body[0]
            done, _ = await _located(client)
            assert (done.way, done.no_light) == (LocateWay.READS, NoLight.NO_BAY)
            done, _ = await _located(client, way="reads")
            assert (done.way, done.no_light) == (LocateWay.READS, NoLight.NOTHING)

    run(test())


def test_the_light_goes_out_when_it_is_cancelled(bay: Bay) -> None:
    bay.ledctl.touch()

    async def test() -> None:
        async with bay.house.open() as client:
            reply = await _locate(client, seconds=60)
            await client.signal("Progress")
            await client.call(CANCEL.name, path=reply.body[0], interface=JOB_INTERFACE)
            assert (await client.signal("Ended", "Failed")).body[0] == "cancelled"

    run(test())
    assert bay.words("locate")[-1] == "locate_off=/dev/sda"


def test_one_disk_is_shown_at_a_time(bay: Bay) -> None:
    bay.lasts_s = 30.0

    async def test() -> None:
        async with bay.house.open() as client:
            assert not (await _locate(client)).error_name
            other = DISK | {"id": "wwn-0x5002", "serial": "ZHZ2"}
            assert (await _locate(client, other)).error_name == f"{ERROR}.Busy"

    run(test())


@pytest.mark.parametrize(
    ("disk", "options"),
    [
        (DISK, {"seconds": 61}),
        (DISK, {"seconds": -1}),
        (DISK, {"way": "--help"}),
        (DISK, {"pattern": "failure"}),
        (DISK | {"disk": "wwn-0x5001", "partition": 1}, {}),
        (DISK | {"id": "../sda"}, {}),
        ({}, {}),
    ],
)
def test_what_is_no_disk_or_no_way_is_refused(bay: Bay, disk: dict[str, Any], options: dict[str, Any]) -> None:
    async def test() -> None:
        async with bay.house.open() as client:
            reply = await _locate(client, disk, **options)
            assert reply.error_name in (f"{ERROR}.BadInput", f"{ERROR}.PlanRefused")

    run(test())
    assert not bay.ran


def test_an_array_is_not_shown(bay: Bay) -> None:
    put_array(bay.root, "md0", "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d", "tank")

    async def test() -> None:
        async with bay.house.open() as client:
            reply = await _locate(client, DISK | {"id": "md-uuid-0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"})
            assert str(reply.error_name).startswith(ERROR)

    run(test())
    assert not bay.ran
