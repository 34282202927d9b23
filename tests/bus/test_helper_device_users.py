"""Users of a device, by mount tables, loop devices, holders and processes, on a host made of files."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.errors import DiskRefused
from raidwright.core.model.plan import Member
from raidwright.core.protocol.device_users import DeviceUser
from raidwright_helper.host import array_users, open_devices
from raidwright_helper.host.device_users import DeviceUsers, words_of
from raidwright_helper.host.guards import reason_of_use, verify_no_writer
from raidwright_helper.host.host import Host
from raidwright_helper.host.mount_tables import Mount, mounts_everywhere, read_table
from raidwright_helper.host.open_devices import Opening, openings

SDA, SDA1, SDB = os.makedev(8, 0), os.makedev(8, 1), os.makedev(8, 16)
LOOP0, DM0 = os.makedev(7, 0), os.makedev(253, 0)
_NODES = {"/dev/sda": SDA, "/dev/sda1": SDA1, "/dev/sdb": SDB, "/dev/loop0": LOOP0, "/dev/dm-0": DM0}
_WORD = st.text(st.characters(codec="utf-8", exclude_characters=" \n\\-"), min_size=1, max_size=12)


class _Host(Host):
    def number_of(self, path: str) -> int | None:
        return _NODES.get(path)


@pytest.fixture
def host(tmp_path: Path) -> _Host:
    for place, number in (
        ("devices/sda", SDA), ("devices/sda/sda1", SDA1), ("devices/sdb", SDB), ("devices/loop0", LOOP0),
        ("devices/dm-0", DM0),
    ):  # fmt: skip
        where = f"{os.major(number)}:{os.minor(number)}"
        _put(tmp_path / f"sys/{place}/dev", where)
        link = tmp_path / f"sys/dev/block/{where}"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(tmp_path / f"sys/{place}")
        if "/sda/" not in place:
            (tmp_path / "sys/block").mkdir(exist_ok=True)
            (tmp_path / f"sys/block/{Path(place).name}").symlink_to(tmp_path / f"sys/{place}")
    _put(tmp_path / "sys/devices/sda/sda1/partition", "1")
    return _Host(tmp_path)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _mounted(host: Host, process: int | str, *lines: str) -> None:
    _put(host.root / f"proc/{process}/mountinfo", "".join(f"{line}\n" for line in lines))


@given(_WORD, _WORD, st.integers(0, 4095), st.integers(0, 2**20 - 1), st.lists(_WORD, max_size=3))
def test_a_line_is_read_whatever_optional_fields_it_has(
    point: str, source: str, major: int, minor: int, optional: list[str]
) -> None:
    written = f"/{point}".replace("\t", "\\011")
    line = " ".join(["36", "35", f"{major}:{minor}", "/", written, "rw,noatime", *optional, "-", "ext4", source, "rw"])
    assert read_table(line) == (Mount(36, f"/{point}", os.makedev(major, minor), "ext4"),)


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_table(text)


def test_the_kernels_escapes_and_a_bcachefs_of_two_disks_are_read() -> None:
    [mount] = read_table(r"41 35 0:52 / /srv/my\040disk rw - bcachefs /dev/sda:/dev/sdb rw")
    assert (mount.point, mount.sources) == ("/srv/my disk", ("/dev/sda", "/dev/sdb"))
    [fuse] = read_table("41 35 0:52 / /home/u/x rw - fuse.evil /dev/sda rw")
    assert fuse.sources == ()


def test_each_namespace_is_read_once_and_the_systems_own_counts_first(host: _Host) -> None:
    _mounted(host, 1, "30 1 8:0 / /srv rw - ext4 /dev/sda rw")
    _mounted(host, 5, "30 1 8:0 / /srv rw - ext4 /dev/sda rw")
    _mounted(host, 77, "90 1 8:0 / /elsewhere rw - ext4 /dev/sda rw", "91 1 8:16 / /data rw - ext4 /dev/sdb rw")
    assert [(one.number, one.pid) for one in mounts_everywhere(host)] == [(30, 0), (90, 77), (91, 77)]
    users = DeviceUsers.read(host)
    assert users.of(SDA) == (DeviceUser("mount", "/srv"),)
    assert users.of(SDB) == (DeviceUser("mount", "/data", pid=77),)
    assert "mounted at /data in the mount namespace of process 77" in str(reason_of_use(host, SDB))


def test_a_mount_through_a_loop_device_over_a_partition_and_a_mapping_over_that(host: _Host) -> None:
    _put(host.root / "sys/devices/loop0/loop/backing_file", "/dev/sda1\n")
    _put(host.root / "sys/devices/loop0/holders/dm-0/dev", "253:0")
    _mounted(host, 1, "30 1 253:0 / /srv rw - xfs /dev/dm-0 rw,logdev=/dev/sdb,noquota")
    users = DeviceUsers.read(host)
    assert users.of_disk(SDA) == (
        DeviceUser("mount", "/srv", 1, "dm-0"),
        DeviceUser("loop", "loop0", 1),
    )
    assert "mounted at /srv through dm-0 (sda1)" in str(reason_of_use(host, SDA1))
    assert users.of(SDB) == (DeviceUser("log", "/srv"),)


def test_every_kind_of_user_has_words() -> None:
    for kind in ("mount", "log", "swap", "loop", "holder", "process"):
        assert "sdx" in words_of(DeviceUser(kind, "name"), "sdx")


def test_this_process_is_never_told_and_a_host_without_processes_has_none(tmp_path: Path) -> None:
    assert openings(Host(tmp_path)) == frozenset()
    assert os.getpid() not in {one.pid for one in openings(Host())}


def test_only_one_who_goes_on_writing_is_refused(host: _Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_devices, "_PATIENCE_S", (0.0, 0.0))
    member = Member("wwn-0x5", 10**9, serial="S1")
    reader, writer = Opening(SDA, 7, "dd", writes=False), Opening(SDA1, 8, "qemu", writes=True)

    def seen(*looks: set[Opening]) -> None:
        left = list(looks)
        monkeypatch.setattr(open_devices, "openings", lambda *_: frozenset(left.pop(0)))
        asyncio.run(verify_no_writer(host, ((member, SDA),)))

    seen(set())
    seen({reader})
    seen({reader, writer}, {reader})
    with pytest.raises(DiskRefused, match=r"S1 \(wwn-0x5\) is open for writing by qemu \(process 8\) \(sda1\)"):
        seen({reader, writer}, {writer}, {writer})


def test_a_loop_device_over_an_array_is_told(host: _Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_devices, "openings", lambda *_: frozenset())
    _put(host.root / "sys/devices/loop0/loop/backing_file", "/dev/dm-0\n")
    asyncio.run(array_users.verify_unused_array(host, SDA, "The array"))
    with pytest.raises(DiskRefused, match="The array is below the loop device loop0"):
        asyncio.run(array_users.verify_unused_array(host, DM0, "The array"))


def test_what_the_machine_exports_to_others_is_in_use(host: _Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """By nvmet, which claims nothing, and by LIO; a namespace that is off isn't."""
    monkeypatch.setattr(open_devices, "openings", lambda *_: frozenset())
    config = host.root / "sys/kernel/config"
    _put(config / "nvmet/subsystems/nqn.2026-01.lan:disk/namespaces/1/device_path", "/dev/sdb\n")
    _put(config / "nvmet/subsystems/nqn.2026-01.lan:disk/namespaces/1/enable", "1\n")
    _put(config / "target/core/iblock_0/md/udev_path", "/dev/dm-0\n")
    _put(config / "target/core/fileio_1/image/udev_path", "/srv/image\n")
    named = "nvmet/subsystems/nqn.2026-01.lan:disk/namespaces/1"
    assert DeviceUsers.read(host).of_disk(SDB) == (DeviceUser("export", named),)
    assert f"exported to other machines by {named} (sdb)" in str(reason_of_use(host, SDB))
    with pytest.raises(DiskRefused, match=r"exported to other machines by target/core/iblock_0/md"):
        asyncio.run(array_users.verify_unused_array(host, DM0, "The array"))
    assert DeviceUsers.read(host).of_disk(SDA) == ()
    _put(config / "nvmet/subsystems/nqn.2026-01.lan:disk/namespaces/1/enable", "0\n")
    assert DeviceUsers.read(host).of_disk(SDB) == ()
