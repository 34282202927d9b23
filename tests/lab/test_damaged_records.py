"""A helper whose records are all damaged: it starts, reports them, and a complete build succeeds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, ListChecks, StartCheck
from raidwright.operations.builds import CreateArray, ForgetBuild, ListBuilds, StopScratch, Undo
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.system import (
    Configuration,
    PreviewConfiguration,
    RestoreConfiguration,
    WriteConfiguration,
)

from tests.kit.asking import ask

pytestmark = pytest.mark.lab
DISKS = 6
UNIT = "raidwright-helper.service"
RECORDS = {  # of each kind, and how its records are damaged
    "/var/lib/raidwright/scratch/*.json": ": > $file",
    "/var/lib/raidwright/backups/*/build.json": "truncate -s 100 $file",
    "/var/lib/raidwright/checks/*.json": "mv $file $file.elsewhere; ln -s $file.elsewhere $file",
    "/var/lib/raidwright/configuration/*.json": "rm $file; mkfifo $file",
}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with disks small enough to be looked through."""
    with start(LabSpec(disks_from_text(f"{DISKS}x64MB", at_memory_speed=True))) as machine:
        yield machine


def sh(lab: Lab, script: str) -> str:
    """Return the output of a script run by root."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


def damage(lab: Lab) -> list[str]:
    """Damage every existing record, while no helper runs; return their paths."""
    sh(lab, f"systemctl stop {UNIT}; systemctl reset-failed")
    paths = []
    for pattern, how in RECORDS.items():
        found = sh(lab, f"for file in {pattern}; do [ -e $file ] && echo $file && {{ {how}; }} || exit 1; done")
        assert found, pattern
        paths += found.split()
    return paths


async def build(helper: Helper, disks: list[Disk], name: str, *, scratch: bool = False) -> BuildResult:
    """Build a mirror of these disks, or a scratch stripe."""
    members = tuple(disk.as_member() for disk in disks)
    plan = Plan(MdArray(Level.RAID0 if scratch else Level.RAID1, members, name=name, assume_clean=not scratch))
    found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
    return await ask(helper, CreateArray(plan, name, wipe=all_of(found), scratch=scratch))


async def one_record_of_each_kind(helper: Helper, disks: list[Disk]) -> tuple[BuildResult, BuildResult]:
    """Make an array that was built, checked and written to mdadm.conf, and a scratch array."""
    tank = await build(helper, disks[:2], "tank")
    await ask(helper, StartCheck(Named(tank.uuid, "tank")))
    shown = await ask(helper, PreviewConfiguration(Named(tank.uuid, "tank"), Configuration()))
    await ask(helper, WriteConfiguration(Named(tank.uuid, "tank"), Configuration(), shown.token))
    return tank, await build(helper, disks[2:4], "bench", scratch=True)


def test_a_whole_build_goes_through_beside_damaged_records_of_every_kind(lab: Lab) -> None:
    async def test() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(120):
                while len(machine.snapshot.disks) < DISKS:
                    await asyncio.sleep(0.05)
            helper, disks = machine.helper, sorted(machine.snapshot.disks, key=lambda disk: disk.device)
            tank, bench = await one_record_of_each_kind(helper, disks)
            await asyncio.sleep(1)  # the check of 64 MB ends meanwhile
            damaged = damage(lab)
            assert await ask(helper, ListBuilds()) == ()
            assert await ask(helper, ListChecks()) == ()
            assert sh(lab, f"ls /var/lib/raidwright/backups/{tank.build_id}/disk-0.bin")
            for asked in (ask(helper, Undo(tank.build_id)), ask(helper, ForgetBuild(tank.build_id))):
                with pytest.raises(InputError, match="record of this build is damaged"):
                    await asked
            with pytest.raises(InputError, match="take it apart as any other"):
                await ask(helper, StopScratch(bench.uuid))
            with pytest.raises(InputError, match="journal names the damaged ones"):
                await ask(helper, RestoreConfiguration())
            journal = sh(lab, f"journalctl --no-pager --unit={UNIT}")
            for path in damaged:
                [line] = [line for line in journal.splitlines() if f"'{path}'" in line]
                assert "which is never read" in line
            assert f"{bench.uuid} runs as {bench.device.removeprefix('/dev/')}" in journal
            await build_and_undo(lab, helper, disks[4:])
            # As the sentence says: the scratch array is dismantled as any other.
            members = tuple(disk.as_member() for disk in disks[2:4])
            await ask(helper, DismantleArray(Named(bench.uuid, "bench"), members))
            # And an array whose record was damaged can be checked.
            check = await ask(helper, StartCheck(Named(tank.uuid, "tank")))
            assert [one.uuid for one in await ask(helper, ListChecks())] == [check.uuid]
            assert sh(lab, f"systemctl show --property=NRestarts --value {UNIT}") == "0"
            assert "Traceback" not in sh(lab, f"journalctl --no-pager --unit={UNIT}")

    asyncio.run(asyncio.wait_for(test(), 480))


async def build_and_undo(lab: Lab, helper: Helper, disks: list[Disk]) -> None:
    """Build over old file systems, and restore every byte of them."""
    nodes = " ".join(disk.device for disk in disks)
    sums = f"sync; for disk in {nodes}; do blockdev --flushbufs $disk; md5sum < $disk; done"
    sh(lab, f"for disk in {nodes}; do mkfs.ext4 -q -F $disk; done; udevadm settle")
    before = sh(lab, sums)
    built = await build(helper, disks, "pool")
    assert sh(lab, sums) != before
    assert [(one.id, one.has_way_back) for one in await ask(helper, ListBuilds())] == [(built.build_id, True)]
    await ask(helper, Undo(built.build_id))
    assert sh(lab, sums) == before
