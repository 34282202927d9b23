"""A disk that joins an array: guarded as in a new array, recorded until md has it, and named after an interruption."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import BuildState, BuildStep
from raidwright.core.protocol.results import Joined
from raidwright_helper.acts import replace as joining
from raidwright_helper.acts.replace import JoiningMember, hold_newcomer, join
from raidwright_helper.host import bad_blocks, holding
from raidwright_helper.host import members as members_of
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records.builds import Builds

MIB = 2**20
UUID = "11111111:0a1b2c3d:0a1b2c3d:0a1b2c3d"
NEW = Member("wwn-0x5001", 8 * MIB, model="WD80EFZX", serial="ZHZ1")
EXT4, XFS = Signature("ext4", 1080, 2, uuid="aaaa-bbbb"), Signature("xfs", 0, 4, uuid="cccc-dddd")
ARRAY: Any = SimpleNamespace(
    array=SimpleNamespace(number=9, uuid=UUID, name="tank"), label="tank", device=SimpleNamespace(node="/dev/md9")
)


class Claim:
    def release(self) -> None: ...


@dataclass(slots=True)
class Bench:
    """A file as disk, with simulated mdadm and wipefs; ``fails`` names the first act that fails."""

    disk: Path
    builds: Builds
    host: Host
    acts: list[str] = field(default_factory=list)
    fails: str = ""

    async def join(self) -> Joined:
        fd = os.open(self.disk, os.O_RDWR)
        try:
            held = HeldDisk(NEW, Pinned(1, "/dev/sdb", fd), Claim(), (EXT4,))  # type: ignore[arg-type]
            return await join(self.host, self.builds, JoiningMember(ARRAY, NEW, held.device, held), 1000, self.acts)
        finally:
            os.close(fd)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    disk = tmp_path / "disk"
    disk.write_bytes(os.urandom(8 * MIB))
    bench = Bench(disk, Builds(tmp_path / "backups"), Host(tmp_path / "host"))

    async def wipe(*_: object) -> None:
        with disk.open("r+b") as file:
            file.write(bytes(4096))
        bench.acts.append("wipefs")

    async def manage(_held: object, act: str, _log: object) -> None:
        [build] = bench.builds.all()  # recorded before anything is done
        assert (build.joined, build.notes[-1].step) == (UUID, BuildStep.JOIN)
        bench.acts.append(act)
        if bench.fails == act:
            raise JobFailed("mdadm says no.", code="command-failed")
        if bench.fails == "killed":
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def exclusive(_host: Host, device: Pinned, *_: object, **__: object) -> Iterator[Pinned]:
        yield device

    monkeypatch.setattr(joining, "wipe", wipe)
    monkeypatch.setattr(joining, "manage", manage)
    monkeypatch.setattr(joining, "Exclusive", exclusive)
    monkeypatch.setattr(members_of, "missing", lambda *_: 1)
    monkeypatch.setattr(Host, "size_bytes", lambda *_: 8 * MIB)
    monkeypatch.setattr(Host, "slaves", lambda *_: ())
    monkeypatch.setattr(Host, "announce", lambda *_: None)
    return bench


def test_nothing_is_kept_of_a_disk_that_md_has(bench: Bench) -> None:
    assert asyncio.run(bench.join()) is Joined.REBUILDS
    assert bench.acts == ["wipefs", "--add"]
    assert bench.builds.all() == ()
    assert not list((bench.disk.parent / "backups").iterdir())


def test_a_disk_that_is_not_taken_has_its_bytes_back_and_no_record(bench: Bench) -> None:
    before, bench.fails = bench.disk.read_bytes(), "--add"
    with pytest.raises(JobFailed, match="What it held at its ends is back on it"):
        asyncio.run(bench.join())
    assert bench.disk.read_bytes() == before
    assert bench.builds.all() == ()


def test_where_the_helper_is_killed_the_disk_is_named_and_its_bytes_are_kept(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Builds, "drop", lambda *_: None)  # a killed helper runs nothing
    before, bench.fails = bench.disk.read_bytes(), "killed"
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(bench.join())
    monkeypatch.undo()
    again = Builds(bench.disk.parent / "backups")
    [build] = again.all()
    assert (again.state_of(build), build.name, build.has_way_back) == (BuildState.INTERRUPTED, "tank", True)
    assert "ZHZ1" in build.disk_names[0]
    assert (again.folder_of(build.id) / "disk-0.bin").read_bytes()[:4096] == before[:4096]
    again.drop_joined(lambda _uuid, _disk: False)  # md hasn't taken it
    assert again.all() == (build,)
    again.drop_joined(lambda uuid, disk: (uuid, disk.id) == (UUID, NEW.id))  # it had
    assert again.all() == ()


@pytest.mark.parametrize("form", ["UUID=aaaa-bbbb", "UUID=cccc-dddd", "/dev/disk/by-uuid/aaaa-bbbb"])
def test_a_disk_whose_file_system_is_in_fstab_may_not_join_whatever_was_let_go(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """udev has no ID_FS_UUID for a disk with two signatures, so only libblkid's findings show it."""
    etc = bench.host.root / "etc"
    etc.mkdir(parents=True)
    (etc / "fstab").write_text(f"{form} /srv/x ext4 defaults 0 2\n")

    async def find_single(*_: object) -> Any:
        return ARRAY

    async def nothing(*_: object, **__: object) -> None: ...

    async def pin_disks(*_: object) -> tuple[Pinned, ...]:
        return (Pinned(1, "/dev/sdb", -1),)

    async def found(*_: object) -> tuple[Signature, ...]:
        return (EXT4, XFS)

    monkeypatch.setattr(joining, "find_single", find_single)
    monkeypatch.setattr(joining, "pin_disks", pin_disks)
    monkeypatch.setattr(members_of, "settle", nothing)
    monkeypatch.setattr(bad_blocks, "verify_takes_newcomer", nothing)
    for name in ("verify_shape_stays", "verify_takes_members", "verify_fits"):
        monkeypatch.setattr(joining, name, lambda *_: None)
    monkeypatch.setattr(holding, "verify_free", lambda *_, **__: None)
    monkeypatch.setattr(holding, "Exclusive", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(holding, "found_anywhere", found)
    monkeypatch.setattr(Host, "leaves", lambda *_: ())
    monkeypatch.setattr(Host, "whole", lambda _host, number: number)
    with contextlib.ExitStack() as until, pytest.raises(DiskRefused, match="fstab"):
        asyncio.run(hold_newcomer(bench.host, Claims(), (UUID, "tank"), NEW, ["ext4", "xfs"], until))
