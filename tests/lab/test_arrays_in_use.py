"""Arrays that somebody uses unseen by a claim: each act that stops or writes to them names who, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.values import Named
from raidwright.operations.arrays import DismantleArray, StopArray
from raidwright.operations.builds import ListBuilds, Undo
from raidwright.operations.operation import Request
from raidwright.operations.system import MakeFileSystem, Mount

from tests.kit.asking import ask

from .arrays_whole import CLEAN, PART_KIB, Scene, run

pytestmark = pytest.mark.lab
_BACKGROUND = "</dev/null >/dev/null 2>&1 & echo $! >> /run/users; sleep 1"
_END = """[ -e /run/users ] && kill $(cat /run/users); rm -f /run/users; sleep 0.3; umount -q /mnt/loop /srv/tank
losetup --detach-all; [ -e /dev/vg ] && vgremove -qfy vg; udevadm settle; wipefs --all --quiet /dev/md/tank; true"""
_KEEPS = "setsid sh -c 'exec 3{mode}{node}; exec sleep 1000'" + _BACKGROUND
_WRITER = _KEEPS.format(mode="<>", node="/dev/md/tank")
_READER = _KEEPS.format(mode="<", node="/dev/md/tank")
_ELSEWHERE = f"""mkfs.ext4 -q -F /dev/md/tank; mkdir -p /mnt/apart
setsid unshare -m --propagation private sh -c 'mount /dev/md/tank /mnt/apart; exec sleep 1000' {_BACKGROUND}"""
_LOOP = """mkfs.ext4 -q -F /dev/md/tank; udevadm settle; modprobe loop; losetup /dev/loop3 /dev/md/tank
mkdir -p /mnt/loop; mount /dev/loop3 /mnt/loop"""
_VOLUME = """pvcreate -qff -y /dev/md/tank; vgcreate -q vg /dev/md/tank; lvcreate -q -y -n lv -l 1 vg
""" + _KEEPS.format(mode="<", node="/dev/vg/lv")


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    yield
    lab.exec(["sh", "-c", f"{_END}; {CLEAN}; rmdir --ignore-fail-on-non-empty /srv/tank /mnt/loop /mnt/apart; true"])


def test_whoever_uses_an_array_is_named_by_what_would_stop_or_overwrite_it(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        pair = scene.members[:2]
        await scene.build(
            level=Level.RAID1, members=pair, chunk_kib=None, bitmap=Bitmap.NONE, component_size_kib=2 * PART_KIB
        )
        tank = Named(scene.uuid, "tank")
        build = (await ask(scene.helper, ListBuilds()))[0].id
        stop, undo, erase = StopArray(tank), Undo(build), MakeFileSystem(tank, FileSystemKind.EXT4)
        apart, mount = DismantleArray(tank, pair), Mount(tank, "/srv/tank")
        with_files = DismantleArray(tank, pair, given_up=("ext4",))

        async def refused(setup: str, words: str, *acts: Request[Any]) -> None:
            scene.sh(setup)
            for act in acts:
                with pytest.raises(DiskRefused, match=words):
                    await ask(scene.helper, act)
            scene.sh(_END)
            assert scene.md("array_state") in ("clean", "active")

        await refused(_WRITER, r"open for writing by sleep \(process \d+\)", stop, undo, erase, apart)
        await refused(_READER, r"is open in sleep \(process \d+\)", stop, undo, apart)
        there = r"mounted at /mnt/apart in the mount namespace of process \d+ \(md\d+\); unmount it there"
        await refused(_ELSEWHERE, there, stop, erase, with_files)
        loop = r"mounted at /mnt/loop through loop3 .*; unmount it and remove loop3"
        await refused(_LOOP, loop, stop, erase, with_files, mount)
        await refused(_VOLUME, r"is open in sleep \(process \d+\) \(dm-0\)", stop)
        await ask(scene.helper, stop)

    run(lab, test)
