"""The full tests of replacing a lost disk, with a real md; minutes, so under `make arrays-check`.

Only 16 MiB of each disk are used, so that a rebuild takes moments.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.protocol.facts import CameBack, CheckState
from raidwright.core.protocol.results import Joined
from raidwright.lab.disks.disk import LabDisk
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array, Former, Named
from raidwright.operations.arrays import ListChecks, StartCheck, StopArray
from raidwright.operations.builds import CreateArray, StopScratch, Undo
from raidwright.operations.members import AddMember, RemoveVanished, ReplaceMember
from raidwright.text.array import condition as words

from tests.kit.asking import ask
from tests.kit.blank import blank

from .arrays_whole import FAST, PART_KIB, Scene

pytestmark = pytest.mark.lab
DISKS = 5
_NUMBERS = itertools.count(256)  # no two disks of one machine have the same serial, even unplugged
RAID1: dict[str, Any] = {"level": Level.RAID1, "chunk_kib": None}
END = (
    "[ -f /run/holder ] && kill $(cat /run/holder) 2>/dev/null; rm -f /run/holder;"
    "umount -q /mnt; udevadm settle; udevadm control --stop-exec-queue; mdadm --quiet --stop --scan;"
    "for md in /dev/md?*; do [ -b $md ] && mdadm --quiet --stop $md; done;"
    "for disk in /dev/sd?; do wipefs --all --quiet $disk; done;"
    f"{blank('/dev/sd?')}; udevadm control --start-exec-queue;"
    "udevadm settle; true"
)


@pytest.fixture(scope="module")
def bench() -> Iterator[Lab]:
    """A machine of its own, whose disks come and go."""
    with start(LabSpec(disks_from_text(f"{DISKS}x2GB", at_memory_speed=True))) as lab:
        lab.exec(["sh", "-c", FAST])
        yield lab


class Bench(Scene):
    """A scene whose machine is watched as by the window."""

    def __init__(self, lab: Lab, machine: Machine) -> None:
        super().__init__(lab, machine.helper, tuple(disk.as_member() for disk in machine.snapshot.disks))
        self.machine = machine

    @property
    def seen(self) -> Array:
        """Return the array as the window sees it now."""
        return next(array for array in self.machine.snapshot.arrays if array.uuid == self.uuid)

    async def until(self, is_so: Callable[[Array], bool]) -> Array:
        """Wait until ``is_so`` holds for the array in the window."""
        try:
            async with asyncio.timeout(180):
                while not is_so(self.seen):
                    await asyncio.sleep(0.05)
        except TimeoutError:
            pytest.fail(f"still {self.seen}")
        return self.seen

    async def add(self, disk: Member, *wipe: str) -> Joined:
        """Add a disk to the array."""
        return (await ask(self.helper, AddMember(Named(self.uuid, self.name), disk, wipe=wipe))).joined

    async def replace(self, old: Member, disk: Member, *wipe: str) -> Joined:
        """Replace a member by a disk."""
        return (await ask(self.helper, ReplaceMember(Named(self.uuid, self.name), old, disk, wipe=wipe))).joined

    async def plug(self, size_bytes: int, **more: Any) -> Member:
        """Plug in a new disk; return it as the window sees it."""
        serial = f"NEW{next(_NUMBERS):04X}"
        await asyncio.to_thread(self.lab.add_disk, LabDisk("WDC", "WD80EFZX", serial, size_bytes, **more))
        async with asyncio.timeout(120):
            while not (found := [disk for disk in self.machine.snapshot.disks if disk.serial == serial]):
                await asyncio.sleep(0.05)
        return found[0].as_member()

    async def pull(self, member: Member) -> None:
        """Unplug a disk."""
        await asyncio.to_thread(self.lab.pull_disk, member.serial)

    async def full(self) -> str:
        """Overwrite the whole array; return its digest."""
        data = random.Random(1).randbytes(PART_KIB * 1024)  # noqa: S311  (to be repeatable, not secret)
        await asyncio.to_thread(self.lab.exec, ["dd", f"of={self.node}", "bs=1M", "oflag=direct", "status=none"], data)
        assert hashlib.sha256(data).hexdigest() == await self.digest()
        return await self.digest()

    async def digest(self) -> str:
        """Return the digest of the array, read past every cache."""
        script = f"dd if={self.node} bs=1M count={PART_KIB // 1024} iflag=direct status=none | sha256sum"
        return (await asyncio.to_thread(self.sh, script)).split()[0]

    async def checked(self) -> int:
        """Run md's check; return the number of differing sectors."""
        await ask(self.helper, StartCheck(Named(self.uuid, self.name)))
        await self.whole()
        check = (await ask(self.helper, ListChecks()))[0]
        assert check.state is CheckState.DONE
        return check.mismatch_sectors

    def slow(self, kib_per_s: int | None = 200) -> None:
        """Limit md's rebuild speed; None: unlimited."""
        text = kib_per_s or "system"
        folder = f"/sys/block/{Path(self.node).name}/md"
        self.sh(f"echo {text} > {folder}/sync_speed_min; echo {text} > {folder}/sync_speed_max")


@asynccontextmanager
async def _on(lab: Lab, role: Role) -> AsyncIterator[Bench]:
    async with Machine.connect(lab.bus_address(role)) as machine:
        async with asyncio.timeout(120):
            while len(machine.snapshot.disks) < DISKS or not all(disk.is_free for disk in machine.snapshot.disks):
                await asyncio.sleep(0.05)
        yield Bench(lab, machine)


@pytest.fixture
def run(bench: Lab) -> Iterator[Callable[..., None]]:
    """Run a test on the bench, and clean up after it: arrays stopped, disks empty and as many as before."""

    def on_bench(test: Callable[[Bench], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
        async def go() -> None:
            async with _on(bench, role) as scene:
                await test(scene)

        asyncio.run(asyncio.wait_for(go(), 600))

    yield on_bench
    ours = {disk.serial for disk in disks_from_text(f"{DISKS}x2GB", at_memory_speed=True)}
    bench.exec(["sh", "-c", END])
    for serial in set(bench.disks()) - ours:
        bench.pull_disk(serial)
    if gone := set(bench.pulled_disks()) & ours:
        for serial in gone:
            bench.plug_disk(serial)
        bench.exec(["sh", "-c", END])  # they come back with their content


def test_a_failed_disk_is_replaced_by_a_free_one(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, new = scene.members[0], scene.members[3]
        await scene.build()
        before = await scene.full()
        await scene.fail(first)
        seen = await scene.until(lambda array: len(array.lacks) == 1)
        last = seen.lacks[0].last
        assert last is not None
        assert (seen.lacks[0].slot, last.member.serial) == (0, first.serial)
        assert [place.member.serial for place in seen.places if place.has_failed and place.member] == [first.serial]
        assert await scene.replace(first, new) is Joined.REBUILDS
        await scene.whole()
        # The failed one is out of the array.
        await scene.until(lambda array: not array.lacks and first.serial not in _serials(array))
        assert await scene.checked() == 0
        assert await scene.digest() == before

    run(test)


def test_a_disk_that_was_pulled_is_known_and_a_new_one_takes_its_place(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        gone = scene.members[1]
        await scene.build()
        before = await scene.full()
        await scene.pull(gone)
        seen = await scene.until(lambda array: len(array.lacks) == 1)
        last = seen.lacks[0].last
        assert last is not None
        assert (seen.lacks[0].slot, last.member.serial, bool(last.link)) == (1, gone.serial, True)
        new = await scene.plug(2 * 10**9)
        assert await scene.add(new) is Joined.REBUILDS
        await scene.whole()
        await scene.until(lambda array: not array.lacks)
        assert await scene.checked() == 0
        assert await scene.digest() == before

    run(test)


def test_a_disk_that_still_reads_serves_until_the_copy_is_whole(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, new = scene.members[0], scene.members[3]
        await scene.build()
        before = await scene.full()
        scene.slow()
        assert await scene.replace(first, new) is Joined.TAKES_OVER
        assert scene.md("degraded") == "0"
        seen = await scene.until(lambda array: any(place.is_coming for place in array.places))
        assert not seen.lacks  # nothing is missing meanwhile
        with pytest.raises(DiskRefused) as caught:
            await scene.replace(scene.members[1], scene.members[4])
        assert caught.value.code == "array-busy"
        scene.slow(None)
        seen = await scene.until(lambda array: any(place.has_failed for place in array.places))
        await scene.whole()
        await scene.remove(first)
        seen = await scene.until(lambda array: len(array.places) == 3)
        assert new.serial in {member.serial for member in seen.members}
        assert await scene.checked() == 0
        assert await scene.digest() == before

    run(test)


def test_a_spare_takes_over_by_itself_and_can_be_the_one_that_replaces(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second, third, spare, _ = scene.members
        await scene.build()
        assert await scene.add(spare) is Joined.SPARE
        await scene.refused(scene.add(spare), "member-present")
        await scene.refused(scene.replace(spare, scene.members[4]), "member-idle")
        assert await scene.replace(first, spare) is Joined.TAKES_OVER
        await scene.until(lambda array: any(place.has_failed for place in array.places))
        await scene.whole()
        await scene.remove(first)
        assert await scene.add(first, "linux_raid_member") is Joined.SPARE
        scene.sh("udevadm settle")  # a process that probes the array uses it
        while scene.md("array_state") != "clean":
            await asyncio.sleep(0.1)
        await scene.pull(second)  # md leaves an unused array alone until it is written to, and reports that
        seen = await scene.until(lambda array: bool(array.lacks) and bool(array.facts and array.facts.starts_at_write))
        assert "as soon as anything is written" in words.lack_words(seen, seen.lacks[0])
        scene.sh(f"dd if=/dev/zero of={scene.node} bs=64k count=1 oflag=direct status=none")
        await scene.whole()
        seen = await scene.until(lambda array: not array.lacks)
        assert _working(seen) == {first.serial, third.serial, spare.serial}

    run(test)


def _serials(array: Array) -> set[str]:
    return {member.serial for member in array.members}


def _working(array: Array) -> set[str]:
    return {place.member.serial for place in array.places if place.works and place.member}


def test_who_was_a_member_is_told_with_what_it_would_miss(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first = scene.members[0]
        for bitmap, way in ((Bitmap.INTERNAL, "caught-up"), (Bitmap.NONE, "rebuilds")):
            await scene.build(**RAID1, bitmap=bitmap)
            await scene.full()
            await scene.fail(first)
            await scene.remove(first)
            scene.sh(f"dd if=/dev/urandom of={scene.node} bs=1M count=4 oflag=direct 2>/dev/null; sync")
            before = await scene.digest()
            seen = await scene.until(lambda array: any(former.way for former in array.former))
            [former] = seen.former
            assert isinstance(former, Former)
            assert (former.member.serial, former.slot, former.way) == (first.serial, 0, way)
            assert former.updated_s
            came_back = await scene.re_add(first)
            assert came_back is (CameBack.CAUGHT_UP if way == "caught-up" else CameBack.REBUILDS)
            await scene.whole()
            await scene.until(lambda array: not array.lacks and not array.former)
            assert await scene.checked() == 0
            assert await scene.digest() == before
            await scene.dismantle(members=scene.members[:3])
            scene.sh(f"{blank('/dev/sd?')}; udevadm settle")  # of the array's bytes, which stay on its members

    run(test)


def test_a_disk_that_was_pulled_and_comes_back_has_its_place_again(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        gone = scene.members[1]
        await scene.build()
        await scene.full()
        await scene.pull(gone)
        await scene.until(lambda array: bool(array.lacks))
        scene.sh(f"dd if=/dev/urandom of={scene.node} bs=1M count=4 oflag=direct 2>/dev/null; sync")
        before = await scene.digest()
        await asyncio.to_thread(scene.lab.plug_disk, gone.serial)
        seen = await scene.until(lambda array: not array.lacks or any(former.way for former in array.former))
        if seen.lacks:  # udev's mdadm leaves it to us
            [former] = seen.former
            assert (former.member.serial, former.slot, former.way) == (gone.serial, 1, "caught-up")
            assert await scene.re_add(former.member) is CameBack.CAUGHT_UP
        await scene.whole()
        seen = await scene.until(lambda array: not array.lacks)
        assert gone.serial in _working(seen)
        assert await scene.checked() == 0
        assert await scene.digest() == before

    run(test)


def test_members_whose_disks_are_gone_are_let_go(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second = scene.members[:2]
        await scene.build()
        await scene.refused(ask(scene.helper, RemoveVanished(Named(scene.uuid, scene.name))), "none-vanished")
        scene.sh("udevadm control --stop-exec-queue")  # udev would make mdadm remove it at once
        await scene.pull(first)
        assert scene.sh(f"ls -d /sys/block/{Path(scene.node).name}/md/dev-sda")
        gone = await ask(scene.helper, RemoveVanished(Named(scene.uuid, scene.name)))
        assert gone.missing == 1
        assert not scene.sh(f"ls -d /sys/block/{Path(scene.node).name}/md/dev-sda 2>/dev/null || true")
        await scene.pull(second)
        await scene.refused(ask(scene.helper, RemoveVanished(Named(scene.uuid, scene.name))), "array-failed")
        scene.sh("udevadm control --start-exec-queue")

    run(test)


def test_what_may_not_join_is_refused_and_nothing_is_touched(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second, _, new, other = scene.members
        await scene.build()
        await scene.fail(first)
        least = (await scene.until(lambda array: bool(array.facts))).facts
        assert least is not None
        helper, uuid = scene.helper, scene.uuid
        node = scene.sh(f"readlink -f /dev/disk/by-id/{new.id}")
        others = f"{'0' * 8}:{'0' * 8}:{'0' * 8}:{'0' * 8}"
        await scene.refused(ask(helper, AddMember(Named(uuid, "tnak"), new)), "name-mismatch")
        await scene.refused(ask(helper, AddMember(Named(others, "tank"), new)), "disk-missing")
        await scene.refused(ask(helper, ReplaceMember(Named("/dev/md127", "tank"), first, new)), "uuid")
        await scene.refused(scene.add(replace(new, serial="OTHER")), "disk-changed")
        await scene.refused(scene.add(replace(new, size_bytes=new.size_bytes - 512)), "disk-changed")
        await scene.refused(scene.replace(replace(first, serial="OTHER"), new), "disk-changed")
        await scene.refused(scene.replace(other, new), "disk-no-member")
        await scene.refused(scene.replace(first, first), "disk-twice")
        await scene.refused(scene.replace(second, new), "array-degraded")
        await scene.refused(scene.add(second), "member-present")
        await scene.refused(scene.add(new, "ext4"), "disk-signature-changed")
        scene.sh(f"mkfs.ext4 -q -F {node} && udevadm settle")
        before = scene.sh(f"sha256sum < {node}")
        await scene.refused(scene.add(new), "disk-signature")
        await scene.refused(scene.add(new, "xfs"), "disk-signature-changed")
        assert scene.sh(f"sha256sum < {node}") == before
        scene.sh(f"mount {node} /mnt")
        await scene.refused(scene.add(new, "ext4"), "disk-in-use")
        scene.sh(f"umount /mnt; wipefs -aq {node}; mkswap {node} >/dev/null 2>&1; swapon {node}; udevadm settle")
        await scene.refused(scene.add(new, "swap"), "disk-in-use")
        scene.sh(f"swapoff {node}; wipefs -aq {node}")
        scene.sh(f"mdadm --create /dev/md/other --run --level=1 --raid-devices=2 --bitmap=none {node} missing 2>&1")
        await scene.refused(scene.add(new, "linux_raid_member"), "disk-in-use")
        scene.sh("udevadm settle; mdadm --stop /dev/md/other; udevadm settle")
        await scene.refused(scene.add(new), "disk-signature")  # another array's member, which may still be needed
        await scene.refused(scene.add(new, "linux_raid_member"), "disk-signature")
        assert await scene.add(new, "linux_raid_member", "array:other") is Joined.REBUILDS

    run(test)


def test_the_smallest_disk_that_fits_is_known_to_the_sector(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        for metadata, level in (
            ("1.2", Level.RAID5),
            ("1.0", Level.RAID5),
            ("0.90", Level.RAID1),
            ("1.2", Level.RAID10),
        ):
            chunk = None if level is Level.RAID1 else 64
            await scene.build(level=level, chunk_kib=chunk, metadata=metadata)
            await scene.fail(scene.members[0])
            await scene.remove(scene.members[0])
            facts = (await scene.until(lambda array: bool(array.facts and array.facts.least_member_bytes))).facts
            assert facts is not None
            small = await scene.plug(facts.least_member_bytes - 512)
            await scene.refused(scene.add(small), "disk-small")
            if metadata != "1.0":  # there mdadm ignores the bitmap, and leaves it at the end of the data
                node = scene.sh(f"readlink -f /dev/disk/by-id/{small.id}")
                assert "refused" in scene.sh(f"mdadm --manage {scene.node} --add {node} 2>&1 || echo refused")
            await scene.pull(small)
            exact = await scene.plug(facts.least_member_bytes)
            assert await scene.add(exact) is Joined.REBUILDS
            await scene.whole()
            await ask(scene.helper, StopArray(Named(scene.uuid, scene.name)))
            await scene.pull(exact)
            await asyncio.to_thread(scene.sh, END)

    run(test)


def test_larger_sectors_and_a_shared_disk_are_refused(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        new = scene.members[3]
        await scene.build(**RAID1, members=scene.members[:2])
        large = await scene.plug(2 * 10**9 // 4096 * 4096, logical_sector_bytes=4096, physical_sector_bytes=4096)
        await scene.refused(scene.add(large), "disk-sectors")
        await ask(scene.helper, StopArray(Named(scene.uuid, scene.name)))
        scene.sh(END)
        node = scene.sh(f"readlink -f /dev/disk/by-id/{new.id}")
        scene.sh(f"printf 'label: gpt\\n,500M\\n,500M\\n' | sfdisk -q {node}; udevadm settle; {blank(f'{node}?')}")
        parts = [replace(new, id=f"{new.id}-part{n}", disk=new.id, partition=n, size_bytes=500 * 2**20) for n in (1, 2)]
        plan = Plan(MdArray(Level.RAID1, (scene.members[0], parts[0]), "tank", component_size_kib=PART_KIB))
        built = await ask(scene.helper, CreateArray(plan, "tank"))
        scene.uuid, scene.node = built.uuid, built.device
        await scene.whole()
        await scene.refused(scene.add(parts[1]), "disk-shared")

    run(test)


def test_what_has_no_copies_takes_no_disk(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        await scene.build(level=Level.RAID0, bitmap=Bitmap.NONE, component_size_kib=None)
        await scene.refused(scene.add(scene.members[3]), "no-redundancy")

    run(test)


def test_a_new_disk_that_is_pulled_leaves_the_place_empty_for_the_next(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, new = scene.members[0], scene.members[3]
        await scene.build()
        before = await scene.full()
        await scene.fail(first)
        scene.slow()
        await scene.replace(first, new)
        await scene.until(lambda array: any(place.is_coming for place in array.places))
        for act, code in (
            (ask(scene.helper, StartCheck(Named(scene.uuid, scene.name))), "array-busy"),
            (scene.fail(scene.members[1]), "disk-needed"),
            (scene.dismantle(), "array-other-members"),
        ):
            with pytest.raises(DiskRefused) as caught:
                await act
            assert caught.value.code == code
        await scene.pull(new)
        seen = await scene.until(lambda array: bool(array.lacks) and not any(place.is_coming for place in array.places))
        assert [lack.slot for lack in seen.lacks] == [0]
        scene.slow(None)
        assert await scene.add(scene.members[4]) is Joined.REBUILDS
        await scene.whole()
        assert await scene.checked() == 0
        assert await scene.digest() == before

    run(test)


def test_after_a_second_loss_no_disk_is_taken(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second, _, new, other = scene.members
        await scene.build()
        await scene.full()
        await scene.fail(first)
        scene.slow()
        await scene.replace(first, new)
        # Held open, or udev's mdadm stops the failed array.
        scene.sh(f"exec 3< {scene.node}; sleep 300 <&3 > /dev/null 2>&1 & echo $! > /run/holder")
        await scene.pull(second)
        scene.sh(f"dd if=/dev/urandom of={scene.node} bs=64k count=4 oflag=direct 2>/dev/null || true")
        await scene.until(lambda array: {0, 1} <= {lack.slot for lack in array.lacks})
        with pytest.raises(DiskRefused) as caught:
            await scene.add(other)
        assert caught.value.code == "array-failed"

    run(test)


def test_an_array_that_was_stopped_since_it_failed_is_known_with_what_it_lacks(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second, _, other, _ = scene.members
        await scene.build()
        await scene.until(lambda array: len(array.working) == 3)
        for member in (first, second):
            await scene.pull(member)
        seen = await scene.until(lambda array: not array.running)  # by udev's mdadm
        assert [lack.last.member.serial for lack in seen.lacks if lack.last] == [first.serial, second.serial]
        await scene.refused(scene.add(other), "disk-missing")

    run(test)


def test_an_array_that_was_stopped_or_taken_apart_meanwhile_is_not_there(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        new = scene.members[3]
        built = await scene.build()
        await ask(scene.helper, StopArray(Named(scene.uuid, scene.name)))
        await scene.refused(scene.add(new), "disk-missing")
        scene.sh("mdadm --quiet --assemble --scan; udevadm settle")
        await scene.running()
        assert await scene.replace(scene.members[0], new) is Joined.TAKES_OVER
        await scene.until(lambda array: any(place.has_failed for place in array.places))
        await scene.whole()
        await scene.remove(scene.members[0])
        # The build's undo needs other disks: the removed one may be used elsewhere by now.
        with pytest.raises((InputError, DiskRefused)) as caught:
            await ask(scene.helper, Undo(built.build_id))
        assert caught.value.code == "array-other-members"
        assert scene.md("degraded") == "0"
        members = (scene.members[1], scene.members[2], new)
        build_id = await scene.dismantle(members=members)
        await scene.refused(scene.add(scene.members[4]), "disk-missing")
        await scene.undo(build_id)
        assert scene.md("degraded") == "0"

    run(test)


@contextmanager
def failing(scene: Bench, act: str) -> Iterator[None]:
    """Make mdadm fail at ``act``."""
    fails = f'case "$3" in {act}) echo "mdadm: Cannot do it" >&2; exit 1;; esac'
    script = f'#!/bin/sh\\n{fails}\\nexec /usr/sbin/mdadm.real "$@"\\n'
    scene.sh(f"mv /usr/sbin/mdadm /usr/sbin/mdadm.real; printf '{script}' > /usr/sbin/mdadm; chmod 755 /usr/sbin/mdadm")
    try:
        yield
    finally:
        scene.sh("mv /usr/sbin/mdadm.real /usr/sbin/mdadm")


@pytest.mark.parametrize("act", ["--add", "--replace"])
def test_a_disk_that_is_not_taken_has_its_bytes_back(run: Callable[..., None], act: str) -> None:
    async def test(scene: Bench) -> None:
        first, new = scene.members[0], scene.members[3]
        await scene.build()
        node = scene.sh(f"readlink -f /dev/disk/by-id/{new.id}")
        scene.sh(f"mkfs.ext4 -q -F {node}; udevadm settle")
        before = scene.sh(f"sha256sum < {node}")
        with failing(scene, act), pytest.raises(JobFailed, match="What it held at its ends is back on it"):
            await scene.replace(first, new, "ext4")
        scene.sh("udevadm settle")
        assert scene.sh(f"sha256sum < {node}") == before
        seen = await scene.until(lambda array: len(array.places) == 3)
        assert not seen.lacks

    run(test)


def test_an_ordinary_user_is_denied_all_of_it(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        helper, uuid, disk = scene.helper, f"{'0' * 8}:{'0' * 8}:{'0' * 8}:{'0' * 8}", scene.members[0]
        for act in (
            ask(helper, AddMember(Named(uuid, "tank"), disk)),
            ask(helper, AddMember(Named(uuid, "tank"), disk, wipe=("ext4",))),
            ask(helper, ReplaceMember(Named(uuid, "tank"), disk, scene.members[1])),
            ask(helper, ReplaceMember(Named(uuid, "tank"), disk, scene.members[1], wipe=("ext4",))),
            ask(helper, RemoveVanished(Named(uuid, "tank"))),
        ):
            with pytest.raises(Denied):
                await act

    run(test, role="user")


def test_a_scratch_array_is_never_repaired(run: Callable[..., None]) -> None:
    async def test(scene: Bench) -> None:
        first, second, new = scene.members[:3]
        plan = Plan(MdArray(Level.RAID1, (first, second), "tank", component_size_kib=PART_KIB, assume_clean=True))
        built = await ask(scene.helper, CreateArray(plan, "tank", scratch=True))
        scene.uuid, scene.node = built.uuid, built.device
        await scene.refused(scene.add(new), "is-scratch")
        await scene.refused(scene.replace(first, new), "is-scratch")
        await scene.refused(ask(scene.helper, RemoveVanished(Named(built.uuid, "tank"))), "is-scratch")
        await ask(scene.helper, StopScratch(built.uuid))

    run(test)
