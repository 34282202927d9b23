"""A member may only be failed if its data can be rebuilt: parity never computed, and bad blocks of other members."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Plan
from raidwright.core.protocol.facts import CheckState, ParityState
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array, Named
from raidwright.operations.arrays import ListChecks, StartCheck
from raidwright.operations.builds import CreateArray
from raidwright.operations.disks import ExamineSignatures, all_of
from raidwright.operations.members import FailMember, RemoveMember, ReplaceMember
from raidwright.operations.system import MakeFileSystem, Mount

from tests.kit.asking import ask

from .arrays_whole import CLEAN, FAST, Scene, run

pytestmark = pytest.mark.lab
_FILES = 300
_WRITE = f"""cd /srv/tank; for file in $(seq {_FILES}); do
dd if=/dev/urandom of=$file bs=4k count=1 conv=fsync status=none; done; md5sum $(seq {_FILES}) > /run/sums"""
_SAME = "umount /srv/tank; mount /dev/md/tank /srv/tank; (cd /srv/tank && md5sum --quiet --check /run/sums)"
_OLD_BYTES = "for disk in a b c d; do dd if=/dev/urandom of=/dev/sd$disk bs=1M seek=120 count=80; done 2>&1; sync"


@pytest.fixture(autouse=True)
def _clean(lab: Lab) -> Iterator[None]:
    lab.exec(["sh", "-c", FAST])
    yield
    lab.exec(["sh", "-c", f"cd /; umount -q /srv/tank; {CLEAN}; rmdir --ignore-fail-on-non-empty /srv/tank; true"])


async def build(scene: Scene, plan: Plan) -> Named:
    """Build the array over any content."""
    found = await ask(scene.helper, ExamineSignatures(tuple(disk.id for disk in plan.disks())))
    built = await ask(scene.helper, CreateArray(plan, "tank", wipe=all_of(found)))
    scene.uuid, scene.node = built.uuid, built.device
    return Named(built.uuid, "tank")


async def check(scene: Scene, tank: Named) -> int:
    """Run a check; return the number of differing sectors."""
    await ask(scene.helper, StartCheck(tank))
    await scene.whole()
    done = next(one for one in await ask(scene.helper, ListChecks()) if one.uuid == tank.uuid)
    assert done.state is CheckState.DONE
    return done.mismatch_sectors


async def seen(lab: Lab, uuid: str) -> Array:
    """Return the array as the window and the command line know it."""
    async with Machine.connect(lab.bus_address("admin")) as machine:
        await machine.facts_seen()
        async with asyncio.timeout(60):
            while not (found := [one for one in machine.snapshot.arrays if one.uuid == uuid and one.facts]):
                await asyncio.sleep(0.1)
        return found[0]


def test_files_come_back_right_or_no_member_fails(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 300 files written after such a build 37 once came back wrong (raid5 updates the old parity)."""

    async def test(scene: Scene) -> None:
        scene.sh(_OLD_BYTES)
        second = scene.members[1]
        plan = Plan(
            MdArray(Level.RAID5, scene.members, "tank", None, 64, component_size_kib=64 * 1024, assume_clean=True)
        )
        tank = await build(scene, plan)
        await ask(scene.helper, MakeFileSystem(tank, FileSystemKind.EXT4))
        await ask(scene.helper, Mount(tank, "/srv/tank"))
        scene.sh(_WRITE)
        await scene.refused(scene.fail(second), "parity-never")
        facts = (await seen(lab, tank.uuid)).facts
        assert facts
        assert facts.parity is ParityState.NEVER
        words = ["array", "fail", "tank", second.serial, "--yes-name", "tank", "--machine", f"lab:{lab.name}"]
        capsys.readouterr()
        assert await asyncio.to_thread(main, words) == 2
        assert capsys.readouterr().err.count("was never computed") == 2  # ahead of the name, and as the refusal
        assert await check(scene, tank) > 0
        await scene.refused(scene.fail(second), "parity-differs")
        scene.sh(f"echo repair > /sys/block/{Path(scene.node).name}/md/sync_action")
        await scene.whole()
        assert await check(scene, tank) == 0
        assert await scene.fail(second) == 1
        assert not scene.sh(_SAME)

    run(lab, test)


def test_what_one_disk_alone_can_give_is_copied_from_it_first(lab: Lab) -> None:
    async def test(scene: Scene) -> None:
        a, b, c, _ = scene.members
        tank = await build(
            scene, Plan(MdArray(Level.RAID1, (a, b), "tank", bitmap=Bitmap.NONE, component_size_kib=256 * 1024))
        )
        await scene.whole()
        md = f"/sys/block/{Path(scene.node).name}/md"
        sector = 93_856
        bad = sector + int(scene.sh(f"cat {md}/dev-sdb/offset"))
        read = f"dd if={scene.node} bs=512 skip={sector} count=8 iflag=direct status=none | head -c 4"
        scene.sh(f"yes GOOD | tr -d '\\n' | head -c 32768 | dd of={scene.node} bs=512 seek={sector} oflag=direct "
                 "iflag=fullblock status=none")  # fmt: skip
        scene.sh(f"echo '{bad} 64' > {md}/dev-sdb/bad_blocks")
        assert scene.sh(read) == "GOOD"
        with pytest.raises(DiskRefused, match="sdb can't be read") as caught:
            await ask(scene.helper, FailMember(tank, a))
        assert caught.value.code == "disk-bad-blocks"
        facts = (await seen(lab, tank.uuid)).facts
        assert facts
        assert facts.bad_sectors == (("sdb", 64),)
        await ask(scene.helper, ReplaceMember(tank, a, c))
        async with asyncio.timeout(120):
            while scene.md("dev-sdc/state") != "in_sync" or scene.md("sync_action") != "idle":
                await asyncio.sleep(0.1)
        await ask(scene.helper, RemoveMember(tank, a))
        assert scene.sh(read) == "GOOD"
        assert not scene.sh(f"cat {md}/dev-sdc/bad_blocks")
        await scene.refused(scene.fail(c), "disk-bad-blocks")
        assert await scene.fail(b) == 1  # the other member has its data, too
        assert scene.sh(read) == "GOOD"

    run(lab, test)
