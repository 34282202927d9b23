"""The disks of a layer in the order of its slots, and where the data begin on each."""

from __future__ import annotations

from collections.abc import Iterator

from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.capacity import Capacity
from raidwright.core.model.plan import Layer, LinearVolume, MdArray, Member


def leaves(layer: Layer) -> Iterator[tuple[str, Member | None]]:
    """Yield every column of the stage: its slot's name (``1``, or ``0·1`` inside a nested array) and its disk.

    A joined plan's columns are its whole disks, in order.
    """
    if isinstance(layer, LinearVolume):
        yield from ((str(place), disk) for place, disk in enumerate(whole_disks(layer)))
        return
    for slot, member in enumerate(layer.members):
        if isinstance(member, MdArray):
            yield from ((f"{slot}·{inner}", disk) for inner, disk in leaves(member))
        else:
            yield str(slot), member


def head_sectors(array: MdArray, capacity: Capacity) -> list[int]:
    """Return the data offset of every leaf; in a nested array the inner one's, on the disk."""
    inner = iter(capacity.inner)
    heads: list[int] = []
    for member, offset in zip(array.members, capacity.data_offset_sectors, strict=False):
        if isinstance(member, MdArray):
            heads += head_sectors(member, next(inner))
        else:
            heads.append(offset or 0)
    return heads
