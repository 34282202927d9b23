"""File systems, mounts and settings: refusals, on a host made of files."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.json_fields import Fields
from raidwright.core.md.stripe import Stripe
from raidwright.core.protocol.names import INTERFACE
from raidwright.core.protocol.results import ArraySettings
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.core.system.tuning import Lasting, Scheduler, TunedDisk, Tuning, read_tuning, udev_rules
from raidwright_helper.acts import filesystem, measure, mounting, tune
from raidwright_helper.acts.tune import Tunable, TuneRequest
from raidwright_helper.host import disk_settings, md, smart
from raidwright_helper.host.arrays import PinnedArray
from raidwright_helper.host.etc_files import Below
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.host.signatures import Signature
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.jobs.jobs import Job
from raidwright_helper.jobs.journal import Record
from raidwright_helper.verbs import system_arguments

from .helper_house import House

UUID = "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d"
MD, SDA, SDB = os.makedev(9, 127), os.makedev(8, 0), os.makedev(8, 16)


def _device(root: Path, number: int, name: str, **attributes: str) -> Path:
    folder = root / "sys/block" / name
    for key, text in ({"dev": f"{os.major(number)}:{os.minor(number)}"} | attributes).items():
        path = folder / key.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="ascii")
    link = root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder)
    return folder


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A raid5 on two disks, one of which has a kernel timeout to set."""
    array = _device(
        tmp_path, MD, "md127",
        md__level="raid5", md__raid_disks="3", md__chunk_size="65536", md__layout="2",
        md__stripe_cache_size="256", md__group_thread_cnt="0", md__sync_speed_min="1000 (system)",
        queue__read_ahead_kb="4096",
    )  # fmt: skip
    for number, name, more in ((SDA, "sda", {"device__timeout": "30"}), (SDB, "sdb", {})):
        disk = _device(tmp_path, number, name, queue__scheduler="[mq-deadline] kyber none", **more)
        (array / "slaves").mkdir(exist_ok=True)
        (array / "slaves" / name).symlink_to(disk)
        _write(
            tmp_path / f"run/udev/data/b8:{os.minor(number)}", f"S:disk/by-id/wwn-0x{name}\nS:disk/by-id/ata-{name}\n"
        )
    (tmp_path / "etc/udev/rules.d").mkdir(parents=True)
    return Host(tmp_path)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="ascii")


def _target(tuning: Tuning, lasting: Lasting) -> Tunable:
    array = md.RunningArray(MD, "/dev/md127", UUID, 8, 4, "tank", "1.2")
    return Tunable(PinnedArray(array, Pinned(MD, "/dev/md127", -1)), (SDA, SDB), tuning, lasting)


def _tune(host: Host, tuning: Tuning, lasting: Lasting = Lasting.NOW) -> ArraySettings:
    job = Job("", Record("Tune", 1000), lambda _message: None)
    return asyncio.run(tune.tune(host, Below(host.root), _target(tuning, lasting), job))


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Return the commands run; no disk supports error recovery control."""
    ran: list[tuple[str, ...]] = []

    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        ran.append(argv)
        return ProgramResult(argv, 0, "{}", "")

    monkeypatch.setattr(tune, "run", run)
    monkeypatch.setattr(disk_settings, "run", run)
    monkeypatch.setattr(smart, "SMARTCTL", "/bin/sh")
    return ran


def test_the_stripe_is_read_from_md(host: Host) -> None:
    assert filesystem.stripe_on(host, MD) == Stripe(64, 2)
    assert filesystem.stripe_on(host, SDA) is None


def test_the_stripe_of_a_nested_array_is_that_of_the_whole(host: Host) -> None:
    outer = os.makedev(9, 126)
    folder = _device(host.root, outer, "md126", md__level="raid0", md__raid_disks="2", md__chunk_size="262144")
    inner = _device(
        host.root, os.makedev(9, 125), "md125", md__level="raid5", md__raid_disks="3", md__chunk_size="65536"
    )
    (folder / "slaves").mkdir()
    for slave in (inner, host.block_dir(MD)):
        (folder / "slaves" / slave.name).symlink_to(slave)
    assert filesystem.stripe_on(host, outer) == Stripe(64, 8)


def test_the_stripe_of_near_copies_is_half_as_wide(host: Host) -> None:
    number = os.makedev(9, 124)
    _device(
        host.root, number, "md124", md__level="raid10", md__raid_disks="4", md__chunk_size="65536", md__layout="258"
    )
    assert filesystem.stripe_on(host, number) == Stripe(64, 2)


def test_settings_are_written_read_back_and_kept(host: Host, programs: list[tuple[str, ...]]) -> None:
    wanted = Tuning(read_ahead_kib=8192, stripe_cache_size=1024, error_recovery_s=7)
    result = _tune(host, wanted, Lasting.ALWAYS)
    read_back = {"read_ahead_kib": "8192", "stripe_cache_size": "1024", "sync_speed_min_kib": "1000"}
    assert read_back.items() <= result.settings.items()
    assert host.attribute(SDA, "device/timeout") == "180"
    assert not (host.block_dir(SDB) / "device").exists()
    [array, sda] = result.kept
    assert f'ENV{{MD_UUID}}=="{UUID}"' in array
    assert 'ATTR{md/stripe_cache_size}="1024"' in array
    assert 'SYMLINK=="disk/by-id/wwn-0xsda"' in sda
    assert sda.endswith('ATTR{device/timeout}="180"')
    assert _tune(host, Tuning(), Lasting.FORGET).kept == ()
    assert not list((host.root / "etc/udev/rules.d").iterdir())


@pytest.fixture
def pinned_tank(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the array found by its name, whatever it is."""

    async def pin_filled(*_: object) -> PinnedArray:
        return _target(Tuning(), Lasting.NOW).pinned

    monkeypatch.setattr(tune, "pin_filled", pin_filled)


def _prepared(host: Host, tuning: Tuning, lasting: Lasting) -> Tunable:
    request = TuneRequest(UUID, "tank", tuning, lasting)
    return asyncio.run(tune.prepare(host, Claims(), request, contextlib.ExitStack()))


@pytest.mark.usefixtures("pinned_tank", "programs")
def test_what_is_kept_grows_and_is_not_set_back_in_silence(host: Host) -> None:
    _tune(host, Tuning(read_ahead_kib=8192), Lasting.ALWAYS)
    both = _prepared(host, Tuning(stripe_cache_size=512), Lasting.ALWAYS).tuning
    assert both == Tuning(read_ahead_kib=8192, stripe_cache_size=512)
    with pytest.raises(InputError, match="would set it back"):
        _prepared(host, Tuning(read_ahead_kib=4096), Lasting.NOW)
    for tuning, lasting in (
        (Tuning(read_ahead_kib=8192), Lasting.NOW),
        (Tuning(stripe_cache_size=512), Lasting.NOW),
        (Tuning(read_ahead_kib=4096), Lasting.FORGET),
        (Tuning(), Lasting.NOW),
    ):
        assert _prepared(host, tuning, lasting).tuning == tuning


@pytest.mark.usefixtures("pinned_tank", "programs")
@pytest.mark.parametrize(
    "text", ["mine\n", "# settings: {}\n# settings: {}\n", '# settings: {"x": 1}\n', "# settings: [\n"]
)
def test_a_rule_file_of_other_making_is_not_taken_over(host: Host, text: str) -> None:
    _write(host.root / tune.rule_file(UUID).lstrip("/"), text)
    with pytest.raises(InputError, match="isn't as Raidwright wrote it"):
        _prepared(host, Tuning(read_ahead_kib=1), Lasting.ALWAYS)
    assert _prepared(host, Tuning(), Lasting.FORGET).lasting is Lasting.FORGET


@pytest.mark.usefixtures("pinned_tank")
def test_what_an_array_does_not_have_is_refused(host: Host) -> None:
    (host.block_dir(MD) / "md/stripe_cache_size").unlink()
    with pytest.raises(InputError, match="no stripe_cache_size"):
        _prepared(host, Tuning(stripe_cache_size=512), Lasting.NOW)
    _write(host.root / "run/udev/data/b8:0", 'S:disk/by-id/ata-"x\n')
    with pytest.raises(InputError, match="sda has no name"):
        _prepared(host, Tuning(scheduler=Scheduler.NONE), Lasting.ALWAYS)


def test_what_the_kernel_refuses_leaves_everything_as_it_was(
    host: Host, programs: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_text

    def write_text(path: Path, text: str, **options: Any) -> int:
        if path.name == "group_thread_cnt" and text == "4":
            raise OSError(22, "Invalid argument")
        return real(path, text, **options)

    monkeypatch.setattr(Path, "write_text", write_text)
    with pytest.raises(JobFailed, match=r"doesn't take 4 for md127/md/group_thread_cnt.*Nothing is changed"):
        _tune(host, Tuning(read_ahead_kib=1, stripe_cache_size=1024, group_thread_cnt=4), Lasting.ALWAYS)
    assert host.attribute(MD, "queue/read_ahead_kb") == "4096"
    assert host.attribute(MD, "md/stripe_cache_size") == "256"
    assert not list((host.root / "etc/udev/rules.d").iterdir())


def test_a_value_that_is_not_kept_is_told(host: Host, programs: list[tuple[str, ...]]) -> None:
    scheduler = host.block_dir(SDA) / "queue/scheduler"
    scheduler.unlink()
    scheduler.symlink_to("/dev/null")  # accepts every value, and stays unchanged
    with pytest.raises(JobFailed, match=r"sda/queue/scheduler is “”, not “kyber”, after it was set"):
        _tune(host, Tuning(read_ahead_kib=1, scheduler=Scheduler.KYBER))
    assert host.attribute(MD, "queue/read_ahead_kb") == "4096"


def test_disks_that_know_error_recovery_are_told_and_asked(
    host: Host, programs: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: dict[str, int] = {}

    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        programs.append(argv)
        if "scterc,70,70" in argv:
            limits[argv[-1]] = 70
        one = f'{{"enabled": true, "deciseconds": {limits.get(argv[-1], 0)}}}'
        return ProgramResult(argv, 0, f'{{"ata_sct_erc": {{"read": {one}, "write": {one}}}}}', "")

    monkeypatch.setattr(tune, "run", run)
    monkeypatch.setattr(disk_settings, "run", run)
    result = _tune(host, Tuning(error_recovery_s=7), Lasting.ALWAYS)
    assert [rule.split(", ")[-1] for rule in result.kept] == ['RUN+="/usr/sbin/smartctl -l scterc,70,70 $devnode"'] * 2
    assert host.attribute(SDA, "device/timeout") == "30"
    assert all(argv[0] == "/usr/bin/systemd-run" for argv in programs if "scterc" in " ".join(argv))


@pytest.mark.parametrize(
    "settings",
    [
        {"stripe_cache_size": 16}, {"stripe_cache_size": 32769}, {"group_thread_cnt": -1}, {"read_ahead_kib": "8"},
        {"error_recovery_s": 30}, {"scheduler": "cfq"}, {"sync_speed_min_kib": 2, "sync_speed_max_kib": 1},
        {"nr_requests": 1}, {"read_ahead_kib": True}, {"lasting": "forever"},
    ],
)  # fmt: skip
def test_settings_out_of_their_limits_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InputError):
        system_arguments.read_tune([UUID, "tank", settings])


def test_the_rules_say_only_what_was_set() -> None:
    assert udev_rules(UUID, Tuning(), [TunedDisk("ata-x", has_erc=False)]).count("\n") == 2
    rules = udev_rules(UUID, read_tuning(Fields({"scheduler": "bfq"}, "")), [TunedDisk("ata-x")])
    [rule] = rules.splitlines()[2:]
    assert rule.startswith('ACTION=="add", SUBSYSTEM=="block"')
    assert rule.endswith('SYMLINK=="disk/by-id/ata-x", ATTR{queue/scheduler}="bfq"')


class FakeClaim:
    """A claim that can be released."""

    def release(self) -> None: ...


@pytest.mark.parametrize("how", ["fails", "is cancelled", "isn't there afterwards"])
def test_a_file_system_that_is_half_made_is_taken_off(host: Host, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    wiped: list[str] = []

    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        if how == "fails":
            raise JobFailed("mkfs.ext4 ended with code 1.")
        if how == "is cancelled":
            raise asyncio.CancelledError
        return ProgramResult(argv, 0, "", "")

    async def found_on(_node: str) -> tuple[Signature, ...]:
        return (Signature("ext4", 1080, 2, uuid="0a1b2c3d-0a1b-4c3d-8a1b-0a1b2c3d0a1b"), Signature("gpt", 512, 8))

    async def wipe(_host: Host, _number: int, found: list[Signature], _log: list[str]) -> None:
        wiped.extend(one.kind for one in found)

    for name, double in (("run", run), ("found_on", found_on), ("wipe", wipe)):
        monkeypatch.setattr(filesystem, name, double)
    request = filesystem.FileSystemRequest(UUID, "tank", FileSystemKind.EXT4, "")
    array = filesystem.EmptyArray(_target(Tuning(), Lasting.NOW).pinned, FakeClaim(), None)  # type: ignore[arg-type]
    job = Job("", Record("MakeFileSystem", 1000), lambda _message: None)
    with pytest.raises((JobFailed, asyncio.CancelledError)):
        asyncio.run(filesystem.make(host, array, request, job))
    assert wiped == ["ext4"]  # and nothing that isn't ours


@pytest.mark.parametrize("what", ["link", "file", "not empty", "others'", "srv a link", "srv others'"])
def test_a_place_that_others_have_a_hand_in_is_refused(tmp_path: Path, what: str) -> None:
    srv, place = tmp_path / "srv", tmp_path / "srv/tank"
    place.mkdir(parents=True)
    match what:
        case "link":
            place.rmdir()
            place.symlink_to(tmp_path)
        case "file":
            place.rmdir()
            place.touch()
        case "not empty":
            (place / "x").touch()
        case "others'":
            place.chmod(0o777)
        case "srv a link":
            srv.rename(tmp_path / "real")
            srv.symlink_to(tmp_path / "real")
        case "srv others'":
            srv.chmod(0o777)
    with pytest.raises(DiskRefused, match="choose another folder"):
        mounting.verify_place(Host(tmp_path), "/srv/tank")


def test_a_place_that_is_empty_or_not_there_is_taken(tmp_path: Path) -> None:
    (tmp_path / "srv").mkdir()
    mounting.verify_place(Host(tmp_path), "/srv/tank")
    (tmp_path / "srv/tank").mkdir()
    mounting.verify_place(Host(tmp_path), "/srv/tank")


@pytest.mark.parametrize("said", ["fio-3.32", "fio-2.99", "", "fio", "3.39"])
def test_an_old_fio_is_refused_by_a_sentence(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        return ProgramResult(argv, 0, f"{said}\n", "")

    monkeypatch.setattr(measure, "run", run)
    with pytest.raises(JobFailed, match=r"needs fio 3\.33 or later.*update fio"):
        asyncio.run(measure.verify_fio())


@pytest.mark.parametrize("said", ["fio-3.33", "fio-3.39-dirty", "fio-4.0"])
def test_a_fio_that_is_new_enough_is_taken(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    async def run(argv: tuple[str, ...], **_: object) -> ProgramResult:
        return ProgramResult(argv, 0, f"{said}\n", "")

    monkeypatch.setattr(measure, "run", run)
    asyncio.run(measure.verify_fio())


REFUSED: list[tuple[str, str, list[Any]]] = [
    ("MakeFileSystem", "sssa{sv}", ["/dev/md127", "tank", "ext4", {}]),
    ("MakeFileSystem", "sssa{sv}", [UUID, "tank", "vfat", {}]),
    ("MakeFileSystem", "sssa{sv}", [UUID, "tank", "ext4", {"label": Variant("s", "a b")}]),
    ("MakeFileSystem", "sssa{sv}", [UUID, "tank", "ext4", {"options": Variant("s", "-F")}]),
    ("Mount", "sss", [UUID, "tank", "/etc"]),
    ("Mount", "sss", [UUID, "tank", "/srv/../etc"]),
    ("Mount", "sss", ["../../sda", "tank", "/srv/tank"]),
    ("Unmount", "ss", ["/srv/tank", "tank"]),
    ("Tune", "ssa{sv}", [UUID, "tank", {"path": Variant("s", "/proc/sys")}]),
    ("Tune", "ssa{sv}", [UUID, "tank", {"stripe_cache_size": Variant("x", 10**9)}]),
    ("PreviewConfiguration", "ssa{sv}", [UUID, "tank", {"mail": Variant("s", "a\nPROGRAM /bin/sh")}]),
    ("PreviewConfiguration", "ssa{sv}", [UUID, "tank", {"homehost": Variant("s", "a b")}]),
    ("PreviewConfiguration", "ssa{sv}", [UUID, "tank", {"place": Variant("s", "/")}]),
    ("PreviewConfiguration", "ssa{sv}", [UUID, "tank", {"line": Variant("s", "x")}]),
    ("WriteConfiguration", "ssa{sv}s", [UUID, "tank", {"mail": Variant("s", "-x")}, "0"]),
    ("RestoreConfiguration", "", []),
]


def test_what_is_of_no_closed_form_is_refused_before_anything_runs(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            for member, signature, body in REFUSED:
                reply = await client.call(member, signature, *body)
                assert reply.error_name == f"{INTERFACE}.Error.BadInput", (member, body, reply.body)

    asyncio.run(test())


def test_an_array_that_is_not_there_is_refused(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            for member, signature, more in (("MakeFileSystem", "sssa{sv}", ["ext4", {}]), ("Unmount", "ss", [])):
                reply = await client.call(member, signature, UUID, "tank", *more)
                assert reply.error_name == f"{INTERFACE}.Error.DiskRefused"

    asyncio.run(test())
