"""A lost disk of a joined volume, replaced as a whole: its slices are made on the new one, and all arrays rebuilt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.lvm.bands import banded
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import BuildState
from raidwright.core.protocol.results import Joined
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.judged_plan import judged_plan
from raidwright.machine.late_members import has_late_members
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Array, Named
from raidwright.operations.builds import CreateArray, ListBuilds
from raidwright.operations.members import AddMember
from raidwright.operations.system import MakeFileSystem, Mount

from tests.kit.asking import ask
from tests.kit.joined_volume import READ, WRITE, shell

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
_MIB = 2**20
_Found = TypeVar("_Found")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own: its disks come and go."""
    with start(LabSpec(disks_from_text("2x64MB+96MB+160MB", at_memory_speed=True))) as machine:
        shell(machine, "echo 500000 > /proc/sys/dev/raid/speed_limit_min")
        yield machine


class Scene:
    """A mounted joined volume with a checksummed file, seen as by the window."""

    machine: Machine
    plan: Plan

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.named = Named("", "heap")
        self.checksum = ""

    async def build(self, kind: FileSystemKind = FileSystemKind.EXT4, *, tolerance: int = 1, without: str = "") -> None:
        """Build the volume of all disks but that of the serial number ``without``."""
        here = (disk for disk in self.machine.snapshot.disks if disk.serial != without)
        disks = sorted(here, key=lambda disk: disk.size_bytes)
        volume = banded([disk.as_member() for disk in disks], tolerance, name="heap").plan
        self.plan = Plan(replace(volume, arrays=tuple(replace(array, assume_clean=True) for array in volume.arrays)))
        built = await ask(self.machine.helper, CreateArray(self.plan, "heap"))
        self.named = Named(built.uuid, "heap")
        await ask(self.machine.helper, MakeFileSystem(self.named, kind))
        await ask(self.machine.helper, Mount(self.named, "/srv/heap"))
        self.checksum = await self.shell(WRITE.replace("100M", "20M"))
        await self.seen(lambda: self.volume)

    async def shell(self, script: str) -> str:
        return await asyncio.to_thread(shell, self.lab, script)

    async def plug(self, serial: str, size_mib: int, script: str = "") -> Member:
        """Plug in a disk, and write to it by the shell ``script``, as ``$disk``."""
        size_bytes = size_mib * _MIB
        await asyncio.to_thread(self.lab.add_disk, LabDisk("WDC", "WD80EFZX", serial, size_bytes))
        if script:
            await self.plugged(serial)
            [disk] = self._disks(serial)
            await self.shell(f"disk={disk.device}; {script}; sync; udevadm trigger --settle $disk")
        return await self.plugged(serial)

    def _disks(self, serial: str) -> list[Disk]:
        return [disk for disk in self.machine.snapshot.disks if disk.serial == serial]

    async def pull(self, serial: str) -> None:
        await asyncio.to_thread(self.lab.pull_disk, serial)
        await self.seen(lambda: not self._disks(serial) and bool(self.volume and self.volume.lacks))

    async def seen(self, look: Callable[[], _Found]) -> _Found:
        async with asyncio.timeout(120):
            while not (found := look()):
                await asyncio.sleep(0.1)
        return found

    @property
    def volume(self) -> Volume | None:
        found = (array for array in with_volumes(self.machine.snapshot.arrays) if array.uuid == self.named.uuid)
        volumes = (array for array in found if isinstance(array, Volume) and array.running)
        return next((volume for volume in volumes if not has_late_members(volume.bands)), None)

    def judged(self) -> Plan:
        assert self.volume is not None
        return judged_plan(self.volume, self.machine.snapshot)

    @property
    def bands(self) -> tuple[Array, ...]:
        return self.volume.bands if self.volume else ()

    async def plugged(self, serial: str) -> Member:
        [disk] = await self.seen(lambda: self._disks(serial))
        return disk.as_member()

    async def sum(self, serial: str) -> str:
        disk = f"/dev/disk/by-id/{(await self.plugged(serial)).id}"
        return await self.shell(f"sync; udevadm settle; blockdev --flushbufs {disk}; sha256sum < {disk}")

    async def whole(self) -> None:
        """Wait until no array lacks a slice, and compare the file and the arrays' copies and parity."""
        await self.shell("mdadm --wait /dev/md/heap-0 /dev/md/heap-1 || :")
        await self.seen(lambda: self.volume and not self.volume.lacks and self.volume.sync_action == "idle")
        assert await self.shell(READ) == self.checksum
        for band in ("heap-0", "heap-1"):
            await self.shell(
                f"sync; md=$(basename $(readlink -f /dev/md/{band})); echo check > /sys/block/$md/md/sync_action;"
                f"mdadm --wait /dev/md/{band} || :; grep -qx 0 /sys/block/$md/md/mismatch_cnt"
            )

    async def join(self, new: Member, *wipe: str) -> Joined:
        return (await ask(self.machine.helper, AddMember(self.named, new, wipe))).joined


def run_on(lab: Lab, act: Callable[[Scene], Awaitable[None]], scene: Scene | None = None) -> Scene:
    """Do ``act`` on a connection of its own, as on the volume of an earlier ``scene``."""
    now = Scene(lab)

    async def connected() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            now.machine = machine
            await now.seen(lambda: len(machine.snapshot.disks) == len(lab.disks()))
            await machine.facts_seen()
            if scene is not None:
                now.named, now.checksum = scene.named, scene.checksum
            await act(now)

    asyncio.run(asyncio.wait_for(connected(), 500))
    return now


async def interrupted(scene: Scene) -> list[str]:
    records = await ask(scene.machine.helper, ListBuilds())
    return [record.id for record in records if record.state is BuildState.INTERRUPTED]


def test_a_lost_disk_is_replaced_as_a_whole(lab: Lab, tmp_path: Path) -> None:
    """By the command line; before and after, the volume is the plan that was built."""
    card = tmp_path / "card.txt"

    async def act(scene: Scene) -> None:
        await scene.build()
        built = scene.judged()
        assert (built.word, [str(band.level) for band in built.top.inner]) == (
            "joined",
            ["raid5", "raid1"],
        )
        assert [member.id for member in built.disks()] == [member.id for member in scene.plan.disks()]
        third = sorted(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes)[2]
        await scene.pull(third.serial)
        assert [band.members.count(None) for band in scene.judged().top.inner] == [1, 1]
        small = await scene.plug("NEWA", 80)
        with pytest.raises(DiskRefused, match=r"too small for .*heap.* the slices of the disk that it would replace"):
            await scene.join(small)
        new = await scene.plug("NEWB", 128, "mkfs.ext4 -q -F $disk")
        with pytest.raises(DiskRefused, match=r"carries|holds"):
            await scene.join(new)
        named = ("heap", "--with", "NEWB", "--remove", "ext4", "--yes-name", "heap", "--card", str(card))
        replace = ("array", "replace", *named, "--machine", f"lab:{lab.name}", "--json")
        assert await asyncio.to_thread(main, replace) == 0
        await scene.whole()
        assert [member.disk for member in scene.judged().disks()].count(new.id) == 2
        with pytest.raises(InputError, match=r"No array of .*heap.* lacks a slice"):
            await scene.join(small)

    run_on(lab, act)
    told = card.read_text()
    assert "NEWB" in told
    assert "vgchange --activate y heap" in told
