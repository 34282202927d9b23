"""The rule by which a single array keeps its data (md(4); ``raid1.c``, ``raid5.c``, ``raid10.c _enough``)."""

from __future__ import annotations

from collections.abc import Collection

from raidwright.core.model.plan import MdArray

from .layouts import Level, copy_windows


def array_survives(plan: MdArray, failed_slots: Collection[int]) -> bool:
    """True if a single array survives the loss of the members in ``failed_slots``, whatever those members are."""
    failed = set(failed_slots)
    if plan.level is Level.RAID10:
        return not any(window <= failed for window in copy_windows(plan.copies, len(plan.members)))
    if plan.level is Level.RAID1:
        return len(failed) < len(plan.members)
    return len(failed) <= plan.level.parity_disks
