"""Random act sequences, by a seed; no undo may overwrite anything written by others.

A write is a mark: a unique sector, put on an array or on a disk that is in none, at its ends or in its middle. Undo may
refuse, but may only overwrite the build's own bytes: every mark on a disk before ``Undo`` must be there afterwards.
Failing a member may be refused, but the array's content must not change. No disk in fstab is used, and nothing lasting
is made of a scratch array.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator
from random import Random
from typing import Any

import pytest
from raidwright.core.errors import InputError, RaidwrightError, Unreachable
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array, ArrayDevice, Named, Snapshot
from raidwright.operations.arrays import DismantleArray, StartCheck, StopArray
from raidwright.operations.builds import CreateArray, ListBuilds, StopScratch, Undo
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.members import AddMember, FailMember, RemoveMember
from raidwright.operations.operation import Request
from raidwright.operations.system import (
    Configuration,
    MakeFileSystem,
    Mount,
    PreviewConfiguration,
    WriteConfiguration,
)

from tests.kit.asking import ask

NODES = [f"/dev/sd{letter}" for letter in "abcd"]
_SEE = (
    "sync; for disk; do blockdev --flushbufs $disk; done;"
    "for disk; do echo $disk; tr -s '\\0' '\\n' < $disk | LC_ALL=C grep -ao 'MARK-[0-9]\\{8\\}#' | sort -u; done"
)
_CLEAN = (
    "udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan;"
    "while systemctl status raidwright-helper | grep -q 'Active: activating'; do sleep 0.1; done;"  # or the bus waits
    "systemctl stop raidwright-helper; systemctl reset-failed; rm -rf /var/lib/raidwright/backups;"
    "for disk; do blkdiscard --force --zeroout $disk; done;"
    "for disk; do blockdev --flushbufs $disk; done; udevadm control --start-exec-queue; udevadm settle"
)

_KEEP = "cp -p /etc/fstab /run/kept.fstab; cp -p /etc/mdadm/mdadm.conf /run/kept.conf"
_RESTORE = "cp -p /run/kept.fstab /etc/fstab; cp -p /run/kept.conf /etc/mdadm/mdadm.conf"
_READ = (
    "sync; blockdev --flushbufs $1; dd if=$1 bs=4k iflag=direct conv=noerror,sync status=none"
    " | tr -s '\\0' '\\n' | LC_ALL=C grep -ao 'MARK-[0-9]\\{8\\}#' | sort -u"
)
_BAD = "cd /sys/block/$1/md/dev-$2 && echo $(( $(cat offset) + $3 )) 8 > bad_blocks"
_LISTED = 'uuid=$(blkid -p -o value -s UUID $1) && [ -n "$uuid" ] && grep UUID=$uuid /etc/fstab'
_KILL_AT_ADD = """mv /usr/sbin/mdadm /usr/sbin/mdadm.real; cat > /usr/sbin/mdadm <<'END'
#!/bin/sh
case " $* " in *" --add "*) systemctl kill --signal=KILL raidwright-helper; sleep 5;; esac
exec /usr/sbin/mdadm.real "$@"
END
chmod 755 /usr/sbin/mdadm"""


def clean(lab: Lab) -> None:
    """Leave empty disks and no builds."""
    lab.exec(["sh", "-c", _CLEAN, "sh", *NODES], check=False)


class Sequence:
    """One sequence of acts on the lab's four small disks; ``done`` counts acts and refusals."""

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
        """Return every mark on any disk."""
        return {word for word in self._sh(_SEE, *NODES).split() if word.startswith("MARK-")}

    async def run(self, steps: int) -> None:
        """Perform ``steps`` acts."""
        acts: tuple[Callable[[], Awaitable[None]], ...] = (
            self._build, self._build, self._stop, self._assemble, self._dismantle, self._dismantle, self._undo,
            self._undo, self._undo, self._mark_array, self._mark_disk, self._make_filesystem, self._wipe,
            self._mark_array, self._fail, self._fail, self._bad_block, self._remove, self._add, self._add,
            self._add_killed, self._check, self._repair, self._list_in_fstab, self._scratch, self._configure,
        )  # fmt: skip
        self._sh(_KEEP)
        try:
            await self._run(acts, steps)
        finally:
            self._sh(_RESTORE)

    async def _run(self, acts: Collection[Callable[[], Awaitable[None]]], steps: int) -> None:
        for _ in range(steps):
            act = self._random.choice(tuple(acts))
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
        await asyncio.sleep(0.3)  # for UDisks2's latest events
        return self._machine.snapshot

    async def _array(self) -> Array:
        running = [array for array in (await self._seen()).arrays if array.running]
        if not running:
            raise RaidwrightError("No array runs.", code="none")
        return self._random.choice(running)

    async def _build(self) -> None:
        disks = self._random.sample(await self._disks(), self._random.choice((2, 3)))
        level = self._random.choice((Level.RAID0, Level.RAID1, *([Level.RAID5] if len(disks) > 2 else [])))
        members, name = tuple(disk.as_member() for disk in disks), f"t{self._random.randrange(100)}"
        plan = Plan(
            MdArray(level, members, name=name, assume_clean=level is Level.RAID5 and self._random.random() < 0.5)
        )
        found = await ask(self._helper, ExamineSignatures(tuple(disk.id for disk in disks)))
        with self._none_listed(disks):
            await ask(self._helper, CreateArray(plan, plan.name, wipe=all_of(found)))
        self._wait()

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
        """Write a mark: at the very start or end, near one of them, or in the middle."""
        sectors = size_bytes // 512
        where = self._random.choice((0, 2000, 3000, sectors // 2, sectors - 3000, sectors - 1))
        self._marks += 1
        line = f"printf 'MARK-%08d#' {self._marks} | dd of=$1 bs=512 seek={where} conv=notrunc,sync,fsync status=none"
        self._sh(line, node)

    async def _make_filesystem(self) -> None:
        array = await self._array()
        await ask(self._helper, MakeFileSystem(Named(array.uuid, array.name), FileSystemKind.EXT4))

    async def _member(self, *, works: bool) -> tuple[Array, ArrayDevice]:
        array = await self._array()
        places = [place for place in array.places if place.member and place.works is works]
        if not places:
            raise RaidwrightError("No member is like that.", code="none")
        return array, self._random.choice(places)

    async def _fail(self) -> None:
        array, place = await self._member(works=True)
        assert place.member
        before = self._marks_of(array)
        await ask(self._helper, FailMember(array.named, place.member))
        gone = before - self._marks_of(array)
        assert not gone, f"{gone} can't be read without {place.device}, after {' '.join(self._trace)}"

    def _marks_of(self, array: Array) -> set[str]:
        return set(self._sh(_READ, array.device).split())

    async def _bad_block(self) -> None:
        """Give one member a bad block in md's list."""
        array, place = await self._member(works=True)
        if array.level == Level.RAID0 or array.degraded or (array.facts and array.facts.bad_sectors):
            raise RaidwrightError("It would be lost by that.", code="none")
        self._wait()
        at = self._random.choice((0, 2000, 3000))
        self._sh(_BAD, array.device.removeprefix("/dev/"), place.device.removeprefix("/dev/"), str(at))

    async def _remove(self) -> None:
        array, place = await self._member(works=False)
        assert place.member
        await ask(self._helper, RemoveMember(array.named, place.member))

    async def _add(self) -> None:
        array, disk = await self._array(), self._random.choice(await self._disks())
        found = await ask(self._helper, ExamineSignatures((disk.id,)))
        names = tuple(sorted(all_of(found).get(disk.id, ())))
        with self._none_listed([disk]):
            await ask(self._helper, AddMember(array.named, disk.as_member(), names))
        self._wait()

    async def _add_killed(self) -> None:
        """Kill the helper between the wipe and md's adding the disk, if it comes so far."""
        self._sh(_KILL_AT_ADD)
        try:
            await self._add()
        except Unreachable as error:
            raise RaidwrightError("It was killed.", code="killed") from error
        finally:
            self._sh("[ -e /usr/sbin/mdadm.real ] && mv /usr/sbin/mdadm.real /usr/sbin/mdadm;"
                     "systemctl reset-failed raidwright-helper")  # fmt: skip

    async def _check(self) -> None:
        array = await self._array()
        await ask(self._helper, StartCheck(array.named))
        self._wait()

    async def _repair(self) -> None:
        self._sh("echo repair > /sys/block/$1/md/sync_action", (await self._array()).device.removeprefix("/dev/"))
        self._wait()

    async def _list_in_fstab(self) -> None:
        """Add somebody's own, unmounted disk to fstab."""
        node = self._random.choice(NODES)
        self._sh("mkfs.ext4 -q $1 && echo UUID=$(blkid -p -o value -s UUID $1) /mnt/own ext4 noauto 0 0 >> /etc/fstab",
                 node)  # fmt: skip

    @contextlib.contextmanager
    def _none_listed(self, disks: Collection[Disk]) -> Iterator[None]:
        """Assert that acts in the block are refused if fstab names one of the disks."""
        listed = [disk.device for disk in disks if self._sh(_LISTED, disk.device).strip()]
        yield
        assert not listed, f"{listed} are in fstab and were taken, after {' '.join(self._trace)}"

    async def _scratch(self) -> None:
        disks = self._random.sample(await self._disks(), 2)
        plan = Plan(MdArray(Level.RAID1, tuple(disk.as_member() for disk in disks), name="try", assume_clean=True))
        found = await ask(self._helper, ExamineSignatures(tuple(disk.id for disk in disks)))
        with self._none_listed(disks):
            built = await ask(self._helper, CreateArray(plan, "try", scratch=True, wipe=all_of(found)))
        named = Named(built.uuid, "try")
        lasting: list[Request[Any]] = [
            MakeFileSystem(named, FileSystemKind.EXT4),
            Mount(named, "/srv/try"),
            PreviewConfiguration(named, Configuration()),
            AddMember(named, disks[0].as_member()),
            DismantleArray(named, tuple(plan.disks())),
        ]
        for act in lasting:
            with pytest.raises(InputError) as caught:
                await ask(self._helper, act)
            assert caught.value.code == "is-scratch"
        await ask(self._helper, StopScratch(built.uuid))

    async def _configure(self) -> None:
        array = await self._array()
        shown = await ask(self._helper, PreviewConfiguration(array.named, Configuration()))
        await ask(self._helper, WriteConfiguration(array.named, Configuration(), shown.token))
        assert self._sh("grep -c UUID=$1 /etc/mdadm/mdadm.conf", array.uuid).strip() == "1"

    def _wait(self) -> None:
        """Wait until md is idle."""
        self._sh("for md in /dev/md?*; do [ -b $md ] && mdadm --quiet --wait $md; done; true")

    async def _wipe(self) -> None:
        self._sh("wipefs --all --quiet $1", self._random.choice(NODES))  # refused by the kernel while md has it


def run_sequence(lab: Lab, seed: int, steps: int) -> Counter[str]:
    """Run a sequence; return its counts. Raises AssertionError if an undo overwrote others' bytes."""

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
