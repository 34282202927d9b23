"""A raid10 that is cut off within a reshape: md reads it wrongly until that goes on, so nobody else may before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.cli import main

from .change_cuts import COMPONENT_KIB, KILL_HELPER
from .change_rig import PLACE, ChangeRig

pytestmark = pytest.mark.lab
_NODE = "$(readlink -f /dev/md/*tank*)"  # another name on another computer
_STATE = f"cat /sys/block/$(basename {_NODE})/md/array_state"
_SUPERBLOCK = f"dd if={_NODE} bs=1k skip=1 count=1 iflag=direct status=none | md5sum"
_HELD = "udevadm settle; udevadm control --stop-exec-queue"  # or udev puts it together again, under the old name
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
    rig.sh(f"set -e; {_HELD}; mdadm --stop /dev/md/tank; hostname elsewhere; {_RENAMED}; {_PLUGGED_IN}")
    assert rig.sh(_STATE) == "read-auto"
    assert rig.sh(_SUPERBLOCK) != before  # the kernel's fault, without which the rule could go
    assert main(["array", "list", "--machine", f"lab:{rig.lab.name}"]) == 0
    assert "sudo mdadm --readwrite /dev/md" in capsys.readouterr().out
    rig.sh(f"udevadm settle; mdadm --stop {_NODE}")
    assert "shows a RAID 10 wrongly" in rig.call("array", "start", "tank", "--read-only", code=2)
    rescued = ("array", "rescue", *rig.serials()[:5])
    number = str(rig.call(*rescued)["hypotheses"][0]["number"])
    assert "shows a RAID 10 wrongly" in rig.call(*rescued, "--try", number, code=2)
    assert not rig.started("tank")
    _read_back(rig)
    rig.sh(f"hostname practice; {_RENAMED}")


_PLAIN = """set -e; mdadm --quiet --create /dev/md/plain --run --level=1 --raid-devices=2 --assume-clean \\
--metadata=1.2 --homehost=a-computer-with-a-name-of-33-chars --name="$1" /dev/sda /dev/sdb
udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop /dev/md/plain
mdadm --quiet --assemble /dev/md9 /dev/sda /dev/sdb
/usr/libexec/raidwright-go-on /devices/virtual/block/md9 /dev/md9 || echo left alone; cat /sys/block/md9/md/array_state
uuid=$(mdadm --detail --export /dev/md9 | sed -n s/^MD_UUID=//p)
echo "ARRAY <ignore> name=other # UUID=$uuid" > /etc/mdadm/mdadm.conf.d/own.conf
/usr/libexec/raidwright-go-on /devices/virtual/block/md9 /dev/md9 || echo left alone
printf 'ARRAY /dev/md9\\n  metadata=1.2 UUID=%s\\n' $uuid > /etc/mdadm/mdadm.conf.d/own.conf
/usr/libexec/raidwright-go-on /devices/virtual/block/md9 /dev/md9 || true; cat /sys/block/md9/md/array_state
rm /etc/mdadm/mdadm.conf.d/own.conf; mdadm --quiet --stop /dev/md9; udevadm control --start-exec-queue"""


@pytest.mark.parametrize("name", ["plain", "a\nMD_NAME=practice:y\nMD_UUID=0", "practice"])
def test_a_name_without_a_computer_goes_on_only_where_mdadm_conf_has_it(rig: ChangeRig, name: str) -> None:
    """mdadm leaves the home host out of a name that gets too long."""
    left, before, still, after = rig.sh(f"mkdir -p /etc/mdadm/mdadm.conf.d; {_PLAIN}", name).splitlines()
    assert (left, before, still) == ("left alone", "read-auto", "left alone")
    assert after in {"clean", "active", "active-idle"}
