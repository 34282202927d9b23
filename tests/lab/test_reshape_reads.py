"""A degraded raid6 cut off within a stripe of its reshape, where reads hang or crash Linux: no act reads there."""

from __future__ import annotations

from pathlib import Path

import pytest

from .change_cuts import brought_up
from .change_rig import FOLDER, PLACE, ChangeRig

pytestmark = pytest.mark.lab
_KIB = 65536
_PLACE_SECTORS = 21504  # along each member: three chunks each, so 31.5 MiB of the array, amid a stripe of two
_RESHAPED = f"""set -e; cd {FOLDER}; mdadm --quiet --add /dev/md/tank $1; echo {_PLACE_SECTORS} > sync_max
mdadm --quiet --grow /dev/md/tank --raid-devices=5
until [ $(cat reshape_position) = {3 * _PLACE_SECTORS} ]; do sleep 0.1; done
mdadm --quiet /dev/md/tank --fail $2; dd if=/dev/urandom of={PLACE}/more bs=1M count=1 conv=fsync status=none"""


def test_it_is_tried_brought_back_and_goes_on(tmp_path: Path) -> None:
    (store := tmp_path / "store").mkdir()
    with ChangeRig(store, "5x300MB") as rig:
        rig.build(tmp_path, "raid6", 4, component_size_kib=_KIB)
        serials = rig.serials()
        rig.sh(_RESHAPED, rig.node(serials[4]), rig.node(serials[0]))
        rig.cut_power()
        rig.sh("udevadm settle")
        assert rig.sh("mdadm --examine /dev/sdb | grep 'Reshape pos'").split()[3] == str(3 * _PLACE_SECTORS // 2)
        assert brought_up(rig, serials) == "forced"
        rig.sh(f"until [ $(cat {FOLDER}/reshape_position) = none ]; do sleep 0.2; done")
        rig.sh(f"mkdir -p {PLACE}; mount /dev/md/tank {PLACE}")
        rig.read_back()
