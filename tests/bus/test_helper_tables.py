"""A device named in fstab or crypttab is found in every form that a line may have."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.model.plan import Member
from raidwright_helper.host import md
from raidwright_helper.host.guards import reason_of_use, verify_not_listed
from raidwright_helper.host.host import Host
from raidwright_helper.host.seen import label_of_array, seen_array
from raidwright_helper.host.signatures import Signature
from raidwright_helper.host.tables import named_in

from .helper_house import put_array, put_disk, put_text

SDA = 8 << 8
RECORD = r"""S:disk/by-id/wwn-0x5001
S:disk/by-uuid/1234-ABCD
S:disk/by-label/my\x20photos
E:ID_FS_UUID=1234-ABCD
E:ID_FS_LABEL=my_photos
E:ID_FS_LABEL_ENC=my\x20photos
E:ID_PART_ENTRY_UUID=deadbeef-01
E:ID_PART_ENTRY_NAME=data\x20one
"""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """One disk with a file system, as if it were a partition, too."""
    put_disk(tmp_path, "sda", "wwn-0x5001", "WD80EFZX", "ZHZ1", 8 * 10**12)
    put_text(tmp_path / "run/udev/data/b8:0", RECORD)
    return Host(tmp_path)


NAMING = [
    "UUID=1234-ABCD /srv ext4 noauto 0 0",
    "UUID=1234-abcd /srv ext4 noauto 0 0",
    'UUID="1234-ABCD"\t/srv\text4',
    "LABEL=my\\040photos /srv ext4",
    'LABEL="my\\040photos" /srv ext4',
    "PARTUUID=DEADBEEF-01 /srv ext4",
    "PARTLABEL=data\\040one /srv ext4",
    "ID=wwn-0x5001 /srv ext4",
    "/dev/disk/by-id/wwn-0x5001 /srv ext4",
    "/dev/disk/by-uuid/1234-ABCD /srv ext4",
    r"/dev/disk/by-label/my\134x20photos /srv ext4",
    "/dev/sdz /srv btrfs device=/dev/disk/by-id/wwn-0x5001,noatime 0 0",
    "UUID=other /srv xfs logdev=/dev/disk/by-uuid/1234-ABCD",
]
CRYPTTAB = [
    "vault UUID=1234-ABCD none luks",
    "vault PARTLABEL=data\\040one none",
    "vault UUID=other /key:LABEL=my\\040photos luks",
    "vault UUID=other none luks,header=/dev/disk/by-id/wwn-0x5001",
]
SILENT = [
    "# UUID=1234-ABCD /srv ext4",
    "UUID=1234-ABCE /srv ext4",
    "LABEL=photos /srv ext4",
    "LABEL=my /srv ext4",
    "tmpfs /tmp tmpfs size=1234-ABCD",
    "LABEL=MY\\040PHOTOS /srv ext4",
]


@pytest.mark.parametrize("line", NAMING)
def test_fstab_names_it_in_every_form(host: Host, line: str) -> None:
    put_text(host.root / "etc/fstab", f"# fstab\nUUID=root / ext4 defaults 0 1\n{line}\n")
    assert named_in(host, SDA) == "/etc/fstab"
    assert "is in /etc/fstab (sda)" in (reason_of_use(host, SDA) or "")


@pytest.mark.parametrize("line", CRYPTTAB)
def test_crypttab_names_it_in_every_form(host: Host, line: str) -> None:
    put_text(host.root / "etc/crypttab", f"{line}\n")
    assert named_in(host, SDA) == "/etc/crypttab"


@pytest.mark.parametrize("line", SILENT)
def test_what_names_something_else_is_no_reason(host: Host, line: str) -> None:
    put_text(host.root / "etc/fstab", f"{line}\n")
    assert named_in(host, SDA) is None


def test_a_file_system_that_udev_overlooks_is_found_by_what_lies_on_the_disk(host: Host) -> None:
    """With two file systems, udev names neither."""
    put_text(host.root / "etc/fstab", "UUID=aaaa /srv ext4\nLABEL=old none swap sw 0 0\n")
    member = Member("wwn-0x5001", 8 * 10**12)
    for found in (Signature("ext4", 1080, 2, uuid="AAAA"), Signature("swap", 4086, 10, label="old")):
        with pytest.raises(DiskRefused, match="/etc/fstab"):
            verify_not_listed(host, SDA, (found,), member)
    verify_not_listed(host, SDA, (Signature("ext4", 1080, 2, uuid="bbbb"),), member)


def test_a_superblocks_name_adds_nothing_to_what_mdadm_says() -> None:
    """Every character that Python takes for a line separator may be in a name."""
    for end in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028":
        output = f"MD_METADATA=1.2\nMD_UUID=own\nMD_NAME=a{end}MD_METADATA=1.2 #x{end}MD_UUID=other\n"
        facts = md.exported(output)
        assert (facts["MD_METADATA"], facts["MD_UUID"]) == ("1.2", "own")
    assert md.exported("MD_UUID=own\nMD_NAME=x\nMD_UUID=other\n")["MD_UUID"] == "own"


def test_a_name_of_somebodys_adds_no_line_to_what_udev_and_the_kernel_say(host: Host) -> None:
    put_text(host.root / "run/udev/data/b8:0", "E:MD_NAME=a\u2028E:MD_UUID=x\rE:MD_UUID=y\nS:disk/by-id/b\x85S:c\n")
    record = host.udev(SDA)
    assert "MD_UUID" not in record.properties
    assert record.links == {"disk/by-id/b\x85S:c"}
    lines = ("36 35 0:50 / /home/bob/a\u2028b rw - fuse c rw", "37 35 8:0 / /srv\xa0x rw shared:1 - ext4 /dev/sda rw")
    put_text(host.root / "proc/self/mountinfo", "\n".join(lines))
    assert host.mount_point(SDA) == "/srv\xa0x"


def test_the_kernels_word_for_an_arrays_uuid_counts_more_than_a_superblocks_name(tmp_path: Path) -> None:
    host, ours, other = Host(tmp_path), ":".join(["0a1b2c3d"] * 4), ":".join(["11111111"] * 4)
    put_array(tmp_path, "md0", other, "tank")
    put_text(tmp_path / "sys/block/md0/md/uuid", "0a1b2c3d-0a1b-2c3d-0a1b-2c3d0a1b2c3d")
    assert seen_array(host, other) is None
    assert "tank" in label_of_array(host, ours)
    put_text(tmp_path / "sys/block/md0/md/metadata_version", "0.90")  # the kernel writes its UUID in another byte order
    assert seen_array(host, other) is not None
