"""Members that UDisks2 has listed, and hasn't announced yet: UDisks2 2.11 does up to seconds after their array."""

from __future__ import annotations

from collections.abc import Iterable

from .values import Array


def has_late_members(arrays: Iterable[Array]) -> bool:
    """Return whether a running array has a working member whose block device UDisks2 hasn't announced.

    A member whose disk is gone has no device, and never will.
    """
    whole = (array for array in arrays if array.running and not (array.facts and array.facts.vanished))
    return any(place.works and not place.device for array in whole for place in array.places)
