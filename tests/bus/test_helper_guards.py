"""The guards, on a host made of files: each fact that differs from the confirmation causes a refusal."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.model.plan import Member
from raidwright.core.protocol.device_users import DeviceUser
from raidwright.core.protocol.errors import Busy
from raidwright.core.protocol.facts import DiskFacts
from raidwright_helper.host import signatures
from raidwright_helper.host.examine import DiskClaims, examine_disks
from raidwright_helper.host.guards import (
    Exclusive,
    Pinned,
    pinned,
    verify_confirmed,
    verify_empty,
    verify_free,
    verify_identity,
)
from raidwright_helper.host.host import Host
from raidwright_helper.host.runner import ProgramResult
from raidwright_helper.host.signatures import Signature, found_on, found_within
from raidwright_helper.jobs.claims import Claims

SDA, SDA1, MD0, DM0 = os.makedev(8, 0), os.makedev(8, 1), os.makedev(9, 0), os.makedev(254, 0)
MEMBER = Member("wwn-0x5000abc", 8 * 10**12 // 512 * 512, model="WD80EFZX", serial="ZHZ1")


class FakeHost(Host):
    """A host below a temporary folder; device nodes are files, identified by ``numbers``."""

    __slots__ = ("numbers",)

    def number_of(self, path: str) -> int | None:
        return self.numbers.get(path)  # type: ignore[attr-defined,no-any-return]


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    """One free disk, /dev/sda, on the fifth ATA port."""
    host = FakeHost(tmp_path)
    object.__setattr__(host, "numbers", {"/dev/sda": SDA, "/dev/sda1": SDA1, "/dev/md0": MD0})
    _device(host, "devices/pci0000:00/0000:00:17.0/ata5/host4/target4:0:0/4:0:0:0/block/sda", SDA, MEMBER.size_bytes)
    _write(host, f"sys/{_where(host, SDA)}/device/wwid", "naa.5000abc\n")
    _write(
        host,
        "run/udev/data/b8:0",
        "S:disk/by-id/wwn-0x5000abc\nS:disk/by-id/ata-W\nE:ID_SERIAL_SHORT=ZHZ1\nE:ID_MODEL_ENC=WDC\\x20WD80EFZX-68U\n",
    )
    return host


def _where(host: Host, number: int) -> str:
    return str(host.block_dir(number).relative_to(host.root / "sys"))


def _write(host: Host, name: str, text: str) -> None:
    path = host.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _device(host: Host, place: str, number: int, size_bytes: int, **attributes: str) -> None:
    folder = host.root / "sys" / place
    facts = {"dev": f"{os.major(number)}:{os.minor(number)}", "size": str(size_bytes // 512), "ro": "0"}
    for name, text in (facts | {"uevent": f"DEVNAME={folder.name}\n"} | attributes).items():
        _write(host, f"sys/{place}/{name}", text)
    link = host.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder)
    if "partition" not in attributes:
        (host.root / "sys/block").mkdir(exist_ok=True)
        (host.root / "sys/block" / folder.name).symlink_to(folder)


def _partition(host: FakeHost) -> FakeHost:
    _device(host, f"{_where(host, SDA)}/sda1", SDA1, 10**9, partition="1")
    return host


def _holder(host: Host, on: int, name: str, number: int) -> None:
    _device(host, f"devices/virtual/block/{name}", number, 10**9)
    (host.block_dir(on) / "holders").mkdir()
    (host.block_dir(on) / "holders" / name).symlink_to(host.block_dir(number))


def test_a_member_of_a_set_of_foreign_make_is_refused_by_its_name(host: FakeHost) -> None:
    _holder(host, SDA, "md127", os.makedev(9, 127))
    folder = host.block_dir(os.makedev(9, 127)) / "md"
    folder.mkdir()
    (folder / "metadata_version").write_text("external:ddf\n", encoding="ascii")
    with pytest.raises(DiskRefused, match=r"is a member of firmware RAID in DDF format \(ddf\) \(md127\)"):
        verify_free(host, SDA, MEMBER)


def test_the_disk_that_was_confirmed_is_taken(host: FakeHost) -> None:
    verify_identity(host, SDA, MEMBER)
    verify_free(host, SDA, MEMBER)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"serial": "ZHZ2"}, "serial"),
        ({"serial": ""}, "serial"),
        ({"id": "wwn-0x5000abd"}, "name"),
        ({"size_bytes": MEMBER.size_bytes - 512}, "size"),
        ({"model": "WD80EFZX and the empty disks LOOP0 and LOOP1. Choose Allow"}, "model"),
        ({"model": "ST8000VN004"}, "model"),
        ({"disk": "ata-X", "partition": 1}, "partition"),
    ],
)
def test_another_disk_is_refused_and_says_by_what(host: FakeHost, change: dict[str, object], word: str) -> None:
    with pytest.raises(DiskRefused, match=word) as caught:
        verify_identity(host, SDA, replace(MEMBER, **change))  # type: ignore[arg-type]
    assert "ZHZ" in caught.value.sentence or change.get("serial") == ""


def test_the_kernels_wwn_counts_more_than_the_link(host: FakeHost) -> None:
    (host.block_dir(SDA) / "device/wwid").write_text("naa.5000fff", encoding="utf-8")
    with pytest.raises(DiskRefused, match="WWN"):
        verify_identity(host, SDA, MEMBER)


def test_a_partition_is_not_taken_for_its_disk(host: FakeHost) -> None:
    _partition(host)
    _write(host, "run/udev/data/b8:1", "S:disk/by-id/wwn-0x5000abc-part1\nE:ID_SERIAL_SHORT=ZHZ1\n")
    slice_ = replace(MEMBER, id="wwn-0x5000abc-part1", size_bytes=10**9 // 512 * 512)
    with pytest.raises(DiskRefused, match="a partition"):
        verify_identity(host, SDA1, slice_)
    verify_identity(host, SDA1, replace(slice_, disk="wwn-0x5000abc", partition=1))
    with pytest.raises(DiskRefused, match="disk"):
        verify_identity(host, SDA1, replace(slice_, disk="wwn-0x5000fff", partition=1))


def test_what_is_no_hardware_is_no_disk(host: FakeHost) -> None:
    _device(host, "devices/virtual/block/md0", MD0, MEMBER.size_bytes)
    _write(host, "run/udev/data/b9:0", "S:disk/by-id/wwn-0x5000abc\n")
    with pytest.raises(DiskRefused, match="hardware"):
        verify_identity(host, MD0, MEMBER)


def _mount(host: FakeHost, line: str) -> None:
    _write(host, "proc/self/mountinfo", f"22 1 0:21 / / rw - tmpfs tmpfs rw\n{line}\n")


USES: dict[str, Callable[[FakeHost], object]] = {
    r"mounted at /srv/my disk \(sda\)": lambda host: _mount(host, r"36 22 8:0 / /srv/my\040disk rw - ext4 /dev/x rw"),
    r"mounted at /data \(sda\)": lambda host: _mount(host, "36 22 0:45 / /data rw - btrfs /dev/sda rw"),
    r"swap space \(sda\)": lambda host: _write(host, "proc/swaps", "Filename Type\n/dev/sda partition 1 0 -2\n"),
    r"part of dm-0 \(sda\)": lambda host: _holder(host, SDA, "dm-0", DM0),
    r"/etc/fstab \(sda\)": lambda host: _write(host, "etc/fstab", "# a\n/dev/sda /srv ext4 noauto 0 0\n"),
    r"/etc/crypttab \(sda\)": lambda host: _write(host, "etc/crypttab", "vault /dev/sda none luks\n"),
    r"read-only \(sda\)": lambda host: (host.block_dir(SDA) / "ro").write_text("1"),
    r"has partitions": _partition,
    r"mounted at /boot \(sda1\)": lambda host: _mount(_partition(host), "3 2 8:1 / /boot rw - ext4 /dev/y rw"),
    r"part of md0 \(sda1\)": lambda host: _holder(_partition(host), SDA1, "md0", MD0),
}


@pytest.mark.parametrize("words", USES)
def test_a_disk_in_use_is_refused_with_the_reason(host: FakeHost, words: str) -> None:
    USES[words](host)
    with pytest.raises(DiskRefused, match=words) as caught:
        verify_free(host, SDA, MEMBER)
    assert caught.value.sentence.startswith("WD80EFZX ZHZ1 (wwn-0x5000abc)")


def _wipefs(monkeypatch: pytest.MonkeyPatch, said: dict[str, list[tuple[str, str]]]) -> None:
    """Make wipefs find the types and offsets in ``said``, by node."""

    async def wipefs(argv: tuple[str, ...], **_: object) -> ProgramResult:
        assert argv[:-1] == ("/usr/sbin/wipefs", "--no-act", "--json", "--output=OFFSET,LENGTH,TYPE,LABEL,UUID", "--")
        found = [
            {"offset": at, "length": "2", "type": kind, "label": None, "uuid": None}
            for kind, at in said.get(argv[-1], ())
        ]
        return ProgramResult(argv, 0, json.dumps({"signatures": found}), "")

    monkeypatch.setattr(signatures, "run", wipefs)


def test_every_signature_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _wipefs(monkeypatch, {"/dev/sda": [("PMBR", "0x1fe"), ("zfs_member", "0x3f000")]})
    with pytest.raises(DiskRefused, match="PMBR, zfs_member"):
        asyncio.run(verify_empty(Pinned(SDA, "/dev/sda", -1), "This disk"))
    asyncio.run(verify_empty(Pinned(SDA, "/dev/sdb", -1), "This disk"))


def test_what_lies_in_a_partition_is_told_from_the_disks_start(host: FakeHost, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(_partition(host), f"sys/{_where(host, SDA1)}/start", "2048\n")
    _wipefs(monkeypatch, {"/dev/sda": [("dos", "0x1fe")], "/dev/sda1": [("ext4", "0x438")]})
    found = asyncio.run(found_within(host, SDA))
    assert found == (Signature("dos", 510, 2), Signature("ext4", 2048 * 512 + 1080, 2, partition=1))
    assert [one.name for one in found] == ["dos", "1:ext4"]


@pytest.mark.parametrize("confirmed", [(), ("dos",), ("1:ext4",), ("dos", "ext4"), ("dos", "1:ext4", "xfs_external")])
def test_only_what_was_confirmed_by_name_may_go(confirmed: tuple[str, ...]) -> None:
    found = (Signature("dos", 510, 2), Signature("ext4", 2048 * 512 + 1080, 2, partition=1))
    with pytest.raises(DiskRefused, match=r"WD80EFZX ZHZ1 .*1:ext4, dos") as caught:
        verify_confirmed(found, confirmed, MEMBER)
    assert caught.value.code == ("disk-signature-changed" if confirmed else "disk-signature")
    verify_confirmed(found, ("1:ext4", "dos"), MEMBER)
    with pytest.raises(DiskRefused, match="holds nothing"):
        verify_confirmed((), ("ext4",), MEMBER)


def test_partitions_may_go_once_that_was_confirmed_but_not_while_one_is_used(host: FakeHost) -> None:
    verify_free(_partition(host), SDA, MEMBER, may_have_partitions=True)
    _mount(host, "3 2 8:1 / /boot rw - ext4 /dev/y rw")
    with pytest.raises(DiskRefused, match="mounted at /boot"):
        verify_free(host, SDA, MEMBER, may_have_partitions=True)


def test_real_wipefs_sees_what_lies_at_the_end_as_well(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(2**20))
    assert asyncio.run(found_on(str(image))) == ()
    swap = bytearray(2**20)
    swap[4096 - 10 : 4096] = b"SWAPSPACE2"
    swap[1024:1028] = (1).to_bytes(4, "little")
    swap[1028:1032] = (255).to_bytes(4, "little")
    image.write_bytes(bytes(swap))
    assert asyncio.run(found_on(str(image))) == (Signature("swap", 4086, 10),)


def test_only_a_block_device_can_be_pinned(host: FakeHost) -> None:
    _write(host, "dev/disk/by-id/wwn-0x5000abc", "not a disk")
    with pytest.raises(DiskRefused, match="not a disk"), pinned(host, "/dev/disk/by-id/wwn-0x5000abc", who="It"):
        pass
    with pytest.raises(DiskRefused, match="can't be opened"), pinned(host, "/dev/disk/by-id/gone", who="It"):
        pass


def test_a_node_that_became_another_is_noticed(host: FakeHost) -> None:
    _write(host, "dev/sda", "another")
    with pytest.raises(DiskRefused, match="no longer"):
        Exclusive(host, Pinned(SDA, "/dev/sda", -1), "It")
    (host.root / "dev/sda").unlink()
    (host.root / "dev/sda").symlink_to("/dev/null")
    with pytest.raises(DiskRefused, match="can't be opened"):
        Exclusive(host, Pinned(SDA, "/dev/sda", -1), "It")


def test_a_claim_is_given_back_whatever_happens() -> None:
    claims = Claims()
    with claims.hold({1, 2}), pytest.raises(Busy), claims.hold({2, 3}):
        pass
    with pytest.raises(ZeroDivisionError), claims.hold({1, 2}):
        raise ZeroDivisionError
    with claims.hold({1, 2, 3}):
        pass


def test_disks_are_examined_from_sysfs_alone(host: FakeHost) -> None:
    _write(host, f"sys/{_where(host, SDA)}/queue/logical_block_size", "4096\n")
    _write(host, f"sys/{_where(host, SDA)}/queue/physical_block_size", "4096\n")
    _partition(host)
    _holder(host, SDA1, "md0", MD0)
    [disk] = asyncio.run(examine_disks(host, Claims(), DiskClaims()))
    held = DeviceUser("holder", "md0", 1)
    assert disk == DiskFacts(4096, 4096, "ata5", ("md0",), device="/dev/sda", claimed=(), used_by=(held,))


@pytest.mark.parametrize(
    ("page", "rpm"), [("00b1003c1518", 5400), ("00b1003c0001", None), ("00b1003c0000", None), ("00b1", None)]
)
def test_how_fast_a_disk_turns_is_what_it_said(host: FakeHost, page: str, rpm: int | None) -> None:
    (host.block_dir(SDA) / "device/vpd_pgb1").write_bytes(bytes.fromhex(page))
    [disk] = asyncio.run(examine_disks(host, Claims(), DiskClaims()))
    assert disk.rotation_rpm == rpm


@pytest.mark.parametrize(
    ("says", "zoned"), [("none", False), ("", False), ("host-aware", True), ("host-managed", True)]
)
def test_a_zoned_disk_is_known(host: FakeHost, says: str, zoned: bool) -> None:
    _write(host, f"sys/{_where(host, SDA)}/queue/zoned", f"{says}\n")
    [disk] = asyncio.run(examine_disks(host, Claims(), DiskClaims()))
    assert disk.zoned is zoned


@pytest.mark.parametrize(
    ("place", "link"),
    [
        ("pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0/host6/target6:0:0/6:0:0:0/block/sdb", "usb2-2-1"),
        ("pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "nvme0"),
        ("pci0000:00/0000:00:05.0/virtio2/block/vda", "virtio2"),
        ("pci0000:00/0000:03:00.0/host7/port-7:0/end_device-7:0/target7:0:0/7:0:0:0/block/sdc", "host7"),
    ],
)
def test_disks_of_one_port_have_one_link(host: FakeHost, place: str, link: str) -> None:
    number = os.makedev(8, 16)
    _device(host, f"devices/{place}", number, 10**12)
    assert host.link(number) == link
