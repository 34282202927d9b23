"""A helper whose records are all damaged: it starts, names them, and a whole build goes through beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from raidwright.core.errors import InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.array_acts import ArrayActs
from raidwright.machine.helper.client import Helper
from raidwright.machine.helper.system_acts import SystemActs
from raidwright.machine.helper.system_steps import Wishes
from raidwright.machine.machine import Machine

from .undo_sequences import nothing

pytestmark = pytest.mark.lab
DISKS = 6
UNIT = "raidwright-helper.service"
RECORDS = {  # of each kind, and how its records are damaged
    "/run/raidwright/scratch/*.json": ": > $file",
    "/var/lib/raidwright/backups/*/build.json": "truncate -s 100 $file",
    "/var/lib/raidwright/checks/*.json": "mv $file $file.elsewhere; ln -s $file.elsewhere $file",
    "/var/lib/raidwright/configuration/*.json": "rm $file; mkfifo $file",
}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with disks small enough to be looked through."""
    with start(LabSpec(disks_from_text(f"{DISKS}x64MB"))) as machine:
        yield machine


def sh(lab: Lab, script: str) -> str:
    """What the script says, run by root."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


def damage(lab: Lab) -> list[str]:
    """Damage every record that is there, while no helper runs; their paths."""
    sh(lab, f"systemctl stop {UNIT}; systemctl reset-failed")
    paths = []
    for pattern, how in RECORDS.items():
        found = sh(lab, f"for file in {pattern}; do [ -e $file ] && echo $file && {{ {how}; }} || exit 1; done")
        assert found, pattern
        paths += found.split()
    return paths


async def build(helper: Helper, disks: list[Disk], name: str, *, scratch: bool = False) -> BuildResult:
    """A mirror of these disks, or a stripe for scratch."""
    members = tuple(disk.as_member() for disk in disks)
    plan = Plan(Level.RAID0 if scratch else Level.RAID1, members, name=name, assume_clean=not scratch)
    found = await helper.examine_signatures([disk.id for disk in disks])
    wipe = {disk: {one.name for one in signatures} for disk, signatures in found.items() if signatures}
    return await helper.create_array(plan, confirmed_name=name, on_update=nothing, wipe=wipe, scratch=scratch)


async def one_record_of_each_kind(helper: Helper, disks: list[Disk]) -> tuple[BuildResult, BuildResult]:
    """An array that was built, checked and written into mdadm.conf, and one for scratch."""
    tank = await build(helper, disks[:2], "tank")
    acts, system = ArrayActs(helper), SystemActs(helper)
    await acts.start_check(tank.uuid, "tank", on_update=nothing)
    shown = await system.preview(tank.uuid, "tank", Wishes())
    await system.configure(tank.uuid, "tank", Wishes(), shown.token, on_update=nothing)
    return tank, await build(helper, disks[2:4], "bench", scratch=True)


def test_a_whole_build_goes_through_beside_damaged_records_of_every_kind(lab: Lab) -> None:
    async def test() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(20):
                while len(machine.snapshot.disks) < DISKS:
                    await asyncio.sleep(0.05)
            helper, disks = machine.helper, sorted(machine.snapshot.disks, key=lambda disk: disk.device)
            tank, bench = await one_record_of_each_kind(helper, disks)
            await asyncio.sleep(1)  # the check of 64 MB ends meanwhile
            damaged = damage(lab)
            assert await helper.builds() == ()
            assert await ArrayActs(helper).checks() == ()
            assert sh(lab, f"ls /var/lib/raidwright/backups/{tank.build_id}/disk-0.bin")
            for asked in (helper.undo(tank.build_id, on_update=nothing), helper.forget_build(tank.build_id)):
                with pytest.raises(InputError, match="record of this build is damaged"):
                    await asked
            with pytest.raises(InputError, match="take it apart as any other"):
                await helper.stop_scratch(bench.uuid, on_update=nothing)
            with pytest.raises(InputError, match="journal names the damaged ones"):
                await SystemActs(helper).restore(on_update=nothing)
            journal = sh(lab, f"journalctl --no-pager --unit={UNIT}")
            for path in damaged:
                [line] = [line for line in journal.splitlines() if f"'{path}'" in line]
                assert "which is never read" in line
            assert f"{bench.uuid} runs as {bench.device.removeprefix('/dev/')}" in journal
            await build_and_undo(lab, helper, disks[4:])
            # What the sentence says: the scratch array goes as any other does.
            members = tuple(disk.as_member() for disk in disks[2:4])
            await ArrayActs(helper).dismantle(bench.uuid, "bench", members, on_update=nothing)
            # And an array whose record was damaged can be checked.
            check = await ArrayActs(helper).start_check(tank.uuid, "tank", on_update=nothing)
            assert [one.uuid for one in await ArrayActs(helper).checks()] == [check.uuid]
            assert sh(lab, f"systemctl show --property=NRestarts --value {UNIT}") == "0"
            assert "Traceback" not in sh(lab, f"journalctl --no-pager --unit={UNIT}")

    asyncio.run(asyncio.wait_for(test(), 240))


async def build_and_undo(lab: Lab, helper: Helper, disks: list[Disk]) -> None:
    """Build over old file systems, and have every byte of them back."""
    nodes = " ".join(disk.device for disk in disks)
    sums = f"sync; for disk in {nodes}; do blockdev --flushbufs $disk; md5sum < $disk; done"
    sh(lab, f"for disk in {nodes}; do mkfs.ext4 -q -F $disk; done; udevadm settle")
    before = sh(lab, sums)
    built = await build(helper, disks, "pool")
    assert sh(lab, sums) != before
    assert [(one.id, one.has_way_back) for one in await helper.builds()] == [(built.build_id, True)]
    await helper.undo(built.build_id, on_update=nothing)
    assert sh(lab, sums) == before
