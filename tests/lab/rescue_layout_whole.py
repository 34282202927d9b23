"""A raid0 of unlike disks without a layout in its superblocks: told as it is, and both layouts tried on overlays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = pytest.mark.lab

_FILL = """set -e; modprobe raid0; echo {layout} > /sys/module/raid0/parameters/default_layout
mdadm --quiet --create --run /dev/md/old --level=0 --raid-devices=3 --chunk={chunk_kib} --layout={name} /dev/sd[abc]
mkfs.ext4 -q -F /dev/md/old; mkdir -p /mnt/a; mount /dev/md/old /mnt/a; cd /mnt/a
for n in 1 2 3 4 5 6 7 8 9; do head -c 110000000 /dev/urandom > f$n; done; sync; md5sum f* > /run/sums
cd /; umount /mnt/a; mdadm --quiet --stop /dev/md/old; echo 0 > /sys/module/raid0/parameters/default_layout"""
_UNTOLD = """mdadm --quiet --assemble --update=layout-unspecified /dev/md/old /dev/sd[abc]; mdadm --quiet --stop --scan
udevadm trigger --settle --subsystem-match=block; true"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("2x400MB+1x300MB"))) as machine:
        yield machine


@pytest.mark.parametrize(("layout", "name", "number"), [(2, "alternate", 1), (1, "original", 2)])
def test_both_layouts_are_tried_and_their_files_compared(
    lab: Lab, capsys: pytest.CaptureFixture[str], layout: int, name: str, number: int
) -> None:
    lost = LostArray(lab, capsys)
    lost.sh(_FILL.format(layout=layout, name=name, chunk_kib=1024))  # 285 of them fit on the smallest disk
    lost.sh(_UNTOLD)
    assert "both on copies" in lost.refused("array", "start", "old")
    told = lost.run("old")
    assert [one["way"] for one in told["hypotheses"]] == ["layout-alternate", "layout-original"]
    tried = lost.run("old", "--try", "all")
    assert not any(one["verdict"] == "good" for one in tried)
    read = [{file["path"]: file["sha256"] for file in one["files"]} for one in tried]
    assert len(read) < 2 or read[0] != read[1]
    done = lost.run("old", "--for-real", str(number), "--yes-name", "old")
    lost.verify_files(done["mounted_at"])
    lost.put_away("old")
    lost.clean()


def test_where_both_are_the_same_there_is_one_way(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """After an even number of chunks on three disks, both begin the rest on the first of two."""
    lost = LostArray(lab, capsys)
    lost.sh(_FILL.format(layout=2, name="alternate", chunk_kib=64))
    lost.sh(_UNTOLD)
    [hypothesis] = lost.run("old")["hypotheses"]
    assert hypothesis["reason"] == "layout-either"
    assert lost.run("old", "--try", "1")["verdict"] == "good"
    lost.verify_files(lost.run("old", "--for-real", "1", "--yes-name", "old")["mounted_at"])
    lost.put_away("old")
    lost.clean()
