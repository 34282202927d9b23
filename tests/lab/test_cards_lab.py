"""Recovery cards of arrays made by mdadm alone: each recovers the data after the superblocks are erased."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.cli import main
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text

from tests.kit.settled import SETTLED

from .anew import made_anew

pytestmark = pytest.mark.lab

_MAKE = """
mdadm -q -C -R /dev/md/grown -l5 -n3 -b none --assume-clean -z 30M /dev/sd[abc]
mdadm -q /dev/md/grown --add /dev/sdd
mdadm -q --grow /dev/md/grown --raid-devices=4
mdadm -q -C -R /dev/md/logged -l5 -n3 --assume-clean /dev/sd[efg] --write-journal /dev/sdh
mdadm -q -C -R /dev/md/old -e 0.90 -l5 -n3 -b none --assume-clean /dev/sd[ijk]
mdadm -q -C -R /dev/md/in0 -l1 -n2 -b internal --bitmap-chunk=1M --assume-clean /dev/sd[lm]
mdadm -q -C -R /dev/md/in1 -l1 -n2 -b internal --assume-clean /dev/sd[no]
mdadm -q -C -R /dev/md/nested -l0 -n2 /dev/md/in0 /dev/md/in1
mdadm -q --wait /dev/md/grown || true
for a in grown logged old nested; do
    echo $a | dd of=/dev/md/$a oflag=direct conv=sync bs=4096 status=none
done
"""

_RESHAPE = """
mdadm -q -S /dev/md/nested
mdadm -q -S --scan
wipefs -qa /dev/sd[lmno]
mdadm -q -C -R /dev/md/moving -l5 -n3 -b none --assume-clean /dev/sd[lmn]
mdadm -q /dev/md/moving --add /dev/sdo
echo 1 > /proc/sys/dev/raid/speed_limit_max
mdadm -q --grow /dev/md/moving --raid-devices=4
"""


@pytest.fixture(scope="module")
def arrays() -> Iterator[Lab]:
    """A practice machine with four arrays that mdadm alone made."""
    with start(LabSpec(disks_from_text("15x2GB", at_memory_speed=True))) as lab:
        lab.exec(["sh", "-ec", SETTLED + _MAKE])
        yield lab


@pytest.mark.parametrize(
    ("name", "disks", "said"),
    [
        ("grown", "/dev/sd[abcd]", "slot 3:"),
        ("logged", "/dev/sd[efgh]", "journal:"),
        ("old", "/dev/sd[ijk]", "metadata=0.90"),
        ("nested", "/dev/sd[lmno]", "slot 1.1:"),
    ],
)
def test_its_last_resort_brings_the_data_back(
    arrays: Lab, capsys: pytest.CaptureFixture[str], name: str, disks: str, said: str
) -> None:
    made = made_anew(arrays, capsys, name, disks, said, ("/dev/md/in0", "/dev/md/in1") if name == "nested" else ())
    assert arrays.exec(["head", "-n", "1", made]).stdout == f"{name}\n".encode()


def test_while_it_is_reshaped_there_is_no_card(arrays: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """The array has two shapes then; a card of one would read the rest of the data as garbage."""
    arrays.exec(["sh", "-ec", SETTLED + _RESHAPE])
    assert main(["array", "card", "moving", "--machine", f"lab:{arrays.name}"]) == 2
    assert "it is being reshaped" in capsys.readouterr().err
