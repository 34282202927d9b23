"""Facts asked of their owner: a file system that is mounted has its own word on its size, which the device hasn't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .change_rig import FOLDER, PLACE, ChangeRig

pytestmark = pytest.mark.lab
_KIB = 196608  # of each member: XFS takes 300 MiB at least
_END = f"cat {FOLDER}/array_size"
_UNKNOWN = "isn't known, so nothing may be cut off"
_OWN = """install -d -o nobody -m 700 /srv/own; mount -m $1 /srv/own/data
chown nobody /srv/own/data; chmod 700 /srv/own/data"""
_PRIVATE = """setsid unshare --mount --propagation private \\
sh -c 'mount $0 /mnt; echo $$ > /run/elsewhere; exec sleep 600' $1 > /dev/null 2>&1 < /dev/null &
until [ -s /run/elsewhere ]; do sleep 0.1; done"""
_ENDED = "kill $(cat /run/elsewhere); rm /run/elsewhere; until ! [ -e /sys/fs/xfs/$(basename $1) ]; do sleep 0.1; done"
_LOOP = "modprobe loop; losetup --show --find $1 > /run/loop; mount $(cat /run/loop) /mnt"
_MAPPED = """echo "0 $(blockdev --getsz $1) linear $1 0" | dmsetup create over; mount /dev/mapper/over /mnt"""
_ELSEWHERE = [  # where the machine's own mounts don't show it, and how that ends; $1 is the array's node
    ("mount -m $1 /home/data", "umount /home/data", "Unmount it"),  # hidden from the helper
    (_OWN, "umount /srv/own/data", "Unmount it"),  # root itself may only enter it by force
    (_PRIVATE, _ENDED, _UNKNOWN),
    (_LOOP, "umount /mnt; losetup -d $(cat /run/loop)", _UNKNOWN),
    (_MAPPED, "umount /mnt; dmsetup remove --retry over", _UNKNOWN),
]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


@pytest.mark.parametrize("kind", ["xfs", "ext4", "btrfs"])
def test_what_has_grown_while_it_is_mounted_is_not_cut_off(rig: ChangeRig, tmp_path: Path, kind: str) -> None:
    """The device's page cache is full of what was there before, as after any look at it."""
    rig.build(tmp_path, "raid5", 3, kind, component_size_kib=_KIB, file_mib=20)
    rig.sh("dd if=/dev/md/tank of=/dev/null bs=64K count=4 status=none")
    rig.change("--add", rig.serials()[3])
    assert rig.space_mib() > 450
    rig.sh(f"cd {PLACE}; dd if=/dev/urandom of=5 bs=1M count=330 conv=fsync status=none; md5sum 5 >> /var/lib/sums")
    refused = rig.change("--members", "3", code=2)
    assert ("XFS can't shrink" if kind == "xfs" else "Shrink it first") in refused
    assert (rig.shape()[1], rig.sh(_END)) == (4, "default")
    rig.read_back()


def test_what_is_used_elsewhere_is_not_misread(rig: ChangeRig, tmp_path: Path) -> None:
    """XFS of before a growth, which would fit: it may grow at any time, by whoever has it."""
    rig.build(tmp_path, "raid5", 3, "xfs", component_size_kib=_KIB, file_mib=20)
    rig.sh(f"umount {PLACE}")
    node = rig.sh("readlink -f /dev/md/tank")
    rig.change("--add", rig.serials()[3])
    assert rig.change("--members", "3", "--dry-run")["possible"]  # nobody has it, and it has its old size
    for begin, end, refusal in _ELSEWHERE:
        rig.sh(begin, node)
        assert refusal in rig.change("--members", "3", code=2), begin
        assert (rig.shape()[1], rig.sh(_END)) == (4, "default")
        rig.sh(end, node)
    rig.change("--members", "3")
    assert rig.shape()[1] == 3
    rig.sh(f"mount {node} {PLACE}")
    rig.read_back()


_FAKE = """printf '#!/bin/sh\\ncase "$*" in *--add*) %s;; esac; exec /opt/mdadm "$@"\\n' "$1" > /opt/fake
cp /usr/sbin/mdadm /opt/mdadm; chmod 755 /opt/fake; mount --bind /opt/fake /usr/sbin/mdadm"""
_REAL = "umount /usr/sbin/mdadm"
_HEAD = "dd if=$1 bs=1M count=2 iflag=direct status=none | md5sum"
_KILLED = "systemctl kill --signal=KILL --kill-who=main raidwright-helper; sleep 5; exit 1"


def test_what_a_disk_held_that_a_raid0_takes_comes_back(rig: ChangeRig, tmp_path: Path) -> None:
    """mdadm refuses, or the helper is killed as mdadm begins: the disk is named, and has its file system again."""
    rig.build(tmp_path, "raid0", 2, file_mib=3)
    serial = rig.serials()[2]
    node = rig.node(serial)
    rig.sh("mkfs.ext4 -q $1; udevadm settle", node)
    words = ("--level", "raid5", "--add", serial, "--remove", "ext4")
    before = rig.sh(_HEAD, node)
    rig.sh(_FAKE, "exit 1")
    assert "What they held at their ends is back on them" in rig.change(*words, code=1)
    assert rig.sh(_HEAD, node) == before
    rig.sh(f"{_REAL}; {_FAKE}", _KILLED)
    rig.change(*words, code=1)
    rig.sh(_REAL)
    assert rig.sh(_HEAD, node) != before
    [cut_off] = [build for build in rig.call("builds") if build["state"] == "interrupted"]
    assert serial in cut_off["disks"][0]
    rig.call("builds", "--undo", cut_off["id"])
    assert rig.sh(_HEAD, node) == before
    rig.change(*words)
    assert rig.shape()[:2] == ("raid5", 3)
    rig.read_back()
