"""A layer as an md array, for whoever asks what only arrays have."""

from __future__ import annotations

from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Layer, MdArray


def as_array(layer: Layer) -> MdArray:
    """Return the layer itself if it is an array; of a volume the linear array over its arrays, without any option."""
    return layer if isinstance(layer, MdArray) else MdArray(Level.LINEAR, layer.arrays, layer.name)
