"""Used disks: wiped only as confirmed, saved first, and restored to the byte, whatever stops the build."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any

import pytest
from raidwright.core.errors import Denied, DiskRefused, InputError, JobFailed, RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Metadata, Plan
from raidwright.core.protocol.facts import BuildRecord, BuildState
from raidwright.core.protocol.results import BuildResult
from raidwright.lab.machine import Lab, LabSpec, Role, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.operations.builds import CreateArray, ListBuilds, Undo
from raidwright.operations.disks import ExamineSignatures, all_of

from tests.kit.asking import ask
from tests.kit.two_bands import two_bands

from .undo_sequences import run_sequence

pytestmark = pytest.mark.lab
_SEED = int(os.environ.get("UNDO_SEED", "0"))
NODES = [f"/dev/sd{letter}" for letter in "abcd"]
# sda: GPT with an ext4 that holds a file; sdb: ext4; sdc: swap; sdd: nothing known, but not empty either.
FILL = """
umount -q /mnt; swapoff -a; udevadm settle; udevadm control --stop-exec-queue  # or udev starts them again
mdadm --stop --scan; set -e
for disk in a b c d; do yes "disk $disk" | head -c $(blockdev --getsize64 /dev/sd$disk) > /dev/sd$disk; done
udevadm control --start-exec-queue; udevadm settle
printf 'label: gpt\\n,32M\\n' | sfdisk --quiet --wipe always /dev/sda; udevadm settle
mkfs.ext4 -q -F -L photos /dev/sda1; mount /dev/sda1 /mnt; echo summer > /mnt/photo; umount /mnt
mkfs.ext4 -q -F /dev/sdb; mkswap /dev/sdc > /dev/null
for disk in a b c d; do blockdev --flushbufs /dev/sd$disk; done; udevadm settle
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with disks small enough to be compared whole."""
    with start(LabSpec(disks_from_text("4x64MB", at_memory_speed=True))) as machine:
        yield machine


@pytest.fixture
def before(lab: Lab) -> list[str]:
    """Fill the disks with their initial content; return their checksums."""
    lab.exec(["systemctl", "reset-failed"])
    lab.exec(["sh", "-c", FILL])
    return checksums(lab)


def checksums(lab: Lab) -> list[str]:
    """Return the checksum of each whole disk."""
    script = f"for disk in {' '.join(NODES)}; do blockdev --flushbufs $disk; md5sum < $disk; done"
    return lab.exec(["sh", "-c", script]).stdout.decode().split("\n")


def run(lab: Lab, test: Callable[[Helper, tuple[Disk, ...]], Coroutine[Any, Any, None]], role: Role = "admin") -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address(role)) as machine:
            async with asyncio.timeout(60):
                while len(machine.snapshot.disks) < len(NODES):
                    await asyncio.sleep(0.05)
            await test(machine.helper, tuple(sorted(machine.snapshot.disks, key=lambda disk: disk.device)))

    asyncio.run(asyncio.wait_for(connected(), 300))


def a_plan(disks: tuple[Disk, ...], **changes: Any) -> Plan:
    """Return a striped plan: md doesn't resync its members, so they can be compared whole."""
    return Plan(replace(MdArray(Level.RAID0, tuple(disk.as_member() for disk in disks), name="tank"), **changes))


async def all_signatures(helper: Helper, disks: tuple[Disk, ...]) -> dict[str, set[str]]:
    """Return the disks' signatures, by the names to confirm."""
    found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
    return {disk: {one.name for one in signatures} for disk, signatures in found.items() if signatures}


async def build(helper: Helper, disks: tuple[Disk, ...], **changes: Any) -> BuildResult:
    """Build with everything confirmed."""
    carried = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
    return await ask(helper, CreateArray(a_plan(disks, **changes), "tank", wipe=all_of(carried)))


async def undo(helper: Helper, build_id: str) -> None:
    """Undo the build."""
    result = await ask(helper, Undo(build_id))
    assert result.build_id == build_id


async def latest(helper: Helper) -> BuildRecord:
    """Return the latest build."""
    return (await ask(helper, ListBuilds()))[0]


def test_what_was_confirmed_goes_and_comes_back(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        carried = await all_signatures(helper, disks)
        assert list(carried.values()) == [{"gpt", "PMBR", "1:ext4"}, {"ext4"}, {"swap"}, {"unknown"}]
        found = await ask(helper, ExamineSignatures((disks[0].id,)))
        assert ("1:ext4", "photos") in {(one.name, one.label) for one in found[disks[0].id]}
        result = await build(helper, disks)
        assert not lab.exec(["sh", "-c", "ls /dev/sda1 2>/dev/null; true"]).stdout
        done = await latest(helper)
        assert (done.id, done.state, done.has_way_back) == (result.build_id, BuildState.DONE, True)
        assert done.steps == ("wipe", "wipe", "wipe", "create", "done")
        await undo(helper, result.build_id)
        undone = await latest(helper)
        assert (undone.state, undone.has_way_back) == (BuildState.UNDONE, False)
        with pytest.raises(InputError, match="undone already"):
            await undo(helper, result.build_id)
        lab.exec(["udevadm", "settle"])
        assert await all_signatures(helper, disks) == carried

    run(lab, test)
    assert checksums(lab) == before
    photo = lab.exec(["sh", "-c", "mount -o ro,noload /dev/sda1 /mnt && cat /mnt/photo; umount /mnt"])
    assert photo.stdout == b"summer\n"


MADE: tuple[dict[str, Any], ...] = (
    {"level": Level.RAID5, "consistency": Consistency.PPL},
    {"level": Level.RAID5, "consistency": Consistency.PPL, "metadata": Metadata.V1_0},
    {"level": Level.RAID4, "bitmap": Bitmap.INTERNAL, "metadata": Metadata.V0_90},
    {"level": Level.RAID6, "bitmap": Bitmap.INTERNAL, "metadata": Metadata.V1_1},
)


def test_whatever_mdadm_writes_was_saved(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        for changes in MADE:
            await undo(helper, (await build(helper, disks, assume_clean=True, **changes)).build_id)
            assert checksums(lab) == before, changes

    run(lab, test)


def test_a_journals_and_a_nested_arrays_insides_come_back(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        a, b, c, d = (disk.as_member() for disk in disks)
        journaled = await build(helper, disks, level=Level.RAID4, members=(a, b, c), journal=d)
        await undo(helper, journaled.build_id)
        assert checksums(lab)[3] == before[3]
        pairs = tuple(Plan(MdArray(Level.RAID1, pair, assume_clean=True)) for pair in ((a, b), (c, d)))
        nested = await build(helper, disks, members=pairs)
        middle = checksums(lab)
        await undo(helper, nested.build_id)
        assert checksums(lab)[3] == before[3] != middle[3]

    run(lab, test)


def test_a_joined_volumes_disks_come_back(lab: Lab, before: list[str]) -> None:
    """Tables, arrays, and LVM's volume; the disks hold a table, file systems and unknown bytes as of any build."""

    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        plan = two_bands([disk.as_member() for disk in disks], 30, 20)
        found = await ask(helper, ExamineSignatures(tuple(disk.id for disk in disks)))
        built = await ask(helper, CreateArray(plan, "tank", wipe=all_of(found)))
        middle = checksums(lab)
        assert not [now for now, then in zip(middle, before, strict=True) if now == then and now]
        assert (await latest(helper)).steps[-4:] == ("partition", "create", "volume", "done")
        await undo(helper, built.build_id)

    run(lab, test)
    assert checksums(lab) == before


def test_only_exactly_what_was_confirmed_is_wiped(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        whole = await all_signatures(helper, disks)
        first = disks[0].id
        for names, code in (
            (set[str](), "disk-partitions"),
            ({"gpt", "PMBR"}, "disk-signature-changed"),
            ({"gpt", "PMBR", "ext4"}, "disk-signature-changed"),
            ({"gpt", "PMBR", "1:ext4", "1:xfs"}, "disk-signature-changed"),
        ):
            wipe = {disk: tuple(kinds) for disk, kinds in (whole | {first: names}).items() if kinds}
            with pytest.raises(DiskRefused) as caught:
                await ask(helper, CreateArray(a_plan(disks), "tank", wipe=wipe))
            assert caught.value.code == code
        lab.exec(["mount", "-o", "ro,noload", "/dev/sda1", "/mnt"])
        try:
            with pytest.raises(DiskRefused, match="mounted at /mnt"):
                await build(helper, disks)
        finally:
            lab.exec(["umount", "/mnt"])
        lab.exec(["swapon", "/dev/sdc"])
        try:
            with pytest.raises(DiskRefused, match="swap"):
                await build(helper, disks)
        finally:
            lab.exec(["swapoff", "/dev/sdc"])

    run(lab, test)
    assert checksums(lab) == before


def test_an_ordinary_user_neither_wipes_nor_takes_back(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(Denied):
            await ask(helper, CreateArray(a_plan(disks), "tank", wipe={disks[1].id: ("ext4",)}))
        with pytest.raises(Denied):
            await ask(helper, Undo("0" * 32))

    run(lab, test, role="user")
    assert checksums(lab) == before


USES = {
    "dd if=/dev/zero of=/dev/md/tank bs=4k count=1 seek=5000 conv=fsync 2>&1": ("was written to", "written"),
    "mkfs.ext4 -q -F /dev/md/tank; mount -o ro,noload /dev/md/tank /mnt": ("mounted at /mnt", "mounted"),
    "umount /mnt; mkswap /dev/md/tank; swapon /dev/md/tank": ("in use", "in-use"),
    # After a restart its write counter is gone; its ends' fingerprint tells, which only undo reads.
    "swapoff -a; mdadm --stop /dev/md/tank; mdadm --assemble --scan": ("does not read as it did", ""),
    "mdadm --stop /dev/md/tank": ("does not run", "not-running"),
}


def test_what_was_put_on_the_array_closes_the_way_back(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        result = await build(helper, disks)
        assert (await latest(helper)).closed_by == ""
        for use, (reason, closed_by) in USES.items():
            lab.exec(["sh", "-c", f"udevadm settle; {use}; udevadm settle; sync"])
            middle = checksums(lab)
            with pytest.raises(DiskRefused, match=reason):
                await undo(helper, result.build_id)
            assert ((await latest(helper)).state, (await latest(helper)).closed_by) == (BuildState.DONE, closed_by)
            assert checksums(lab) == middle != before

    run(lab, test)


def test_an_older_arrays_partitions_that_shine_through_close_nothing_until_they_are_used(
    lab: Lab, before: list[str]
) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        older = await build(helper, disks)
        script = f"echo 2048,20000 | sfdisk -q {older.device} && mkfs.ext4 -qF {older.device}p1; udevadm settle"
        lab.exec(["sh", "-c", f"{script}; mdadm --quiet --stop {older.device}; udevadm settle"])
        middle = checksums(lab)
        newer = await build(helper, disks)
        lab.exec(["sh", "-c", f"udevadm settle; [ -b {newer.device}p1 ] && mount -o ro,noload {newer.device}p1 /mnt"])
        assert (await latest(helper)).closed_by == "mounted"
        with pytest.raises(DiskRefused, match="is mounted at /mnt"):
            await undo(helper, newer.build_id)
        lab.exec(["sh", "-c", "umount /mnt; udevadm settle"])
        assert (await latest(helper)).closed_by == ""
        await undo(helper, newer.build_id)
        assert checksums(lab) == middle

    run(lab, test)


def test_a_build_that_fails_puts_everything_back(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(JobFailed, match="off the disks again"):
            await build(helper, disks, level=Level.RAID6)
        failed = await latest(helper)
        assert (failed.state, failed.has_way_back) == (BuildState.FAILED, False)

    lab.exec(["sh", "-c", "modprobe -r raid456; echo install raid456 /bin/false > /etc/modprobe.d/test.conf"])
    try:
        run(lab, test)
    finally:
        lab.exec(["rm", "/etc/modprobe.d/test.conf"])
    assert checksums(lab) == before


def test_without_room_for_the_backup_nothing_is_touched(lab: Lab, before: list[str]) -> None:
    async def test(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(JobFailed, match=r"No space left.*Make room"):
            await build(helper, disks)
        assert await ask(helper, ListBuilds()) == ()

    lab.exec(["systemctl", "stop", "raidwright-helper"])
    lab.exec(["mount", "-t", "tmpfs", "-o", "size=5M,mode=0700", "none", "/var/lib/raidwright"])
    try:
        run(lab, test)
    finally:
        lab.exec(["sh", "-c", "systemctl stop raidwright-helper; umount /var/lib/raidwright"])
    assert checksums(lab) == before


@contextlib.contextmanager
def deadly(lab: Lab, program: str, words: str) -> Iterator[None]:
    """Make ``program`` run ``words``, a piece of shell that can ``die``: kill its parent, with SIGKILL."""
    path = f"/usr/sbin/{program}"
    script = f'#!/bin/sh\nreal() {{ {path}.real "$@"; }}\ndie() {{ kill -KILL $PPID; exit 1; }}\n{words}\n'
    lab.exec(["sh", "-c", f"mv {path} {path}.real; cat > {path}; chmod 755 {path}"], script.encode())
    try:
        yield
    finally:
        lab.exec(["mv", f"{path}.real", path])


KILLS = {
    "before the first wipe": ("wipefs", 'case "$*" in *--all*) die ;; *) real "$@" ;; esac', ("wipe",)),
    "after the first wipe": ("wipefs", 'real "$@"; case "$*" in *--all*) die ;; esac', ("wipe",)),
    "before the array is made": (
        "mdadm",
        'case "$*" in --create*) die ;; *) real "$@" ;; esac',
        ("wipe", "wipe", "wipe", "create"),
    ),
    "after the array is made": (
        "mdadm",
        'case "$*" in --create*) real "$@"; die ;; *) real "$@" ;; esac',
        ("wipe", "wipe", "wipe", "create"),
    ),
}


@pytest.mark.parametrize("moment", KILLS)
def test_a_helper_that_was_killed_is_made_good_by_the_next(lab: Lab, before: list[str], moment: str) -> None:
    program, words, steps = KILLS[moment]

    async def killed(helper: Helper, disks: tuple[Disk, ...]) -> None:
        with pytest.raises(RaidwrightError):
            await build(helper, disks)

    async def made_good(helper: Helper, _disks: tuple[Disk, ...]) -> None:
        found = await latest(helper)
        assert (found.state, found.has_way_back, found.steps) == (BuildState.INTERRUPTED, True, steps)
        await undo(helper, found.id)

    with deadly(lab, program, words):
        run(lab, killed)
    run(lab, made_good)
    assert checksums(lab) == before


def test_a_way_back_that_was_cut_off_is_taken_again(lab: Lab, before: list[str]) -> None:
    async def killed(helper: Helper, disks: tuple[Disk, ...]) -> None:
        result = await build(helper, disks)
        with (
            deadly(lab, "mdadm", 'real "$@"; case "$*" in --stop*) die ;; esac'),
            pytest.raises(RaidwrightError),
        ):
            await undo(helper, result.build_id)

    async def made_good(helper: Helper, _disks: tuple[Disk, ...]) -> None:
        found = await latest(helper)
        assert (found.state, found.steps[-1]) == (BuildState.INTERRUPTED, "undo")
        await undo(helper, found.id)

    run(lab, killed)
    run(lab, made_good)
    assert checksums(lab) == before


def test_acts_in_any_order_lose_nothing_to_a_way_back(lab: Lab) -> None:
    """Six sequences; what a sequence draws depends on what md has done by then, so some of them undo nothing."""
    done = sum((run_sequence(lab, _SEED + number, steps=60) for number in range(6)), Counter[str]())
    assert done["_undo"] > 1, done  # not only refusals
