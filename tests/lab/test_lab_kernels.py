"""Each generation's own kernel, with disks that keep what they are given, are pulled, cut and slowed."""

from __future__ import annotations

import json
import time

import pytest
from raidwright.cli import main
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

pytestmark = pytest.mark.lab
_SERIES = {Generation.TRIXIE: "6.12.", Generation.FORKY: "7."}


@pytest.mark.parametrize("generation", _SERIES)
def test_disks_of_a_newer_kernel_hold_zeros_and_all_else(
    generation: Generation, capsys: pytest.CaptureFixture[str]
) -> None:
    disks = disks_from_text("2TB:ext4:memory+2TB:memory+1TB:hdd7200")
    with start(LabSpec(disks, generation, pace=0.5)) as lab:
        release = lab.exec(["uname", "-r"]).stdout.decode().strip()
        assert release.startswith(_SERIES[generation])
        assert lab.exec(["ls", "/usr/lib/modules"]).stdout.decode().split() == [release]
        assert "CONFIG_MD_RAID10=m" in lab.exec(["cat", f"/boot/config-{release}"]).stdout.decode().split()
        assert main(["lab", "status", "--json"]) == 0
        (facts,) = [each for each in json.loads(capsys.readouterr().out) if each["name"] == lab.name]
        assert (facts["generation"], facts["kernel"]) == (generation, release)
        _keeps(lab, disks[1].serial)
        _takes_its_time(lab)


def _keeps(lab: Lab, serial: str) -> None:
    """Write noise and zeros over it, from pages of both kinds, before and after it was pulled."""
    script = """set -e
        disk=$(lsblk -dno PATH,SERIAL | awk -v serial="$1" '$2 == serial { print $1 }')
        if [ "$2" = write ]; then
            dd if=/dev/urandom of=/root/written bs=1M count=8 status=none
            dd if=/root/written of="$disk" bs=1M oflag=direct status=none
            for each in 1 5; do
                dd if=/dev/zero of="$disk" bs=64k seek=$((each * 16)) count=8 oflag=direct status=none
                dd if=/dev/zero of=/root/written bs=64k seek=$((each * 16)) count=8 conv=notrunc status=none
            done
            blkdiscard --zeroout --offset 2M --length 1M "$disk"
            dd if=/dev/zero of=/root/written bs=1M seek=2 count=1 conv=notrunc status=none
        fi
        dd if="$disk" bs=1M count=8 iflag=direct status=none | cmp - /root/written
    """
    lab.exec(["sh", "-c", script, "sh", serial, "write"])
    lab.pull_disk(serial)
    lab.plug_disk(serial)
    lab.exec(["sh", "-c", script, "sh", serial, "read"])


def _takes_its_time(lab: Lab) -> None:
    """In slow motion the guest sees a second pass in two of the host's, however long the host took besides."""
    began = time.monotonic()
    said = lab.exec(["sh", "-c", "read a _ </proc/uptime; sleep 2; read b _ </proc/uptime; echo $a $b"]).stdout.split()
    passed_s = float(said[1]) - float(said[0])
    assert 2 <= passed_s <= (time.monotonic() - began) / 2 + 0.1
