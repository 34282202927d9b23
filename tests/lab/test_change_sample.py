"""A sample of ``make change-check``: a mounted array grows and changes its level, and nothing is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .change_rig import PLACE, ChangeRig, commands_of, sectors_of

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


def test_a_mirror_becomes_raid5_then_raid6_while_it_is_mounted(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid1", 2, component_size_kib=32768, file_mib=3)
    third, fourth = rig.serials()[2:4]
    shown = rig.call("array", "change", "tank", "--level", "raid5", "--add", third, "--dry-run")
    assert [step["step"] for step in shown["steps"]] == ["add", "takeover", "reshape", "grow-content", "check"]
    assert all(step["time"]["low_hours"] <= step["time"]["high_hours"] for step in shown["steps"])
    assert "--level=raid5" in commands_of(shown)[1]
    before = rig.space_mib()
    rig.change("--level", "raid5", "--add", third)
    assert rig.shape() == ("raid5", 3, sectors_of(shown))
    assert rig.space_mib() > 1.8 * before
    rig.read_back()
    shown = rig.call("array", "change", "tank", "--level", "raid6", "--add", fourth, "--dry-run")
    rig.change("--level", "raid6", "--add", fourth)
    assert rig.shape() == ("raid6", 4, sectors_of(shown))
    rig.read_back()
    assert rig.change("--level", "raid6")["steps"] == []


def test_its_end_leaves_mdadm_conf_right_a_check_and_a_new_card(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 3, component_size_kib=32768, file_mib=3)
    uuid = rig.sh("mdadm --detail --export /dev/md/tank | sed -n s/^MD_UUID=//p")
    line = f"ARRAY /dev/md/tank level=raid5 num-devices=3 metadata=1.2 UUID={uuid}"
    rig.sh('cp -p /etc/mdadm/mdadm.conf /run/kept.conf; echo "$1" >> /etc/mdadm/mdadm.conf', line)
    words = ("--level", "raid6", "--add", rig.serials()[3])
    shown = rig.call("array", "change", "tank", *words, "--dry-run")
    steps = [step["step"] for step in shown["steps"]]
    assert (steps[0], steps[-1]) == ("configure", "check")
    done = rig.change(*words, "--card", str(tmp_path / "card.txt"))
    assert done["changed"]["checks"]
    assert rig.sh("tail -1 /etc/mdadm/mdadm.conf") == f"ARRAY /dev/md/tank metadata=1.2 UUID={uuid}"
    card = (tmp_path / "card.txt").read_text(encoding="utf-8")
    assert "raid6" in card
    assert rig.serials()[3] in card
    [check, *_] = rig.call("array", "checks")
    assert check["uuid"] == uuid
    assert rig.change("--chunk", "64", "--dry-run")["possible"]  # the check, if it still runs, is paused for it
    rig.sh(f"umount {PLACE}; udevadm settle; mdadm --stop /dev/md/tank; udevadm settle")
    rig.sh("mdadm --assemble --scan; udevadm settle")
    rig.sh(f"mount /dev/md/tank {PLACE}")
    rig.read_back()
    rig.sh("cp -p /run/kept.conf /etc/mdadm/mdadm.conf")


def test_what_keeps_it_consistent_is_switched_while_it_is_mounted(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 3, component_size_kib=32768, file_mib=3, consistency="ppl")
    for policy in ("resync", "bitmap", "ppl", "bitmap"):
        rig.change("--consistency", policy)
        assert rig.sh("cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/consistency_policy") == policy
        assert rig.change("--consistency", policy)["steps"] == []
    rig.read_back()
    rig.leave()
    rig.build(tmp_path, "raid5", 3, component_size_kib=32768, file_mib=3, bitmap="internal")
    assert "left no room for a partial parity log" in rig.change("--consistency", "ppl", code=2)
    rig.read_back()


def test_a_reshape_is_paused_and_let_go_on(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 3, component_size_kib=65536, file_mib=3)
    with rig.changing("--add", rig.serials()[3]) as running:
        rig.until_reshape_at(1)
        rig.call("array", "pace", "tank", "--pause")
        [stood] = [array["facts"]["limit_kib_s"] for array in rig.call("array", "list")]
        assert stood == 1
        rig.until_reshape_stands()
        rig.call("array", "pace", "tank", "--resume")
        assert running.wait(300) == 0
    assert rig.shape()[:2] == ("raid5", 4)
    rig.read_back()


def test_what_would_cut_data_off_or_is_not_at_rest_is_refused(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 4, component_size_kib=32768, file_mib=3)
    assert "Shrink it first (resize2fs)" in rig.change("--members", "3", code=2)
    shown = rig.call("array", "change", "tank", "--level", "raid10", "--dry-run", code=2)
    assert shown["reasons"] == ["md has no way to raid10 from here."]
    rig.sh("mdadm --quiet /dev/md/tank --fail /dev/sda")
    assert "A member is missing. Replace it first" in rig.change("--chunk", "64", code=2)
    rig.read_back()
