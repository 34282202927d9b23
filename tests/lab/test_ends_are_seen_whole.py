"""An array that is removed on purpose is never seen partially, as if disks had been lost."""

from __future__ import annotations

import asyncio

import pytest
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk, UseKind
from raidwright.core.model.plan import MdArray, Plan
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.machine.values import Snapshot
from raidwright.operations.arrays import DismantleArray, StopArray
from raidwright.operations.builds import CreateArray, Undo

from .arrays_whole import CLEAN

pytestmark = pytest.mark.lab
_PATIENCE_SECONDS = 180.0


def _is_left_over(disk: Disk) -> bool:
    return any(use.kind is UseKind.STALE_ARRAY_MEMBER for use in disk.uses)


def _lacks_some(seen: Snapshot) -> bool:
    return any(map(_is_left_over, seen.disks)) or any(not array.running or array.lacks for array in seen.arrays)


def _assert_whole(told: list[Snapshot]) -> None:
    """Assert that each snapshot has either all of the array, or nothing of it."""
    assert not [seen for seen in told if _lacks_some(seen)]


def _forget_what_others_left(lab: Lab, plan: Plan) -> None:
    """Erase another test's leftovers: its array of these disks may have had a file system in the same place."""
    begin = capacity_of(plan.top).data_offset_sectors[0]
    zero = f"dd if=/dev/zero of=$disk bs=512 seek={begin} count=8 conv=notrunc,fsync status=none"
    lab.exec(["sh", "-c", f"for disk in /dev/sd[a-d]; do {zero}; done; udevadm settle"])


async def _build_and_end(lab: Lab) -> None:
    async with Machine.connect(lab.bus_address("admin")) as machine, asyncio.timeout(_PATIENCE_SECONDS * 3):
        members = tuple(disk.as_member() for disk in machine.snapshot.disks)
        plan = Plan(MdArray(Level.RAID1, members, name="tank"))
        _forget_what_others_left(lab, plan)
        built = await CreateArray(plan, "tank").perform(machine)
        while not (machine.snapshot.arrays and machine.snapshot.arrays[0].places) or _lacks_some(machine.snapshot):
            await asyncio.sleep(0.1)  # UDisks2 notices the members one after the other
        told: list[Snapshot] = []
        machine.watch(told.append)
        array = machine.snapshot.arrays[0]
        dismantled = await DismantleArray(array.named, array.members).perform(machine)
        assert not machine.snapshot.arrays
        _assert_whole(told)
        told.clear()
        await Undo(dismantled.build_id).perform(machine)
        assert [one.uuid for one in machine.snapshot.arrays if one.running] == [built.uuid]
        _assert_whole(told[:1])
        while not machine.snapshot.arrays[0].places or _lacks_some(machine.snapshot):
            await asyncio.sleep(0.1)
        told.clear()
        await StopArray(array.named).perform(machine)
        assert [(one.running, one.lacks) for one in machine.snapshot.arrays] == [(False, ())]
        assert not [one for seen in told for one in seen.arrays if one.lacks]


def test_no_snapshot_shows_half_of_an_array(lab: Lab) -> None:
    try:
        asyncio.run(_build_and_end(lab))
    finally:
        lab.exec(["sh", "-c", CLEAN])
