"""How much of a target a workload goes over."""

from __future__ import annotations

from raidwright.machine.values import Snapshot

_MIB = 2**20
# What is written to a practice machine's disks takes room on this computer, so that a little of them is enough.
PRACTICE_MIB = 512


def region_mib(snapshot: Snapshot, target: str, *, is_practice: bool) -> int | None:
    """MiB from the target's beginning; None for all of it, unless it is a practice machine's."""
    if not is_practice:
        return None
    sizes = {f"md:{array.uuid}": array.size_bytes for array in snapshot.arrays}
    sizes |= {disk.id: disk.size_bytes for disk in snapshot.disks}
    size_mib = sizes.get(target, 0) // _MIB
    return min(PRACTICE_MIB, size_mib) if size_mib else PRACTICE_MIB
