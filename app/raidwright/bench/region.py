"""How much of a target a workload goes over."""

from __future__ import annotations

from ..machine.values import Snapshot

_MIB = 2**20
# A practice machine keeps all that is written to its disks in its memory: four copies of this have room in it.
PRACTICE_MIB = 512


def region_mib(snapshot: Snapshot, target: str, *, is_practice: bool) -> int | None:
    """MiB from the target's beginning; None for all of it, which a practice machine couldn't hold."""
    if not is_practice:
        return None
    sizes = {f"md:{array.uuid}": array.size_bytes for array in snapshot.arrays}
    sizes |= {disk.id: disk.size_bytes for disk in snapshot.disks}
    size_mib = sizes.get(target, 0) // _MIB
    return min(PRACTICE_MIB, size_mib) if size_mib else PRACTICE_MIB
