"""Disks of which several members are slices, so that the members fail together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raidwright.core.md.survival import survival_of
from raidwright.core.model.plan import Layer, MdArray, Member


def lost_with_one(layer: Layer, unit_of: Callable[[Member], str]) -> tuple[str, ...]:
    """Return the disks that lose an array alone, though it would survive the loss of any one member.

    ``unit_of`` is the disk that a member lies on. Each array of a volume is looked at by itself.
    """
    arrays = (layer,) if isinstance(layer, MdArray) else layer.arrays
    return tuple(dict.fromkeys(unit for array in arrays for unit in _lost_with_one(array, unit_of)))


def _lost_with_one(array: MdArray, unit_of: Callable[[Member], str]) -> tuple[str, ...]:
    if not survival_of(_placed(array, lambda member: member.id)).most():
        return ()
    placed = survival_of(_placed(array, unit_of))
    return tuple(unit for index, unit in enumerate(placed.units) if not placed.survives({index}))


def _placed(array: MdArray, unit_of: Callable[[Member], str]) -> MdArray:
    members = (
        _placed(one, unit_of) if isinstance(one, MdArray) else one and replace(one, disk=unit_of(one))
        for one in array.members
    )
    return replace(array, members=tuple(members))
