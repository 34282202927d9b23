"""Recovery cards of arrays with metadata 1.0 and 1.1, of grown ones, and of one on partitions and with partitions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.settled import SETTLED

from .anew import made_anew

pytestmark = pytest.mark.lab

_MAKE = """
mdadm -q -C -R /dev/md/end -e 1.0 -l5 -n3 -b internal --assume-clean /dev/sd[abc]
mdadm -q -C -R /dev/md/start -e 1.1 -l1 -n2 -b internal --assume-clean /dev/sd[de]
mdadm -q -C -R /dev/md/wider10 -l10 -n3 -b none --assume-clean -z 30M /dev/sd[fgh]
mdadm -q /dev/md/wider10 --add /dev/sdi
mdadm -q --grow /dev/md/wider10 --raid-devices=4
mdadm -q -C -R /dev/md/wider6 -l6 -n4 -b none --assume-clean -z 30M /dev/sd[jklm]
mdadm -q /dev/md/wider6 --add /dev/sdn
mdadm -q --grow /dev/md/wider6 --raid-devices=5
for disk in /dev/sdo /dev/sdp; do printf 'label: gpt\\n,256M\\n,256M\\n' | sfdisk -q $disk; done
udevadm settle
mdadm -q -C -R /dev/md/parts -l1 -n2 -b internal --assume-clean /dev/sd[op]2
printf 'label: gpt\\n,16M\\n' | sfdisk -q /dev/md/parts
for a in wider10 wider6; do mdadm -q --wait /dev/md/$a || true; done
udevadm settle
for a in end start wider10 wider6 parts; do
    echo $a | dd of=/dev/md/$a oflag=direct conv=sync bs=4096 seek=256 status=none
done
"""


@pytest.fixture(scope="module")
def arrays() -> Iterator[Lab]:
    """A practice machine with arrays of other metadata, grown ones, and one on and with partitions."""
    with start(LabSpec(disks_from_text("16x2GB", at_memory_speed=True))) as lab:
        lab.exec(["sh", "-ec", SETTLED + _MAKE])
        yield lab


@pytest.mark.parametrize(
    ("name", "disks", "said"),
    [
        ("end", "/dev/sd[abc]", "metadata=1.0"),
        ("start", "/dev/sd[de]", "metadata=1.1"),
        ("wider10", "/dev/sd[fghi]", "slot 3:"),
        ("wider6", "/dev/sd[jklmn]", "slot 4:"),
        ("parts", "/dev/sd[op]2", "-part2"),
    ],
)
def test_its_last_resort_brings_the_data_back(
    arrays: Lab, capsys: pytest.CaptureFixture[str], name: str, disks: str, said: str
) -> None:
    made = made_anew(arrays, capsys, name, disks, said)
    read = f"dd if={made} bs=4096 skip=256 count=1 status=none | head -n 1"
    if name == "parts":
        read += f"; test -b $(readlink -f {made})p1"
    assert arrays.exec(["sh", "-ec", read]).stdout == f"{name}\n".encode()
