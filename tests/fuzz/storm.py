"""The attack: callers, builders, swapped links and disks, all at once, observed from outside."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from random import Random

from raidwright.lab.machine import Role

from . import outside
from .builders import LASTING, build_and_leave, swapped_links
from .caller import Caller, Gone, Tally
from .messages import Attacks
from .scene import Scene, swap_a_disk

ORDINARY, ADMINISTRATOR = 1001, 1000  # the lab's bob and alice
_CALLERS = 6  # of each role
_VISIT_CALLS = 400
_IN_FLIGHT, _FLOOD = 8, 120
_LOOK_SECONDS = 5.0
_BUILD_PAUSE_SECONDS = 6.0
_GONE_SECONDS = 150.0  # what was in the way of the first tries is tried again every minute
_FIRST_BUILD_SECONDS = 60.0


@dataclass(slots=True)
class Seen:
    """Outcome of a storm: calls by role, valid builds, samples of the helper's process, and every fault."""

    tallies: dict[Role, Tally] = field(default_factory=dict)
    builds: Counter[str] = field(default_factory=Counter)
    looks: list[tuple[int, outside.Process]] = field(default_factory=list)  # calls so far, process
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(tally.calls for tally in self.tallies.values())


async def ordinary_users(scene: Scene, calls: int, seed: int) -> Seen:
    """Attack as users without rights only: nothing at all may have changed afterwards."""
    seen = Seen({"user": Tally()})
    async with _watched(scene, seen):
        await _crowd(scene, seen, "user", calls, seed)
    nodes = scene.sealed_nodes | scene.free_nodes
    seen.faults += _broken(scene.before, outside.seals(scene.lab, nodes))
    if outside.arrays(scene.lab) != scene.arrays:
        seen.faults.append("there are other arrays than before")
    return seen


async def everybody(scene: Scene, calls: int, seed: int) -> Seen:
    """Attack as everybody: only the disks of valid plans may have been written to, and must be empty again."""
    seen = Seen({"user": Tally(), "admin": Tally()})
    swapped, canary = scene.targets.free[0], scene.targets.canaries[0]
    async with _watched(scene, seen):
        with swapped_links(scene.lab, swapped, scene.nodes[canary.serial]):
            around = [
                asyncio.create_task(_build_on(scene, seen, seed + 1)),
                asyncio.create_task(_build_on(scene, seen, seed + 2)),
                asyncio.create_task(_swap_disks(scene)),
            ]
            await asyncio.gather(
                _crowd(scene, seen, "user", calls // 2, seed), _crowd(scene, seen, "admin", calls - calls // 2, seed)
            )
            await _until_built(seen)
            for task in around:
                task.cancel()
            ended = await asyncio.gather(*around, return_exceptions=True)
            seen.faults += [f"broke off: {end!r}" for end in ended if isinstance(end, Exception)]
    seen.faults += await _left_behind(scene)
    seen.faults += _broken(scene.before, outside.seals(scene.lab, scene.sealed_nodes))
    if seen.builds[LASTING]:
        seen.faults.append(LASTING)
    if not seen.builds["built"]:
        seen.faults.append("no honest plan was built")
    return seen


async def _until_built(seen: Seen) -> None:
    """A short storm may be over before the first honest plan is built."""
    until = time.monotonic() + _FIRST_BUILD_SECONDS
    while not seen.builds["built"] and time.monotonic() < until:
        await asyncio.sleep(0.2)


def _broken(before: dict[str, outside.Seal], after: dict[str, outside.Seal]) -> list[str]:
    return [
        f"the disk {serial} was written to: {before[serial]} {seal}"
        for serial, seal in after.items()
        if before[serial] != seal
    ]


async def _left_behind(scene: Scene) -> list[str]:
    """Faults, if scratch arrays or signatures are still there long after everybody has left."""
    nodes = scene.free_nodes.values()
    until = time.monotonic() + _GONE_SECONDS
    while time.monotonic() < until:
        left = [*(set(outside.arrays(scene.lab)) - set(scene.arrays)), outside.signatures(scene.lab, nodes)]
        if not any(left):
            return []
        await asyncio.sleep(0.5)
    stories = [line for line in outside.records(scene.lab)[1] if " stays: " in line]
    return [f"left behind: {left}; the helper said {stories[-8:]}"]


@contextlib.asynccontextmanager
async def _watched(scene: Scene, seen: Seen) -> AsyncIterator[None]:
    began = time.monotonic()

    async def look() -> None:
        while True:
            seen.looks.append((seen.calls, await asyncio.to_thread(outside.helper_process, scene.lab)))
            await asyncio.sleep(_LOOK_SECONDS)

    looking = asyncio.create_task(look())
    try:
        yield
    finally:
        seen.seconds = time.monotonic() - began
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        seen.looks.append((seen.calls, outside.helper_process(scene.lab)))


async def _crowd(scene: Scene, seen: Seen, role: Role, calls: int, seed: int) -> None:
    tally = seen.tallies[role]
    booked = 0

    async def visits(number: int) -> None:
        nonlocal booked
        random = Random(f"{seed} {role} {number}")  # noqa: S311  (to be repeatable)
        attacks = Attacks(random.getrandbits(64), scene.targets)
        while booked < calls:
            most = min(calls - booked, random.randint(1, _VISIT_CALLS))
            booked += most
            made = await _visit(scene.lab.bus_address(role), role, tally, attacks, random, most)
            booked -= most - made

    await asyncio.gather(*(visits(number) for number in range(_CALLERS)))
    seen.faults += tally.faults


async def _visit(address: str, role: Role, tally: Tally, attacks: Attacks, random: Random, most: int) -> int:
    """One connection: steady, or a flood; it stays for its answers, or just hangs up. How many calls it made."""
    made = 0
    flood, vanishes = random.random() < 0.1, random.random() < 0.3
    caller = Caller(tally, is_privileged=role == "admin")
    async with caller.connected(address):
        try:
            while made < most:
                made += 1
                await caller.send(attacks.next(), most_in_flight=_FLOOD if flood else _IN_FLIGHT)
            if not vanishes:
                await caller.finish()
        except Gone:
            tally.answers["(thrown out by the bus)", "connections"] += 1
        caller.leave()
    return made


async def _build_on(scene: Scene, seen: Seen, seed: int) -> None:
    random = Random(seed)  # noqa: S311  (to be repeatable)
    while True:
        await build_and_leave(scene.lab, scene.targets.free, random, seen.builds)
        await asyncio.sleep(_BUILD_PAUSE_SECONDS * random.random())


async def _swap_disks(scene: Scene) -> None:
    for number in range(8):
        await swap_a_disk(scene, number)
        await asyncio.sleep(10)
