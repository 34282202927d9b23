"""A joined plan built by its script on real GPT, md and LVM: space and places to the sector, each disk pulled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.core.md.joined import slices_of
from raidwright.core.model.plan import Plan
from raidwright.lab import machine, shelf
from raidwright.lab.machine import Lab

from tests.joined_check.volume import READ, build, plan_here, pull_and_return, shell

pytestmark = [pytest.mark.lab, pytest.mark.long]


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with machine.start(machine.LabSpec(shelf.disks_from_text("2x1GB+2GB+3GB")), name="joined-test") as lab:
        yield lab


def test_a_script_builds_what_was_planned_and_a_disk_may_fail(own_lab: Lab) -> None:
    plan = plan_here(own_lab, 1)
    assert [len(band.members) for band in plan.members if isinstance(band, Plan)] == [4, 2]
    checksum = build(own_lab, plan)
    *_, largest = slices_of(plan)  # in every array
    pull_and_return(own_lab, plan, largest, checksum)
    assert "/dev/heap/data is there already." in shell(own_lab, "sh /root/build-heap")
    assert shell(own_lab, READ) == checksum
