"""Acts in any order, by a seed; after each way back, nothing that anybody has written may be gone.

What is written is a mark: a sector that no other is like, put on an array or on a disk that is in none, at its ends or
in its middle. A way back may refuse, but what it overwrites must be the build's own: every mark that stands on a disk
before ``Undo`` must stand there afterwards.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from random import Random

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array, Named, Snapshot
from raidwright.operations.arrays import DismantleArray, StopArray
from raidwright.operations.builds import CreateArray, ListBuilds, Undo
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.system import MakeFileSystem

from tests.kit.asking import ask

NODES = [f"/dev/sd{letter}" for letter in "abcd"]
_SEE = (
    "sync; for disk; do blockdev --flushbufs $disk; done;"
    "for disk; do echo $disk; LC_ALL=C grep -aoh 'MARK-[0-9]\\{8\\}#' $disk | sort -u; done"
)
_CLEAN = (
    "udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan;"
    "while systemctl status raidwright-helper | grep -q 'Active: activating'; do sleep 0.1; done;"  # or the bus waits
    "systemctl stop raidwright-helper; systemctl reset-failed; rm -rf /var/lib/raidwright/backups;"
    "for disk; do blkdiscard --force --zeroout $disk; done;"
    "for disk; do blockdev --flushbufs $disk; done; udevadm control --start-exec-queue; udevadm settle"
)


def clean(lab: Lab) -> None:
    """Have empty disks and no builds."""
    lab.exec(["sh", "-c", _CLEAN, "sh", *NODES], check=False)


class Sequence:
    """One run of acts on the lab's four small disks; ``done`` counts what was done and what was refused."""

    def __init__(self, lab: Lab, helper: Helper, machine: Machine, seed: int) -> None:
        self._lab = lab
        self._helper = helper
        self._machine = machine
        self._random = Random(seed)  # noqa: S311  (to be repeatable)
        self._marks = 0
        self._trace: list[str] = []
        self.done: Counter[str] = Counter()

    def _sh(self, script: str, *words: str) -> str:
        return self._lab.exec(["sh", "-c", script, "sh", *words], check=False).stdout.decode()

    def marks(self) -> set[str]:
        """Every mark that stands on a disk, wherever."""
        return {word for word in self._sh(_SEE, *NODES).split() if word.startswith("MARK-")}

    async def run(self, steps: int) -> None:
        """So many acts."""
        acts: tuple[Callable[[], Awaitable[None]], ...] = (
            self._build, self._build, self._stop, self._assemble, self._dismantle, self._dismantle, self._undo,
            self._undo, self._undo, self._mark_array, self._mark_disk, self._make_filesystem, self._wipe,
        )  # fmt: skip
        for _ in range(steps):
            act = self._random.choice(acts)
            self._trace.append(act.__name__)
            try:
                await act()
                self.done[act.__name__] += 1
            except RaidwrightError as error:
                self._trace.append(error.code)
                self.done[f"{act.__name__} refused: {error.code}"] += 1
            self._sh("udevadm settle")

    async def _disks(self) -> tuple[Disk, ...]:
        return tuple(sorted((await self._seen()).disks, key=lambda disk: disk.device))

    async def _seen(self) -> Snapshot:
        await asyncio.sleep(0.3)  # what UDisks2 has just noticed
        return self._machine.snapshot

    async def _array(self) -> Array:
        running = [array for array in (await self._seen()).arrays if array.running]
        if not running:
            raise RaidwrightError("No array runs.", code="none")
        return self._random.choice(running)

    async def _build(self) -> None:
        disks = self._random.sample(await self._disks(), self._random.choice((2, 3)))
        level = self._random.choice((Level.RAID0, Level.RAID1))
        plan = Plan(level, tuple(disk.as_member() for disk in disks), name=f"t{self._random.randrange(100)}")
        found = await ask(self._helper, ExamineSignatures(tuple(disk.id for disk in disks)))
        await ask(self._helper, CreateArray(plan, plan.name, wipe=all_of(found)))

    async def _stop(self) -> None:
        array = await self._array()
        await ask(self._helper, StopArray(Named(array.uuid, array.name)))

    async def _assemble(self) -> None:
        self._sh("mdadm --assemble --scan")

    async def _dismantle(self) -> None:
        array = await self._array()
        kinds = self._sh("wipefs --no-act --noheadings --output=TYPE $1", array.device).split()
        await ask(
            self._helper, DismantleArray(Named(array.uuid, array.name), array.members, given_up=tuple(set(kinds)))
        )

    async def _undo(self) -> None:
        builds = [build for build in await ask(self._helper, ListBuilds()) if build.has_way_back]
        if not builds:
            raise RaidwrightError("Nothing was built.", code="none")
        before = self.marks()
        try:
            await ask(self._helper, Undo(self._random.choice(builds).id))
        finally:
            gone = before - self.marks()
            assert not gone, f"{gone} overwritten by a way back, after {' '.join(self._trace)}"

    async def _mark_array(self) -> None:
        array = await self._array()
        self._mark(array.device, array.size_bytes)

    async def _mark_disk(self) -> None:
        disks = await self._disks()
        free = [disk for disk in disks if not self._sh("ls /sys/block/$1/holders", disk.device[5:]).strip()]
        if not free:
            raise RaidwrightError("No disk is free.", code="none")
        disk = self._random.choice(free)
        self._mark(disk.device, disk.size_bytes)

    def _mark(self, node: str, size_bytes: int) -> None:
        """Somewhere: at the very start or end, near one of them, or in the middle."""
        sectors = size_bytes // 512
        where = self._random.choice((0, 2000, 3000, sectors // 2, sectors - 3000, sectors - 1))
        self._marks += 1
        line = f"printf 'MARK-%08d#' {self._marks} | dd of=$1 bs=512 seek={where} conv=notrunc,sync,fsync status=none"
        self._sh(line, node)

    async def _make_filesystem(self) -> None:
        array = await self._array()
        await ask(self._helper, MakeFileSystem(Named(array.uuid, array.name), FileSystemKind.EXT4))

    async def _wipe(self) -> None:
        self._sh("wipefs --all --quiet $1", self._random.choice(NODES))  # refused by the kernel while md has it


def run_sequence(lab: Lab, seed: int, steps: int) -> Counter[str]:
    """Run one; what was done. Raises AssertionError when a way back overwrote what somebody had written."""

    async def on_machine() -> Counter[str]:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(120):
                while len(machine.snapshot.disks) < len(NODES):
                    await asyncio.sleep(0.05)
            sequence = Sequence(lab, machine.helper, machine, seed)
            clean(lab)
            await sequence.run(steps)
            return sequence.done

    return asyncio.run(asyncio.wait_for(on_machine(), 180 + 60 * steps))
