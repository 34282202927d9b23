"""Wiping, the backup before it, and the records of builds: tested on files in place of disks."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbus_fast import Message, MessageType, Variant
from hypothesis import given, settings
from hypothesis import strategies as st
from raidwright.core.errors import DiskRefused, InputError, JobFailed
from raidwright.core.model.plan import Member
from raidwright.core.protocol.facts import KEPT_DAYS, BuildState, BuildStep
from raidwright_helper.host.extents import END_BYTES, Extent
from raidwright_helper.host.host import Host, UdevRecord
from raidwright_helper.host.power import PowerStates
from raidwright_helper.records import backup
from raidwright_helper.records.backup import extents_to_save, keep_as_found, only_erased, put_back, save
from raidwright_helper.records.build import Build
from raidwright_helper.records.builds import Builds, ToSave
from raidwright_helper.verbs import arguments

from .helper_house import PATIENCE_S, House, a_plan

MIB = 2**20
DONE = {"uuid": "0a1b2c3d:0a1b2c3d:0a1b2c3d:0a1b2c3d", "fingerprint": {"/0 head": "0" * 64}}
MEMBER = Member("wwn-0x5001", 8 * MIB, model="WD80EFZX", serial="ZHZ1")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[int]:
    """A file of 8 MiB, no two sectors alike, open for reading and writing."""
    path = tmp_path / "disk"
    path.write_bytes(b"".join(number.to_bytes(512, "little") for number in range(8 * MIB // 512)))
    fd = os.open(path, os.O_RDWR)
    yield fd
    os.close(fd)


@given(st.integers(1, 64), st.lists(st.tuples(st.integers(0, 70_000), st.integers(1, 70_000))))
def test_what_is_saved_covers_both_ends_and_every_mark_once(size_kib: int, marks: list[tuple[int, int]]) -> None:
    size_bytes = size_kib * 128 * 1024
    wanted = [Extent(start * 97, length) for start, length in marks]
    found = extents_to_save(size_bytes, wanted)
    covered = [(one.offset_bytes, one.end_bytes) for one in found]
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(covered))
    for one in (Extent(0, END_BYTES), Extent(max(0, size_bytes - END_BYTES), END_BYTES), *wanted):
        if one.offset_bytes < size_bytes:
            end = min(size_bytes, one.end_bytes)
            assert any(start <= one.offset_bytes and end <= stop for start, stop in covered)
    assert covered[-1][1] == size_bytes


def test_what_was_overwritten_comes_back_to_the_byte(disk: int, tmp_path: Path) -> None:
    before = os.pread(disk, 8 * MIB, 0)
    saved = save(disk, extents_to_save(8 * MIB, [Extent(4 * MIB, 512)]), tmp_path / "disk-0.bin", "sda")
    for offset in (0, 4096, 4 * MIB, 8 * MIB - 4096):
        os.pwrite(disk, b"md" * 256, offset)
    put_back(disk, saved, tmp_path, "sda")
    assert os.pread(disk, 8 * MIB, 0) == before
    assert (tmp_path / "disk-0.bin").stat().st_mode & 0o777 == 0o600


def test_a_damaged_backup_is_not_put_back(disk: int, tmp_path: Path) -> None:
    saved = save(disk, extents_to_save(8 * MIB, ()), tmp_path / "disk-0.bin", "sda")
    with (tmp_path / "disk-0.bin").open("r+b") as file:
        file.write(b"x")
    os.pwrite(disk, b"new", 0)
    with pytest.raises(JobFailed, match="damaged"):
        put_back(disk, saved, tmp_path, "sda")
    assert os.pread(disk, 3, 0) == b"new"


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_erased_bytes_are_told_from_written_ones(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """An interrupted undo continues only if each byte is as before, zero, or as it was when the undo began."""
    folder = tmp_path_factory.mktemp("erased")
    before = bytes(range(1, 251)) * (8 * 1024 * 1024 // 250 + 1)
    (folder / "disk").write_bytes(before[: 8 * MIB])
    fd = os.open(folder / "disk", os.O_RDWR)
    try:
        saved = save(fd, extents_to_save(8 * MIB, ()), folder / "disk-0.bin", "sda")
        ends = st.one_of(st.integers(0, END_BYTES - 600), st.integers(8 * MIB - END_BYTES, 8 * MIB - 600))
        for at in data.draw(st.lists(ends, max_size=3)):
            os.pwrite(fd, bytes(data.draw(st.integers(1, 512))), at)
        os.pwrite(fd, b"anything", 4 * MIB)  # between the saved extents
        assert only_erased(fd, saved, folder)
        at, was = data.draw(ends), data.draw(st.sampled_from(range(251, 256)))
        os.pwrite(fd, bytes((was,)), at)
        assert not only_erased(fd, saved, folder)
        keep_as_found(fd, saved, folder, "sda")
        assert only_erased(fd, saved, folder)  # the undo begins here, and is interrupted after a part of it
        os.pwrite(fd, before[:4096], 0)
        assert only_erased(fd, saved, folder)
        os.pwrite(fd, b"\xfe", 0 if at else 1)
        assert not only_erased(fd, saved, folder)
    finally:
        os.close(fd)


def test_a_disk_that_forgets_is_noticed(disk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = save(disk, extents_to_save(8 * MIB, ()), tmp_path / "disk-0.bin", "sda")
    os.pwrite(disk, b"new", 0)
    monkeypatch.setattr(backup, "_write_all", lambda *_: None)
    with pytest.raises(JobFailed, match="doesn't give back"):
        put_back(disk, saved, tmp_path, "sda")


async def _begin(builds: Builds, disk: int) -> Build:
    return await builds.begin("tank", 1000, [ToSave(MEMBER, disk, 8 * MIB, (), ("ext4",))], synchronises=True)


def test_a_full_state_directory_refuses_before_anything_is_touched(
    disk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(JobFailed, match=r"No space left.*make room|No space left.*Make room"):
        asyncio.run(_begin(Builds(tmp_path / "backups"), disk))
    assert not list((tmp_path / "backups").iterdir())


def test_a_disk_that_cannot_be_read_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    """It ends too early, which is an error of the disk and not of the backup."""
    (tmp_path / "short").write_bytes(b"x" * MIB)
    fd = os.open(tmp_path / "short", os.O_RDONLY)
    try:
        with pytest.raises(JobFailed, match=r"can't be read") as caught:
            asyncio.run(_begin(Builds(tmp_path / "backups"), fd))
    finally:
        os.close(fd)
    assert caught.value.code == "disk-unreadable"
    assert not list((tmp_path / "backups").iterdir())


def test_no_link_is_followed_and_no_file_is_taken_over(disk: int, tmp_path: Path) -> None:
    (tmp_path / "disk-0.bin").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JobFailed, match="could not be saved"):
        save(disk, extents_to_save(8 * MIB, ()), tmp_path / "disk-0.bin", "sda")
    assert not (tmp_path / "elsewhere").exists()


def test_the_next_helper_knows_how_far_a_build_came(disk: int, tmp_path: Path) -> None:
    builds = Builds(tmp_path / "backups")
    build = asyncio.run(_begin(builds, disk))
    with builds.running(build.id):
        assert builds.state_of(build) is BuildState.RUNNING
        with pytest.raises(InputError, match="still being worked on"), builds.running(build.id):
            pass
    seen: list[tuple[BuildState, bool]] = []
    for step, fields in (
        (None, {}),
        (BuildStep.WIPE, {}),
        (BuildStep.CREATE, {}),
        (BuildStep.DONE, DONE),
        (BuildStep.UNDO, {}),
        (BuildStep.UNDONE, {}),
        (BuildStep.FAILED, {"left": []}),
        (BuildStep.FAILED, {"left": ["a disk"]}),
    ):
        if step is not None:
            builds.note(build.id, step, **fields)
        [found] = Builds(tmp_path / "backups").all()
        seen.append((builds.state_of(found), found.has_way_back))
    assert seen == [
        *[(BuildState.INTERRUPTED, True)] * 3,
        (BuildState.DONE, True),
        (BuildState.INTERRUPTED, True),
        (BuildState.UNDONE, False),
        (BuildState.FAILED, False),
        (BuildState.FAILED, True),
    ]
    assert found.members == build.members


def _saved(builds: Builds, build: Build) -> list[str]:
    return sorted(path.name for path in builds.folder_of(build.id).glob("disk-*"))


def test_what_was_saved_is_kept_as_long_as_there_is_a_way_back(disk: int, tmp_path: Path) -> None:
    builds = Builds(tmp_path / "backups")
    for step, fields, left in (
        (BuildStep.DONE, DONE, ["disk-0.bin"]),
        (BuildStep.FAILED, {"left": ["a disk"]}, ["disk-0.bin"]),
        (BuildStep.FAILED, {"left": []}, []),
        (BuildStep.UNDONE, {}, []),
        (BuildStep.FORGOTTEN, {}, []),
    ):
        build = asyncio.run(_begin(builds, disk))
        builds.note(build.id, step, **fields)
        assert _saved(builds, build) == left, step
        assert builds.find(build.id).has_way_back == bool(left)


def test_what_an_undo_overwrote_is_kept_for_its_days_and_nothing_else(disk: int, tmp_path: Path) -> None:
    """Somebody may have put a boot loader into md's reserved space; the disk's former secrets are deleted."""
    builds = Builds(tmp_path / "backups")
    before = os.pread(disk, 8 * MIB, 0)
    build = asyncio.run(_begin(builds, disk))
    saved, folder = build.members[0].saved, builds.folder_of(build.id)
    os.pwrite(disk, b"a boot loader", 4096)
    keep_as_found(disk, saved, folder, "sda")
    put_back(disk, saved, folder, "sda")
    builds.note(build.id, BuildStep.UNDO)
    builds.note(build.id, BuildStep.UNDONE)
    assert _saved(builds, build) == ["disk-0.bin.found"]
    kept = (folder / "disk-0.bin.found").read_bytes()
    assert kept[4096 : 4096 + 13] == b"a boot loader"
    assert kept[:4096] == bytes(4096)  # unchanged bytes, which may be somebody's secret
    assert kept[8192:] == bytes(len(kept) - 8192)
    assert os.pread(disk, 8 * MIB, 0) == before
    undone = builds.find(build.id)
    assert undone.kept_until_s == undone.notes[-1].at_s + KEPT_DAYS * 86_400
    builds.forget_old(undone.kept_until_s)
    assert _saved(builds, build) == ["disk-0.bin.found"]
    builds.forget_old(undone.kept_until_s + 1)
    assert _saved(builds, build) == []
    found = builds.find(build.id)
    assert (builds.state_of(found), found.has_way_back, found.kept_until_s) == (BuildState.UNDONE, False, None)


def test_a_build_is_forgotten_when_it_is_asked_for_or_old_and_its_record_stays(disk: int, tmp_path: Path) -> None:
    builds = Builds(tmp_path / "backups")
    build = asyncio.run(_begin(builds, disk))
    builds.note(build.id, BuildStep.DONE, **DONE)
    day_s = 86_400
    with builds.running(build.id):
        builds.forget_old(build.began_s + 400 * day_s)
        with pytest.raises(InputError, match="still being worked on"):
            builds.forget(build.id)
    builds.forget_old(build.began_s + KEPT_DAYS * day_s)
    assert _saved(builds, build) == ["disk-0.bin"]
    builds.forget_old(build.began_s + KEPT_DAYS * day_s + 1)
    assert _saved(builds, build) == []
    found = builds.find(build.id)
    assert (builds.state_of(found), found.has_way_back, found.kept_until_s) == (BuildState.DONE, False, None)
    with pytest.raises(InputError, match="Nothing of this build is kept"):
        builds.forget(build.id)
    other = asyncio.run(_begin(builds, disk))
    builds.forget(other.id)
    assert builds.state_of(builds.find(other.id)) is BuildState.INTERRUPTED


def test_what_began_with_a_clock_that_was_not_set_is_not_old(
    disk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = Builds(tmp_path / "backups")
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: 60.0)
        build = asyncio.run(_begin(builds, disk))
    builds.forget_old(time.time())
    assert _saved(builds, build) == ["disk-0.bin"]


def test_what_was_never_begun_is_forgotten(disk: int, tmp_path: Path) -> None:
    builds = Builds(tmp_path)
    kept = asyncio.run(_begin(builds, disk))
    (tmp_path / ("0" * 32)).mkdir()
    builds.forget_unbegun()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [kept.id]


@pytest.mark.parametrize("build_id", ["", "../../etc", "0" * 31, "0" * 32, "Z" * 32])
def test_only_a_builds_id_is_one(tmp_path: Path, build_id: str) -> None:
    with pytest.raises(InputError):
        Builds(tmp_path).find(build_id)


@pytest.mark.parametrize(
    "wipe",
    [
        Variant("s", "all"),
        Variant("b", True),
        Variant("as", ["ext4"]),
        Variant("a{ss}", {"wwn-0x5001": "ext4"}),
        Variant("a{sas}", {"wwn-0x5001": []}),
        Variant("a{sas}", {"wwn-0x5001": ["ext4,gpt"]}),
        Variant("a{sas}", {"wwn-0x5001": ["--all"]}),
        Variant("a{sas}", {"wwn-0x5001": ["ext4"] * 65}),
        Variant("a{sas}", {"wwn-0x5009": ["ext4"]}),
    ],
)
def test_what_may_be_wiped_has_one_form(house: House, wipe: Variant) -> None:
    async def test() -> None:
        async with house.open() as client:
            options = {"confirmed_name": Variant("s", "tank"), "wipe": wipe}
            reply = await client.call("CreateArray", "a{sv}a{sv}", a_plan(), options)
            assert reply.error_name == "org.raidwright.Helper1.Error.BadInput"
            assert house.polkit.questions[0].details["removed"] == "?"

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))


def test_nothing_is_wiped_for_a_scratch_array() -> None:
    plan = {"version": 1, "name": "tank", "level": "raid1", "members": [{"id": "a", "size_bytes": 1}] * 2}
    options = {"confirmed_name": "tank", "scratch": True, "wipe": {"a": ["ext4"]}}
    with pytest.raises(InputError, match="empty disks"):
        arguments.read_create([plan, options])


class _Spinning(Host):
    """A host whose only disk is a spinning ATA disk, according to sysfs."""

    def attribute(self, _number: int, name: str) -> str:
        return {"queue/rotational": "1", "device/power/runtime_status": "active"}.get(name, "")

    def udev(self, _number: int) -> UdevRecord:
        return UdevRecord(frozenset(), {"ID_ATA": "1"})

    def kernel_name(self, _number: int) -> str:
        return "sda"


class _UDisks:
    """Bus replacement: answers the power state, or an error for None."""

    def __init__(self, state: int | None) -> None:
        self._state = state

    async def call(self, message: Message) -> Any:
        if self._state is None:
            return Message.new_error(_asked(message), "org.freedesktop.DBus.Error.ServiceUnknown", "gone")
        if message.member == "Get":
            assert message.path == "/org/freedesktop/UDisks2/block_devices/sda"
            return Message.new_method_return(_asked(message), "v", [Variant("o", "/the/drive")])
        assert (message.path, message.member) == ("/the/drive", "PmGetState")
        return Message.new_method_return(_asked(message), "y", [self._state])


def _asked(message: Message) -> Message:
    message.sender, message.serial = ":1.1", 1
    assert message.message_type is MessageType.METHOD_CALL
    return message


@pytest.mark.parametrize(
    ("state", "code"), [(0x00, "disk-asleep"), (None, "disk-power-unknown"), (0x80, ""), (0xFF, "")]
)
def test_a_sleeping_disk_is_left_alone(state: int | None, code: str) -> None:
    power = PowerStates(_UDisks(state))  # type: ignore[arg-type]
    try:
        asyncio.run(power.verify_awake(_Spinning(), 2048, "ZHZ1"))
        said = ""
    except DiskRefused as error:
        said = error.code
    assert said == code
