"""Former members that stay plugged in: another shape, beside which their superblocks are wrong, waits until they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from .change_rig import ChangeRig

pytestmark = pytest.mark.lab


def test_a_replaced_member_is_erased_before_the_array_gets_another_shape(tmp_path: Path) -> None:
    (store := tmp_path / "store").mkdir()
    with ChangeRig(store, "4x100MB") as rig:
        rig.build(tmp_path, "raid5", 3, component_size_kib=65536, file_mib=6)
        old, new = rig.serials()[1], rig.serials()[3]
        rig.call("array", "replace", "tank", "--disk", old, "--with", new, "--yes-name", "tank")
        rig.sh("mdadm --quiet --wait /dev/md/tank; true")
        rig.start_anew()  # of one shape md leaves it out by its events
        rig.read_back()
        rig.sh("mdadm --quiet /dev/md/tank --add $1; mdadm --quiet /dev/md/tank --fail $1", rig.node(old))
        assert "Remove it if it has failed" in rig.change("--chunk", "64", code=2)
        rig.call("array", "remove", "tank", old, "--yes-name", "tank")
        [why] = rig.call("array", "change", "tank", "--chunk", "64", "--dry-run", code=2)["reasons"]
        assert why in rig.change("--chunk", "64", code=2)
        erases = f"mdadm --zero-superblock {rig.node(old)}"
        assert erases in why
        rig.change("--consistency", "bitmap")  # keeps the shape
        rig.sh(erases)
        rig.change("--chunk", "64")
        rig.read_back()
        rig.start_anew()
        rig.read_back()
