"""The full proof of changes on real arrays, seeded; the table goes to build/checks/: `make change-check`.

Each way is taken on an array with a mounted file system of checksummed files, by mdadm 4.2 and 4.4; the data are read
back after it, and the array must have the sectors that the dry run promised. Then the power is cut within reshapes, and
the helper is killed; the same request continues to the end.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from raidwright.lab.image import Generation

from tests.kit import check, kernels

from .change_exchange import DISKS, exchanged_over_power_cuts
from .change_rig import FOLDER, PLACE, ChangeRig, sectors_of

pytestmark = pytest.mark.lab
SEED = 35
MEMBERS: dict[str, Any] = {"component_size_kib": 65536}
# level, members, more of the plan, and the change: words, and how many disks it adds
WAYS: list[tuple[str, int, dict[str, Any], tuple[str, ...], int]] = [
    ("raid5", 3, {"bitmap": "internal"}, (), 1),
    ("raid5", 3, {}, ("--level", "raid6"), 1),
    ("raid5", 3, {}, ("--level", "raid6"), 2),
    ("raid5", 3, {"consistency": "ppl"}, ("--chunk", "64"), 0),
    ("raid5", 4, {"chunk_kib": 64}, ("--chunk", "128"), 0),
    ("raid5", 3, {}, ("--layout", "right-symmetric"), 0),
    ("raid1", 2, {}, ("--level", "raid5"), 1),
    ("raid1", 2, {"bitmap": "internal"}, (), 1),
    ("raid1", 2, {}, ("--level", "raid6"), 2),
    ("raid6", 4, {}, (), 1),
    ("raid6", 5, {}, ("--level", "raid5"), 0),
    ("raid10", 4, {"bitmap": "internal"}, (), 1),
    ("raid10", 4, {}, ("--chunk", "64"), 0),
    ("raid5", 3, {}, ("--use-larger-disks",), 0),
    ("raid5", 3, {"consistency": "ppl"}, ("--consistency", "resync"), 1),
    ("raid5", 3, {"consistency": "ppl"}, ("--consistency", "bitmap"), 0),
    ("raid5", 3, {"consistency": "ppl"}, ("--consistency", "resync", "--chunk", "64"), 0),
    ("raid6", 4, {}, ("--consistency", "bitmap"), 1),
    ("raid10", 4, {"bitmap": "internal"}, ("--consistency", "resync"), 0),
]


def _row(*cells: object) -> None:
    check.add_to("change", cells)


@pytest.fixture(scope="module", params=kernels.tried(), ids=kernels.mdadm_of)
def rig(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store"), generation=request.param) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way[0]} of {way[1]} {' '.join(way[3])} + {way[4]}")
def test_a_way_ends_as_it_promised_with_the_data_whole(
    rig: ChangeRig, tmp_path: Path, way: tuple[str, int, dict[str, Any], tuple[str, ...], int]
) -> None:
    level, count, more, words, added = way
    rig.build(tmp_path, level, count, **(MEMBERS | more))
    words = (*words, *(["--add", *rig.serials()[count : count + added]] if added else []))
    shown = rig.call("array", "change", "tank", *words, "--dry-run")
    began = time.monotonic()
    rig.change(*words)
    took_s = time.monotonic() - began
    rig.read_back()
    promised, stands = sectors_of(shown), rig.shape()[2]
    _row("way", f"{level} of {count}", " ".join(words[:2]), added, promised, stands, f"{took_s:.0f} s", "data whole")
    assert promised == stands
    assert rig.change(*words)["steps"] == []


def test_fewer_members_by_the_sector_with_a_backup_file(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 4, **MEMBERS)
    assert "Shrink it first" in rig.change("--members", "3", code=2)
    fits_kib = 2 * MEMBERS["component_size_kib"]
    shrink = (
        f"umount {PLACE}; e2fsck -fp /dev/md/tank >/dev/null; resize2fs /dev/md/tank $1 2>/dev/null; udevadm settle"
    )
    rig.sh(shrink, f"{fits_kib + 4}K")
    assert "Shrink it first" in rig.change("--members", "3", code=2)
    rig.sh(shrink, f"{fits_kib}K")
    rig.change("--members", "3")
    assert rig.shape() == ("raid5", 3, 2 * fits_kib)
    rig.sh(f"e2fsck -fn /dev/md/tank >/dev/null; mount /dev/md/tank {PLACE}")
    rig.read_back()
    _row("fewer", "raid5 of 4", "--members 3", 0, 2 * fits_kib, rig.shape()[2], "", "data whole")


_RESHAPES = "/var/lib/raidwright/reshapes"
_LEFT = f"""cd {FOLDER}; end=$(( $(date +%s) + 300 ))
until p=$(cat reshape_position) && [ "$p" != none ] && [ "$p" -le "$1" ]; do
[ $(date +%s) -lt $end ] || exit 9; sleep 0.1; done"""


@pytest.mark.parametrize("place", [0.3, 0.7])
def test_fewer_members_are_cut_off_and_go_on_with_the_backup_file(rig: ChangeRig, tmp_path: Path, place: float) -> None:
    """The file is on a disk that survives the cut, as a computer's own does."""
    rig.build(tmp_path, "raid5", 4, **MEMBERS)
    disk, fits_kib = rig.node(rig.serials()[5]), 2 * MEMBERS["component_size_kib"]
    keep = f"mkdir -p {_RESHAPES}; mount $1 {_RESHAPES}"
    rig.sh(f"mkfs.ext4 -q $1; {keep}", disk)
    rig.sh(f"umount {PLACE}; e2fsck -fp /dev/md/tank >/dev/null; resize2fs /dev/md/tank $1 2>/dev/null", f"{fits_kib}K")
    with rig.changing("--members", "3"):
        rig.sh(_LEFT, str(round((1 - place) * 2 * fits_kib)))
        rig.cut_power()
    assert _state(rig) == "inactive"
    assert "copy it to /var/lib/raidwright/reshapes" in rig.started("tank")
    rig.sh(keep, disk)
    look = ("array", "start", "tank", "--read-only", "--yes-name", "tank")
    assert "goes on with that as soon as it starts the array" in rig.call(*look, code=2)
    assert rig.started("tank") == ""
    rig.change("--members", "3")
    assert rig.shape() == ("raid5", 3, 2 * fits_kib)
    rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
    rig.read_back()
    _row("fewer, power cut", f"at {place:.0%}", "--members 3", 0, 2 * fits_kib, rig.shape()[2], "", "data whole")
    rig.sh(f"umount {_RESHAPES}; wipefs -aq $1", disk)


_VOLUME = f"""vgcreate -qq vg /dev/md/tank; lvcreate -qq --extents 24 --name lv vg; udevadm settle
mkfs.ext4 -q /dev/vg/lv; mount /dev/vg/lv {PLACE}"""
_SHRUNK_MEMBER_KIB = 131072  # btrfs leaves no less than 256 MiB (kernel fs/btrfs/ioctl.c, btrfs_ioctl_resize)
_SHRUNK = {  # what is made on the array, and what brings it to $1 KiB
    "btrfs": ("", f"btrfs filesystem resize $1K {PLACE} >/dev/null && sync && btrfs filesystem sync {PLACE}"),
    "lvm": (_VOLUME, "pvresize -qq --yes --setphysicalvolumesize $1K /dev/md/tank; udevadm settle"),
}


@pytest.mark.parametrize("kind", _SHRUNK)
def test_fewer_members_under_btrfs_and_lvm_while_they_are_in_use(rig: ChangeRig, tmp_path: Path, kind: str) -> None:
    made, shrink = _SHRUNK[kind]
    size = {"component_size_kib": _SHRUNK_MEMBER_KIB}
    rig.build(tmp_path, "raid5", 4, kind if not made else "ext4", file_mib=6, **size)
    if made:
        rig.sh(f"umount {PLACE}; wipefs -aq /dev/md/tank; udevadm settle; {made}")
        rig.sh(f"for n in 1 2 3 4; do dd if=/dev/urandom of={PLACE}/$n bs=1M count=6 conv=fsync status=none; done; "
               f"cd {PLACE}; md5sum 1 2 3 4 > /var/lib/sums; sync")  # fmt: skip
    fits_kib = 2 * _SHRUNK_MEMBER_KIB
    assert "Shrink it first" in rig.change("--members", "3", code=2)
    rig.sh(shrink, str(fits_kib + 4096))
    assert "Shrink it first" in rig.change("--members", "3", code=2)
    rig.sh(shrink, str(fits_kib))
    rig.change("--members", "3")
    assert rig.shape() == ("raid5", 3, 2 * fits_kib)
    rig.read_back()
    _row("fewer", f"raid5 of 4, {kind}", "--members 3", 0, 2 * fits_kib, rig.shape()[2], "", "data whole")
    rig.sh(f"umount {PLACE}; if [ -e /dev/vg ]; then vgremove -qq --force vg; pvremove -qq /dev/md/tank; fi")


def test_xfs_refuses_fewer_members_at_once(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 5, "xfs", component_size_kib=131072)
    assert rig.change("--members", "4", code=2).startswith("raidwright: XFS can't shrink")
    rig.read_back()


_UNSHRUNK = {  # what is put on the array: it isn't known how much of it that uses
    "bytes that nobody recognises": "dd if=/dev/urandom of=/dev/md/tank bs=64K count=200 conv=fsync status=none",
    "partitions": "echo 'size=20MiB' | sfdisk --quiet --label gpt /dev/md/tank",
}


@pytest.mark.parametrize("made", _UNSHRUNK)
def test_what_isnt_known_by_its_size_refuses_fewer_members(rig: ChangeRig, tmp_path: Path, made: str) -> None:
    rig.build(tmp_path, "raid5", 4, **MEMBERS)
    rig.sh(f"umount {PLACE}; wipefs -aq /dev/md/tank; {_UNSHRUNK[made]}; udevadm settle")
    assert "isn't known, so nothing may be cut off" in rig.change("--members", "3", code=2)
    assert rig.shape()[1] == 4


@pytest.mark.parametrize("place", [round(random.Random(SEED + number).random(), 2) for number in range(10)])  # noqa: S311
def test_the_power_is_cut_within_a_reshape_and_the_same_request_continues(
    rig: ChangeRig, tmp_path: Path, place: float
) -> None:
    rig.build(tmp_path, "raid5", 3, **MEMBERS)
    words = ("--add", rig.serials()[3])
    shown = rig.call("array", "change", "tank", *words, "--dry-run")
    with rig.changing(*words):
        rig.until_reshape_at(round(place * 2 * MEMBERS["component_size_kib"]))
        rig.sh("sync")
        rig.cut_power()
    came_up = _state(rig)
    if came_up == "inactive":
        rig.call("array", "start", "tank", "--yes-name", "tank")
    rig.sh("udevadm settle")
    rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
    rig.change(*words)
    rig.read_back()
    _row("power cut", f"at {place:.0%}", came_up, 1, sectors_of(shown), rig.shape()[2], "", "data whole")
    assert rig.shape() == ("raid5", 4, sectors_of(shown))


def test_the_helper_is_killed_and_the_same_request_continues(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 3, **MEMBERS)
    words = ("--add", rig.serials()[3], "--level", "raid6")
    with rig.changing(*words) as running:
        rig.until_reshape_at(10)
        rig.sh("systemctl kill --signal=KILL --kill-who=main raidwright-helper")
        assert running.wait(60) == 1
    rig.sh(_FAST)
    rig.change(*words)
    assert rig.shape()[:2] == ("raid6", 4)
    rig.read_back()
    _row("helper killed", "raid5 of 3", "--level raid6", 1, "", rig.shape()[2], "", "data whole")


@pytest.mark.parametrize("generation", kernels.tried(), ids=kernels.mdadm_of)
def test_four_members_are_exchanged_over_power_cuts(tmp_path: Path, generation: Generation) -> None:
    (store := tmp_path / "store").mkdir()
    with ChangeRig(store, DISKS, generation) as own:
        exchanged_over_power_cuts(own, tmp_path)
        _row("exchange", "raid5 of 4", "--use-larger-disks", 4, "", own.shape()[2], "", "data whole")


_FAST = "echo 200000 > /proc/sys/dev/raid/speed_limit_max; echo 100000 > /proc/sys/dev/raid/speed_limit_min"


def _state(rig: ChangeRig) -> str:
    arrays = rig.call("array", "list")
    return str(arrays[0]["state"]) if arrays else "gone"
