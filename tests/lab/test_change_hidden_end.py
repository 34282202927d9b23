"""A helper that is killed between hiding an array's end and its reshape: the next one shows the end again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .change_rig import FOLDER, PLACE, ChangeRig
from .test_joined_build import helper_killed_at

pytestmark = pytest.mark.lab


@pytest.fixture
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


def test_the_next_helper_shows_an_end_that_a_killed_one_had_hidden(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 4, component_size_kib=65536, file_mib=3)
    sectors = rig.shape()[2]
    smaller = 2 * 2 * 65536
    rig.sh(f"umount {PLACE}; e2fsck -fp /dev/md/tank >/dev/null; resize2fs /dev/md/tank 60M; udevadm settle")
    with helper_killed_at(rig.lab, "mdadm *--raid-devices=3*"):
        assert "stopped in the middle" in rig.change("--members", "3", code=1)
        assert rig.shape()[2] <= smaller  # nobody has shown it yet
    rig.call("disks")
    assert rig.shape()[2] == sectors
    assert rig.sh(f"cat {FOLDER}/array_size") == "default"
    rig.sh(f"mount /dev/md/tank {PLACE}")
    rig.read_back()
    rig.sh(f"umount {PLACE}")
    rig.change("--members", "3")
    assert rig.shape()[:2] == ("raid5", 3)
    rig.sh(f"mount /dev/md/tank {PLACE}")
    rig.read_back()
