"""Remnants in the free room of a volume's disk: saved before a growth wipes them, and put back by the undo."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from raidwright.core.errors import DiskRefused, RaidwrightError
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.lab.machine import Lab
from raidwright.operations.builds import Undo
from raidwright.operations.changing import ChangeArray

from tests.kit.asking import ask
from tests.kit.joined_volume import READ

from .test_joined_build import helper_killed_at
from .test_joined_growth import machine_of_four
from .test_joined_replace import Scene, interrupted, run_on

pytestmark = pytest.mark.lab
# Every MiB behind the last partition begins with a file system's superblock.
_REMNANTS = """disk=$(readlink -f {disk}); truncate -s 1M /run/one; mkfs.ext4 -q -F -b 1024 /run/one
at=$(sfdisk --dump $disk | sed -n 's/.*start= *\\([0-9]*\\), size= *\\([0-9]*\\).*/\\1 \\2/p' | tail -1)
at=$(( (${at% *} + ${at#* }) / 2048 )); last=$(( $(blockdev --getsz $disk) / 2048 - 3 )); echo $at $last
while [ $at -le $last ]; do
dd if=/run/one of=$disk bs=1M seek=$at conv=notrunc status=none; at=$((at + 1)); done; sync"""
_ROOM = """disk=$(readlink -f {disk}); sync; blockdev --flushbufs $disk
dd if=$disk bs=1M skip={first} count=$(({last} - {first})) status=none | sha256sum"""


@pytest.fixture
def lab() -> Iterator[Lab]:
    with machine_of_four() as machine:
        yield machine


async def _wish(scene: Scene) -> VolumeGrowth:
    return VolumeGrowth((await scene.plugged("NEWA"),), 5)


def test_what_the_free_room_of_a_disk_in_use_held_comes_back(lab: Lab) -> None:
    room = look = ""

    async def build(scene: Scene) -> None:
        nonlocal room, look
        await scene.build()
        disk = max(scene.machine.snapshot.disks, key=lambda one: one.size_bytes)
        where = f"/dev/disk/by-id/{disk.as_member().id}"
        first, last = (await scene.shell(_REMNANTS.replace("{disk}", where))).split()
        look = _ROOM.replace("{disk}", where).replace("{first}", first).replace("{last}", last)
        room = await scene.shell(look)

    async def cut_off(scene: Scene) -> None:
        await scene.plug("NEWA", 160)
        with pytest.raises(RaidwrightError):
            await ask(scene.machine.helper, ChangeArray(scene.named, await _wish(scene)))

    async def undone(scene: Scene) -> None:
        assert await scene.shell(look) != room
        [record] = await interrupted(scene)
        await ask(scene.machine.helper, Undo(record))
        assert await scene.shell(look) == room

    async def goes_on(scene: Scene) -> None:
        with pytest.raises(DiskRefused, match="holds something: ext4") as refused:
            await ask(scene.machine.helper, ChangeArray(scene.named, await _wish(scene)))
        erase = re.search(r"wipefs --all /dev/sd\w+", refused.value.sentence)
        assert erase
        await scene.shell(f"{erase[0]}; udevadm settle")
        await ask(scene.machine.helper, ChangeArray(scene.named, await _wish(scene)))
        assert not await interrupted(scene)
        assert await scene.shell(READ) == scene.checksum

    scene = run_on(lab, build)
    with helper_killed_at(lab, "mdadm *--create*"):
        run_on(lab, cut_off, scene)
    run_on(lab, undone, scene)
    run_on(lab, goes_on, scene)
