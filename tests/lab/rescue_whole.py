"""Arrays lost in every way that a rescue is for, each tried on overlays with its disks unchanged, then brought back."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from .rescues import LostArray

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("6x128MB"))) as machine:
        yield machine


@pytest.fixture
def lost(lab: Lab, capsys: pytest.CaptureFixture[str]) -> Iterator[LostArray]:
    made = LostArray(lab, capsys)
    yield made
    made.clean()


def test_a_wrong_order_is_told_from_the_right_one(lost: LostArray) -> None:
    lost.build("abcd")
    lost.wipe("cd")
    told = lost.run(disks="abdc")
    assert [one["standing"] for one in told["disks"]] == ["agrees", "agrees", "no-superblock", "no-superblock"]
    ids = {disk["serial"]: disk["id"] for disk in told["disks"]}
    assert [one["slots"] for one in told["hypotheses"]] == [[ids[serial] for serial in lost.order("abcd")]]
    assert told["ruled_out"]
    lost.rescue(1, disks="abdc")


def test_all_superblocks_gone_and_the_order_lost_with_a_card(lost: LostArray, tmp_path: Path) -> None:
    lost.build("cadb", "--bitmap=internal")
    lost.sh("mdadm --quiet --assemble --scan; udevadm settle; true")
    card = tmp_path / "card.txt"
    lost.command("array", "card", "tank", "--to", str(card))
    lost.stop()
    lost.wipe("abcd")
    assert "--card" in lost.run(disks="abcd")["lost"]
    told = lost.run("--card", str(card), disks="abcd")
    assert [one["reason"] for one in told["hypotheses"]] == ["card"]
    ids = {disk["serial"]: disk["id"] for disk in told["disks"]}
    assert told["hypotheses"][0]["slots"] == [ids[serial] for serial in lost.order("cadb")]
    lost.rescue(1, "--card", str(card), disks="abcd")


def test_all_superblocks_gone_without_a_card(lost: LostArray) -> None:
    lost.build("bca")
    lost.wipe("abc")
    told = lost.run("--level", "raid5", "--chunk-kib", "64", disks="abc")
    assert len(told["hypotheses"]) + told["ruled_out"] == 6
    before = lost.checksums()
    tried = lost.run("--level", "raid5", "--chunk-kib", "64", "--try", "all", disks="abc")
    assert lost.checksums() == before
    good = [one["number"] for one in tried if one["verdict"] == "good"]
    ids = {disk["serial"]: disk["id"] for disk in told["disks"]}
    right = [ids[serial] for serial in lost.order("bca")]
    assert [told["hypotheses"][number - 1]["slots"] for number in good] == [right]
    lost.rescue(good[0], "--level", "raid5", "--chunk-kib", "64", disks="abc", name="rescued", is_tried=True)


def test_one_superblock_wiped(lost: LostArray) -> None:
    lost.build("abcd")
    lost.wipe("b")
    told = lost.run(disks="abcd")
    assert [(one["way"], one["reason"]) for one in told["hypotheses"]] == [("assemble", "agree")]
    done = lost.rescue(1, disks="abcd")
    assert done["missing"] == 1


# The kernel lets no second member of a raid5 fail, so its superblock is made older
_BEHIND = """set -e; mdadm --quiet --assemble /dev/md/tank /dev/sd[abcd]; udevadm settle
mdadm --quiet /dev/md/tank --fail /dev/sdd
for number in 1 2 3; do mount /dev/md/tank /mnt/a; touch /mnt/a/$number; umount /mnt/a; sleep 1; done
udevadm settle; mdadm --quiet --stop /dev/md/tank; mdadm --quiet --stop --scan; udevadm settle
PYTHONPATH=/usr/lib/raidwright python3 -c '
from raidwright.core.md.member_superblock import _checksum_1
import os
disk = os.open("/dev/sdc", os.O_RDWR); block = bytearray(os.pread(disk, 4096, 4096))
block[200:208] = (int.from_bytes(block[200:208], "little") - 3).to_bytes(8, "little")
block[216:220] = _checksum_1(bytes(block), int.from_bytes(block[220:224], "little")).to_bytes(4, "little")
os.pwrite(disk, bytes(block), 4096); os.fsync(disk)'
udevadm settle; mdadm --quiet --stop --scan; true"""


def test_two_members_behind_by_different_counts(lost: LostArray) -> None:
    lost.build("abcd")
    lost.sh(_BEHIND)
    lost.stop()
    told = lost.run(disks="abcd")
    behind = {disk["serial"]: disk["behind"] for disk in told["disks"]}
    _, _, c, d = lost.order("abcd")
    assert 0 < behind[c] < behind[d]
    ids = {disk["serial"]: disk["id"] for disk in told["disks"]}
    assert [one["way"] for one in told["hypotheses"][:2]] == ["force", "force"]
    assert told["hypotheses"][0]["left_out"] == [ids[d]]
    assert told["hypotheses"][1]["left_out"] == [ids[c]]
    lost.rescue(1, disks="abcd")


def test_a_wrong_member_of_an_older_array_among_them(lost: LostArray) -> None:
    lost.sh(
        "mdadm --quiet --create --run /dev/md/old --level=5 --raid-devices=3 --assume-clean /dev/sde /dev/sdf /dev/sdd;"
        "udevadm settle; mdadm --quiet --stop /dev/md/old; mdadm --quiet --zero-superblock /dev/sdd; udevadm settle"
    )
    lost.build("abcd")
    lost.wipe("d")
    told = lost.run(disks="abcde")
    standings = {disk["serial"]: disk["standing"] for disk in told["disks"]}
    assert standings[lost.serial("e")] == "other-array"
    assert told["hypotheses"][0]["reason"] == "agree"
    lost.rescue(1, disks="abcde")


def test_a_disk_with_unreadable_sectors(lost: LostArray) -> None:
    lost.build("abcd")
    lost.lab.spoil_disk(lost.serial("b"), 5 * 2**20, 60 * 2**20)
    told = lost.run(disks="abcd")
    assert told["hypotheses"][0]["reason"] == "agree"
    tried = lost.run("--try", "1", disks="abcd")
    assert tried["verdict"] == "good"
    assert [lost.serial("b") in disk for disk in tried["failing"]] == [True]
    lost.verify_digests(tried)
    lost.verify_gone()
    done = lost.run("--for-real", "1", "--yes-name", "tank", disks="abcd")
    lost.verify_files(done["mounted_at"])


def test_what_can_not_be_saved_is_said_early(lost: LostArray) -> None:
    lost.build("abcd")
    assert "2 of the array's 4 members are here" in lost.run(disks="ab")["lost"]
    assert "2 of the array's 4 members are here" in lost.run("--try", "1", disks="ab", is_refused=True)


def test_a_trial_that_was_cut_off_is_found_and_taken_away(lost: LostArray) -> None:
    lost.build("abcd")
    before = lost.checksums()
    killing = threading.Thread(target=_kill_during_a_trial, args=(lost,))
    killing.start()
    lost.run("--try", "1", disks="abcd", is_refused=True)
    killing.join()
    with pytest.raises(AssertionError):
        lost.verify_gone()
    lost.run(disks="abcd")  # the next helper starts, and tidies up beside answering
    for _ in range(60):
        with contextlib.suppress(AssertionError):
            lost.verify_gone()
            break
        time.sleep(1)
    lost.verify_gone()
    assert lost.checksums() == before


def _kill_during_a_trial(lost: LostArray) -> None:
    while "raidwright-trial-0" not in lost.sh("cat /sys/block/dm-*/dm/name 2>/dev/null; true").split():
        time.sleep(0.2)
    lost.sh("systemctl kill --signal=KILL --kill-whom=all raidwright-helper.service")


def test_other_peoples_disks_are_refused(lost: LostArray) -> None:
    lost.build("abcd")
    lost.sh("mkfs.ext4 -q -F /dev/sdf; mkdir -p /mnt/a; mount /dev/sdf /mnt/a")
    try:
        assert "(mounted at /mnt/a, " in lost.run("--level", "raid1", "--try", "1", disks="ef", is_refused=True)
    finally:
        lost.sh("umount /mnt/a")
