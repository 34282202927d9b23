"""A joined volume checked as one, and a disk of it failed, pulled and taken back as one."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from raidwright.cli import main
from raidwright.core.errors import DiskRefused, InputError
from raidwright.core.protocol.facts import CameBack
from raidwright.lab.machine import Lab
from raidwright.machine.states.volume import Volume
from raidwright.machine.values import Former
from raidwright.operations.members import FailMember, ReAddMember

from tests.kit.asking import ask

from .test_joined_growth import machine_of_four
from .test_joined_replace import Scene, run_on

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A machine of this module's own."""
    with machine_of_four() as machine:
        yield machine


def _call(lab: Lab, *words: str) -> Any:
    """Return what ``raidwright array …`` prints as JSON."""
    return _said(lab, "array", *words)


def _said(lab: Lab, *words: str) -> Any:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main((*words, "--json", "--machine", f"lab:{lab.name}")) == 0, out.getvalue()
    return json.loads(out.getvalue())


async def _ended(scene: Scene) -> None:
    await scene.shell("for md in /dev/md/heap-*; do mdadm --wait $md || :; done; udevadm settle")
    await scene.seen(lambda: scene.volume and scene.volume.sync_action == "idle")


def test_it_is_checked_failed_and_taken_back_as_one(lab: Lab) -> None:
    async def act(scene: Scene) -> None:
        await scene.build()
        tuned = await asyncio.to_thread(_said, lab, "tune", "heap", "--stripe-cache-size", "1024")
        assert {name: one["settings"]["stripe_cache_size"] for name, one in tuned["arrays"].items()} == {
            band.name: "1024" for band in scene.bands if band.level == "raid5"
        }
        refused = ("tune", "heap", "--read-ahead-kib", "1024", "--machine", f"lab:{lab.name}")
        assert await asyncio.to_thread(main, refused) == 2  # that is LVM's
        large = max(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes)
        with pytest.raises(DiskRefused, match="was never computed"):
            await ask(scene.machine.helper, FailMember(scene.named, large.as_member()))
        assert not any(place.has_failed for band in scene.bands for place in band.places)
        began = await asyncio.to_thread(_call, lab, "check", "heap")
        assert began["name"] == "heap"
        await _ended(scene)
        assert _states(await asyncio.to_thread(_call, lab, "checks")) == [("heap", "done", 0)]
        failed = await asyncio.to_thread(_call, lab, "fail", "heap", large.serial, "--yes-name", "heap")
        assert failed["missing"] == 1
        volume = await scene.seen(lambda: _with_failed(scene, 2))
        assert volume is not None
        assert [lack.last.member.serial for lack in volume.lacks if lack.last] == [large.serial]
        with pytest.raises(InputError, match="has failed already"):
            await ask(scene.machine.helper, FailMember(scene.named, large.as_member()))
        back = await asyncio.to_thread(_call, lab, "re-add", "heap", large.serial, "--yes-name", "heap")
        assert back["came_back"] == CameBack.CAUGHT_UP
        await scene.whole()
        await _is_pulled_and_plugged(scene)
        for disk in sorted(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes)[:1]:
            with pytest.raises(InputError, match="a failed one is removed first"):
                await ask(scene.machine.helper, ReAddMember(scene.named, disk.as_member()))

    run_on(lab, act)


async def _is_pulled_and_plugged(scene: Scene) -> None:
    """One that was only unplugged is known for what it was, once, and comes back with what it missed."""
    third = sorted(scene.machine.snapshot.disks, key=lambda disk: disk.size_bytes)[2]
    await scene.pull(third.serial)
    await scene.shell("dd if=/dev/urandom of=/srv/heap/more bs=1M count=8 status=none; sync")
    await asyncio.to_thread(scene.lab.plug_disk, third.serial)
    member = await scene.plugged(third.serial)
    await scene.shell("udevadm settle")
    await scene.machine.facts_seen()
    [former] = await scene.seen(lambda: _former(scene))
    assert (former.member.id, former.slot) == (member.id, None)
    await scene.seen(lambda: [one.way for one in _former(scene)] == [CameBack.CAUGHT_UP])
    changed = await ask(scene.machine.helper, ReAddMember(scene.named, member))
    assert changed.came_back is CameBack.CAUGHT_UP
    await scene.whole()
    assert not _former(scene)


def _former(scene: Scene) -> tuple[Former, ...]:
    return scene.volume.former if scene.volume else ()


def _states(checks: list[dict[str, Any]]) -> list[tuple[str, str, int]]:
    return [(check["name"], check["state"], check["mismatch_sectors"]) for check in checks]


def _with_failed(scene: Scene, bands: int) -> Volume | None:
    """Return the volume once the disk has failed in so many arrays."""
    failed = [band for band in scene.bands if any(place.has_failed for place in band.places)]
    return scene.volume if len(failed) == bands else None
