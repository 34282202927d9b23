"""Entries for mdadm.conf of a running array."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

from raidwright.core.system.array_lines import ArrayEntry

from . import md
from .host import Host


async def entries_of(host: Host, number: int) -> AsyncIterator[ArrayEntry]:
    """Yield the mdadm.conf entries of the array and its inner arrays, the innermost first.

    An array without a name (0.90) is entered by its minor number, which its superblock prefers.
    """
    for slave in host.slaves(number):
        if host.attribute(slave, "md/level"):
            async for entry in entries_of(host, slave):
                yield entry
    if not (host.block_dir(number) / "md").exists():
        return  # a joined volume, which has no line of its own
    array = await md.read_array(host, number)
    yield ArrayEntry(
        array.name if array.full_name else str(os.minor(number)),
        array.metadata,
        array.uuid,
        full_name=array.full_name,
        super_minor=os.minor(number),
        nodes=tuple(map(host.node, host.slaves(number))),
        level=host.attribute(number, "md/level"),
        links=tuple(tuple(f"/dev/{link}" for link in host.udev(slave).links) for slave in host.slaves(number)),
        slots=int(host.attribute(number, "md/raid_disks").partition(" ")[0] or 0),
    )
