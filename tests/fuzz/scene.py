"""The lab that is attacked: four disks that honest plans use, canaries that none does, and disks in use."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from raidwright.core.model.disk import Disk
from raidwright.lab.machine import Lab
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine

from . import outside
from .messages import Targets

_FREE, _CANARIES, _IN_USE = 4, 2, 5
POOL = "4x8TB+2x2TB+500GB:ext4+1TB:lvm+500GB:gpt+500GB:mounted+1TB:md"
_SWAPPED = "4TB"  # a disk for the bay whose disk is swapped between review and build
# Bytes that mean nothing to wipefs, at the ends and in the middle: an empty disk that somebody cares for.
_FILL = "for at in 0 8192 65536; do dd if=/dev/urandom of=$1 bs=1M count=4 seek=$at conv=notrunc status=none; done"
_LIVE = 2  # the mounted disk and the running array write by themselves


@dataclass(frozen=True, slots=True)
class Scene:
    """The lab's disks by part, the verbs that the helper has, and how all was before the attack."""

    lab: Lab
    targets: Targets
    nodes: dict[str, str]  # by serial
    before: dict[str, outside.Seal]
    arrays: tuple[str, ...]

    @property
    def free_nodes(self) -> dict[str, str]:
        """The disks that honest plans use, by serial."""
        return {member.serial: self.nodes[member.serial] for member in self.targets.free}

    @property
    def sealed_nodes(self) -> dict[str, str]:
        """The disks to which nobody may write, by serial."""
        members = self.targets.canaries + self.targets.in_use[:-_LIVE]
        return {member.serial: self.nodes[member.serial] for member in members}


async def set_up(lab: Lab) -> Scene:
    """Look at the lab's disks, fill the canaries and seal everything."""
    disks, array = await _look(lab)
    nodes = {disk.serial: disk.device for disk in disks}
    members = [disk.as_member() for disk in disks]
    cut = _FREE + _CANARIES
    targets = Targets(tuple(members[:_FREE]), tuple(members[_FREE:cut]), tuple(members[cut:]), array)
    for canary in targets.canaries:
        lab.exec(["sh", "-c", _FILL, "sh", nodes[canary.serial]])
    lab.exec(["udevadm", "settle"])
    scene = Scene(lab, targets, nodes, {}, outside.arrays(lab))
    return replace(scene, before=outside.seals(lab, scene.sealed_nodes | scene.free_nodes))


async def _look(lab: Lab) -> tuple[tuple[Disk, ...], tuple[str, str]]:
    """The disks, and UUID and name of the array that runs."""
    async with Machine.connect(lab.bus_address("admin")) as machine, asyncio.timeout(30):
        while len(machine.snapshot.disks) < _FREE + _CANARIES + _IN_USE or not machine.snapshot.arrays:
            await asyncio.sleep(0.1)
        [array] = machine.snapshot.arrays
        return machine.snapshot.disks, (array.uuid, array.name)


async def swap_a_disk(scene: Scene, number: int) -> None:
    """Put a disk in, look at it as a review would, and swap it for another: its old name joins the attacks."""
    reviewed, other = disks_from_text(f"2x{_SWAPPED}", first_number=100 + 2 * number, at_memory_speed=True)
    await asyncio.to_thread(scene.lab.add_disk, reviewed)
    async with Machine.connect(scene.lab.bus_address("admin")) as machine, asyncio.timeout(30):
        while not (found := [disk for disk in machine.snapshot.disks if disk.serial == reviewed.serial]):
            await asyncio.sleep(0.1)
    await asyncio.to_thread(scene.lab.pull_disk, reviewed.serial)
    await asyncio.to_thread(scene.lab.add_disk, other)
    scene.targets.stale.append(found[0].as_member())
