"""A rescue's trial looks into LVM's volumes, of the tried array alone, whatever group of that name is active."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = pytest.mark.lab

_MAKE = """set -e; udevadm settle
mdadm --quiet --create --run /dev/md/tank --level=raid5 --raid-devices=3 --assume-clean --chunk=64 /dev/sd[abc]
udevadm settle; vgcreate -qq vg /dev/md/tank; lvcreate -qq -y -n media -L 100m vg; lvcreate -qq -y -n swap -L 8m vg
mkfs.ext4 -q -F /dev/vg/media; mkswap -q /dev/vg/swap; mkdir -p /mnt/a; mount /dev/vg/media /mnt/a
python3 -c 'import os
for number in range(300):
    folder = f"/mnt/a/photos/{number % 20}"; os.makedirs(folder, exist_ok=True)
    open(f"{folder}/{number}", "wb").write(os.urandom(40_000))'
sync; (cd /mnt/a; find photos -type f -exec sha256sum {} +) > /run/sums256; umount /mnt/a"""
_SPAN = "vgextend -qq vg /dev/sde; lvcreate -qq -y -n span -L 200m vg; udevadm settle"
_END = "vgchange -qq -an vg; udevadm settle; mdadm --quiet --stop --scan; udevadm settle"
_TWIN = "vgcreate -qq vg /dev/sdf; lvcreate -qq -y -n media -L 40m vg; udevadm settle"
_CLEAN = """vgchange -qq -an vg; vgremove -qq -ff -y vg; wipefs -qa /dev/sde /dev/sdf; udevadm settle; true"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("6x128MB"))) as machine:
        yield machine


@pytest.fixture
def lost(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Iterator[LostArray]:
    made = LostArray(lab, capsys)
    yield made
    made.sh(_CLEAN)
    made.clean()


def test_volumes_are_looked_into_and_what_is_elsewhere_is_said(lost: LostArray) -> None:
    lost.sh(f"{_MAKE}; {_SPAN}; {_END}")
    lost.wipe("c")
    lost.sh(f"wipefs -qa /dev/sde; {_TWIN}")  # the other store is gone, and a group of that name is active
    before = lost.checksums()
    tried = lost.run("tank", "--try", "1", disks="abc")
    assert tried["verdict"] == "good", tried
    assert tried["volumes"] == ["good vg/media", "holds vg/swap", "elsewhere vg/span"]
    assert tried["stores_missing"] == 1
    read = {file["path"]: file["sha256"] for file in tried["files"] if file["sha256"] not in ("-", "!")}
    sums = {f"media/{path}": digest for digest, path in map(str.split, lost.sh("cat /run/sums256").splitlines())}
    photos = {path: digest for path, digest in read.items() if path.startswith("media/photos/")}
    assert len(photos) > 10
    assert photos == {path: sums.get(path) for path in photos}
    assert lost.checksums() == before
    assert lost.sh("ls /sys/block | grep -c dm-") == "1"  # the other group's volume is as it was
    assert lost.sh("lsblk --nodeps --noheadings --output=SIZE /dev/vg/media").strip() == "40M"
