"""Disks in use through another device, or by a program: their own node shows no mount, swap or holder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.model.disk import Disk, Use, UseKind
from raidwright.core.protocol.device_users import DeviceUser
from raidwright.core.protocol.facts import DiskFacts
from raidwright.machine.bus import plain
from raidwright.machine.disk_json import disk_as_json
from raidwright.machine.udisks.inventory import disks_from
from raidwright.machine.udisks.objects import Objects
from raidwright.text.disk.facts import holds, why_not

from .fake_udisks import BLOCKS, DRIVES, NAME, disk

_CASES = Path(__file__).with_name("foreign_disks")
_UUID = "3015d30a-a5a8-41d4-85f0-7c62111bc6ab"


def _objects(*letters: str) -> Objects:
    wwn = "0x5000c500a0b1c2d3"
    return {path: plain(each) for letter in letters for path, each in disk(letter, wwn=f"{wwn}{letter}").items()}


def _holds(objects: Objects, name: str, kind: str, *mounts: str, uuid: str = _UUID, label: str = "") -> None:
    interfaces = objects[f"{BLOCKS}/{name}"]
    interfaces[f"{NAME}.Block"] |= {"IdUsage": "filesystem", "IdType": kind, "IdUUID": uuid, "IdLabel": label}
    if mounts:
        interfaces[f"{NAME}.Filesystem"] = {"MountPoints": list(mounts)}


def _partition(objects: Objects, of: str, number: int) -> str:
    name = f"{of}{number}"
    none = dict.fromkeys(("MDRaid", "MDRaidMember", "CryptoBackingDevice"), "/")
    block = {"Device": f"/dev/{name}", "Size": 10**9, "Drive": f"{DRIVES}/WDC_DISK_SERIAL{of[-1].upper()}", **none}
    objects[f"{BLOCKS}/{name}"] = {
        f"{NAME}.Block": block,
        f"{NAME}.Partition": {"Number": number, "Table": f"{BLOCKS}/{of}"},
    }
    return name


def _is_in_use(found: Disk) -> None:
    assert found.is_live
    assert not found.is_takeable
    assert why_not(found).startswith("In use now: ")


def test_both_disks_of_a_btrfs_are_in_use_as_in_a_practice_machine() -> None:
    case: dict[str, Any] = json.loads((_CASES / "btrfs-of-two-mounted.udisks.json").read_text(encoding="utf-8"))
    found = {one.device: one for one in disks_from(case, {})}
    assert found["/dev/sdb"].uses[0] == Use(UseKind.MOUNTED, "/mnt/b")
    for one in found.values():
        _is_in_use(one)


def test_a_partition_of_a_btrfs_that_the_system_runs_from_is_the_systems() -> None:
    objects = _objects("a", "b")
    for letter, mounts in (("a", ("/", "/home")), ("b", ())):
        objects[f"{BLOCKS}/sd{letter}"][f"{NAME}.PartitionTable"] = {"Type": "gpt"}
        _holds(objects, _partition(objects, f"sd{letter}", 2), "btrfs", *mounts)
    second = disks_from(objects, {})[1]
    assert Use(UseKind.SYSTEM, "/", 2) in second.uses
    assert Use(UseKind.MOUNTED, "/home", 2) in second.uses
    assert not second.is_takeable


def test_another_btrfs_and_a_copy_of_a_mounted_ext4_are_not_in_use() -> None:
    objects = _objects("a", "b", "c", "d")
    _holds(objects, "sda", "btrfs", "/mnt/b")
    _holds(objects, "sdb", "btrfs", uuid="another")
    _holds(objects, "sdc", "ext4", "/mnt/c")
    _holds(objects, "sdd", "ext4")
    assert [one.is_takeable for one in disks_from(objects, {})] == [False, True, False, True]


@pytest.mark.parametrize("kind", ["jbd", "zfs_member"])
@pytest.mark.parametrize(
    ("claimed", "is_live"), [(None, True), (("/dev/sda",), True), (("/dev/sdb",), False), ((), False)]
)
def test_a_journal_and_a_pool_are_in_use_as_the_kernel_says(
    kind: str, claimed: tuple[str, ...] | None, is_live: bool
) -> None:
    """With an ext4 elsewhere, or a ZFS pool: in use if the helper can't be asked."""
    objects = _objects("a")
    _holds(objects, "sda", kind, label="pool")
    [found] = disks_from(objects, {"/dev/sda": DiskFacts(claimed=claimed)})
    assert found.is_live == is_live
    assert found.uses == ((Use(UseKind.HELD, f"{kind} “pool”"),) if is_live else ()) + (
        Use(UseKind.FILESYSTEM, f"{kind} “pool”"),
    )


def test_a_btrfs_mounted_where_udisks_does_not_see_it_is_in_use_as_the_kernel_says() -> None:
    objects = _objects("a", "b")
    for letter in "ab":
        _holds(objects, f"sd{letter}", "btrfs")
    facts = {f"/dev/sd{letter}": DiskFacts(claimed=(f"/dev/sd{letter}",)) for letter in "ab"}
    for found in disks_from(objects, facts):
        _is_in_use(found)
    assert all(found.is_takeable for found in disks_from(objects, {}))


def test_a_disk_below_a_mounted_loop_device_is_in_use_by_udisks_word_alone() -> None:
    case: dict[str, Any] = json.loads((_CASES / "mounted-through-loop.udisks.json").read_text(encoding="utf-8"))
    [found] = disks_from(case, {})
    _is_in_use(found)
    assert Use(UseKind.LOOP, "loop0") in found.uses
    assert Use(UseKind.MOUNTED, "/mnt/l", through="loop0") in found.uses
    assert "mounted at /mnt/l through loop0" in why_not(found)
    assert [(user["kind"], user["name"]) for user in disk_as_json(found)["used_by"]] == [
        ("loop", "loop0"),
        ("mount", "/mnt/l"),
    ]


def test_a_loop_device_over_a_partition_by_another_of_its_names_is_a_use_of_the_disk() -> None:
    objects = _objects("a", "b")
    part = objects[f"{BLOCKS}/{_partition(objects, 'sda', 1)}"]
    part[f"{NAME}.Block"]["Symlinks"] = ["/dev/disk/by-id/wwn-part1"]
    for name, backing in (("loop0", "/dev/disk/by-id/wwn-part1"), ("loop1", "/dev/loop0"), ("loop2", "/srv/image")):
        none = dict.fromkeys(("Drive", "MDRaid", "MDRaidMember", "CryptoBackingDevice"), "/")
        block = {"Device": f"/dev/{name}", "Size": 10**9, **none}
        objects[f"{BLOCKS}/{name}"] = {f"{NAME}.Block": block, f"{NAME}.Loop": {"BackingFile": backing}}
    objects[f"{BLOCKS}/loop1"][f"{NAME}.Filesystem"] = {"MountPoints": ["/mnt"]}
    first, second = disks_from(objects, {})
    assert Use(UseKind.MOUNTED, "/mnt", 1, through="loop1") in first.uses
    assert second.uses == ()


def test_what_the_helper_names_is_told_once_and_a_program_that_only_reads_hinders_nothing() -> None:
    objects = _objects("a", "b", "c")
    _holds(objects, "sda", "ext4", "/srv")
    told = {
        "a": (DeviceUser("mount", "/srv"), DeviceUser("newer", "than this program")),
        "b": (DeviceUser("process", "qemu-system-x86", pid=71), DeviceUser("mount", "/", 2, "loop3", 71)),
        "c": (DeviceUser("process", "dd", pid=72, writes=False),),
    }
    facts = {f"/dev/sd{letter}": DiskFacts(used_by=users) for letter, users in told.items()}
    mounted, written, read = disks_from(objects, facts)
    assert [use.kind for use in mounted.uses] == [UseKind.MOUNTED, UseKind.FILESYSTEM]
    _is_in_use(written)
    assert "open for writing by qemu-system-x86 (process 71)" in why_not(written)
    assert "mounted at / through loop3, in the mount namespace of process 71 (partition 2)" in why_not(written)
    assert read.is_free
    assert "open for reading by dd (process 72)" in holds(read)


@pytest.mark.parametrize(("helper", "is_read_only"), [(False, False), (True, True), (None, True)])
def test_a_write_protection_is_the_helpers_word_where_there_is_one(helper: bool | None, is_read_only: bool) -> None:
    objects = _objects("a")
    objects[f"{BLOCKS}/sda"][f"{NAME}.Block"]["ReadOnly"] = True
    facts = {} if helper is None else {"/dev/sda": DiskFacts(device="/dev/sda", read_only=helper)}
    [found] = disks_from(objects, facts)
    assert (Use(UseKind.READ_ONLY) in found.uses) is is_read_only
