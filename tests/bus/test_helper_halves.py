"""Scratch arrays of halves: in-kernel partitions, which are always removed."""

from __future__ import annotations

import asyncio
import ctypes
import errno
import fcntl
import os
import shutil
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Variant
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.model.halves import cross_paired, halves_of
from raidwright.core.model.plan import Member, Plan
from raidwright.core.model.plan_json import dump_member, dump_plan
from raidwright.core.protocol import actions
from raidwright.core.protocol.names import INTERFACE
from raidwright_helper.host import halves
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.verbs import disk_verbs

from .fake_polkit import Answer
from .helper_house import PATIENCE_S, House, variants

SDA = os.makedev(8, 0)
DISK = Member("wwn-0x5001", 8 * 10**12, "WD80EFZX", "ZHZ1")
OTHER = Member("wwn-0x5002", 8 * 10**12, "WD80EFZX", "ZHZ2")


class Kernel:
    """The kernel's partitions of the disk, in sysfs; ``busy`` ones can't be deleted."""

    def __init__(self, root: Path) -> None:
        self.root, self.busy = root, False
        self.folder = root / "sys/devices/sda"
        self._device(self.folder, SDA, size=DISK.size_bytes // 512)

    def _device(self, folder: Path, number: int, **attributes: int) -> None:
        folder.mkdir(parents=True)
        dev = f"{os.major(number)}:{os.minor(number)}"
        for name, value in {"dev": dev, **attributes}.items():
            (folder / name).write_text(f"{value}\n", encoding="ascii")
        link = self.root / "sys/dev/block" / dev
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder)

    def add(self, number: int, start_bytes: int, size_bytes: int) -> None:
        self._device(
            self.folder / f"sda{number}", SDA + number,
            partition=number, start=start_bytes // 512, size=size_bytes // 512,
        )  # fmt: skip

    def ioctl(self, _fd: int, request: int, argument: halves._Argument) -> None:
        assert request == 0x1269
        part = halves._Partition.from_address(argument.data)
        assert argument.datalen == ctypes.sizeof(part) == 152  # struct blkpg_partition
        if argument.op == 1:
            if (self.folder / f"sda{part.pno}").exists():
                raise OSError(errno.EBUSY, "Device or resource busy")
            self.add(part.pno, part.start, part.length)
        elif self.busy:
            raise OSError(errno.EBUSY, "Device or resource busy")
        else:
            shutil.rmtree(self.folder / f"sda{part.pno}")
            (self.root / f"sys/dev/block/8:{part.pno}").unlink()


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(tmp_path)
    monkeypatch.setattr(fcntl, "ioctl", made.ioctl)
    return made


PINNED = Pinned(SDA, "/dev/sda", -1)


def test_both_halves_come_and_go(kernel: Kernel) -> None:
    host = Host(kernel.root)
    found = halves.add_halves(host, PINNED, DISK)
    assert found == {half.id: SDA + (half.partition or 0) for half in halves_of(DISK)}
    kernel.busy = True
    with pytest.raises(DiskRefused, match="still in use"):
        halves.take_back_halves(host, PINNED, DISK)
    kernel.busy = False
    halves.take_back_halves(host, PINNED, DISK)
    assert host.partitions(SDA) == ()


def test_a_disk_with_partitions_gets_none_and_keeps_its_own(kernel: Kernel) -> None:
    host = Host(kernel.root)
    kernel.add(2, 2**30, 2**30)
    with pytest.raises(JobFailed, match="can't be halved"):
        halves.add_halves(host, PINNED, DISK)
    assert host.partitions(SDA) != ()
    assert halves.halves_there(host, PINNED, DISK) == {}
    halves.take_back_halves(host, PINNED, DISK)
    assert SDA + 2 in host.partitions(SDA)


@pytest.mark.parametrize(
    ("partition", "holds", "comes_back"), [(False, False, True), (False, True, False), (True, False, False)]
)
def test_after_a_restart_they_come_back_only_on_a_disk_that_is_still_empty(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch, *, partition: bool, holds: bool, comes_back: bool
) -> None:
    async def found_on(_node: str) -> tuple[Signature, ...]:
        return (Signature("ext4", 1080, 2),) if holds else ()

    monkeypatch.setattr(halves, "found_on", found_on)
    if partition:
        kernel.add(1, 2**20, 2**30)
    found = asyncio.run(halves.halves_again(Host(kernel.root), PINNED, DISK))
    assert bool(found) is comes_back


def _wire(plan: Plan, *disks: Member, scratch: bool = True) -> list[Any]:
    halved = Variant("aa{sv}", [variants(dump_member(one)) for one in disks])
    return [_plan(plan), variants({"confirmed_name": plan.name, "scratch": scratch}) | {"halved": halved}]


def _plan(plan: Plan) -> dict[str, Variant]:
    data = dump_plan(plan)
    mirrors = []
    for mirror in data.pop("members"):  # type: ignore[attr-defined]
        members = [Variant("a{sv}", variants(one)) for one in mirror.pop("members")]
        mirrors.append(Variant("a{sv}", variants(mirror) | {"members": Variant("av", members)}))
    return variants(data) | {"members": Variant("av", mirrors)}


CROSSED = cross_paired(DISK, OTHER)
THIRD = Member("wwn-0x5003", 8 * 10**12, "WD80EFZX", "ZHZ3")


@pytest.mark.parametrize(
    "body",
    [
        _wire(Plan(CROSSED), DISK, OTHER, scratch=False),
        _wire(Plan(CROSSED), DISK),
        _wire(Plan(CROSSED), DISK, THIRD),
        _wire(Plan(CROSSED), halves_of(DISK)[0], OTHER),
        _wire(Plan(cross_paired(DISK, Member("wwn-0x5002", 10**12, "WD80EFZX", "ZHZ2"))), DISK, OTHER),
    ],
)
def test_what_is_no_array_of_halves_is_refused(house: House, body: list[Any]) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("CreateArray", "a{sv}a{sv}", *body)
            assert reply.error_name == f"{INTERFACE}.Error.BadInput", reply.body

    _run(test())


def test_the_prompt_names_the_whole_disks(house: House) -> None:
    async def test() -> None:
        async with house.open() as client:
            reply = await client.call("CreateArray", "a{sv}a{sv}", *_wire(Plan(CROSSED), DISK, OTHER))
            assert reply.error_name  # there are no such disks
            [question] = house.polkit.questions
            assert question.action == actions.CREATE_SCRATCH.id
            assert question.details["disks"].count("a disk that is not here") == 2  # and not each half

    _run(test())


@pytest.mark.parametrize(("disks", "is_let"), [((DISK, OTHER), True), ((DISK, THIRD), False)])
def test_a_trial_of_whole_disks_covers_their_halves(
    house: House, monkeypatch: pytest.MonkeyPatch, *, disks: tuple[Member, Member], is_let: bool
) -> None:
    async def hold_disks(*_: object) -> tuple[()]:
        return ()

    async def create(*_: object) -> str:
        return "/"

    monkeypatch.setattr(disk_verbs, "hold_disks", hold_disks)
    monkeypatch.setattr(disk_verbs.Verbs, "_create", create)

    async def test() -> None:
        async with house.open() as client:
            named = [variants(dump_member(one)) for one in (DISK, OTHER)]
            assert not (await client.call("BeginTrial", "aa{sv}u", named, 30)).error_name
            house.polkit.answer = Answer.NO
            reply = await client.call("CreateArray", "a{sv}a{sv}", *_wire(Plan(cross_paired(*disks)), *disks))
            assert bool(reply.error_name) is not is_let, reply.body
            assert len(house.polkit.questions) == 2 - is_let

    _run(test())


def _run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 4 * PATIENCE_S))
