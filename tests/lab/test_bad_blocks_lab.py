"""A member's list of bad blocks and a disk that is to join, on Debian 12's, 13's and testing's own kernel and mdadm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from raidwright.core.errors import DiskRefused
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, MdArray, Member, Plan
from raidwright.core.protocol.results import Joined
from raidwright.lab.image import Generation
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.values import Named
from raidwright.operations.arrays import StartArray, StopArray
from raidwright.operations.builds import CreateArray
from raidwright.operations.changing import ChangeArray
from raidwright.operations.members import AddMember, FailMember, ReplaceMember

from tests.kit.asking import ask

from .arrays_whole import CLEAN, FAST, Scene, run

pytestmark = pytest.mark.lab
_PART_KIB = 8 * 1024
_SHAPES = {
    "raid1": Plan(MdArray(Level.RAID1, (None,) * 2)),
    "raid5": Plan(MdArray(Level.RAID5, (None,) * 3, chunk_kib=64)),
    "raid6": Plan(MdArray(Level.RAID6, (None,) * 4, chunk_kib=16)),
    "raid10-n2": Plan(MdArray(Level.RAID10, (None,) * 3, layout="n2", chunk_kib=16)),
    "raid10-f2": Plan(MdArray(Level.RAID10, (None,) * 3, layout="f2", chunk_kib=16)),
    "raid10-o2": Plan(MdArray(Level.RAID10, (None,) * 4, layout="o2", chunk_kib=16)),
}
_RANGES = ((2000, 8), (4000, 64), (8192, 200))  # where udev doesn't look for a file system
_SUM = "dd if={node} bs=64k iflag=direct status=none | sha256sum"


@pytest.fixture(scope="module")
def newer() -> Iterator[Lab]:
    with start(LabSpec(disks_from_text("5x200MB", at_memory_speed=True), Generation.TRIXIE)) as lab:
        lab.exec(["sh", "-c", FAST])
        yield lab


@pytest.fixture(autouse=True)
def _clean(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "newer" in request.fixturenames:
        request.getfixturevalue("newer").exec(["sh", "-c", CLEAN.replace("[a-d]", "[a-e]")])


async def _built(scene: Scene, shape: str) -> tuple[Named, Plan]:
    """Build the array, and fill it with noise."""
    plan = _SHAPES[shape]
    slots = len(plan.array.members)
    plan = plan.on(
        replace(
            plan.array, members=scene.members[:slots], name="tank", bitmap=Bitmap.NONE, component_size_kib=_PART_KIB
        )
    )
    built = await ask(scene.helper, CreateArray(plan, "tank"))
    scene.uuid, scene.node = built.uuid, built.device
    await scene.whole()
    scene.sh(f"dd if=/dev/urandom of={built.device} bs=64k oflag=direct status=none 2>/dev/null || true; sync")
    return Named(built.uuid, "tank"), plan


def _spoil(scene: Scene, member: str, ranges: tuple[tuple[int, int], ...]) -> None:
    """Write what is old to a member's sectors, and name them in its list, as after writes that failed."""
    md = f"/sys/block/{Path(scene.node).name}/md/dev-{member}"
    offset = int(scene.sh(f"cat {md}/offset"))
    for first, count in ranges:
        scene.sh(
            f"dd if=/dev/urandom of=/dev/{member} bs=512 seek={offset + first} count={count} oflag=direct "
            f"conv=notrunc status=none; echo {offset + first} {count} > {md}/bad_blocks"
        )
    # md writes its superblocks, with the list, when the array is written to.
    scene.sh(
        f"last=$(($(blockdev --getsz {scene.node}) / 8 - 1)); dd if={scene.node} of={scene.node} bs=4k count=1 "
        "skip=$last seek=$last iflag=direct oflag=direct conv=notrunc status=none"
    )


@pytest.mark.parametrize("shape", _SHAPES)
def test_a_disk_is_refused_before_it_is_wiped_and_joins_once_the_list_is_forgotten(newer: Lab, shape: str) -> None:
    async def test(scene: Scene) -> None:
        tank, plan = await _built(scene, shape)
        before, spare = scene.sh(_SUM.format(node=scene.node)), scene.members[len(plan.array.members)]
        disk = _kernel_name(scene, spare)
        scene.sh(f"dd if=/dev/urandom of=/dev/{disk} bs=1M count=1 oflag=direct status=none")
        mark = f"dd if=/dev/{disk} bs=1M count=1 iflag=direct status=none | sha256sum"
        held = scene.sh(mark)
        first = _kernel_name(scene, scene.members[0])
        _spoil(scene, first, _RANGES)
        if plan.array.level not in (
            Level.RAID5,
            Level.RAID6,
        ):  # which write what they read around the list, and shorten it
            assert scene.sh(_SUM.format(node=scene.node)) == before
        for act in (AddMember(tank, spare, ("unknown",)), ReplaceMember(tank, scene.members[1], spare, ("unknown",))):
            with pytest.raises(DiskRefused, match=f"272 sectors of {first}.*--forget-bad-blocks 272"):
                await ask(scene.helper, act)
        assert scene.sh(mark) == held
        await ask(scene.helper, StopArray(tank))
        with pytest.raises(DiskRefused, match=rf"have 272 sectors: {first} \d+\+8, \d+\+64, \d+\+200\."):
            await ask(scene.helper, StartArray(tank, forget_bad_blocks=0))
        await ask(scene.helper, StartArray(tank, forget_bad_blocks=272))
        assert scene.sh(_SUM.format(node=scene.node)) == before
        assert not scene.sh(f"cat /sys/block/{Path(scene.node).name}/md/dev-{first}/bad_blocks")
        if plan.array.level is not Level.RAID1:  # which reads one member alone
            scene.sh(f"echo check > /sys/block/{Path(scene.node).name}/md/sync_action")
            await scene.whole()
        assert scene.md("mismatch_cnt") == "0"
        joined = await ask(scene.helper, ReplaceMember(tank, scene.members[1], spare, ("unknown",)))
        assert joined.joined is Joined.TAKES_OVER
        await scene.whole()
        await ask(scene.helper, FailMember(tank, scene.members[-1 if plan.array.level is Level.RAID6 else 0]))
        assert scene.sh(_SUM.format(node=scene.node)) == before

    run(newer, test)


def test_growth_is_refused_before_the_disk_is_wiped_and_goes_once_the_list_is_forgotten(newer: Lab) -> None:
    async def test(scene: Scene) -> None:
        tank, _ = await _built(scene, "raid5")
        before, spare = scene.sh(_SUM.format(node=scene.node)), scene.members[3]
        length = scene.sh(f"blockdev --getsize64 {scene.node}")
        disk, first = _kernel_name(scene, spare), _kernel_name(scene, scene.members[0])
        scene.sh(f"mkfs.ext4 -q -F /dev/{disk}; udevadm settle")
        _spoil(scene, first, _RANGES)
        wish = ChangeWish(add=(spare,), level=Level.RAID5, slots=4)
        grow = ChangeArray(tank, wish, {spare.id: ("ext4",)})
        with pytest.raises(DiskRefused, match=f"272 sectors of {first}.*--forget-bad-blocks 272"):
            await ask(scene.helper, grow)
        assert "ext4" in scene.sh(f"wipefs --noheadings /dev/{disk}")
        await ask(scene.helper, StopArray(tank))
        await ask(scene.helper, StartArray(tank, forget_bad_blocks=272))
        await ask(scene.helper, grow)
        assert scene.md("raid_disks") == "4"
        assert scene.sh(f"head -c {length} {scene.node} | sha256sum") == before

    run(newer, test)


def test_a_list_of_another_member_than_the_first_is_no_obstacle(newer: Lab) -> None:
    async def test(scene: Scene) -> None:
        tank, _ = await _built(scene, "raid5")
        _spoil(scene, _kernel_name(scene, scene.members[1]), _RANGES)
        joined = await ask(scene.helper, AddMember(tank, scene.members[3]))
        assert joined.joined is Joined.SPARE

    run(newer, test)


def test_an_older_linux_takes_the_disk(lab: Lab) -> None:
    lab.exec(["sh", "-c", FAST])

    async def test(scene: Scene) -> None:
        tank, _ = await _built(scene, "raid5")
        _spoil(scene, _kernel_name(scene, scene.members[0]), _RANGES)
        joined = await ask(scene.helper, AddMember(tank, scene.members[3]))
        assert joined.joined is Joined.SPARE

    run(lab, test)
    lab.exec(["sh", "-c", CLEAN])


def _kernel_name(scene: Scene, member: Member) -> str:
    return scene.sh(f"lsblk -dno NAME,SERIAL | awk '$2 == \"{member.serial}\" {{ print $1 }}'")
