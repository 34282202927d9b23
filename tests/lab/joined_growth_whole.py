"""A joined volume grows twice by a disk and by a larger one in the smallest one's place, and after cuts: long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from raidwright.core.errors import RaidwrightError
from raidwright.core.lvm.values import VolumeGrowth
from raidwright.core.protocol.results import ArrayChanged
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.operations.builds import Undo
from raidwright.operations.changing import ChangeArray

from tests.kit.asking import ask
from tests.kit.joined_volume import READ

from .power_cuts import RESHAPE, CutGrowth
from .test_joined_build import helper_killed_at
from .test_joined_growth import call, grown, levels, machine_of_four, verify
from .test_joined_replace import Scene, interrupted, run_on

pytestmark = pytest.mark.lab
_CUTS = (  # a program and a pattern of its words, in their order, at which the helper is killed
    "mdadm *--add*1",
    "sfdisk *--append*",
    "partx *--add*",
    "mdadm *--add*2",
    "mdadm *--grow*--raid-devices=5",
    "systemd-run *pvresize*",
    "mdadm *--grow*--level=raid5",
    "mdadm *--grow*--raid-devices=3",
    "mdadm *--create*",
    "systemd-run *pvcreate*",
    "systemd-run *vgextend*",
    "systemd-run *lvextend*",
    "systemd-run *resize2fs*",
)
_SPEED = "for limit in min max; do echo {kib_per_s} > /proc/sys/dev/raid/speed_limit_$limit; done"


@pytest.fixture
def lab() -> Iterator[Lab]:
    """A machine of each test's own."""
    with machine_of_four() as machine:
        yield machine


def replaced(lab: Lab, *words: str) -> None:
    """Replace a disk of the volume by the command line, and wait for md."""
    call(lab, *words, act="replace")


def test_it_grows_by_a_disk_twice_and_by_a_larger_one(lab: Lab) -> None:
    async def act(scene: Scene) -> None:
        await scene.build()
        tiny = await scene.plug("TINY", 5)
        shown = await asyncio.to_thread(call, lab, "--add", tiny.serial, "--dry-run", code=2)
        assert "TINY adds nothing" in shown["reasons"][0]
        refused = await asyncio.to_thread(call, lab, "--level", "raid6", code=2)
        assert "doesn't do this with a joined volume yet" in refused
        await scene.plug("NEWA", 91)
        await grown(scene, "--add", "NEWA")
        assert levels(scene) == ["raid5×5", "raid5×3"]
        again = await asyncio.to_thread(call, lab, "--add", "NEWA")
        assert (again["steps"], again["changed"]) == ([], None)
        await scene.plug("NEWB", 152)
        await _is_refused_for_a_partition_of_somebody(scene)
        await grown(scene, "--add", "NEWB")
        assert levels(scene) == ["raid5×6", "raid5×4", "raid1×2"]
        whole = [disk for disk in scene.machine.snapshot.disks if disk.serial != tiny.serial]
        smallest = min(whole, key=lambda disk: disk.size_bytes)
        await scene.plug("NEWC", 200)
        words = ("--disk", smallest.serial, "--with", "NEWC")
        await asyncio.to_thread(replaced, lab, *words)
        assert levels(scene) == ["raid5×6", "raid5×4", "raid1×2"]
        await grown(scene, "--use-larger-disks")
        assert levels(scene) == ["raid5×6", "raid5×5", "raid5×3"]

    run_on(lab, act)


@pytest.mark.parametrize("kind", [FileSystemKind.XFS, FileSystemKind.BTRFS])
def test_other_file_systems_grow_mounted_as_well(kind: FileSystemKind) -> None:
    async def act(scene: Scene) -> None:
        await scene.build(kind)
        await scene.plug("NEWA", 600)
        shown = await grown(scene, "--add", "NEWA")
        assert "/srv/heap" in shown["steps"][-1]["command"][0]

    with machine_of_four("2x300MB+400MB+600MB") as lab:
        run_on(lab, act)


def test_any_two_may_fail_meanwhile_and_a_mirror_of_three_stays() -> None:
    async def act(scene: Scene) -> None:
        await scene.build(tolerance=2)
        assert levels(scene) == ["raid6×5", "raid1×3"]
        await scene.plug("NEWA", 152)
        shown = await grown(scene, "--add", "NEWA")
        assert "Another copy would add no space" in shown["left_out"][0]
        assert shown["survives_meanwhile"] == 2
        assert levels(scene) == ["raid6×6", "raid1×3"]

    with machine_of_four("2x64MB+3x160MB") as lab:
        run_on(lab, act)


async def _is_refused_for_a_partition_of_somebody(scene: Scene) -> None:
    """On the room of a disk in use, by its place or by what it holds; nothing is written, to the new disk neither."""
    [large] = [disk for disk in scene.machine.snapshot.disks if disk.size_bytes > 150e6 and disk.serial != "NEWB"]
    disk, new = f"/dev/disk/by-id/{large.id}", (await scene.plugged("NEWB")).id
    quiet = "--no-reread --no-tell-kernel --quiet"
    add = f"echo 'size=20MiB' | sfdisk --append {quiet} {disk}; partx --add --nr 3:3 {disk}; udevadm settle"
    await scene.shell(add)
    refused = await asyncio.to_thread(call, scene.lab, "--add", "NEWB", code=2)
    assert "isn't where the slice would be" in refused
    assert not await scene.shell(f"wipefs --noheadings /dev/disk/by-id/{new}")
    await scene.shell(f"sfdisk --delete {quiet} {disk} 3; partx --delete --nr 3:3 {disk}; udevadm settle")


def test_the_helper_is_killed_at_each_command_and_the_same_request_continues(lab: Lab) -> None:
    async def killed(scene: Scene) -> None:
        await scene.shell("udevadm settle")
        with pytest.raises(RaidwrightError) as caught:
            await _request(scene)
        assert caught.value.code == "vanished", caught.value
        assert await scene.shell(READ) == scene.checksum

    scene = run_on(lab, _built)
    for at in _CUTS:
        with helper_killed_at(lab, at):
            run_on(lab, killed, scene)
    run_on(lab, _continues, scene)


def test_the_helper_is_killed_while_md_reshapes(lab: Lab) -> None:
    async def killed(scene: Scene) -> None:
        await scene.shell(_SPEED.format(kib_per_s=200))
        asked = asyncio.create_task(_request(scene))
        await scene.shell("until grep -q reshape /proc/mdstat; do sleep 0.2; done;"
                          "systemctl kill --signal=KILL --kill-who=main raidwright-helper")  # fmt: skip
        with pytest.raises(RaidwrightError) as caught:
            await asked
        assert caught.value.code == "vanished", caught.value
        await scene.shell("grep -q reshape /proc/mdstat")
        await scene.shell(_SPEED.format(kib_per_s=500000))

    scene = run_on(lab, _built)
    run_on(lab, killed, scene)
    run_on(lab, _continues, scene)


def test_an_interrupted_growth_is_undone_until_its_first_slice_has_joined(lab: Lab) -> None:
    """Then the disk holds what it held; afterwards nothing is left to undo, and the growth goes on."""
    before = [""]

    async def killed(scene: Scene) -> None:
        if not before[0]:
            await scene.build()
            await scene.plug("NEWA", 160, "yes kept | head -c 100M > $disk; mkfs.ext4 -q -F $disk")
            before[0] = await scene.sum("NEWA")
        wish = VolumeGrowth((await scene.plugged("NEWA"),), 5)
        asked = ChangeArray(scene.named, wish, {wish.add[0].id: ("ext4",)})
        with pytest.raises(RaidwrightError):
            await ask(scene.machine.helper, asked)

    async def undone(scene: Scene) -> None:
        [record] = await interrupted(scene)
        await ask(scene.machine.helper, Undo(record))
        assert await scene.sum("NEWA") == before[0]
        assert levels(scene) == ["raid5×4", "raid1×2"]

    async def goes_on(scene: Scene) -> None:
        assert not await interrupted(scene)
        await scene.seen(lambda: scene.volume and scene.volume.is_growth_cut_off)
        await asyncio.to_thread(call, scene.lab, "--go-on")
        volume = await scene.seen(lambda: scene.volume and not scene.volume.is_growth_cut_off and scene.volume)
        assert volume
        await verify(scene, volume.size_bytes // 512)
        assert levels(scene) == ["raid5×5", "raid5×3", "raid1×2"]

    scene: Scene | None = None
    for at, then in (("mdadm *--add*1", undone), ("mdadm *--add*2", goes_on)):
        with helper_killed_at(lab, at):
            scene = run_on(lab, killed, scene)
        run_on(lab, then, scene)


@pytest.mark.parametrize("at", [RESHAPE, *_CUTS])
def test_the_power_is_cut_at_each_command_and_the_growth_goes_on(tmp_path: Path, at: str) -> None:
    with CutGrowth(tmp_path) as growth:
        growth.cut_at(at)
        growth.finish()


async def _built(scene: Scene) -> None:
    await scene.build()
    await scene.plug("NEWA", 160)


async def _request(scene: Scene) -> ArrayChanged:
    wish = VolumeGrowth((await scene.plugged("NEWA"),), 5)
    return await ask(scene.machine.helper, ChangeArray(scene.named, wish))


async def _continues(scene: Scene) -> None:
    changed = (await asyncio.to_thread(call, scene.lab, "--add", "NEWA"))["changed"]
    await verify(scene, changed["array_sectors"])
    assert levels(scene) == ["raid5×5", "raid5×3", "raid1×2"]
    assert not await interrupted(scene)
