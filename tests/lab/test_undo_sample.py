"""Undo overwrites nobody's bytes: former faults, and a sample of random act sequences.

Many more of these run under ``make undo-check``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, StopArray
from raidwright.operations.builds import CreateArray, Undo
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.members import FailMember, RemoveMember

from tests.kit.asking import ask

from .undo_sequences import NODES, clean, run_sequence

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with disks small enough to be looked through."""
    with start(LabSpec(disks_from_text("4x32MB", at_memory_speed=True))) as machine:
        yield machine


def sh(lab: Lab, script: str) -> str:
    """Return the output of a script run by root."""
    return lab.exec(["sh", "-c", script]).stdout.decode().strip()


@pytest.mark.parametrize("other", ["array", "stopped array", "bytes", "removed member"])
def test_what_came_after_an_array_was_taken_apart_is_never_overwritten(lab: Lab, other: str) -> None:
    """Build A, dismantle it, then write something else to the disks: undoing the dismantling must refuse."""

    async def test() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(120):
                while len(machine.snapshot.disks) < len(NODES):
                    await asyncio.sleep(0.05)
            *disks, third, _ = sorted(machine.snapshot.disks, key=lambda disk: disk.device)
            clean(lab)
            helper = machine.helper

            async def build(level: Level, name: str, of: Sequence[Disk] = disks) -> BuildResult:
                plan = Plan(
                    MdArray(level, tuple(disk.as_member() for disk in of), name=name, assume_clean=level is Level.RAID1)
                )
                found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in of)))
                return await ask(helper, CreateArray(plan, name, wipe=all_of(found)))

            first = await build(Level.RAID1, "a")
            members = tuple(disk.as_member() for disk in disks)
            if other == "removed member":  # A runs untouched, without the disk now used elsewhere
                await ask(helper, FailMember(Named(first.uuid, "a"), members[1]))
                await ask(helper, RemoveMember(Named(first.uuid, "a"), members[1]))
                second = await build(Level.RAID0, "b", (disks[1], third))
                sh(lab, f"mkfs.ext4 -q -F {second.device}; sync; udevadm settle")
                await ask(helper, StopArray(Named(second.uuid, "b")))
                way_back = first.build_id
            else:
                way_back = (await ask(helper, DismantleArray(Named(first.uuid, "a"), members))).build_id
            if other.endswith("array"):
                second = await build(Level.RAID0, "b")
                sh(lab, f"mkfs.ext4 -q -F {second.device}; mount {second.device} /mnt; echo summer > /mnt/photo")
                sh(lab, "umount /mnt; udevadm settle")
            if other == "stopped array":
                await ask(helper, StopArray(Named(second.uuid, "b")))
            if other == "bytes":  # one, of no known form
                sh(lab, "printf x | dd of=/dev/sdb bs=1 seek=777777 conv=notrunc,fsync status=none; udevadm settle")
            before = _sums(lab)
            with pytest.raises((DiskRefused, InputError)) as caught:
                await ask(helper, Undo(way_back))
            assert "nothing was taken back" in caught.value.sentence
            assert _sums(lab) == before
            if other == "stopped array":
                sh(lab, "mdadm --assemble --scan; udevadm settle; mount -o ro,noload /dev/md/b /mnt")
                assert sh(lab, "cat /mnt/photo; umount /mnt") == "summer"

    asyncio.run(asyncio.wait_for(test(), 360))


def _sums(lab: Lab) -> str:
    return sh(lab, f"sync; for disk in {' '.join(NODES)}; do blockdev --flushbufs $disk; md5sum < $disk; done")


def test_acts_in_any_order_lose_nothing_to_a_way_back(lab: Lab) -> None:
    done = run_sequence(lab, seed=11, steps=14)
    assert sum(done.values()) == 14
