"""Capacity of a layer, and the stripe that a file system on it sees."""

from __future__ import annotations

from raidwright.core.lvm.capacity import volume_capacity
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.capacity import capacity_of as capacity_of_array
from raidwright.core.md.mdadm_versions import MDADM_4_4, MdadmVersion
from raidwright.core.md.stripe import Stripe, stripe_of_array
from raidwright.core.model.plan import Layer, MdArray


def capacity_of(layer: Layer, mdadm: MdadmVersion = MDADM_4_4) -> Capacity:
    """Return the layer's exact capacity; raises PlanRefused for what mdadm, md or LVM would refuse."""
    return capacity_of_array(layer, mdadm) if isinstance(layer, MdArray) else volume_capacity(layer, mdadm)


def stripe_of_layer(layer: Layer) -> Stripe | None:
    """Return the stripe that a file system on the layer sees; of a volume the first array's, where it begins."""
    return stripe_of_array(layer if isinstance(layer, MdArray) else layer.arrays[0])
