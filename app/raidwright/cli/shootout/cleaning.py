"""Leftovers of interrupted shoot-outs: the helper removes them when it starts, and reports the rest."""

from __future__ import annotations

import asyncio
import sys

from raidwright.cli.options.machine import connected
from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol.facts import ScratchRecord
from raidwright.machine.address import MachineAddress
from raidwright.machine.machine import Machine
from raidwright.operations.builds import ListScratch, StopScratch
from raidwright.text.catalogue import ntr, tr, translated

_LOOKS, _LOOK_SECONDS = 120, 0.5  # the helper itself retries open devices for half a minute


async def say_what_is_left(machine: Machine) -> None:
    """Print on stderr the scratch arrays that couldn't be removed."""
    for one in await ListScratch().perform(machine):
        if one.why_left:
            print(_left(one), file=sys.stderr)
            print(tr("“raidwright shootout --clean” tries once more."), file=sys.stderr)


async def clean(address: MachineAddress) -> int:
    """Stop every scratch array whose owner has left; return 1 if one stays."""
    stay = gone = 0
    async with connected(address) as machine:
        before = {one.uuid for one in await ListScratch().perform(machine)}
        for one in await _left_over(machine):
            if not one.why_left:
                print(tr("The scratch array {uuid} belongs to a program that runs.", uuid=one.uuid), file=sys.stderr)
                continue
            try:
                await StopScratch(one.uuid).perform(machine)
            except RaidwrightError as error:
                stay += 1
                print(tr("raidwright: {translated}", translated=translated(error.sentence)), file=sys.stderr)
        gone = len(before - {one.uuid for one in await ListScratch().perform(machine)})
    if gone:
        print(ntr("{count} scratch array was taken away.", "{count} scratch arrays were taken away.", gone))
    elif not stay:
        print(tr("Nothing is left of any shoot-out."))
    return 1 if stay else 0


async def _left_over(machine: Machine) -> tuple[ScratchRecord, ...]:
    """Return the remaining scratch arrays once the helper, perhaps just started, has removed what it could."""
    for _ in range(_LOOKS):
        standing = await ListScratch().perform(machine)
        if all(one.why_left for one in standing):
            break
        await asyncio.sleep(_LOOK_SECONDS)
    return standing


def _left(one: ScratchRecord) -> str:
    return tr(
        "The scratch array {uuid} on {disks} is left: {why}",
        uuid=one.uuid,
        disks=one.disks,
        why=translated(one.why_left),
    )
