"""The failures that a layer survives, and the share of its data that others cost."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction

from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.survival import Survival, survival_of_all
from raidwright.core.md.survival import survival_of as survival_of_array
from raidwright.core.model.plan import Layer, MdArray

from .lost_data import lost_fraction as lost_of_array
from .lost_data import lost_in_turn


def survival_of(layer: Layer) -> Survival:
    """Return the layer's fault tolerance; raises InputError if slices couple too many arrays to count."""
    return survival_of_array(layer) if isinstance(layer, MdArray) else survival_of_all(layer.arrays)


def lost_fraction(layer: Layer, failed: AbstractSet[str]) -> Fraction:
    """Return the share of the layer's data that has no copy left without the ``failed`` units; 0 if it survives.

    Raises PlanRefused as ``capacity_of`` does.
    """
    capacity = capacity_of(layer)
    if isinstance(layer, MdArray):
        return lost_of_array(layer, failed, capacity)
    lost = [lost_of_array(array, failed, inner) for array, inner in zip(layer.arrays, capacity.inner, strict=True)]
    return lost_in_turn(lost, capacity)
