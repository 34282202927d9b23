"""Identity of a plan's layout on its disks: plans of equal likeness make arrays of equal speed."""

from __future__ import annotations

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Layer, LinearVolume, MdArray


def likeness(layer: Layer) -> tuple[object, ...]:
    """Return a key shared by layers of the same level, layout, chunk and bitmap on the same disks in the same slots.

    Name, size, metadata, spares, first sync, and what is known or assumed of each disk don't count.
    """
    if isinstance(layer, LinearVolume):
        return tuple(map(likeness, layer.arrays))
    members = tuple(
        likeness(member) if isinstance(member, MdArray) else (member.id if member else None) for member in layer.members
    )
    return layer.level, layer.effective_layout, layer.effective_chunk_kib, layer.bitmap, members


def shape(layer: Layer) -> tuple[object, ...]:
    """Return a layer's identity as a candidate, which doesn't depend on its name, chunk and bitmap."""
    if not isinstance(layer, MdArray):
        return (frozenset(map(shape, layer.arrays)),)
    members = frozenset(
        shape(member) if isinstance(member, MdArray) else (member.id if member else None) for member in layer.members
    )
    boots = layer.metadata if layer.level is Level.RAID1 else None
    return layer.level, layer.effective_layout, members, frozenset(spare.id for spare in layer.spares), boots
