"""A member's list of bad blocks, and growth: on Debian 13, where no disk joins such an array before it is forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.values import Named
from raidwright.operations.arrays import StartArray, StopArray
from raidwright.operations.changing import ChangeArray
from raidwright.operations.system import Mount, Unmount

from tests.kit.asking import ask
from tests.kit.joined_volume import READ, shell

from .test_joined_replace import Scene, run_on

pytestmark = pytest.mark.lab
_SPOIL = """cd /sys/block/$(basename $(readlink -f /dev/md/heap-0))/md/dev-sda1; at=$(($(cat offset) + 2000))
echo "$at 8" > bad_blocks; sync; echo 3 > /proc/sys/vm/drop_caches
dd if=/dev/urandom of=/srv/heap/more bs=64k count=1 conv=fsync status=none; rm /srv/heap/more; sync; cat bad_blocks"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("2x64MB+96MB+160MB", at_memory_speed=True), Generation.TRIXIE)) as machine:
        shell(machine, "echo 500000 > /proc/sys/dev/raid/speed_limit_min")
        yield machine


def test_a_joined_volume_grows_once_the_list_of_its_array_is_forgotten(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        await scene.build()
        assert " 8" in await scene.shell(_SPOIL)
        new = await scene.plug("NEWA", 160, "mkfs.ext4 -q -F $disk")
        before = await scene.sum("NEWA")
        grow = ChangeArray(scene.named, VolumeGrowth((new,), 5), {new.id: ("ext4",)})
        with pytest.raises(DiskRefused, match=r"8 sectors of sda1.*array start heap-0 --forget-bad-blocks 8"):
            await ask(scene.machine.helper, grow)
        assert await scene.sum("NEWA") == before
        uuids = {band.name: band.uuid for band in scene.bands}
        await ask(scene.machine.helper, Unmount(scene.named))
        await ask(scene.machine.helper, StopArray(scene.named))
        await ask(scene.machine.helper, StartArray(Named(uuids["heap-0"], "heap-0"), forget_bad_blocks=8))
        await ask(scene.machine.helper, StartArray(Named(uuids["heap-1"], "heap-1")))
        await ask(scene.machine.helper, Mount(scene.named, "/srv/heap"))
        assert await scene.shell(READ) == scene.checksum
        await ask(scene.machine.helper, grow)
        assert await scene.shell(READ) == scene.checksum

    run_on(lab, test)
