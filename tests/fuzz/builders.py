"""Administrators with valid plans during the attack; only their plans may be carried out."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.core.system.filesystem import FileSystemKind
from raidwright.lab.machine import Lab
from raidwright.machine.helper.client import Helper
from raidwright.machine.machine import Machine
from raidwright.machine.values import Named
from raidwright.operations.builds import CreateArray, StopScratch
from raidwright.operations.measuring import RunWorkload
from raidwright.operations.operation import Request
from raidwright.operations.system import Configuration, MakeFileSystem, Mount, PreviewConfiguration

from tests.kit.asking import ask

LASTING = "made something lasting of a scratch array"
_COMPONENT_KIB = 512 * 1024
_SHAPES = ((Level.RAID1, 2), (Level.RAID0, 3), (Level.RAID10, 4))


async def build_and_leave(lab: Lab, free: tuple[Member, ...], random: Random, done: Counter[str]) -> None:
    """One visit: a scratch array is made, perhaps measured, perhaps cancelled, then stopped or left behind."""
    level, count = random.choice(_SHAPES)
    plan = Plan(
        MdArray(
            level,
            tuple(random.sample(free, count)),
            name=f"tank{random.randrange(10**6)}",
            component_size_kib=None if level is Level.RAID0 else _COMPONENT_KIB,  # which has no resync to keep short
            chunk_kib=None if level is Level.RAID1 else 64,
            assume_clean=level is not Level.RAID0,
        )
    )
    async with Machine.connect(lab.bus_address("admin")) as machine:
        helper = machine.helper
        building = asyncio.create_task(ask(helper, CreateArray(plan, plan.name, scratch=True)))
        try:
            if random.random() < 0.2:
                await asyncio.sleep(random.random())
                building.cancel()
            built = await building
            done["built"] += 1
            if random.random() < 0.4:
                target = f"md:{built.uuid}"
                await ask(helper, RunWorkload(target, "random_write_4k", 1, region_mib=16))
                done["measured"] += 1
            if random.random() < 0.4:
                await _verify_nothing_lasts(helper, Named(built.uuid, plan.name), done)
            if random.random() < 0.5:
                await ask(helper, StopScratch(built.uuid))
                done["stopped"] += 1
            else:
                done["left to be taken away"] += 1
        except RaidwrightError as error:
            done[f"refused: {error.code}"] += 1
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) and task.cancelling():
                raise
            done["cancelled"] += 1
        finally:
            building.cancel()
            await asyncio.gather(building, return_exceptions=True)


async def _verify_nothing_lasts(helper: Helper, scratch: Named, done: Counter[str]) -> None:
    """Count what is made of a scratch array though it goes with its owner (``LASTING``)."""
    lasting: list[Request[Any]] = [
        MakeFileSystem(scratch, FileSystemKind.EXT4),
        Mount(scratch, "/srv/fuzz"),
        PreviewConfiguration(scratch, Configuration()),
    ]
    for act in lasting:
        try:
            await ask(helper, act)
            done[LASTING] += 1
        except RaidwrightError as error:
            done[f"of a scratch array refused: {error.code}"] += 1


@contextlib.contextmanager
def swapped_links(lab: Lab, confirmed: Member, canary_node: str) -> Iterator[None]:
    """Swap the confirmed disk's by-id link to the canary and back, a few times a second, until the end."""
    link, stop = f"/dev/disk/by-id/{confirmed.id}", "/run/fuzz-stop"
    script = (
        f"right=$(readlink {link}); rm -f {stop};"
        f"(while [ ! -e {stop} ]; do ln -sfn ../..{canary_node.removeprefix('/dev')} {link}; sleep 0.2;"
        f' ln -sfn "$right" {link}; sleep 0.8; done; touch {stop}.done) >/dev/null 2>&1 </dev/null &'
    )
    lab.exec(["sh", "-c", script])
    try:
        yield
    finally:
        lab.exec(["sh", "-c", f"touch {stop}; while [ ! -e {stop}.done ]; do sleep 0.1; done; rm {stop}*"])
