"""A joined volume built by the helper on real GPT, md and LVM, and undone: every byte of its disks is back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

import pytest
from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.bands import banded
from raidwright.core.model.plan import Plan
from raidwright.core.protocol.facts import BuildState, SignatureNames
from raidwright.core.protocol.results import BuildResult
from raidwright.core.protocol.steps import JobStep
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.helper.job_progress import JobProgress, OnUpdate, ignore
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.judged_plan import judged_plan
from raidwright.machine.machine import Machine
from raidwright.machine.states.volume import Volume, leaves
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, StopArray, start_of
from raidwright.operations.builds import CreateArray, ForgetBuild, ListBuilds, Undo
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.system import Configuration, MakeFileSystem, Mount, PreviewConfiguration, Unmount

from tests.kit.asking import ask
from tests.kit.joined_volume import shell, verify_places, verify_space

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]
DISKS = [f"/dev/sd{letter}" for letter in "abcd"]
# Old contents: patterns with a file system, a partition table with one in it, swap; the last one is empty.
_FILL = """set -e
for disk in /dev/sda /dev/sdb /dev/sdc; do yes "what was on $disk" | head -c 60M > $disk; done
mkfs.ext4 -q -F /dev/sda
printf 'label: gpt\\n,16M\\n' | sfdisk --quiet --wipe always /dev/sdb; udevadm settle; mkfs.ext4 -q -F /dev/sdb1
mkswap /dev/sdc >/dev/null; sync; udevadm settle
"""
# udev may assemble an array again as its members are closed. A node alone that it opened as the array went stays in
# /sys/block, empty (md.c, create_on_open), so /proc/mdstat is what tells.
_STOP = """end=$(( $(date +%s) + 180 )); udevadm settle; while grep -q '^md' /proc/mdstat; do
[ $(date +%s) -lt $end ] || { cat /proc/mdstat; exit 9; }; mdadm --quiet --stop --scan || :; udevadm settle; done"""
# Their partitions stay known until the table is read again, which the kernel refuses while udev has a disk open.
_CLEAR = f"""{_STOP}; for disk in {" ".join(DISKS)}; do blkdiscard --force --zeroout $disk
until blockdev --rereadpt $disk 2>/dev/null; do sleep 0.2; done; done; udevadm settle"""
_KILL = """#!/bin/sh
case "$*" in {words}) if grep -q raidwright-helper /proc/self/cgroup; then
systemctl kill --signal=KILL --kill-who=main raidwright-helper; sleep 3; exit 1; fi;; esac
exec $0.real "$@"
"""
_NOTHING_RUNS = """! grep '^md' /proc/mdstat && ! ls /sys/block | grep '^dm-'"""
_SUMS = f"sync; for disk in {' '.join(DISKS)}; do blockdev --flushbufs $disk; sha256sum < $disk; done"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own, with disks small enough to be compared from end to end."""
    with start(LabSpec(disks_from_text("2x64MB+96MB+160MB", at_memory_speed=True))) as machine:
        shell(machine, _FILL)
        yield machine


class _Scene:
    """The helper, the plan on the lab's disks, and the signatures that are given up for it."""

    def __init__(self, lab: Lab, machine: Machine, plan: Plan, found: SignatureNames) -> None:
        self.lab = lab
        self.machine = machine
        self.plan = plan
        self.found = found

    async def build(self, plan: Plan | None = None, on_update: OnUpdate = ignore) -> BuildResult:
        meant = plan or self.plan
        return await ask(self.machine.helper, CreateArray(meant, meant.name, wipe=self.found), on_update)

    async def undo(self, build_id: str) -> None:
        await ask(self.machine.helper, Undo(build_id))


def _run(lab: Lab, test: Callable[[_Scene], Awaitable[None]]) -> None:
    async def connected() -> None:
        async with Machine.connect(lab.bus_address("admin")) as machine:
            async with asyncio.timeout(60):
                while len(machine.snapshot.disks) < len(DISKS):
                    await asyncio.sleep(0.05)
                await machine.facts_seen()
            disks = sorted(machine.snapshot.disks, key=lambda disk: disk.device)
            volume = banded([disk.as_member() for disk in disks], 1, name="heap").plan
            arrays = tuple(replace(array, assume_clean=True) for array in volume.arrays)
            found = await ask(machine.helper, ExamineSignatures(tuple(disk.id for disk in disks)))
            await test(_Scene(lab, machine, Plan(replace(volume, arrays=arrays)), all_of(found)))

    asyncio.run(asyncio.wait_for(connected(), 600))


def test_it_is_what_the_plan_means_and_undone_to_the_byte(lab: Lab) -> None:
    before, steps = shell(lab, _SUMS), list[str]()

    async def test(scene: _Scene) -> None:
        told = lambda update: steps.append(update.step) if isinstance(update, JobProgress) else None  # noqa: E731
        built = await scene.build(on_update=told)
        capacity = capacity_of(scene.plan.top)
        assert built.array_sectors == capacity.array_sectors
        assert shell(lab, "readlink -f /dev/heap/data").strip() == built.device
        shell(lab, "udevadm settle")
        verify_places(lab, scene.plan)
        verify_space(lab, scene.plan, capacity)
        record, *_ = await ask(scene.machine.helper, ListBuilds())
        assert (record.name, record.uuid, record.closed_by) == ("heap", built.uuid, "")
        with pytest.raises(InputError, match=r"called /dev/heap already"):
            await scene.build()
        await scene.undo(built.build_id)

    _run(lab, test)
    assert list(dict.fromkeys(steps)) == [
        JobStep.SAVE, JobStep.WIPE, JobStep.PARTITION, JobStep.CREATE, JobStep.SETTLE, JobStep.VOLUME, JobStep.READ_BACK
    ]  # fmt: skip
    assert shell(lab, _SUMS) == before
    assert not shell(lab, "vgs --noheadings; ls /dev/md 2>/dev/null || :").strip()
    assert shell(lab, "lsblk --noheadings --list --output=NAME --include 8").split() == [
        "sda", "sdb", "sdb1", "sdc", "sdd"
    ]  # fmt: skip


def test_it_gets_a_file_system_and_lines_and_isn_t_undone_once_it_holds_something(lab: Lab) -> None:
    before = shell(lab, _SUMS)

    async def test(scene: _Scene) -> None:
        helper = scene.machine.helper
        built = await scene.build()
        named = Named(built.uuid, "heap")
        made = await ask(helper, MakeFileSystem(named, FileSystemKind.EXT4))
        assert (made.uuid, made.stripe_unit_kib) == (built.uuid, 512)
        assert (await ask(helper, Mount(named, "/srv/heap"))).place == "/srv/heap"
        shown = await ask(helper, PreviewConfiguration(named, Configuration(place="/srv/heap")))
        lines = "".join(shown.difference)
        assert "/dev/md/heap-0" in lines
        assert "/dev/md/heap-1" in lines
        assert f"UUID={made.filesystem_uuid} /srv/heap ext4" in lines
        with pytest.raises(DiskRefused, match="is mounted at /srv/heap"):
            await scene.undo(built.build_id)
        await ask(helper, Unmount(named))
        with pytest.raises(DiskRefused, match="was written to"):
            await scene.undo(built.build_id)
        shell(
            lab, "wipefs --all --quiet /dev/heap/data; vgchange -qq --activate n heap; vgchange -qq --activate y heap"
        )
        with pytest.raises(DiskRefused, match="does not read as it did"):
            await scene.undo(built.build_id)
        shell(lab, f"vgremove -qq -f -y heap; {_STOP}")
        await ask(helper, ForgetBuild(built.build_id))

    _run(lab, test)
    shell(lab, _CLEAR)
    shell(lab, _FILL)
    assert shell(lab, _SUMS) != before  # a new file system has another UUID


def test_a_killed_build_is_undone_to_the_byte(lab: Lab) -> None:
    """As it joins the arrays; `make joined-check` kills it at the other commands."""
    verify_undone_after_a_kill(lab, "systemd-run *vgcreate*")


@contextlib.contextmanager
def helper_killed_at(lab: Lab, at: str) -> Iterator[None]:
    """Have the helper killed at its first command ``at``, a program and a pattern of sh."""
    program, _, words = at.partition(" ")
    place = shell(lab, f"command -v {program}").strip()
    gate = _KILL.format(words=words)
    shell(lab, f"mv {place} {place}.real; cat > {place} <<'END'\n{gate}END\nchmod 755 {place}")
    try:
        yield
    finally:
        shell(lab, f"mv {place}.real {place}; systemctl reset-failed raidwright-helper; udevadm settle")


def verify_undone_after_a_kill(lab: Lab, at: str) -> None:
    """Assert that a build whose helper is killed at the command ``at`` is undone."""
    before = shell(lab, _SUMS)

    async def killed(scene: _Scene) -> None:
        with pytest.raises(RaidwrightError):
            await scene.build()

    async def undone(scene: _Scene) -> None:
        [record] = [found for found in await ask(scene.machine.helper, ListBuilds()) if found.has_way_back]
        assert record.state is BuildState.INTERRUPTED
        await scene.undo(record.id)

    with helper_killed_at(lab, at):
        _run(lab, killed)
    _run(lab, undone)
    assert shell(lab, _SUMS) == before
    assert not shell(lab, "vgs --noheadings").strip()


def test_it_is_stopped_and_started_as_one(lab: Lab) -> None:
    before = shell(lab, _SUMS)

    async def test(scene: _Scene) -> None:
        helper, machine = scene.machine.helper, scene.machine
        built = await scene.build()
        named = Named(built.uuid, "heap")
        shell(lab, "udevadm settle")
        volume = await _volume(machine, running=True)
        assert (volume.named, volume.word, volume.size_bytes) == (named, "joined", built.array_sectors * 512)
        first, *_ = volume.bands
        with pytest.raises(DiskRefused, match="Stop the whole volume instead: raidwright array stop heap"):
            await ask(helper, StopArray(first.named))
        with pytest.raises(DiskRefused, match="Take the whole volume apart instead: raidwright array dismantle heap"):
            await ask(helper, DismantleArray(first.named, first.members))
        await ask(helper, MakeFileSystem(named, FileSystemKind.EXT4))
        await ask(helper, Mount(named, "/srv/heap"))
        shell(lab, "echo kept > /srv/heap/file; sync")
        with pytest.raises(DiskRefused, match="is mounted at /srv/heap; unmount it first"):
            await ask(helper, StopArray(named))
        await ask(helper, Unmount(named))
        await StopArray(named).perform(machine)
        shell(lab, _NOTHING_RUNS)
        stopped = await _volume(machine, running=False)
        assert (stopped.named, stopped.state) == (named, "stopped")
        started = await start_of(stopped).perform(machine)
        assert started.device == shell(lab, "readlink -f /dev/heap/data").strip()
        assert (await _volume(machine, running=True)).bands
        shell(lab, "vgchange -qq --activate n heap")
        idle = await _volume(machine, running=False)
        assert all(band.running for band in idle.bands)
        with pytest.raises(InputError, match="its volume isn't active"):
            judged_plan(idle, machine.snapshot)
        await start_of(idle).perform(machine)
        await ask(helper, Mount(named, "/srv/heap"))
        assert shell(lab, "cat /srv/heap/file").strip() == "kept"
        await ask(helper, Unmount(named))
        await _is_taken_apart_and_brought_back(scene, named)
        assert shell(lab, "mount -o ro /dev/heap/data /mnt; cat /mnt/file; umount /mnt").strip() == "kept"
        shell(lab, f"wipefs --all --quiet /dev/heap/data; vgremove -qq -f -y heap; {_STOP}")
        await ask(helper, ForgetBuild(built.build_id))

    _run(lab, test)
    shell(lab, _CLEAR)
    shell(lab, _FILL)
    assert shell(lab, _SUMS) != before  # a new file system has another UUID


async def _is_taken_apart_and_brought_back(scene: _Scene, named: Named) -> None:
    helper, machine = scene.machine.helper, scene.machine
    volume = await _volume(machine, running=True)
    slices = leaves(volume, machine.snapshot)
    with pytest.raises(DiskRefused, match="holds ext4; what was given up is nothing"):
        await ask(helper, DismantleArray(named, slices))
    with pytest.raises(DiskRefused, match="others than those that were confirmed"):
        await ask(helper, DismantleArray(named, slices[1:], ("ext4",)))
    done = await DismantleArray(named, slices, ("ext4",)).perform(machine)
    assert not any(array.running for array in machine.snapshot.arrays)
    undone = await ask(helper, Undo(done.build_id))  # LVM doesn't activate a group twice by itself
    assert undone.volume_active
    assert (await _volume(machine, running=True)).named == named


async def _volume(machine: Machine, *, running: bool) -> Volume:
    """Wait for the volume, seen as one array."""
    async with asyncio.timeout(60):
        while True:
            for array in with_volumes(machine.snapshot.arrays):
                if array.name == "heap" and isinstance(array, Volume) and array.running == running:
                    return array
            await asyncio.sleep(0.1)
