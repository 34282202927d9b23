"""A practice machine's disks as a plan names them."""

from __future__ import annotations

import asyncio

from raidwright.core.model.plan import Member
from raidwright.lab.machine import Lab
from raidwright.machine.machine import Machine


def members_of(lab: Lab) -> tuple[Member, ...]:
    """Every disk, once all are seen."""

    async def look() -> tuple[Member, ...]:
        async with Machine.connect(lab.bus_address("admin")) as seen:
            async with asyncio.timeout(60):
                while len(seen.snapshot.disks) < len(lab.disks()):
                    await asyncio.sleep(0.05)
            return tuple(disk.as_member() for disk in seen.snapshot.disks)

    return asyncio.run(look())
