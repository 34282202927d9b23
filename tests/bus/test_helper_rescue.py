"""A rescue: its disks and commands, its overlays, and what is refused."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, JobFailed, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import MOVES_DATA, RESHAPES, MemberSuperblock
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.model.rescue_attempt import RescueAttempt, RescueWay, attempt_to_create
from raidwright_helper.acts import rescue_disks
from raidwright_helper.host import md, outside, overlays
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.overlays import Overlays
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.tried import TriedRescues, digest_of_disks

from .helper_house import put_array, put_device, put_disk, put_text

UUID = "0a1b2c3d:00000001:00000002:00000003"
GB = 10**9
BLOCK = MemberSuperblock(UUID, "1.2", "raid5", 3, 7, 0, name="tank", working=(0, 1, 2))
NUMBERS = (0x800, 0x810, 0x820)
MEMBERS = tuple(Member(f"wwn-0x500{slot}", 8 * GB, "WD80EFZX", f"ZHZ{slot}") for slot in range(3))
FORCED = RescueAttempt(RescueWay.FORCE, UUID, "tank", MEMBERS)
ANEW = attempt_to_create(
    Plan(
        MdArray(
            Level.RAID5, (MEMBERS[2], None, MEMBERS[0]), "tank", chunk_kib=64, data_offset_kib=1024, assume_clean=True
        )
    ).array,
    UUID,
)


class Computer:
    """A host below ``root`` with the members of tank; ``blocks`` are their superblocks."""

    def __init__(self, root: Path) -> None:
        self.host = Host(root)
        self.claims = Claims()
        self.blocks = {number: replace(BLOCK, slot=slot) for slot, number in enumerate(NUMBERS)}
        for slot, letter in enumerate("abc"):
            put_disk(root, f"sd{letter}", MEMBERS[slot].id, "WD80EFZX", f"ZHZ{slot}", 8 * GB)

    def hold(self, attempt: RescueAttempt = FORCED) -> rescue_disks.HeldAttempt:
        with contextlib.ExitStack() as until:
            return asyncio.run(rescue_disks.hold_attempt(self.host, self.claims, attempt, until))

    def refused(self, attempt: RescueAttempt = FORCED) -> RaidwrightError:
        with pytest.raises(RaidwrightError) as refused:
            self.hold(attempt)
        return refused.value


@pytest.fixture
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Computer:
    made = Computer(tmp_path)

    async def pin_disks(host: Host, _claims: Claims, members: Sequence[Member], _until: object) -> tuple[Pinned, ...]:
        numbers = [NUMBERS[int(member.id[-1])] for member in members]
        return tuple(Pinned(number, host.node(number), number) for number in numbers)

    monkeypatch.setattr(rescue_disks, "pin_disks", pin_disks)
    monkeypatch.setattr(rescue_disks, "read_superblock", lambda device, _size: made.blocks.get(device))
    return made


def test_mdadm_is_told_what_the_attempt_says_and_nothing_else() -> None:
    nodes = ("/dev/dm-4", "/dev/dm-5", "/dev/dm-6")
    argv = rescue_disks.start_argv(FORCED, nodes, "/dev/md973", UUID)
    assert argv[1:] == (
        *("--assemble", "--config=none", "--readonly", "--run", "--force", f"--uuid={UUID}", "/dev/md973"),
        *nodes,
    )
    assert "--force" not in rescue_disks.start_argv(replace(FORCED, way=RescueWay.ASSEMBLE), nodes, "/dev/md1", UUID)
    anew = rescue_disks.start_argv(ANEW, nodes[:2], "/dev/md973", UUID)
    assert anew[1:4] == ("--create", "/dev/md973", "--readonly")
    assert {"--assume-clean", "--data-offset=1024K", "--chunk=64K", f"--uuid={UUID}", "--raid-devices=3"} <= set(anew)
    assert anew[-3:] == ("/dev/dm-4", "missing", "/dev/dm-5")


def test_what_is_in_use_or_twice_is_refused(computer: Computer) -> None:
    root = computer.host.root
    assert computer.hold().halves == ()
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=0)
    assert computer.refused().code == "array-twice"
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=1, uuid=UUID.replace("3", "4"))
    assert computer.refused().code == "disk-changed"
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=1, feature_map=RESHAPES)
    assert computer.refused().code == "array-goes-on"
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=1, feature_map=RESHAPES | MOVES_DATA)
    assert computer.hold().halves == ()
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=1, name="\x1b[31mtank")
    assert computer.refused().code == "name-mismatch"
    computer.blocks[NUMBERS[1]] = replace(BLOCK, slot=1)
    put_device(root, "dm-0", 253, 0, {"size": "2048"})
    put_text(root / "sys/block/sdb/holders/dm-0/dev", "253:0")
    assert "is part of dm-0" in computer.refused().sentence
    (root / "sys/block/sdb/holders/dm-0/dev").unlink()
    put_array(root, "md3", UUID, "tank")
    assert computer.refused().code == "array-runs"
    assert computer.refused(ANEW).code == "array-runs"


def test_a_half_made_array_of_udevs_is_no_use(computer: Computer) -> None:
    root = computer.host.root
    put_device(root, "md127", 9, 127, {"size": "0", "md/array_state": "inactive"})
    put_text(root / "sys/block/sda/holders/md127/dev", "9:127")
    assert computer.hold().halves == (0x97F,)
    put_text(root / "sys/block/md127/md/array_state", "clean")
    assert "is part of md127" in computer.refused().sentence


def test_only_what_was_tried_is_done_for_real(tmp_path: Path) -> None:
    tried, ends = TriedRescues(tmp_path / "rescue"), "a" * 64
    with pytest.raises(DiskRefused, match="wasn't tried yet"):
        tried.verify(FORCED, ends)
    tried.note(FORCED, ends)
    tried.verify(FORCED, ends)
    with pytest.raises(DiskRefused, match="have changed since"):
        tried.verify(FORCED, "b" * 64)
    for other in (replace(FORCED, way=RescueWay.ASSEMBLE), replace(FORCED, members=MEMBERS[:2]), ANEW):
        with pytest.raises(DiskRefused, match="wasn't tried yet"):
            tried.verify(other, ends)
    tried.forget(FORCED)
    with pytest.raises(DiskRefused):
        tried.verify(FORCED, ends)


def test_the_disks_are_compared_by_ends_blocks_between_and_serial_numbers(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(64 * 2**20))
    with disk.open("r+b") as file:
        device = Pinned(1, str(disk), file.fileno())

        def digest(serial: str = "ZHZ0") -> str:
            return digest_of_disks([(device, 64 * 2**20, serial)])

        before = digest()
        assert digest() == before
        assert digest("ZHZ1") != before
        for place in (4096, 20 * 2**20, 64 * 2**20 - 9):
            file.seek(place)
            file.write(b"x")
            file.flush()
            assert digest() != before
            before = digest()


class Kernel:
    """Device-mapper and loop devices in the sysfs below ``root``, as dmsetup, losetup and mdadm make them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ran: list[tuple[str, ...]] = []
        self.fails = ""

    async def run(self, argv: Sequence[str], **_: Any) -> ProgramResult:
        inner = tuple(argv[argv.index("--") + 1 :] if "--" in argv else argv)
        self.ran.append(inner)
        program = Path(inner[0]).name
        if program == self.fails:
            return ProgramResult(tuple(argv), 1, "", f"{program}: no.\n")
        output = ""
        if program == "losetup" and "--show" in inner:
            put_device(self.root, "loop0", 7, 0, {})
            output = "/dev/loop0\n"
        elif program == "losetup" and "--list" in inner:
            output = "/dev/loop0\n" if (self.root / "sys/block/loop0").exists() else ""
        elif program == "losetup":
            _unplug(self.root, "loop0", 7, 0)
        elif program == "dmsetup" and inner[1] == "create":
            for line in inner[-1].split(";"):
                self.map(*line.split(",")[:2])
        elif program == "dmsetup":
            for path in list((self.root / "sys/block").glob("dm-*/dm/name")):
                if path.read_text().strip() in inner:
                    _unplug(self.root, path.parents[1].name, 253, int(path.parents[1].name[3:]))
        return ProgramResult(tuple(argv), 0, output, "")

    def map(self, name: str, uuid: str) -> int:
        """Make a device-mapper device; return its minor."""
        minor = len(list((self.root / "sys/block").glob("dm-*")))
        put_device(self.root, f"dm-{minor}", 253, minor, {"dm/name": name, "dm/uuid": uuid})
        return minor

    def hold(self, array: int, *minors: int) -> None:
        """Make an md array of mapped devices."""
        put_device(self.root, f"md{array}", 9, array, {"md/array_state": "readonly"})
        for minor in minors:
            put_text(self.root / f"sys/block/md{array}/slaves/dm-{minor}/dev", f"253:{minor}")
            put_text(self.root / f"sys/block/dm-{minor}/holders/md{array}/dev", f"9:{array}")


def _unplug(root: Path, name: str, major: int, minor: int) -> None:
    shutil.rmtree(root / "sys/block" / name)
    (root / f"sys/dev/block/{major}:{minor}").unlink()


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(tmp_path / "host")
    monkeypatch.setattr(overlays, "run", made.run)
    monkeypatch.setattr(outside, "run", made.run)
    monkeypatch.setattr(overlays, "_STOP_PAUSES_S", (0.0,))
    return made


def _devices(kernel: Kernel) -> Iterator[Pinned]:
    for slot, letter in enumerate("ab"):
        put_disk(kernel.root, f"sd{letter}", MEMBERS[slot].id, "WD80EFZX", f"ZHZ{slot}", 8 * GB)
        yield Pinned(NUMBERS[slot], f"/dev/sd{letter}", 0)


def test_each_disk_is_the_origin_of_a_snapshot_and_all_of_it_goes_again(kernel: Kernel, tmp_path: Path) -> None:
    laid = Overlays(Host(kernel.root), tmp_path / "rescue")
    assert not laid.are_left
    nodes = asyncio.run(laid.set_up(tuple(_devices(kernel)), []))
    assert nodes == ("/dev/dm-2", "/dev/dm-3")
    table = kernel.ran[-1][-1]
    assert f"0 {8 * GB // 512} snapshot /dev/sda /dev/dm-0 N 8" in table
    assert laid.are_left
    asyncio.run(laid.take_down([]))
    assert not laid.are_left
    assert not list((tmp_path / "rescue").iterdir())
    [removed] = [argv for argv in kernel.ran if argv[1] == "remove"]
    assert [name.removeprefix("raidwright-trial-") for name in removed[4:]] == ["0", "1", "0-cow", "1-cow"]


def test_mapped_volumes_are_read_only_and_go_before_the_array(kernel: Kernel, tmp_path: Path) -> None:
    laid = Overlays(Host(kernel.root), tmp_path / "rescue")
    asyncio.run(laid.set_up(tuple(_devices(kernel)), []))
    kernel.hold(973, 2, 3)
    tables = (("0 8192 linear /dev/md973 2048",), ("0 8 linear /dev/md973 0", "8 8 linear /dev/md973 80"))
    assert asyncio.run(laid.map_volumes(tables, [])) == ("/dev/dm-4", "/dev/dm-5")
    made = kernel.ran[-1][-1].split(";")
    assert made[0] == "raidwright-trial-lv-0,RAIDWRIGHT-trial-lv-0,,ro,0 8192 linear /dev/md973 2048"
    assert made[1] == "raidwright-trial-lv-1,RAIDWRIGHT-trial-lv-1,,ro,0 8 linear /dev/md973 0,8 8 linear /dev/md973 80"
    kernel.ran.clear()
    asyncio.run(laid.take_down([]))
    ways = [argv[1] for argv in kernel.ran]
    assert ways == ["--list", "remove", "--stop", "remove", "--detach"]
    assert kernel.ran[1][4:] == ("raidwright-trial-lv-0", "raidwright-trial-lv-1")


def test_what_a_killed_helper_left_is_taken_down(kernel: Kernel, tmp_path: Path) -> None:
    laid = Overlays(Host(kernel.root), tmp_path / "rescue")
    asyncio.run(laid.set_up(tuple(_devices(kernel)), []))
    kernel.hold(973, 2, 3)
    again = Overlays(Host(kernel.root), tmp_path / "rescue")
    assert again.are_left
    kernel.ran.clear()
    asyncio.run(again.take_down([]))
    assert kernel.ran[1][1:] == ("--stop", "/dev/md973")
    assert not again.are_left


def test_what_only_has_a_name_of_ours_is_nobodys_business(kernel: Kernel, tmp_path: Path) -> None:
    kernel.map("raidwright-trial--0", "LVM-ab")
    kernel.map("raidwright-trial-9", "")
    kernel.hold(973, 0, 1)
    put_device(kernel.root, "loop3", 7, 3, {"loop/backing_file": "/home/u/raidwright-overlays.img\n"})
    laid = Overlays(Host(kernel.root), tmp_path / "rescue")
    assert not laid.are_left
    assert laid.free_node() == "/dev/md972"
    put_text(kernel.root / "dev/md972", "a file that a dd has made")
    assert laid.free_node() == "/dev/md971"
    nodes = asyncio.run(laid.set_up(tuple(_devices(kernel)), []))
    kernel.hold(5, int(nodes[0][8:]), 0)  # an overlay and somebody else's volume
    kernel.ran.clear()
    asyncio.run(laid.take_down([]))
    assert not [argv for argv in kernel.ran if "--stop" in argv or "/dev/loop3" in argv]
    [removed] = [argv for argv in kernel.ran if argv[1] == "remove"]
    assert removed[4:] == (
        "raidwright-trial-0",
        "raidwright-trial-1",
        "raidwright-trial-0-cow",
        "raidwright-trial-1-cow",
    )
    assert sorted(path.name for path in (kernel.root / "sys/block").glob("dm-*")) == ["dm-0", "dm-1"]


def test_an_array_at_the_node_is_the_started_one_only_if_it_is_made_of_the_disks(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.map("raidwright-trial-0", "RAIDWRIGHT-trial-0")
    kernel.map("raidwright-trial-1", "RAIDWRIGHT-trial-1")
    kernel.hold(973, 0, 1)
    number, parts = os.makedev(9, 973), [os.makedev(253, 0), os.makedev(253, 1)]

    async def read_array(_host: Host, _number: int) -> md.RunningArray:
        return md.RunningArray(number, "/dev/md973", UUID, 0, 0)

    monkeypatch.setattr(md, "read_array", read_array)
    monkeypatch.setattr(Host, "number_of", lambda _self, _path: number)
    good, bad = ProgramResult(("mdadm",), 0, "", ""), ProgramResult(("mdadm",), 1, "", "mdadm: no.\n")
    host = Host(kernel.root)

    def start(finished: ProgramResult, among: list[int], uuid: str) -> int:
        return asyncio.run(rescue_disks.started(host, "/dev/md973", finished, among, uuid))

    assert start(good, parts, UUID) == number
    for finished, among, uuid in ((bad, parts, UUID), (good, parts[:1], UUID), (good, parts, UUID.replace("3", "4"))):
        with pytest.raises(JobFailed):
            start(finished, among, uuid)


def test_an_array_by_a_scratch_name_is_refused(computer: Computer) -> None:
    assert computer.refused(replace(FORCED, name="raidwright-scratch-9")).code == "is-scratch"


def test_without_room_or_the_kernels_module_it_is_said(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = Overlays(Host(kernel.root), tmp_path / "rescue")
    kernel.fails = "modprobe"
    with pytest.raises(JobFailed, match="modprobe failed: modprobe: no"):
        asyncio.run(laid.set_up(tuple(_devices(kernel)), []))
    asyncio.run(laid.take_down([]))
    monkeypatch.setattr(overlays, "_SHARE_BYTES", 2**60)
    with pytest.raises(DiskRefused, match="Make room there"):
        asyncio.run(laid.set_up(tuple(_devices(Kernel(tmp_path / "other"))), []))
    assert not laid.are_left
