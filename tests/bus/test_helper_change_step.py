"""A step of a change: disks that a level without spares takes are saved, and the hidden end is shown on a refusal."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.md.changes.values import ChangeKind, ChangeStep, ChangeWay, ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol.facts import BuildState
from raidwright_helper.acts import change_step
from raidwright_helper.acts.change_step import HeldChange, Kept, cut_off, take
from raidwright_helper.host import md
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.holding import HeldDisk
from raidwright_helper.host.host import Host
from raidwright_helper.host.signatures import Signature
from raidwright_helper.jobs.claims import Claims
from raidwright_helper.records import ends
from raidwright_helper.records.builds import Builds
from raidwright_helper.records.ends import HiddenEnds

from .helper_house import put_array, put_text

MIB = 2**20
UUID = "11111111:0a1b2c3d:0a1b2c3d:0a1b2c3d"
NEW = tuple(Member(f"wwn-0x500{place}", 8 * MIB, model="WD80EFZX", serial=f"ZHZ{place}") for place in range(2))
ARRAY: Any = SimpleNamespace(
    array=SimpleNamespace(number=9, uuid=UUID, name="tank", node="/dev/md9"),
    label="tank",
    device=SimpleNamespace(node="/dev/md9"),
)
STRIPES = Plan(MdArray(Level.RAID0, (Member("a", 8 * MIB), Member("b", 8 * MIB))))
GROWN = ChangeStep(ChangeKind.RESHAPE, STRIPES.array, STRIPES.array, ("--raid-devices=4",), disks=NEW)
PARITY = Plan(MdArray(Level.RAID5, tuple(Member(name, 8 * MIB) for name in "abcd")))
HIDDEN = ChangeStep(ChangeKind.TRUNCATE, PARITY.array, PARITY.array, ("--array-size=1000",))
FEWER = ChangeStep(ChangeKind.RESHAPE, PARITY.array, PARITY.array, ("--raid-devices=3",))


class Claim:
    def release(self) -> None: ...


@dataclass(slots=True)
class Bench:
    """Files as disks, with simulated mdadm and wipefs. ``ran`` are mdadm's commands; ``fails`` the word that fails."""

    folder: Path
    builds: Builds
    ran: list[str] = field(default_factory=list)
    fails: str = ""
    error: BaseException = field(default_factory=lambda: JobFailed("mdadm says no.", code="command-failed"))
    before: list[bytes] = field(default_factory=list)

    def disk(self, place: int) -> Path:
        """Return the file of a disk."""
        return self.folder / f"disk{place}"

    @property
    def kept(self) -> Kept:
        """The records."""
        return Kept(self.builds, None, None, None, HiddenEnds(Host(self.folder), self.folder / "ends"))  # type: ignore[arg-type]

    async def run(self, argv: Sequence[str], **_: object) -> Any:
        """Simulate mdadm."""
        self.ran.append(" ".join(argv[1:]))
        if self.fails and self.fails in self.ran[-1]:
            raise self.error
        return SimpleNamespace(command=self.ran[-1])

    def take(self) -> None:
        """Take the step that adds both disks."""
        with contextlib.ExitStack() as until:
            fds = [os.open(self.disk(place), os.O_RDWR) for place in range(2)]
            for fd in fds:
                until.callback(os.close, fd)
            devices = {disk.id: Pinned(place, f"/dev/sd{place}", fds[place]) for place, disk in enumerate(NEW)}
            found = (Signature("ext4", 1080, 2),)
            waiting = {disk.id: HeldDisk(disk, devices[disk.id], Claim(), found) for disk in NEW}  # type: ignore[arg-type]
            change = HeldChange(ARRAY, ChangeWish(add=NEW), devices, waiting)
            asyncio.run(take(Host(self.folder), self.kept, change, GROWN, 1000, _job()))


def _job() -> Any:
    return SimpleNamespace(progress=lambda *_: None, record=SimpleNamespace(commands=[]))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path, Builds(tmp_path / "backups"))
    for place in range(2):
        bench.before.append(os.urandom(8 * MIB))
        bench.disk(place).write_bytes(bench.before[place])

    async def wipe(_host: object, number: int, *_: object) -> None:
        assert len(bench.builds.all()) == 2  # both are saved before the first write
        with bench.disk(number).open("r+b") as file:
            file.write(bytes(4096))

    @contextlib.contextmanager
    def exclusive(_host: Host, device: Pinned, *_: object, **__: object) -> Iterator[Pinned]:
        yield device

    monkeypatch.setattr(change_step, "wipe", wipe)
    monkeypatch.setattr(change_step, "run", bench.run)
    monkeypatch.setattr(ends, "run", bench.run)
    monkeypatch.setattr(change_step, "Exclusive", exclusive)
    monkeypatch.setattr(Host, "size_bytes", lambda *_: 8 * MIB)
    monkeypatch.setattr(Host, "slaves", lambda *_: ())
    return bench


def test_nothing_is_kept_of_disks_that_md_has(bench: Bench) -> None:
    bench.take()
    assert bench.ran == ["--grow /dev/md9 --raid-devices=4 --add /dev/sd0 /dev/sd1"]
    assert bench.builds.all() == ()
    assert not list((bench.folder / "backups").iterdir())


def test_disks_that_are_not_taken_have_their_bytes_back(bench: Bench) -> None:
    bench.fails = "--grow"
    with pytest.raises(JobFailed, match="What they held at their ends is back on them"):
        bench.take()
    assert [bench.disk(place).read_bytes() for place in range(2)] == bench.before
    assert bench.builds.all() == ()


def test_where_the_helper_is_killed_each_disk_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Builds, "drop", lambda *_: None)  # a killed helper runs nothing
    bench.fails, bench.error = "--grow", KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        bench.take()
    monkeypatch.undo()
    again = Builds(bench.folder / "backups")
    assert {again.state_of(build) for build in again.all()} == {BuildState.INTERRUPTED}
    assert sorted(name for build in again.all() for name in build.disk_names) == [
        "WD80EFZX ZHZ0 (wwn-0x5000)",
        "WD80EFZX ZHZ1 (wwn-0x5001)",
    ]
    assert all(build.has_way_back for build in again.all())
    again.drop_joined(lambda uuid, disk: (uuid, disk) == (UUID, NEW[0]))
    assert [build.members[0].member for build in again.all()] == [NEW[1]]


@pytest.mark.parametrize("size", ["default", "2000"])
@pytest.mark.parametrize("why", ["content", "mdadm"])
def test_the_end_is_shown_again_if_the_reshape_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, why: str, size: str
) -> None:
    """The content has grown meanwhile, or mdadm refuses; an end that somebody else hid stays hidden."""
    attributes = {"md/array_size": size, "md/reshape_position": "none"}
    monkeypatch.setattr(Host, "attribute", lambda _host, _number, name: attributes.get(name, ""))
    refusals = (say("It has grown."),) if why == "content" else ()

    async def way_left(*_: object) -> ChangeWay:
        assert bench.ran[-1] == "--grow /dev/md9 --array-size=1000"  # once it is hidden
        return ChangeWay(ChangeWish(), PARITY.array, PARITY.array, (FEWER,), refusals)

    monkeypatch.setattr(change_step, "way_left", way_left)
    bench.fails = "--raid-devices=3"
    change = HeldChange(ARRAY, ChangeWish(slots=3), {}, {})
    with pytest.raises((DiskRefused, JobFailed), match="It has grown" if why == "content" else "mdadm says no"):
        asyncio.run(cut_off(Host(bench.folder), bench.kept, change, HIDDEN, 1000, _job()))
    assert bench.ran[-1] == f"--grow /dev/md9 --array-size={'max' if size == 'default' else size}"


def test_a_reshape_that_has_begun_keeps_its_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = {"md/array_size": "default", "md/reshape_position": "1024"}
    monkeypatch.setattr(Host, "attribute", lambda _host, _number, name: attributes.get(name, ""))

    async def way_left(*_: object) -> ChangeWay:
        return ChangeWay(ChangeWish(), PARITY.array, PARITY.array, (FEWER,))

    monkeypatch.setattr(change_step, "way_left", way_left)
    bench.fails = "--raid-devices=3"
    with pytest.raises(JobFailed):
        asyncio.run(cut_off(Host(bench.folder), bench.kept, HeldChange(ARRAY, ChangeWish(), {}, {}), HIDDEN, 1, _job()))
    assert bench.ran == ["--grow /dev/md9 --array-size=1000", "--grow /dev/md9 --raid-devices=3"]


@pytest.mark.parametrize(
    ("size", "position", "shown"), [("1000", "none", True), ("1000", "1024", False), ("default", "none", False)]
)
def test_the_next_helper_shows_an_end_that_a_killed_one_had_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str, position: str, *, shown: bool
) -> None:
    """Unless the reshape has begun, for which it stays hidden, or md shows it already."""
    put_array(tmp_path, "md9", UUID, "tank")
    put_text(tmp_path / "sys/block/md9/md/array_size", "default")
    ran: list[str] = []

    async def run(argv: Sequence[str], **_: object) -> Any:
        ran.append(" ".join(argv[1:]))
        return SimpleNamespace(command=ran[-1], output=f"MD_UUID={UUID}\nMD_NAME=nas:tank")

    monkeypatch.setattr(md, "run", run)
    monkeypatch.setattr(ends, "run", run)
    host = Host(tmp_path)
    number = host.arrays()[0]
    HiddenEnds(host, tmp_path / "ends").begin(md.RunningArray(number, "/dev/md9", UUID, 0, 0), "1000")
    put_text(tmp_path / "sys/block/md9/md/array_size", size)
    put_text(tmp_path / "sys/block/md9/md/reshape_position", position)
    next_one = HiddenEnds(host, tmp_path / "ends")
    if shown:  # the same request once more, before that, keeps what was there at first
        assert next_one.begin(md.RunningArray(number, "/dev/md9", UUID, 0, 0), "1000").before == "max"
    asyncio.run(next_one.show_left(Claims()))
    assert ran[1:] == (["--grow /dev/md9 --array-size=max"] if shown else [])
    ran.clear()
    asyncio.run(next_one.show_left(Claims()))
    assert not ran
