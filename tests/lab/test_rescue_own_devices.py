"""The helper's overlays are known by their UUID: other people's devices by such names and numbers are left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = pytest.mark.lab

_LVM = """set -e; modprobe loop; vgcreate -qq raidwright /dev/sda /dev/sdb
lvcreate -qq -y -Zn -n trial-0 -L 60m raidwright /dev/sda; lvcreate -qq -y -Zn -n trial-lv-x -L 60m raidwright /dev/sdb
mdadm --quiet --create --run /dev/md/mine --level=1 --raid-devices=2 --assume-clean --metadata=1.2 \
    /dev/raidwright/trial-0 /dev/raidwright/trial-lv-x
truncate -s 8M /root/raidwright-overlays.img; losetup --find /root/raidwright-overlays.img"""
_THEIRS = "ls /dev/mapper | grep raidwright; ls -d /sys/block/md*; losetup --noheadings --output=BACK-FILE"
_END = """umount -q /mnt/a; mdadm --quiet --stop --scan; vgremove -qq -ff -y raidwright
dmsetup ls | cut -f1 | grep name | xargs -r dmsetup remove; losetup --detach-all; wipefs -qa /dev/sd[ab]; true"""
_LEFT = """set -e; modprobe -a loop dm_snapshot; for at in 0 1; do
disk=/dev/sd$(echo $at | tr 01 cd); truncate -s 64M /root/cow$at
store=$(losetup --find --show /root/cow$at); size=$(blockdev --getsz $disk)
dmsetup create any-name-$at --uuid RAIDWRIGHT-trial-$at --table "0 $size snapshot $disk $store N 8"; done
mdadm --quiet --create --run /dev/md127 --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/mapper/any-name-*
mkfs.ext4 -q -F /dev/md127; udevadm settle; udevadm info --query=property /dev/md127
udevadm info --query=property /dev/mapper/any-name-0"""
_MD973 = """set -e
mdadm --quiet --create --run /dev/md973 --level=1 --raid-devices=2 --assume-clean --metadata=1.2 /dev/sda /dev/sdb
mkfs.ext4 -q -F /dev/md973; mkdir -p /mnt/a; mount /dev/md973 /mnt/a; echo mine > /mnt/a/marker-of-md973"""


@pytest.fixture(scope="module", params=[Generation.BOOKWORM, Generation.TRIXIE])
def lab(request: pytest.FixtureRequest) -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("6x128MB"), generation=request.param)) as machine:
        yield machine


@pytest.fixture
def lost(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Iterator[LostArray]:
    made = LostArray(lab, capsys)
    yield made
    made.sh(_END)
    made.clean()


def test_volumes_arrays_and_loops_that_only_sound_like_ours_stay(lost: LostArray) -> None:
    lost.build("cdef")
    lost.sh(_LVM)
    before = lost.sh(_THEIRS)
    assert "raidwright-trial--0" in before
    lost.sh("systemctl stop raidwright-helper")
    lost.command("array", "list")  # a helper starts, and looks for what another one left
    assert lost.run("--try", "1", disks="cdef")["verdict"] == "good"
    assert lost.sh(_THEIRS) == before


def test_what_a_killed_helper_left_is_hidden_and_taken_down(lost: LostArray) -> None:
    told = lost.sh(_LEFT)
    assert told.count("UDISKS_IGNORE=1") == told.count("SYSTEMD_READY=0") == 2
    lost.sh("systemctl stop raidwright-helper")
    lost.command("array", "list")
    lost.sh("for try in 1 2 3 4 5 6 7 8 9; do ls /sys/block | grep -qE 'dm-|md' || exit 0; sleep 2; done; exit 1")


def test_another_array_at_the_number_that_was_the_trials_is_found_and_untouched(lost: LostArray) -> None:
    lost.sh(_MD973)
    told = lost.sh("udevadm settle; udevadm info --query=property /dev/md973")
    assert "UDISKS_IGNORE" not in told
    assert "SYSTEMD_READY=0" not in told
    assert "/dev/md973" in [array["device"] for array in lost.command("array", "list")]
    tried = lost.run("--level", "raid1", "--try", "1", disks="ef")
    assert tried["verdict"] == "nothing", tried
    assert not tried["files"]
    refused = lost.run("--level", "raid1", "--for-real", "1", "--yes-name", "rescued", disks="ef", is_refused=True)
    assert "Try it on overlays first" in refused
    assert lost.sh("cat /mnt/a/marker-of-md973; grep -c ^md /proc/mdstat") == "mine\n1"
