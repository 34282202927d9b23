"""Lines of people's mdadm.conf and fstab, each with the one right answer; ``foreign/conf`` has the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from raidwright.core.errors import InputError
from raidwright.core.system.array_lines import ArrayEntry, with_array
from raidwright.core.system.config_files import MountEntry, with_mount
from raidwright.core.system.filesystem import FileSystemKind

_FOLDER = Path(__file__).parent / "foreign" / "conf"
_UUID = "0a1b2c3d:00000001:00000002:00000003"
_TANK = ArrayEntry("tank", "1.2", _UUID, "nas:tank", 127, ("/dev/sdb1", "/dev/sdc1"), "raid1", 2)
_DATA = MountEntry("11111111-2222-3333-4444-555555555555", "/srv/tank", FileSystemKind.EXT4)
_OWN = ("/dev/md/tank", f"/dev/disk/by-uuid/{_DATA.uuid}", f"UUID={_DATA.uuid}")


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("name-line.mdadm.conf", "metadata=1.2 name=nas:tank", f"metadata=1.2 UUID={_UUID}"),
        ("comment-between.mdadm.conf", "", ""),  # mdadm reads one line, which is right as it is
        ("spare-group-other-place.mdadm.conf", f"ARRAY /dev/md0 UUID={_UUID}", f"ARRAY /dev/md/tank UUID={_UUID}"),
    ],
)
def test_the_arrays_own_line_is_changed_and_no_word_lost(name: str, before: str, after: str) -> None:
    assert with_array(_text(name), _TANK) == _text(name).replace(before, after)


def test_a_line_by_devices_may_be_the_arrays() -> None:
    with pytest.raises(InputError, match=r"devices=/dev/sdb1,/dev/sdc1.*may be this array's"):
        with_array(_text("devices-line.mdadm.conf"), _TANK)


def test_a_file_system_is_one_by_its_device_and_by_its_uuid() -> None:
    assert with_mount(_text("same-place-by-device.fstab"), _DATA, _OWN.__contains__) == _text(
        "same-place-by-device.fstab"
    )
    with pytest.raises(InputError, match=r"already mounts /dev/disk/by-uuid/1.* at /mnt/old"):
        with_mount(_text("by-uuid-elsewhere.fstab"), _DATA, _OWN.__contains__)


# As people keep them (Hetzner, OVH, Arch, Gentoo, NixOS, Debian; hosts and UUIDs are made up): a line for the array,
# and it afterwards, "" for the same.
_PUBLIC = {
    "mdadm --detail --scan --verbose": (
        f"ARRAY /dev/md0 level=raid1 num-devices=2 name=nas:tank UUID={_UUID}\n   devices=/dev/sda,/dev/sdb\n",
        f"ARRAY /dev/md/tank level=raid1 num-devices=2 name=nas:tank UUID={_UUID}\n",
    ),
    "a continued line in lower case": (f"ARRAY /dev/md/tank\n        uuid={_UUID}\n", ""),
    "from a rescue system": (
        f"ARRAY /dev/md/0 metadata=1.2 UUID={_UUID} name=rescue:0\n",
        f"ARRAY /dev/md/tank metadata=1.2 UUID={_UUID}\n",
    ),
    "with the host in its place": (
        f"ARRAY /dev/md/nas:tank metadata=1.2 name=nas:tank UUID={_UUID}\n",
        f"ARRAY /dev/md/tank metadata=1.2 name=nas:tank UUID={_UUID}\n",
    ),
    "a spare more": (
        f"ARRAY /dev/md0 metadata=1.2 spares=1 UUID={_UUID}\n",
        f"ARRAY /dev/md/tank metadata=1.2 spares=1 UUID={_UUID}\n",
    ),
}


@pytest.mark.parametrize(("line", "after"), _PUBLIC.values(), ids=_PUBLIC)
def test_a_line_as_people_keep_it_stays_the_arrays_only_one(line: str, after: str) -> None:
    around = "DEVICE partitions containers\nHOMEHOST <system>\n{}AUTO -all\nPROGRAM /usr/sbin/mdadm-syslog-events\n"
    assert with_array(around.format(line), _TANK) == around.format(after or line)
