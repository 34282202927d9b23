"""Later changes that a layer allows, each with its reason."""

from __future__ import annotations

from raidwright.core.lvm.possibilities import volume_possibilities
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.reshape.changes import possibilities as array_possibilities
from raidwright.core.md.reshape.possibility import Possibility
from raidwright.core.model.plan import Layer, MdArray


def possibilities(layer: Layer, capacity: Capacity | None = None) -> tuple[Possibility, ...]:
    """List every change that could or couldn't be made to the built layer, each with its reason."""
    return array_possibilities(layer, capacity) if isinstance(layer, MdArray) else volume_possibilities()
