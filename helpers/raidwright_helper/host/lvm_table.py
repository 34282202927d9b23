"""The pieces of joined volumes in device-mapper's own table, for groups of which LVM keeps no backup here.

``/etc/lvm/backup`` has no file of a group that another computer made, and none at all where lvm.conf switches that off.
The table is the kernel's, so it is always true of an active volume; reading it takes a program with the control
device, so the backup is read first. Sources: dmsetup(8), table; kernel
``Documentation/admin-guide/device-mapper/linear.rst`` and ``striped.rst``.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from raidwright.core.errors import DiskRefused, JobFailed
from raidwright.core.lvm.joined import LINEAR, UNTOLD
from raidwright.core.protocol.facts import ArrayFacts

from .arrays import PinnedArray
from .host import Host
from .lvm import joined_over, run_lvm
from .lvm_backup import Placed, placed_of

_LINEAR_WORDS = 5  # start, length, target, device, its first sector


async def with_pieces(host: Host, arrays: Sequence[ArrayFacts]) -> list[ArrayFacts]:
    """Return the facts with the kind of each array's joined volume, and its pieces in a linear one."""
    tables: dict[int, Mapping[int, Placed]] = {}
    told = []
    for facts in arrays:
        number = host.number_of(facts.device)
        joined = joined_over(host, number) if number is not None else None
        if number is None or joined is None:
            told.append(facts)
            continue
        placed = placed_of(host, number)
        if placed is None:
            if joined[0] not in tables:
                tables[joined[0]] = await _table_of(host, joined[0])
            placed = tables[joined[0]].get(number, Placed(UNTOLD))
        told.append(replace(facts, volume_kind=placed.kind, pieces=placed.pieces))
    return told


async def verify_linear(host: Host, volume: PinnedArray) -> None:
    """Raise DiskRefused unless device-mapper joins the volume's arrays one after the other."""
    kinds = {placed.kind for placed in (await _table_of(host, volume.array.number)).values()} or {UNTOLD}
    if kinds != {LINEAR}:
        raise DiskRefused(
            "The volume of {array} isn't linear ({kind}), so it isn't a joined volume as Raidwright makes one; it is "
            "left as it is.",
            code="array-kind",
            array=volume.label,
            kind=", ".join(sorted(kinds)),
        )


async def _table_of(host: Host, volume: int) -> Mapping[int, Placed]:
    """Return the part of each device in the volume, by device number; none where the table can't be read."""
    try:
        told = await run_lvm(("dmsetup", "table", host.attribute(volume, "dm/name")), [])
    except JobFailed:
        return {}
    return read_table(told, host.slaves(volume))


def read_table(told: str, devices: Sequence[int]) -> Mapping[int, Placed]:
    """Return the parts of ``devices`` in a table; of one that isn't linear throughout only its kind."""
    lines = [line.split() for line in told.splitlines() if line.strip()]
    if any(len(words) < _LINEAR_WORDS - 2 for words in lines):
        return {}
    other = next((words[2] for words in lines if words[2] != LINEAR or len(words) != _LINEAR_WORDS), None)
    if other is not None:
        return dict.fromkeys(devices, Placed(other if other != LINEAR else UNTOLD))
    found: defaultdict[int, list[int]] = defaultdict(list)
    for start, sectors, _, device, first in lines:
        major, _, minor = device.partition(":")
        if not all(word.isdecimal() for word in (start, sectors, major, minor, first)):
            return {}
        found[os.makedev(int(major), int(minor))] += [int(start), int(first), int(sectors)]
    return {number: Placed(LINEAR, tuple(found[number])) for number in devices if found[number]}
