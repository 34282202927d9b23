"""A joined volume grows by a disk while it is mounted: arrays widen, one is made above, and all above follows."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.layers.capacity import capacity_of
from raidwright.lab.machine import Lab, LabSpec, start
from raidwright.lab.shelf import disks_from_text
from raidwright.machine.machine import Machine
from raidwright.operations.system import Configuration, PreviewConfiguration, WriteConfiguration

from tests.kit.asking import ask
from tests.kit.joined_volume import READ, shell
from tests.kit.plans import volume_of

from .test_joined_replace import Scene, run_on

pytestmark = [pytest.mark.lab, pytest.mark.each_kernel]


@contextlib.contextmanager
def machine_of_four(disks: str = "2x64MB+96MB+160MB") -> Iterator[Lab]:
    """Run a machine whose disks come and go."""
    with start(LabSpec(disks_from_text(disks, at_memory_speed=True))) as machine:
        shell(machine, "echo 500000 > /proc/sys/dev/raid/speed_limit_min")
        yield machine


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own."""
    with machine_of_four() as machine:
        yield machine


def call(lab: Lab, *words: str, code: int = 0, act: str = "change") -> Any:
    """Return what ``raidwright array … heap`` prints as JSON; its last line on stderr if it fails by ``code``."""
    out, err = io.StringIO(), io.StringIO()
    meant = ("array", act, "heap", *words, "--yes-name", "heap", "--json", "--machine", f"lab:{lab.name}")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(meant)
    assert status == code, (words, status, err.getvalue()[-2000:], out.getvalue()[-500:])
    return json.loads(out.getvalue()) if out.getvalue() else err.getvalue().splitlines()[-1]


async def grown(scene: Scene, *words: str) -> Any:
    """Grow the volume, and compare it with its dry run, its plan, LVM, the file and the copies and parity."""
    shown = await asyncio.to_thread(call, scene.lab, *words, "--dry-run")
    told = list[bool]()
    unwatch = scene.machine.watch(lambda _: told.append(bool(scene.volume and scene.volume.is_growth_cut_off)))
    changed = (await asyncio.to_thread(call, scene.lab, *words))["changed"]
    unwatch()
    assert told
    assert not any(told)  # between two steps nothing was cut off
    assert changed["array_sectors"] == shown["after"]["array_sectors"]
    await verify(scene, changed["array_sectors"])
    return shown


async def verify(scene: Scene, sectors: int) -> None:
    """Compare the volume of ``sectors`` with its plan, LVM's extents, its file system, its file, copies and parity."""
    await scene.shell("for md in /dev/md/heap-*; do mdadm --wait $md || :; done; udevadm settle")
    await scene.seen(lambda: scene.volume and scene.volume.size_bytes == sectors * 512)
    await scene.seen(lambda: scene.volume and not scene.volume.lacks and scene.volume.sync_action == "idle")
    await scene.machine.facts_seen()
    await scene.seen(lambda: _is_sayable(scene))
    plan = scene.judged()
    assert capacity_of(plan.top).array_sectors == sectors
    table = [line.split() for line in (await scene.shell("dmsetup table /dev/heap/data")).splitlines()]
    ends = [(int(words[1]), int(words[4])) for words in table]
    if pieces := volume_of(plan).pieces:
        assert ends == [(piece.sectors, piece.start_sector) for piece in pieces]
    else:
        capacity = capacity_of(plan.top)
        assert ends == list(zip(capacity.member_sectors, capacity.data_offset_sectors, strict=True))
    assert (await scene.shell("vgs --noheadings -o vg_free_count heap")).strip() == "0"
    assert int(await scene.shell("df --output=size --block-size=512 /srv/heap | tail -1")) > 0.85 * sectors
    assert await scene.shell(READ) == scene.checksum
    await scene.shell(
        "for md in /sys/block/md*/md; do echo check > $md/sync_action; done; sync;"
        "for md in /dev/md/heap-*; do mdadm --wait $md || :; done; ! grep -vx 0 /sys/block/md*/md/mismatch_cnt"
    )


async def _is_known_without_a_backup(scene: Scene) -> None:
    """As on a computer that the disks were moved to: device-mapper tells the pieces, and the way is none."""
    plan = scene.judged()
    assert volume_of(plan).pieces
    await scene.shell("mv /etc/lvm/backup/heap /run/kept.backup; udevadm trigger --settle /dev/heap/data")
    await scene.machine.facts_seen()
    async with Machine.connect(scene.lab.bus_address("admin")) as anew:
        here, scene.machine = scene.machine, anew
        await scene.seen(lambda: scene.volume)
        await anew.facts_seen()
        assert scene.judged() == plan
        scene.machine = here
    await scene.shell("mv /run/kept.backup /etc/lvm/backup/heap")


async def _set_up(scene: Scene) -> None:
    """Have mdadm.conf name the volume's arrays, one of them by words that won't be true of it after the growth."""
    shown = await ask(scene.machine.helper, PreviewConfiguration(scene.named, Configuration()))
    await ask(scene.machine.helper, WriteConfiguration(scene.named, Configuration(), shown.token))
    await scene.shell("sed -i 's|^ARRAY /dev/md/heap-1|& level=raid1 num-devices=2|' /etc/mdadm/mdadm.conf")
    assert await _lines(scene) == ["/dev/md/heap-0", "/dev/md/heap-1"]


async def _lines(scene: Scene) -> list[str]:
    """Return the arrays that mdadm.conf names, each of which mdadm finds by its line."""
    lines = (await scene.shell("grep ^ARRAY /etc/mdadm/mdadm.conf || :")).splitlines()
    if len(lines) > 2:
        assert not any("level=" in line or "num-devices=" in line for line in lines), lines
    return sorted(line.split()[1] for line in lines)


def _is_sayable(scene: Scene) -> bool:
    return scene.volume is not None and not any(band.facts is None or band.facts.reshapes for band in scene.bands)


def levels(scene: Scene) -> list[str]:
    return [f"{band.level}×{len(band.members)}" for band in scene.judged().top.inner]


def test_it_grows_by_a_disk_that_is_looked_at_as_any(lab: Lab) -> None:
    async def act(scene: Scene) -> None:
        await scene.build()
        assert levels(scene) == ["raid5×4", "raid1×2"]
        first = scene.judged()
        new = await scene.plug("NEWA", 160, "mkfs.ext4 -q -F $disk")
        await _set_up(scene)
        assert "holds something: ext4" in await asyncio.to_thread(call, lab, "--add", "NEWA", code=2)
        shown = await grown(scene, "--add", "NEWA", "--remove", "ext4")
        assert levels(scene) == ["raid5×5", "raid5×3", "raid1×2"]
        commands = [command for step in shown["steps"] for command in step["command"]]
        assert "sfdisk --append" in " ".join(commands)
        assert commands[-1] == "resize2fs /dev/heap/data"
        assert [member.id for member in scene.judged().disks()][:4] == [member.id for member in first.disks()][:4]
        assert new.id in {member.disk for member in scene.judged().disks()}
        tables = await scene.shell("ls /var/lib/raidwright/tables; cat /var/lib/raidwright/tables/*")
        assert "label: gpt" in tables
        assert "type=A19D880F" in tables
        assert await _lines(scene) == [f"/dev/md/heap-{place}" for place in range(3)]
        await _is_known_without_a_backup(scene)

    run_on(lab, act)
