"""Taking a disk's baseline over the bus: disks touched, commands, and ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message
from raidwright.core.errors import JobFailed
from raidwright.core.protocol import codec, verbs
from raidwright.core.protocol.measured import BaselineResult
from raidwright.core.protocol.names import INTERFACE
from raidwright.core.protocol.results import AtOnceResult
from raidwright.core.protocol.verb import CANCEL
from raidwright.core.system.baseline import KEPT_BYTES, Measurement, measurements
from raidwright_helper.acts import baseline, create
from raidwright_helper.host import holding
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.host.runner import run as run_for_real
from raidwright_helper.host.signatures import Signature

from .helper_house import PATIENCE_S, Client, House, a_plan, put_device, put_disk, put_text, variants

SDA = os.makedev(8, 0)
SIZE = 8 * 10**12
DISK = {"id": "wwn-0x5001", "model": "WD80EFZX", "serial": "ZHZ1", "size_bytes": SIZE}
READING, WRITING = variants({"seconds": 1}), variants({"seconds": 1, "write": True})
ERROR = f"{INTERFACE}.Error"


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))


def printed(argv: Sequence[str], error: int = 0) -> str:
    """Return fio's output for a second in which 200 requests of 4 KiB took 5 ms each."""
    told = {"io_bytes": 200 * 4096, "total_ios": 200, "runtime": 1000, "clat_ns": {"mean": 5e6, "N": 200}}
    nothing = {"io_bytes": 0, "total_ios": 0, "runtime": 0, "clat_ns": {"mean": 0.0, "N": 0}}
    writes = any(word.startswith("--rw=") and word.endswith("write") for word in argv)
    job = {"error": error, "read": nothing if writes else told, "write": told if writes else nothing}
    jobs = [job] * sum(word.startswith("--name=") for word in argv)
    return "fio: a word ahead\n" + json.dumps({"jobs": jobs}, indent=2) + "\n"


class Bench:
    """Two disks of a house, with a simulated fio; ``ran`` has each command, ``found`` the disks' signatures."""

    def __init__(self, house: House) -> None:
        self.house, self.root = house, house.root / "host"
        self.ran: list[tuple[str, ...]] = []
        self.found: tuple[Signature, ...] = ()
        self.held: list[int] = []
        self.play: Callable[[Sequence[str]], str] = printed
        for name, number in (("sda", 1), ("sdb", 2)):
            put_disk(self.root, name, f"wwn-0x500{number}", "WD80EFZX", f"ZHZ{number}", SIZE)

    async def run(self, argv: Sequence[str], *, limit_s: float) -> ProgramResult:
        """Replace the start of fio."""
        assert limit_s < 60
        self.ran.append(tuple(argv))
        return ProgramResult(tuple(argv), 0, self.play(argv), "")

    @contextlib.contextmanager
    def pinned(self, host: Host, path: str, *, who: str) -> Iterator[Pinned]:
        """Replace opening a device; it is identified by its links."""
        del who
        [number] = [one for one in host.disks() if path.removeprefix("/dev/") in host.udev(one).links]
        yield Pinned(number, host.node(number), -1)

    @contextlib.contextmanager
    def exclusive(self, _host: Host, device: Pinned, _who: str) -> Iterator[None]:
        """Replace the kernel's exclusive claim."""
        self.held.append(device.number)
        try:
            yield
        finally:
            self.held.remove(device.number)


@pytest.fixture
def bench(house: House, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(house)

    async def nothing(*_: object) -> None: ...

    async def version() -> str:
        return "3.33"

    async def found(*_: object) -> tuple[Signature, ...]:
        return bench.found

    for module in (baseline, holding):
        monkeypatch.setattr(module, "pinned", bench.pinned)
    monkeypatch.setattr(holding, "lock_out_udev", nothing)
    monkeypatch.setattr(holding, "Exclusive", bench.exclusive)
    monkeypatch.setattr(holding, "found_anywhere", found)
    monkeypatch.setattr(baseline, "verify_fio", version)
    monkeypatch.setattr(baseline, "verify_empty", nothing)
    monkeypatch.setattr(baseline, "run", bench.run)
    monkeypatch.setattr(create, "verify_plan", nothing)
    return bench


async def _take(client: Client, options: dict[str, Any] = READING, **changes: Any) -> Message:
    return await client.ask(verbs.TAKE_BASELINE, variants(DISK | changes), options)


async def _taken(client: Client, options: dict[str, Any]) -> tuple[BaselineResult, list[float]]:
    """Return the job's result, and its progress values."""
    reply = await _take(client, options)
    assert not reply.error_name, reply.body
    told: list[float] = []
    while (signal := await client.signal("Progress", "Ended", "Failed")).member == "Progress":
        told.append(signal.body[1])
    assert signal.member == "Ended", signal.body
    return codec.read(BaselineResult, signal.body[0]), told


def _writes(argv: Sequence[str]) -> bool:
    return "--readonly" not in argv


def _mounted(bench: Bench) -> None:
    put_text(bench.root / "proc/self/mountinfo", "36 35 8:0 / /srv/photos rw - ext4 /dev/sda rw\n")


def test_reading_never_gets_a_command_that_writes(bench: Bench) -> None:
    """Also on a disk in use, as the system's own always is."""
    _mounted(bench)

    async def test() -> None:
        async with bench.house.open() as client:
            result, told = await _taken(client, READING)
            assert set(result.figures) == set(measurements(write=False))
            assert (result.size_bytes, result.seconds, result.fio) == (SIZE, 1, "3.33")
            assert result.figures[Measurement.READ_4K].iops == 200
            assert result.figures[Measurement.READ_4K].latency_ms == 5
            assert told == sorted(told)
            assert len(told) == len(bench.ran) == 9

    run(test())
    for argv in bench.ran:
        assert {"--filename=/dev/sda", "--readonly", "--direct=1", "--runtime=1"} <= set(argv)
        assert {word for word in argv if word.startswith("--rw=")} <= {"--rw=read", "--rw=randread"}


def test_writing_holds_the_disk_and_keeps_clear_of_its_ends(bench: Bench) -> None:
    looked: list[list[int]] = []

    def play(argv: Sequence[str]) -> str:
        looked.append(list(bench.held))
        return printed(argv)

    bench.play = play

    async def test() -> None:
        async with bench.house.open() as client:
            result, _ = await _taken(client, WRITING)
            assert set(result.figures) == set(Measurement)

    run(test())
    assert looked == [[SDA]] * len(Measurement)
    assert bench.held == []
    writing = [dict(word.split("=", 1) for word in argv if "=" in word) for argv in bench.ran if _writes(argv)]
    assert [one["--name"] for one in writing] == [one for one in Measurement if one.probe.pattern.writes]
    for words in writing:
        offset = int(words["--offset"])
        assert KEPT_BYTES <= offset < offset + int(words["--size"]) <= SIZE - KEPT_BYTES
    assert [words.get("--fsync") for words in writing] == [None, None, None, "1", None]


OTHER = DISK | {"id": "wwn-0x5002", "serial": "ZHZ2"}


async def _at_once(client: Client, *disks: dict[str, Any], **options: Any) -> Message:
    return await client.ask(
        verbs.MEASURE_AT_ONCE, [variants(one) for one in disks], variants({"seconds": 1, **options})
    )


def test_disks_that_are_measured_at_once_are_only_read_by_one_command_for_all(bench: Bench) -> None:
    _mounted(bench)

    async def test() -> None:
        async with bench.house.open() as client:
            assert not (await _at_once(client, DISK, OTHER)).error_name
            while (signal := await client.signal("Progress", "Ended", "Failed")).member == "Progress":
                pass
            result = codec.read(AtOnceResult, signal.body[0])
            assert [list(told) for told in (result.streams, result.accesses)] == [[DISK["id"], OTHER["id"]]] * 2
            assert result.accesses[str(OTHER["id"])].iops == 200
            await _taken(client, READING)  # both are free again

    run(test())
    assert len(bench.ran) == 2 + len(measurements(write=False))
    for argv in bench.ran[:2]:
        assert [word for word in argv if word.startswith("--filename=")] == [
            "--filename=/dev/sda",
            "--filename=/dev/sdb",
        ]
        assert argv.count("--readonly") == 2
        assert "--group_reporting" not in argv  # or one would stand for both


@pytest.mark.parametrize(
    ("disks", "options", "error"),
    [
        ([], {}, "BadInput"),
        ([DISK], {}, "BadInput"),
        ([DISK, DISK], {}, "BadInput"),
        ([DISK, OTHER] * 33, {}, "BadInput"),
        ([DISK, OTHER], {"write": False}, "BadInput"),
        ([DISK, OTHER], {"seconds": 11}, "BadInput"),
        ([DISK, OTHER | {"partition": 1, "disk": "wwn-0x5002"}], {}, "BadInput"),
        ([DISK, OTHER | {"serial": "ZHZ3"}], {}, "DiskRefused"),
    ],
)
def test_what_cannot_be_measured_at_once_is_refused(
    bench: Bench, disks: list[dict[str, Any]], options: dict[str, Any], error: str
) -> None:
    async def test() -> None:
        async with bench.house.open() as client:
            assert (await _at_once(client, *disks, **options)).error_name == f"{ERROR}.{error}"
            assert bench.ran == []
            await _taken(client, READING)  # and nothing stays claimed

    run(test())


def _in_array(bench: Bench) -> None:
    put_device(bench.root, "md0", 9, 0, {"size": "2048", "md/level": "raid1"})
    holders = bench.root / "sys/block/sda/holders"
    holders.mkdir()
    (holders / "md0").symlink_to(bench.root / "sys/block/md0")


def _in_fstab(bench: Bench) -> None:
    put_text(bench.root / "etc/fstab", "/dev/disk/by-id/wwn-0x5001 /srv/photos ext4 defaults 0 0\n")


def _read_only(bench: Bench) -> None:
    put_text(bench.root / "sys/block/sda/ro", "1")


def _partitioned(bench: Bench) -> None:
    put_text(bench.root / "sys/block/sda/sda1/partition", "1")
    put_text(bench.root / "sys/block/sda/sda1/dev", "8:1")
    (bench.root / "sys/dev/block/8:1").symlink_to(bench.root / "sys/block/sda/sda1")


def _holding(kind: str) -> Callable[[Bench], None]:
    def hold(bench: Bench) -> None:
        bench.found = (Signature(kind, 4096, 4),)

    return hold


@pytest.mark.parametrize(
    ("happens", "code"),
    [
        (_in_array, "disk-in-use"),
        (_mounted, "disk-in-use"),
        (_in_fstab, "disk-in-use"),
        (_read_only, "disk-in-use"),
        (_partitioned, "disk-partitions"),
        (_holding("linux_raid_member"), "disk-signature"),
        (_holding("PMBR"), "disk-signature"),
    ],
)
def test_what_a_build_would_refuse_is_not_written_to(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Bench], None], code: str
) -> None:
    """Changes between two measurements are noticed: an empty disk is examined again each time."""
    monkeypatch.setattr(Host, "number_of", lambda _host, path: SDA if path.endswith("wwn-0x5001") else None)

    async def test() -> None:
        async with bench.house.open() as client:
            await _taken(client, WRITING)
            bench.ran.clear()
            happens(bench)
            reply = await _take(client, WRITING)
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", code)
            assert bench.ran == []
            plan = await client.ask(verbs.CREATE_ARRAY, a_plan(), variants({"confirmed_name": "tank"}))
            assert plan.body[1] == code  # the same refusal as a build's
            await _taken(client, READING)
            assert not any(map(_writes, bench.ran))

    run(test())


@pytest.mark.parametrize("options", [READING, WRITING])
@pytest.mark.parametrize(
    "changes", [{"serial": "ZHZ2"}, {"id": "wwn-0x5002"}, {"size_bytes": SIZE - 512}, {"model": "ST8000VN004"}]
)
def test_another_disk_than_the_one_that_is_meant_is_not_measured(
    bench: Bench, options: dict[str, Any], changes: dict[str, Any]
) -> None:
    async def test() -> None:
        async with bench.house.open() as client:
            reply = await _take(client, options, **changes)
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "disk-changed")
            await _taken(client, options)  # and isn't claimed afterwards

    run(test())


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"id": "/dev/sda"}, {}),
        ({"id": "wwn-0x5001:/dev/sdb"}, {}),
        ({"id": None}, {}),
        ({"disk": "wwn-0x5001", "partition": 1}, {}),
        ({"filename": "/dev/sdb"}, {}),
        ({}, {"seconds": 0}),
        ({}, {"seconds": 11}),
        ({}, {"seconds": "1 --exec_prerun=reboot"}),
        ({}, {"write": "yes"}),
        ({}, {"wake": 1}),
        ({}, {"ioengine": "exec"}),
    ],
)
def test_what_is_no_disk_and_no_option_is_refused(
    bench: Bench, changes: dict[str, Any], options: dict[str, Any]
) -> None:
    async def test() -> None:
        async with bench.house.open() as client:
            assert (await _take(client, variants(options), **changes)).error_name == f"{ERROR}.BadInput"

    run(test())
    assert bench.ran == []


def test_a_disk_that_sleeps_is_left_alone_unless_it_may_be_woken(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Host, "number_of", lambda *_: SDA)
    put_text(bench.root / "sys/block/sda/device/power/runtime_status", "suspended\n")

    async def test() -> None:
        async with bench.house.open() as client:
            with monkeypatch.context() as closed:
                closed.setattr(baseline, "pinned", None)  # which would wake it
                reply = await _take(client)
                assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "disk-asleep")
            await _taken(client, variants({"seconds": 1, "wake": True}))

    run(test())


def test_a_small_disk_is_refused(bench: Bench) -> None:
    put_text(bench.root / "sys/block/sda/size", "2048")

    async def test() -> None:
        async with bench.house.open() as client:
            reply = await _take(client, size_bytes=2**20)
            assert (reply.error_name, reply.body[1]) == (f"{ERROR}.DiskRefused", "disk-small")

    run(test())


@pytest.fixture
def endless(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A file with the process id of fio's replacement, which doesn't end."""
    mark = tmp_path / "pid"
    argv = ("/bin/sh", "-c", f"echo $$ > {mark}.new; mv {mark}.new {mark}; sleep 300")
    monkeypatch.setattr(baseline, "baseline_argv", lambda *_, **_how: argv)
    monkeypatch.setattr(baseline, "run", run_for_real)
    return mark


async def _started(client: Client, mark: Path, options: dict[str, Any]) -> tuple[str, Path]:
    mark.unlink(missing_ok=True)
    reply = await _take(client, options)
    assert not reply.error_name, reply.body
    async with asyncio.timeout(PATIENCE_S):
        while not mark.exists():
            await asyncio.sleep(0.02)
    return reply.body[0], Path(f"/proc/{mark.read_text(encoding='utf-8').strip()}")


@pytest.mark.parametrize("options", [READING, WRITING])
def test_a_measuring_that_is_cancelled_ends_at_once_and_lets_go(
    bench: Bench, endless: Path, options: dict[str, Any]
) -> None:
    async def test() -> None:
        async with bench.house.open() as client:
            job, process = await _started(client, endless, options)
            await client.ask(CANCEL, job)
            assert (await client.signal("Failed", "Ended")).body[0] == "cancelled"
            assert not process.exists()
            assert bench.held == []
            leaver = await bench.house.client()
            _, process = await _started(leaver, endless, options)
            leaver.bus.disconnect()
            async with asyncio.timeout(PATIENCE_S):
                while process.exists():
                    await asyncio.sleep(0.02)
            await _started(client, endless, options)

    run(test())


@pytest.mark.parametrize("leaves", [False, True])
def test_who_asks_next_waits_for_the_end_of_a_cancelled_measuring(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    """Its claims are held until fio has ended, which takes a moment."""
    measuring, cancelled = asyncio.Event(), asyncio.Event()

    async def slow(*_: object, **_how: object) -> None:
        measuring.set()
        try:
            await asyncio.sleep(300)
        finally:
            cancelled.set()
            await asyncio.sleep(0.5)

    async def test() -> None:
        async with bench.house.open() as client:
            owner = await bench.house.client()
            with monkeypatch.context() as patch:
                patch.setattr(baseline, "run", slow)
                job = (await _take(owner)).body[0]
                await measuring.wait()
                if leaves:
                    owner.bus.disconnect()
                else:
                    await owner.ask(CANCEL, job)
                await cancelled.wait()
            await _taken(client, READING)

    run(test())


@pytest.mark.parametrize("options", [READING, WRITING])
def test_a_disk_that_a_build_has_is_not_measured(bench: Bench, endless: Path, options: dict[str, Any]) -> None:
    async def test() -> None:
        async with bench.house.open() as client:
            job, _ = await _started(client, endless, options)
            other = await bench.house.client()
            assert (await _take(other, options)).error_name == f"{ERROR}.Busy"
            build = (verbs.CREATE_ARRAY, a_plan(), variants({"confirmed_name": "tank"}))
            assert (await other.ask(*build)).error_name == f"{ERROR}.Busy"
            await client.ask(CANCEL, job)
            await client.signal("Failed")

    run(test())


def test_a_build_keeps_measurings_away(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    building = asyncio.Event()

    async def build_array(*_: object) -> None:
        building.set()
        await asyncio.sleep(300)

    monkeypatch.setattr("raidwright_helper.verbs.disk_verbs.build_array", build_array)

    async def test() -> None:
        async with bench.house.open() as client:
            job = await client.ask(verbs.CREATE_ARRAY, a_plan(), variants({"confirmed_name": "tank"}))
            await building.wait()
            for options in (READING, WRITING):
                assert (await _take(client, options)).error_name == f"{ERROR}.Busy"
            await client.ask(CANCEL, job.body[0])
            await client.signal("Failed")

    run(test())
    assert bench.ran == []


def test_a_disk_that_fails_is_told(bench: Bench) -> None:
    bench.play = lambda argv: printed(argv, error=5)

    async def test() -> None:
        async with bench.house.open() as client:
            await _take(client, WRITING)
            code, sentence, *_ = (await client.signal("Failed", "Ended")).body
            assert code == "workload-io-error"
            assert "error 5" in sentence
            bench.play = lambda _argv: "not fio"
            await _take(client, READING)
            assert (await client.signal("Failed", "Ended")).body[0] == "workload-empty"

    run(test())
    assert len(bench.ran) == 2


def test_what_is_not_empty_any_more_after_writing_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    async def signs(*_: object) -> None:
        raise JobFailed("It holds something.", code="disk-signature")

    monkeypatch.setattr(baseline, "verify_empty", signs)

    async def test() -> None:
        async with bench.house.open() as client:
            await _take(client, WRITING)
            assert (await client.signal("Failed", "Ended")).body[0] == "disk-signature"

    run(test())
