"""MeasureFileSystem: its commands and refusals; only its own file system is ever erased."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.md.stripe import Stripe
from raidwright.core.protocol.names import INTERFACE
from raidwright.core.protocol.results import FileSystemMeasured
from raidwright.core.system.file_acts import FileAct
from raidwright.core.system.filesystem import FileSystemKind
from raidwright_helper.acts import measure_files
from raidwright_helper.acts.measure_files import FilesRequest, PreparedFiles
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.host.signatures import Signature
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.jobs.journal import Record

from .helper_house import PATIENCE_S, House, variants

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
SAYS = {
    "dumpe2fs": "Block size:               4096\nRAID stride:              128\nRAID stripe width:        256\n",
    "xfs_db": """data     =                       bsize=4096   blocks=306176, imaxpct=25
         =                       sunit=128    swidth=256 blks
log      =internal log           bsize=4096   blocks=16384, version=2
         =                       sectsz=512   sunit=64 blks, lazy-count=1
""",
}
FIO = '{\n"jobs": [{"read": %s, "write": %s, "error": 0}]\n}\n'
SOME = '{"io_bytes": 1000000, "total_ios": 100, "runtime": 100, "clat_ns": {"mean": 1.0, "N": 100}}'
NONE = '{"io_bytes": 0, "total_ios": 0, "runtime": 0, "clat_ns": {"mean": 0.0, "N": 0}}'


class Array:
    """An empty array, with the commands run and the signatures erased."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []
        self.there: list[Signature] = []
        self.wiped: list[str] = []
        self.mounted_at: str | None = None
        self.is_open = False
        self.fails: Callable[[tuple[str, ...]], RaidwrightError | asyncio.CancelledError | None] = lambda _argv: None

    async def run(self, argv: tuple[str, ...], **_: object) -> ProgramResult:
        self.ran.append(argv)
        if (error := self.fails(argv)) is not None:
            raise error
        program = argv[0].rpartition("/")[2]
        if program.startswith("mkfs."):
            own = next(word.removeprefix("uuid=") for word in argv if word.count("-") == 4 and len(word) in (36, 41))
            self.there.append(Signature(program.removeprefix("mkfs."), 0, 4, uuid=own))
        return ProgramResult(argv, 0, SAYS.get(program, ""), "")

    async def stream(self, argv: tuple[str, ...], on_line: Callable[[str], object], **_: object) -> ProgramResult:
        finished = await self.run(argv)
        for line in (FIO % (SOME, NONE)).splitlines():
            on_line(line)
        return finished

    async def found_on(self, _node: str) -> tuple[Signature, ...]:
        return tuple(self.there)

    async def wipe(self, _host: Host, _number: int, found: list[Signature], _log: list[str]) -> None:
        self.wiped += [one.kind for one in found]


@pytest.fixture
def array(monkeypatch: pytest.MonkeyPatch) -> Array:
    one = Array()

    async def surroundings_of(*_: object) -> dict[str, str]:
        return {"kernel": "6.1"}

    @contextlib.contextmanager
    def exclusive(*_: object) -> Iterator[None]:
        if one.is_open:
            raise DiskRefused("busy", code="disk-busy")
        yield

    for name in ("run", "stream", "found_on", "wipe"):
        monkeypatch.setattr(measure_files, name, getattr(one, name))
    monkeypatch.setattr(measure_files, "surroundings_of", surroundings_of)
    monkeypatch.setattr(measure_files, "surroundings_after", lambda *_: {})
    monkeypatch.setattr(measure_files, "Exclusive", exclusive)
    monkeypatch.setattr(measure_files, "_FREE_PAUSES_S", (0.0, 0.0))
    return one


def _measure(array: Array, kind: FileSystemKind = FileSystemKind.XFS, *, aligned: bool = True) -> FileSystemMeasured:
    host: Any = SimpleNamespace(mount_point=lambda _number: array.mounted_at)
    claim: Any = SimpleNamespace(release=lambda: None)
    what = PreparedFiles(Pinned(9, "/dev/md127", -1), claim, Stripe(512, 2), "3.33")
    job = Job("", Record("MeasureFileSystem", 1000), lambda _message: None)
    request = FilesRequest(f"md:{UUID}", kind, aligned, 64, 1000)
    return asyncio.run(measure_files.measure(host, what, request, job))


@pytest.mark.parametrize("kind", [FileSystemKind.EXT4, FileSystemKind.XFS])
def test_each_act_has_a_mount_of_its_own_and_nothing_stays(array: Array, kind: FileSystemKind) -> None:
    told = _measure(array, kind)
    acts = [argv for argv in array.ran if "/usr/bin/fio" in argv]
    assert len(acts) == len(FileAct)
    for argv in acts:
        words = " ".join(argv)
        assert "--property=MountImages=/dev/md127:/mnt:root:nodev,nosuid,noexec" in words
        for confined in ("CapabilityBoundingSet=", "DevicePolicy=closed", "ProtectSystem=strict", "PrivateNetwork=yes",
                         "BindsTo=raidwright-helper.service", "NoNewPrivileges=yes"):  # fmt: skip
            assert f"--property={confined}" in argv
    assert array.wiped == [kind]
    assert (told.unit_kib, told.width_kib) == (512, 1024)
    assert told.log_unit_kib == (256 if kind is FileSystemKind.XFS else 0)
    assert {act: (one.mb_s > 0, one.iops) for act, one in told.figures.items()} == {
        act: (not act.counts_files, 1000.0) for act in FileAct
    }


def test_btrfs_is_measured_and_says_nothing_of_stripes(array: Array) -> None:
    told = _measure(array, FileSystemKind.BTRFS, aligned=False)
    assert (told.unit_kib, told.width_kib, told.log_unit_kib) == (0, 0, 0)
    assert set(told.figures) == set(FileAct)
    assert array.wiped == ["btrfs"]


def test_a_file_system_that_is_not_to_be_aligned_is_kept_from_asking(array: Array) -> None:
    _measure(array, aligned=False)
    _measure(array, FileSystemKind.EXT4, aligned=False)
    xfs, ext4 = (" ".join(argv) for argv in array.ran if "mkfs" in argv[0])
    assert "-d noalign" in xfs
    assert "stride=1,stripe_width=1" in ext4


@pytest.mark.parametrize("where", ["mkfs.xfs", "xfs_db", "file_write", "filestat"])
@pytest.mark.parametrize("error", [JobFailed("no"), asyncio.CancelledError()])
def test_wherever_it_is_cut_off_fio_ends_and_its_file_system_goes(
    array: Array, where: str, error: RaidwrightError | asyncio.CancelledError
) -> None:
    array.fails = lambda argv: error if any(where in word for word in argv) and "stop" not in argv else None
    with pytest.raises((JobFailed, asyncio.CancelledError)):
        _measure(array)
    assert array.wiped == ([] if where.startswith("mkfs") else ["xfs"])
    if where.startswith("file"):
        unit = next(word for word in array.ran[-2] if word.startswith("--unit=")).removeprefix("--unit=")
        assert array.ran[-1] == ("/usr/bin/systemctl", "stop", "--", f"{unit}.service")


def test_what_somebody_else_put_there_or_uses_is_left_alone(array: Array) -> None:
    array.there.append(Signature("gpt", 512, 8, uuid="somebody's"))
    _measure(array)
    assert array.wiped == ["xfs"]
    array.wiped.clear()
    array.mounted_at = "/media/x"
    with pytest.raises(DiskRefused, match="mounted at /media/x"):
        _measure(array)
    array.mounted_at, array.is_open = None, True
    with pytest.raises(DiskRefused, match="labelled rw-measured"):
        _measure(array)
    assert array.wiped == []


@pytest.mark.parametrize(
    ("target", "kind", "options"),
    [
        ("wwn-0x5001", "xfs", {}),
        ("md:; reboot", "xfs", {}),
        (f"md:{UUID}", "zfs", {}),
        (f"md:{UUID}", "../xfs", {}),
        (f"md:{UUID}", "xfs", {"size_mib": 2**20 + 1}),
        (f"md:{UUID}", "xfs", {"size_mib": -1}),
        (f"md:{UUID}", "xfs", {"files": 99}),
        (f"md:{UUID}", "xfs", {"files": 10**6 + 1}),
        (f"md:{UUID}", "xfs", {"aligned": "yes"}),
        (f"md:{UUID}", "xfs", {"directory": "/etc"}),
        (f"md:{UUID}", "xfs", {"mount_options": "exec"}),
    ],
)
def test_what_is_of_no_closed_form_is_refused(house: House, target: str, kind: str, options: dict[str, object]) -> None:
    async def test() -> None:
        async with house.open() as client:
            told: dict[str, Variant] = variants(options)
            reply = await client.call("MeasureFileSystem", "ssa{sv}", target, kind, told)
            assert reply.error_name == f"{INTERFACE}.Error.BadInput", reply.body

    _run(test())


def _run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))
