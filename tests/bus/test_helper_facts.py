"""Facts with their owner: what is read past the cache, what counts as used, and which pace asks each time."""

from __future__ import annotations

import asyncio
import os
import subprocess
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.layers.shared_disks import lost_with_one
from raidwright.core.md.changes.refusals import content_refusal
from raidwright.core.md.changes.values import ArrayContent, ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.md.sync import NO_LIMIT_KIB_S
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.protocol import actions
from raidwright.core.protocol.facts import UNKNOWN
from raidwright.core.system.content_size import HEAD_BYTES, has_open_journal
from raidwright_helper.acts import create
from raidwright_helper.acts.change import ChangeRequest
from raidwright_helper.host import content, owners
from raidwright_helper.host.content import content_of
from raidwright_helper.host.extents import bytes_at
from raidwright_helper.host.guards import Pinned
from raidwright_helper.host.host import Host
from raidwright_helper.host.owners import mounted_file_system
from raidwright_helper.host.seen import SeenArray
from raidwright_helper.verbs import change_verbs
from raidwright_helper.verbs.change_verbs import ChangeVerbs, look_action

ROOT = Path(__file__).parents[2]
UUID = "11111111:0a1b2c3d:0a1b2c3d:0a1b2c3d"
MD9 = os.makedev(9, 9)


@pytest.mark.parametrize(("offset", "count"), [(512, 92), (8, 8), (65536 - 8, 16), (4096, 4096)])
def test_less_than_a_page_is_read_past_the_cache_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, offset: int, count: int
) -> None:
    """The kernel drops whole pages alone: advice on a part of one did nothing."""
    dropped: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _fd, start, length, _advice: dropped.append((start, length)))
    (tmp_path / "disk").write_bytes(bytes(range(256)) * 1024)
    with (tmp_path / "disk").open("rb") as file:
        assert bytes_at(file.fileno(), offset, count) == (bytes(range(256)) * 1024)[offset : offset + count]
    [(start, length)] = dropped
    assert start % 65536 == length % 65536 == 0
    assert start <= offset < offset + count <= start + length


def _machine(root: Path, *, file_system: str = "", mounts: str = "", loop: bool = False) -> Host:
    block = root / "sys/devices/virtual/block/md9"
    block.mkdir(parents=True)
    (root / "sys/dev/block").mkdir(parents=True)
    (root / "sys/dev/block/9:9").symlink_to(block)
    (block / "size").write_text("100000\n")
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/mountinfo").write_text(mounts)
    (root / "proc/swaps").write_text("Filename Type\n")
    if file_system:
        (root / "sys/fs" / file_system / "md9").mkdir(parents=True)
    if loop:
        (root / "sys/block/loop0/loop").mkdir(parents=True)
        (root / "sys/block/loop0/loop/backing_file").write_text("/dev/md9\n")
        (root / "sys/block/loop0/dev").write_text("7:0\n")
    return Host(root)


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_a_file_system_is_seen_though_another_namespace_has_mounted_it(tmp_path: Path, kind: str) -> None:
    found = mounted_file_system(_machine(tmp_path, file_system=kind), MD9)
    assert found is not None
    assert (found.kind, found.places) == (kind, ())
    assert (
        asyncio.run(owners.claimed_sectors(Host(tmp_path), Pinned(MD9, "/dev/md9", -1), replace(found, kind="xfs")))
        is None
    )


def test_one_that_is_mounted_here_is_asked_at_each_of_its_places(tmp_path: Path) -> None:
    lines = "36 35 9:9 / /srv/a\\040b rw shared:1 - xfs /dev/md9 rw\n37 35 9:9 / /mnt rw - xfs /dev/md9 rw\n"
    found = mounted_file_system(_machine(tmp_path, file_system="xfs", mounts=lines), MD9)
    assert found is not None
    assert found.places == ("/srv/a b", "/mnt")


@pytest.mark.parametrize("signature", ["", "xfs"])
@pytest.mark.parametrize("user", ["loop", "mount", "claim"])
def test_what_is_used_without_being_asked_has_no_known_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: str, signature: str
) -> None:
    """Nor is it empty, though nothing recognises it."""

    async def found_on(_node: str) -> tuple[Any, ...]:
        return (SimpleNamespace(kind=signature),) if signature else ()

    async def is_claimed(*_: object) -> bool:
        return user == "claim"

    monkeypatch.setattr(content, "found_on", found_on)
    monkeypatch.setattr(content, "_is_claimed", is_claimed)
    monkeypatch.setattr(content, "forget_all_cached", lambda _: None)
    monkeypatch.setattr(Host, "number_of", lambda _host, path: MD9 if path == "/dev/md9" else None)
    mounts = "36 35 9:9 / /mnt rw - f2fs /dev/md9 rw\n" if user == "mount" else ""
    host = _machine(tmp_path, mounts=mounts, loop=user == "loop")
    found = asyncio.run(content_of(host, Pinned(MD9, "/dev/md9", -1), claims=True))
    assert (found.kind, found.used_sectors) == (signature or UNKNOWN, None)


def test_a_mounted_xfs_is_never_cut_and_an_open_journal_counts() -> None:
    for sectors in (500, 1000, None):
        assert content_refusal(ArrayContent("xfs", "/srv", sectors), 1000) is not None
    assert content_refusal(ArrayContent("xfs", "", 1000), 1000) is None
    head = bytearray(HEAD_BYTES)
    assert not has_open_journal("ext4", bytes(head))
    head[1024 + 96] = 0x4
    assert has_open_journal("ext4", bytes(head))
    assert not has_open_journal("xfs", bytes(head))


def _verbs() -> ChangeVerbs:
    return ChangeVerbs(Host(), *[None] * 8)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("action", "kib_per_s", "asked"),
    [
        ("recover", 0, actions.PACE_REBUILD),
        ("idle", 1000, actions.PACE_REBUILD),  # it would hold back a rebuild that comes
        ("resync", 1000, actions.PACE_REBUILD),
        ("reshape", 0, actions.PACE_CHANGE),
        ("check", 1000, actions.PACE_CHANGE),
        ("recover", NO_LIMIT_KIB_S, actions.PACE_CHANGE),
    ],
)
def test_holding_back_a_rebuild_asks_each_time(
    monkeypatch: pytest.MonkeyPatch, action: str, kib_per_s: int, asked: actions.Action
) -> None:
    monkeypatch.setattr(change_verbs, "seen_array", lambda *_: SeenArray(MD9, UUID, "tank"))
    monkeypatch.setattr(Host, "attribute", lambda *_: action)
    assert _verbs()._pace_action([UUID, "tank", kib_per_s]) is asked
    assert (asked.asked is actions.Asked.EACH_TIME) == (asked is actions.PACE_REBUILD)


def test_disks_are_woken_by_the_right_to_read_them() -> None:
    assert [look_action([UUID, "tank", wakes]) for wakes in (False, True)] == [
        actions.EXAMINE,
        actions.EXAMINE_SIGNATURES,
    ]


def test_the_prompt_says_where_an_array_ends_that_gets_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    members = tuple(Member(f"sd{letter}", 2 * 10**9) for letter in "abcd")
    plan = MdArray(Level.RAID5, members, chunk_kib=512, component_size_kib=1000000 // 512 * 512, data_offset_kib=4096)
    monkeypatch.setattr(change_verbs, "seen_array", lambda *_: SeenArray(MD9, UUID, "tank"))
    monkeypatch.setattr(change_verbs, "plan_of_number", lambda *_: plan)
    words = _verbs()._end_words(ChangeRequest(UUID, "tank", ChangeWish(level=Level.RAID5, slots=3), {}))
    assert words == "; it gets smaller and ends after 2.05 GB, and what lies beyond is lost"
    assert not _verbs()._end_words(ChangeRequest(UUID, "tank", ChangeWish(level=Level.RAID5, slots=5), {}))


def _slices(level: Level, disks: str, **more: Any) -> MdArray:
    return MdArray(
        level, tuple(Member(f"{disk}-{place}", 10**9, disk=disk) for place, disk in enumerate(disks)), **more
    )


@pytest.mark.parametrize(
    ("array", "lost"),
    [
        (_slices(Level.RAID1, "aa"), ("a",)),
        (_slices(Level.RAID1, "aab"), ()),
        (_slices(Level.RAID5, "abca"), ("a",)),
        (_slices(Level.RAID6, "abca"), ()),
        (_slices(Level.RAID6, "abaca"), ("a",)),
        (_slices(Level.RAID10, "aabb", layout="n2"), ("a", "b")),
        (_slices(Level.RAID10, "abab", layout="n2"), ()),
        (_slices(Level.RAID0, "aa"), ()),  # which any disk loses
        (MdArray(Level.RAID1, (_slices(Level.RAID0, "ab"), _slices(Level.RAID0, "ca"))), ("a",)),
    ],
)
def test_members_on_one_disk_are_refused_where_that_loses_the_array(
    monkeypatch: pytest.MonkeyPatch, array: MdArray, lost: tuple[str, ...]
) -> None:
    """By where the kernel has the slices, not by what the plan says."""
    assert lost_with_one(array, lambda member: member.failure_unit) == lost
    wholes = {member.id: place for place, member in enumerate(array.disks())}
    monkeypatch.setattr(Host, "whole", lambda _host, number: ord([*array.disks()][number].failure_unit))
    monkeypatch.setattr(Host, "kernel_name", lambda _host, number: chr(number))
    disks: Any = [SimpleNamespace(member=one, device=SimpleNamespace(number=wholes[one.id])) for one in array.disks()]
    if not lost:
        create.verify_apart(Host(), Plan(array), disks)
        return
    with pytest.raises(DiskRefused, match="would fail together"):
        create.verify_apart(Host(), Plan(array), disks)


@pytest.mark.parametrize("backup", ["reshapes/a.backup", ""])
def test_a_purge_keeps_the_backup_files_of_reshapes(tmp_path: Path, backup: str) -> None:
    state = tmp_path / "var/lib/raidwright"
    (state / "reshapes").mkdir(parents=True)
    (state / "backups/x").mkdir(parents=True)
    (state / "backups/x/disk-0.bin").write_text("secret")
    (state / ".hidden").write_text("x")
    if backup:
        (state / backup).write_text("stripes")
    script = (ROOT / "packaging/deb/raidwright-helper/postrm").read_text(encoding="utf-8")
    own = script.replace("/var/lib", f"{tmp_path}/var/lib").replace("/run/", f"{tmp_path}/run/")
    subprocess.run(["/bin/sh", "-c", own, "postrm", "purge"], check=True)
    left = sorted(str(path.relative_to(tmp_path)) for path in state.rglob("*") if path.is_file())
    assert left == ([f"var/lib/raidwright/{backup}"] if backup else [])
    assert state.exists() == bool(backup)


def test_a_rescue_takes_no_scratch_arrays_name() -> None:
    from raidwright.core.model.rescue_attempt import RescueWay  # noqa: PLC0415
    from raidwright_helper.verbs.rescue_verbs import RescueVerbs  # noqa: PLC0415

    attempt: Any = SimpleNamespace(uuid="", way=RescueWay.CREATE, name="raidwright-scratch-9")
    with pytest.raises(InputError, match="no scratch array's"):
        RescueVerbs(*[None] * len(fields(RescueVerbs)))._verify_real(attempt)  # type: ignore[arg-type]
