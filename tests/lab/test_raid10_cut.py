"""A raid10 that is cut off within a reshape: md reads it wrongly until that goes on, so nobody else may before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.cli import main

from .change_cuts import COMPONENT_KIB, KILL_HELPER
from .change_rig import PLACE, ChangeRig

pytestmark = [pytest.mark.lab, pytest.mark.long]
_NODE = "$(readlink -f /dev/md/*tank*)"  # another name on another computer
_STATE = f"cat /sys/block/$(basename {_NODE})/md/array_state"
_SUPERBLOCK = f"dd if={_NODE} bs=1k skip=1 count=1 iflag=direct status=none | md5sum"
_RENAMED = "systemctl restart systemd-udevd"  # which has the name of when it started (ProtectHostname)
_PLUGGED_IN = "udevadm trigger --action=add --subsystem-match=block; udevadm settle"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


@pytest.fixture(autouse=True)
def _leave(rig: ChangeRig) -> Iterator[None]:
    yield
    rig.leave()


def _reshaping(rig: ChangeRig, folder: Path) -> str:
    """Bring a reshape to its middle, and return the digest of the file system's superblock."""
    rig.build(folder, "raid10", 4, component_size_kib=COMPONENT_KIB)
    with rig.changing("--add", rig.serials()[4]) as running:
        rig.until_reshape_at(COMPONENT_KIB * 2)
        running.kill()
        rig.sh(KILL_HELPER)
    rig.sh(f"umount {PLACE}; sync")
    return rig.sh(_SUPERBLOCK)


def _read_back(rig: ChangeRig) -> None:
    rig.sh(f"mkdir -p {PLACE}; mount {_NODE} {PLACE}")
    rig.read_back()


def test_it_goes_on_before_anything_reads_it(rig: ChangeRig, tmp_path: Path) -> None:
    before = _reshaping(rig, tmp_path)
    rig.cut_power()
    rig.sh("udevadm settle")
    assert rig.sh(_STATE) != "read-auto"
    assert rig.sh(_SUPERBLOCK) == before
    _read_back(rig)


def test_another_computers_waits_and_is_not_looked_into(
    rig: ChangeRig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written to it before somebody says so; what md shows until then is wrong."""
    before = _reshaping(rig, tmp_path)
    rig.sh(f"set -e; mdadm --stop /dev/md/tank; hostname elsewhere; {_RENAMED}; {_PLUGGED_IN}")
    assert rig.sh(_STATE) == "read-auto"
    assert rig.sh(_SUPERBLOCK) != before  # the kernel's fault, without which the rule could go
    assert main(["array", "list", "--machine", f"lab:{rig.lab.name}"]) == 0
    assert "sudo mdadm --readwrite /dev/md" in capsys.readouterr().out
    rig.sh(f"mdadm --stop {_NODE}")
    assert "shows a RAID 10 wrongly" in rig.call("array", "start", "tank", "--read-only", code=2)
    rescued = ("array", "rescue", *rig.serials()[:5])
    number = str(rig.call(*rescued)["hypotheses"][0]["number"])
    assert "shows a RAID 10 wrongly" in rig.call(*rescued, "--try", number, code=2)
    assert not rig.started("tank")
    _read_back(rig)
    rig.sh(f"hostname practice; {_RENAMED}")
