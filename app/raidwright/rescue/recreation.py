"""The plan that makes an array's superblocks anew over its data, once they are lost.

It states everything that mdadm could choose otherwise (data offset, component size), since defaults differ between
versions; ``mdadm(8)``, ``--data-offset``.
"""

from __future__ import annotations

from dataclasses import replace

from raidwright.core.md.capacity import Capacity
from raidwright.core.model.plan import Bitmap, MdArray, Metadata


def plan_to_recreate(plan: MdArray, capacity: Capacity) -> MdArray | None:
    """Return ``plan`` without mdadm defaults, writing only superblocks; flags can be set later.

    None if mdadm can't express it (members with different data offsets), or if part of the array is unknown: a guess
    would overwrite the data to be recovered.
    """
    if plan.is_guessed:
        return None
    offsets = set(capacity.data_offset_sectors[: len(plan.members)]) - {None}
    if len(offsets) > 1:
        return None
    inner = iter(capacity.inner)
    members = [
        plan_to_recreate(one, next(inner)) if isinstance(one, MdArray) else one and one.flagged(())
        for one in plan.members
    ]
    if any(new is None and old is not None for new, old in zip(members, plan.members, strict=True)):
        return None
    has_offset = plan.metadata in (Metadata.V1_1, Metadata.V1_2)
    return replace(
        plan,
        members=tuple(members),
        spares=(),
        journal=None,
        consistency=None,
        bitmap=Bitmap.NONE,
        assume_clean=True,
        component_size_kib=capacity.component_size_kib or None,
        data_offset_kib=(next(iter(offsets), 0) or 0) // 2 or None if has_offset else None,
    )
