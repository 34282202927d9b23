"""A raid5's member copied onto another disk over a power cut: Linux leaves wrong parity, which is told and repaired."""

from __future__ import annotations

from pathlib import Path

import pytest

from .change_rig import FOLDER, PLACE, ChangeRig

pytestmark = pytest.mark.lab
_HELD = f"echo 16384 > {FOLDER}/sync_max"  # until the power cut, the copy stops there
_COPIES = f"""cd {FOLDER}; until [ "$(cut -d' ' -f1 sync_completed)" = 16384 ]; do sleep 0.1; done
systemd-run --quiet sh -c 'while :; do dd if=/dev/zero of={PLACE}/more bs=64K count=1 conv=fsync; done'"""
_TO_ITS_END = f"""udevadm settle; mdadm --quiet --readwrite /dev/md/tank; cd {FOLDER}
until [ $(cat sync_action resync_start | tr '\\n' ' ' | tr -d ' ') = idlenone ] && ! grep -qw replacement dev-*/state
do sleep 0.2; done"""
_REPAIR = f"echo repair > {FOLDER}/sync_action; mdadm --quiet --wait /dev/md/tank; true"


def test_it_is_told_until_a_check_and_holds_after_a_repair(tmp_path: Path) -> None:
    (store := tmp_path / "store").mkdir()
    with ChangeRig(store, "4x100MB") as rig:
        rig.build(tmp_path, "raid5", 3, component_size_kib=65536, bitmap="internal", file_mib=16)
        first, old, _, new = rig.serials()
        rig.sh(_HELD)
        words = ("array", "replace", "tank", "--disk", old, "--with", new, "--no-wait", "--yes-name", "tank")
        rig.call(*words)
        rig.sh(_COPIES)
        assert _parity(rig) == "sound"
        rig.cut_power()
        rig.sh(_TO_ITS_END)
        assert _parity(rig) == "copy-cut-off"
        assert "have left wrong parity there" in rig.call("array", "fail", "tank", first, "--yes-name", "tank", code=2)
        _check(rig)
        assert _parity(rig) == "differs"  # a Linux without the fault leaves it sound
        rig.sh(_REPAIR)
        _check(rig)
        assert _parity(rig) == "sound"
        rig.call("array", "fail", "tank", first, "--yes-name", "tank")
        rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
        rig.read_back()


def _check(rig: ChangeRig) -> None:
    rig.call("array", "check", "tank")
    rig.sh("mdadm --quiet --wait /dev/md/tank; true")


def _parity(rig: ChangeRig) -> str:
    [array] = rig.call("array", "list")
    return str(array["facts"]["parity"])
