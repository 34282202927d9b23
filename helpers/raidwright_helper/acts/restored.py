"""Arrays whose dismantling was undone: running again, with the joined volume on them active.

Up to mdadm 4.3 udev starts them as their members' content changes. Since then its rules give md a member only as its
device is added, so the helper gives them itself where udev hasn't soon.
"""

from __future__ import annotations

import asyncio
import time

from raidwright.core.errors import JobFailed
from raidwright.core.md.mdadm import inner_name
from raidwright.core.protocol.facts import BuildStep

from raidwright_helper.host import lvm, md
from raidwright_helper.host.host import Host
from raidwright_helper.records.build import Build

from .volumes import activate_over

_ARRAYS_SECONDS, _LOOK_SECONDS = 90.0, 0.2  # udev's own work on a busy computer
_UDEV_SECONDS = 3.0
_MIN_ARRAYS = 2


async def start_restored(host: Host, build: Build, log: list[str]) -> bool:
    """Have the arrays run that an undone dismantling had stopped; return whether a volume on them is active.

    Where they don't run in time, the members are restored all the same.
    """
    taken_apart = build.last(BuildStep.DISMANTLE)
    uuids = taken_apart.fields.get("uuids", ()) if taken_apart else ()
    paths = [md.uuid_path(uuid) for uuid in uuids]
    if not await _run(host, build, paths):
        return False
    is_of_slices = all(saved.member.partition is not None for saved in build.members)
    return len(paths) >= _MIN_ARRAYS and is_of_slices and await _activate_volume(host, build, paths, log)


async def _run(host: Host, build: Build, paths: list[str]) -> bool:
    """Wait until the arrays of these paths run, and give md their members where udev doesn't."""
    began, given, is_given = time.monotonic(), set[str](), False
    while missing := [path for path in paths if host.number_of(path) is None]:
        waited_s = time.monotonic() - began
        if waited_s > _ARRAYS_SECONDS:
            return False
        if waited_s > _UDEV_SECONDS:
            if not is_given and not await _give(host, build):
                return False  # mdadm.conf keeps it from starting arrays by itself
            is_given = True
            for path in {*paths} - {*missing, *given}:  # an inner array is a member, too
                given.add(path)
                await md.give(path)
        await asyncio.sleep(_LOOK_SECONDS)
    return bool(paths)


async def _give(host: Host, build: Build) -> bool:
    """Give md all members, also of an array that ran without some, and return whether it has taken any."""
    nodes = [f"/dev/disk/by-id/{saved.member.id}" for saved in build.members]
    for node in nodes:
        await md.give(node)
    numbers = [number for node in nodes if (number := host.number_of(node)) is not None]
    return any(map(host.holders, numbers))


async def _activate_volume(host: Host, build: Build, paths: list[str], log: list[str]) -> bool:
    try:
        arrays = [await md.read_array(host, number) for path in paths if (number := host.number_of(path)) is not None]
        lowest = next((array for array in arrays if array.name == inner_name(build.name, 0)), None)
        if lowest is None or not await activate_over(host, lowest, log):
            return False
    except JobFailed as error:  # the undo is done; Start says what is wrong
        log.append(f"# {error.sentence}")
        return False
    return lvm.volume_over(host, build.name, lowest.number) is not None
