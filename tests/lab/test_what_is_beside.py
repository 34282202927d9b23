"""Monitoring beside a run, and remarks beside its figure: a fast part that fills, md's own work."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.system.workload import Workload
from raidwright.lab.disks.timing import Flash
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray
from raidwright.operations.measuring import Measure, RunWorkload
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import Run

from tests.kit.blank import blank

pytestmark = pytest.mark.lab
_FAST_MIB, _FAST_MB_S, _THEN_MB_S = 40, 10.0, 2.5  # four seconds, slow enough for a busy host
_SIZE_BYTES = 4 * 10**9
_FLASH = Flash(
    read_mb_s=80, write_mb_s=_FAST_MB_S, random_read_iops=5000, random_read_q32_iops=5000, random_write_iops=5000,
    random_write_q32_iops=5000, fast_share=_FAST_MIB * 2**20 / _SIZE_BYTES, folded_mb_s=_THEN_MB_S, flush_ms=1,
    kept_ms=50, cable_mb_s=300,
)  # fmt: skip
_LEAVE = f"""udevadm settle; mdadm --quiet --stop /dev/md/*; mdadm --quiet --zero-superblock /dev/sd[ab]
{blank("/dev/sd[ab]")}"""
_DISKS = tuple(replace(disk, size_bytes=_SIZE_BYTES, timing=_FLASH) for disk in disks_from_text("2x4GB:ssd"))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(_DISKS)) as made:
        yield made


async def _measured(lab: Lab, plan: Plan, workload: Workload, seconds: int) -> Run:
    async with Machine.connect(lab.bus_address("root")) as machine:
        while len(machine.snapshot.disks) < len(_DISKS):
            await asyncio.sleep(0.05)
        members = tuple(disk.as_member() for disk in machine.snapshot.disks)
        built = await CreateArray(plan.on(replace(plan.array, members=members)), plan.name).perform(machine)
        request = RunWorkload(f"md:{built.uuid}", workload, seconds)
        try:
            return await Measure(request, "a practice machine", keep=False).perform(machine)
        finally:
            lab.exec(["sh", "-c", _LEAVE])


def test_a_full_fast_part_is_seen_in_the_curve_and_each_disks_load_beside_it(lab: Lab) -> None:
    plan = Plan(MdArray(Level.RAID0, (), "tank", bitmap=Bitmap.NONE))
    run = asyncio.run(asyncio.wait_for(_measured(lab, plan, Workload.SEQUENTIAL_WRITE, 12), 300))
    (said,) = map(str, remarks_of(run))
    assert "fast part is full" in said
    share = re.search(r"at (\d+)% of its rate", said)
    assert share is not None, said
    assert 20 <= int(share[1]) <= 50, said  # a quarter; more of a fast part that a busy host has slowed
    looks = [one.busy for one in run.samples if one.busy is not None]
    # At most one reading a second, however long a busy computer let the run take.
    assert 2 <= len(looks) <= run.samples[-1].seconds + 2
    for disk in ("sda", "sdb"):
        assert sum(one[disk] for one in looks) / len(looks) > 0.8
    assert {one.sync_action for one in run.samples if one.sync_action is not None} <= {"", "idle"}


def test_a_synchronisation_under_way_is_on_the_runs_axis(lab: Lab) -> None:
    plan = Plan(MdArray(Level.RAID1, (), "tank", bitmap=Bitmap.NONE))
    run = asyncio.run(asyncio.wait_for(_measured(lab, plan, Workload.SEQUENTIAL_READ, 4), 300))
    assert "resync" in {one.sync_action for one in run.samples}
    assert any("first sync was still running" in str(remark) for remark in remarks_of(run))
