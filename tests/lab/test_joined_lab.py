"""A joined plan built by its script on real GPT, md and LVM: space and places to the sector, each disk pulled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.lvm.joined import slices_of
from raidwright.core.model.plan_json import dump_plan
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab

from tests.kit.joined_volume import READ, build, plan_here, pull_and_return, shell
from tests.kit.plans import volume_of

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with machine.start(machine.LabSpec(shelf.disks_from_text("2x1GB+2GB+3GB")), name="joined-test") as lab:
        yield lab


def test_a_script_builds_what_was_planned_and_a_disk_may_fail(own_lab: Lab) -> None:
    plan = plan_here(own_lab, 1)
    assert [len(array.members) for array in volume_of(plan).arrays] == [4, 2]
    checksum = build(own_lab, plan)
    *_, largest = slices_of(volume_of(plan))  # in every array
    pull_and_return(own_lab, plan, largest, checksum)
    assert "/dev/heap/data is there already." in shell(own_lab, "sh /root/build-heap")
    assert shell(own_lab, READ) == checksum


def test_its_card_brings_the_volume_back(own_lab: Lab, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With all superblocks erased: the arrays come back from the card, and LVM finds its volume in them."""
    plan = plan_here(own_lab, 1)
    checksum = shell(own_lab, READ)
    file = tmp_path / "heap.json"
    file.write_text(json.dumps(dump_plan(plan)), encoding="utf-8")
    assert main(["export", str(file), "--as", "card"]) == 0
    card = capsys.readouterr().out.replace("\\\n", " ")
    commands = [line.strip() for line in card.splitlines() if line.strip().startswith("mdadm --create")]
    assert len(commands) == len(plan.array.members)
    slices = " ".join(f"/dev/disk/by-id/{member.id}" for member in plan.disks())
    shell(own_lab, "umount /srv/heap; vgchange -qan heap >/dev/null; udevadm settle; mdadm -q --stop --scan; "
                   f"udevadm settle; mdadm -q --zero-superblock {slices}; udevadm settle")  # fmt: skip
    for command in commands:
        own_lab.exec(["sh", "-c", f"yes | {command} --quiet; udevadm settle"])
    shell(own_lab, "vgchange -qay heap >/dev/null; udevadm settle; mount /dev/heap/data /srv/heap")
    assert shell(own_lab, READ) == checksum
