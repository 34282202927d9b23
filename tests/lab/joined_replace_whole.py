"""A joined volume's disk replaced while it works, and after cuts: under `make joined-check`."""

from __future__ import annotations

import asyncio

import pytest
from raidwright.core.errors import DiskRefused, InputError, RaidwrightError
from raidwright.core.protocol.facts import CameBack
from raidwright.core.protocol.results import Joined
from raidwright.lab.machine import Lab
from raidwright.operations.arrays import StartCheck
from raidwright.operations.builds import Undo
from raidwright.operations.members import AddMember, FailMember, ReAddMember, RemoveMember, ReplaceMember
from raidwright.operations.system import Unmount

from tests.kit.asking import ask

from .test_joined_build import helper_killed_at
from .test_joined_growth import machine_of_four
from .test_joined_replace import Scene, interrupted, lab, run_on

__all__ = ["lab"]
pytestmark = pytest.mark.lab


def test_each_disk_fails_and_leaves_in_turn_and_comes_back() -> None:
    """It misses what is written meanwhile; afterwards the file, the copies and the parity are right."""

    async def act(scene: Scene) -> None:
        await scene.build()
        await ask(scene.machine.helper, StartCheck(scene.named))  # it was built with --assume-clean
        await scene.shell("for md in /dev/md/heap-*; do mdadm --wait $md || :; done")
        for disk in sorted(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes):
            await scene.seen(lambda: scene.volume and scene.volume.sync_action == "idle")
            await ask(scene.machine.helper, FailMember(scene.named, disk.as_member()))
            await _comes_back(scene, disk.serial)
            await scene.pull(disk.serial)
            await scene.shell("udevadm settle")
            await asyncio.to_thread(scene.lab.plug_disk, disk.serial)
            await _comes_back(scene, disk.serial)

    with machine_of_four() as lab:
        run_on(lab, act)


async def _comes_back(scene: Scene, serial: str) -> None:
    """Write something, and take the disk back with what it has missed."""
    await scene.seen(lambda: scene.volume and scene.volume.lacks)
    await scene.shell("dd if=/dev/urandom of=/srv/heap/more bs=1M count=8 conv=fsync status=none; udevadm settle")
    changed = await ask(scene.machine.helper, ReAddMember(scene.named, await scene.plugged(serial)))
    assert changed.came_back is CameBack.CAUGHT_UP
    await scene.whole()


def test_a_disk_is_replaced_while_it_works_and_after_cuts(lab: Lab) -> None:
    async def built(scene: Scene) -> None:
        await scene.build()
        third = sorted(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes)[2]
        await scene.pull(third.serial)
        assert await scene.join(await scene.plug("NEWB", 128)) is Joined.REBUILDS
        await scene.whole()

    scene = run_on(lab, built)

    async def copied(scene: Scene) -> None:
        """A disk that failed in one array and works in the other is replaced while it serves."""
        old = next(disk.as_member() for disk in scene.machine.snapshot.disks if disk.serial == "NEWB")
        new = await scene.plug("NEWC", 200)
        with pytest.raises(DiskRefused, match="Give the whole volume the disk instead: raidwright array replace heap"):
            await ask(scene.machine.helper, AddMember(scene.bands[0].named, new))
        await scene.shell(f"mdadm --quiet /dev/md/heap-1 --fail /dev/disk/by-id/{old.id}-part2")
        with pytest.raises(InputError, match="still works in"):
            await ask(scene.machine.helper, RemoveMember(scene.named, old))
        joined = await ask(scene.machine.helper, ReplaceMember(scene.named, old, new))
        assert joined.joined is Joined.TAKES_OVER
        await scene.whole()
        changed = await ask(scene.machine.helper, RemoveMember(scene.named, old))
        assert changed.missing == 0
        await scene.seen(lambda: all(old.id != one.disk for band in scene.bands for one in band.members))

    run_on(lab, copied, scene)
    _goes_on_after_a_kill(lab, scene)
    _is_undone_or_done_again(lab, scene)


def _goes_on_after_a_kill(lab: Lab, scene: Scene) -> None:
    """Between two slices: the disk is in one array, and the next act gives the other its slice."""

    async def killed(scene: Scene) -> None:
        await scene.pull("NEWC")
        new = await scene.plug("NEWD", 128)
        with pytest.raises(RaidwrightError):
            await scene.join(new)

    async def goes_on(scene: Scene) -> None:
        assert not await interrupted(scene)
        assert [bool(band.lacks) for band in scene.bands][1]
        await scene.join(await scene.plugged("NEWD"))
        await scene.whole()

    with helper_killed_at(lab, "mdadm *--add*2"):
        run_on(lab, killed, scene)
    run_on(lab, goes_on, scene)


def _is_undone_or_done_again(lab: Lab, scene: Scene) -> None:
    """Before the first slice is in its array: the old bytes come back, or the same act goes on without being asked."""
    before = [""]

    async def killed(scene: Scene) -> None:
        if not before[0]:
            await scene.pull("NEWD")
            await scene.plug("NEWE", 128, "yes kept | head -c 100M > $disk; mkfs.ext4 -q -F $disk")
            before[0] = await scene.sum("NEWE")
        with pytest.raises(RaidwrightError):
            await scene.join(await scene.plugged("NEWE"), "ext4")

    async def undone(scene: Scene) -> None:
        [record] = await interrupted(scene)
        await ask(scene.machine.helper, Undo(record))
        assert await scene.sum("NEWE") == before[0]

    async def goes_on(scene: Scene) -> None:
        [_] = await interrupted(scene)
        await scene.join(await scene.plugged("NEWE"))
        await scene.whole()
        assert not await interrupted(scene)
        await ask(scene.machine.helper, Unmount(scene.named))

    for after in (undone, goes_on):
        with helper_killed_at(lab, "mdadm *--add*1"):
            run_on(lab, killed, scene)
        run_on(lab, after, scene)
