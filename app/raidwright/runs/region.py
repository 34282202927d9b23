"""Region of a target that a workload covers."""

from __future__ import annotations

from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.values import Snapshot

_MIB = 2**20
# Writes to a practice machine's disks take space on this computer, so the region is small.
PRACTICE_MIB = 512


def region_mib(snapshot: Snapshot, target: str, *, is_practice: bool) -> int | None:
    """Return the region in MiB from the target's start; None for the whole target, except on a practice machine."""
    if not is_practice:
        return None
    sizes = {f"md:{array.uuid}": array.size_bytes for array in with_volumes(snapshot.arrays)}
    sizes |= {disk.id: disk.size_bytes for disk in snapshot.disks}
    size_mib = sizes.get(target, 0) // _MIB
    return min(PRACTICE_MIB, size_mib) if size_mib else PRACTICE_MIB
