"""Looks without a pause: every verb that an active user may call without a password, by several connections at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from random import Random

from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol.actions import Asked
from raidwright.core.protocol.verb import Verb
from raidwright.core.protocol.verbs import VERBS
from raidwright.machine.machine import Machine

LOOKS: tuple[Verb[object], ...] = tuple(
    verb for verb in VERBS if verb.actions and all(action.asked is Asked.NEVER for action in verb.actions)
)
_CONNECTIONS = 3
_AT_ONCE = 4
_SHAPE = {"level": "raid1", "slots": 2, "component_kib": 65536, "chunk_kib": 0, "begins_kib": 1024}


@contextlib.asynccontextmanager
async def flood(address: str, uuid: str, disks: tuple[str, ...], random: Random) -> AsyncIterator[list[str]]:
    """Look until the block is left; yields the names of what has answered so far."""
    answered = list[str]()
    async with contextlib.AsyncExitStack() as stack:
        machines = [await stack.enter_async_context(Machine.connect(address)) for _ in range(_CONNECTIONS)]
        seeds = [(machine, Random(random.random())) for machine in machines for _ in range(_AT_ONCE)]  # noqa: S311
        tasks = [asyncio.create_task(_look(machine, uuid, disks, own, answered)) for machine, own in seeds]
        try:
            yield answered
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        if faults := [one for one in ended if not isinstance(one, asyncio.CancelledError)]:
            raise AssertionError(faults)


async def _look(machine: Machine, uuid: str, disks: tuple[str, ...], random: Random, answered: list[str]) -> None:
    values = {"uuid": uuid, "array": uuid, "name": "tank", "disks": list(disks), "wake": False}
    values |= {"shape": _SHAPE, "orders": ["0 1"]}
    while True:
        verb = random.choice(LOOKS)
        with contextlib.suppress(RaidwrightError):
            await machine.helper.do(verb, *(values[argument.name] for argument in verb.takes))
            answered.append(verb.name)
        await asyncio.sleep(0.02)
