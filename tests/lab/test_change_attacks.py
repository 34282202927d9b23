"""Attacks on an array that is being changed, by the other verbs: each is refused with a sentence, or does no harm.

First while the helper's job runs, whose claims refuse them; then after the helper was killed, while md reshapes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from raidwright.core.errors import RaidwrightError
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.md.layouts import Level
from raidwright.machine.machine import Machine
from raidwright.machine.values import Array
from raidwright.operations.arrays import DismantleArray, StartCheck, StopArray
from raidwright.operations.builds import ListBuilds, Undo
from raidwright.operations.changing import ChangeArray
from raidwright.operations.members import AddMember, FailMember, RemoveMember, ReplaceMember
from raidwright.operations.operation import Operation

from .change_rig import PLACE, ChangeRig

pytestmark = pytest.mark.lab
_Result = TypeVar("_Result")
_WAITS = "still waiting"
_KILL = "systemctl kill --signal=KILL --kill-who=main raidwright-helper"
_PAUSED = "cd /sys/block/$(basename $(readlink -f /dev/md/tank))/md; echo 1 > sync_speed_min; echo 1 > sync_speed_max"
_RESUMED = _PAUSED.replace("echo 1 ", "echo 200000 ")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChangeRig]:
    with ChangeRig(tmp_path_factory.mktemp("store")) as made:
        yield made


def _run(test: Coroutine[Any, Any, _Result]) -> _Result:
    return asyncio.run(asyncio.wait_for(test, 600))


async def _attacks(machine: Machine, rig: ChangeRig) -> list[tuple[str, Operation[Any]]]:
    """Return the attacks on the array called tank, by name."""
    async with asyncio.timeout(120):
        while not (found := [array for array in machine.snapshot.arrays if array.name == "tank" and array.running]):
            await asyncio.sleep(0.1)
    array: Array = found[0]
    free = next(disk.as_member() for disk in machine.snapshot.disks if disk.serial == rig.serials()[4])
    ours = {disk.serial: disk.as_member() for disk in machine.snapshot.disks}
    members = tuple(ours[serial] for serial in rig.serials()[:4])
    [build] = [one for one in await ListBuilds().perform(machine) if one.uuid == array.uuid]
    other = ChangeWish(level=Level.RAID5, slots=4, chunk_kib=64)
    return [
        ("undo of the build", Undo(build.id)),
        ("another change", ChangeArray(array.named, other)),
        ("fewer members", ChangeArray(array.named, replace(other, chunk_kib=None, slots=3))),
        ("replace", ReplaceMember(array.named, members[0], free)),
        ("fail", FailMember(array.named, members[0])),
        ("remove", RemoveMember(array.named, members[3])),
        ("add", AddMember(array.named, free)),
        ("check", StartCheck(array.named)),
        ("stop", StopArray(array.named)),
        ("dismantle", DismantleArray(array.named, members, ("ext4",), with_lines=True)),
    ]


async def _refusals(rig: ChangeRig, limit_s: float) -> dict[str, str]:
    """Return each attack's refusal; "" for one that was let through, _WAITS for one that took ``limit_s``."""
    told = {}
    async with Machine.connect(rig.lab.bus_address("admin")) as machine:
        await machine.facts_seen()
        for name, attack in await _attacks(machine, rig):
            try:
                await asyncio.wait_for(attack.perform(machine), limit_s)
                told[name] = ""
            except RaidwrightError as error:
                told[name] = f"{type(error).__name__}: {error}"
            except TimeoutError:
                told[name] = _WAITS
    return told


def test_each_is_refused_while_the_change_runs_and_after_the_helper_was_killed(rig: ChangeRig, tmp_path: Path) -> None:
    rig.build(tmp_path, "raid5", 3, component_size_kib=65536, file_mib=3)
    words = ("--add", rig.serials()[3])
    with rig.changing(*words) as running:
        rig.until_reshape_at(1)
        rig.sh(_PAUSED)
        told = _run(_refusals(rig, 60))
        assert all(told.values()), told
        assert _WAITS not in told.values(), told
        rig.sh(_KILL)
        assert running.wait(60) == 1
    at = rig.reshape_position()
    assert at != "none"
    told = _run(_refusals(rig, 20))
    waits = {name for name, sentence in told.items() if sentence == _WAITS}
    assert waits <= {"another change", "fewer members"}, told  # queued behind the reshape, and called off by us
    assert all(told.values()), told
    assert rig.reshape_position() != "none", told
    rig.sh(f"grep -q ' {PLACE} ' /proc/mounts")
    rig.sh(_RESUMED)
    rig.change(*words)
    assert rig.shape()[:2] == ("raid5", 4)
    assert rig.sh("cat /sys/block/$(basename $(readlink -f /dev/md/tank))/md/chunk_size") == str(512 * 1024)
    rig.read_back()
