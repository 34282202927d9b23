"""What an array holds: its sectors, component size and data offsets, exactly as mdadm and md make them."""

from __future__ import annotations

from dataclasses import dataclass

from .mdadm_versions import MDADM_4_4, MdadmVersion
from .plan import Plan


@dataclass(frozen=True, slots=True)
class Lost:
    """Where the members' sectors go that the array doesn't offer; with the array's they add up to the members'."""

    metadata_sectors: int
    smallest_member_sectors: int
    rounding_sectors: int
    redundancy_sectors: int


@dataclass(frozen=True, slots=True)
class Capacity:
    """What ``mdadm --create`` would make of a plan.

    ``component_size_kib`` is what sysfs shows afterwards (0 for raid0 and linear unless ``--size``);
    ``data_offset_sectors`` in slot order, None for a missing member, then the spares'.
    ``smallest_replacement_sectors`` is the smallest device that md takes in a member's place, None where
    the level can't replace one. ``inner`` are the capacities of a nested plan's arrays.
    """

    array_sectors: int
    component_size_kib: int
    data_offset_sectors: tuple[int | None, ...]
    lost: Lost
    smallest_replacement_sectors: int | None
    inner: tuple[Capacity, ...] = ()

    @property
    def array_bytes(self) -> int:
        """Usable bytes."""
        return self.array_sectors * 512


def capacity_of(plan: Plan, mdadm: MdadmVersion = MDADM_4_4) -> Capacity:
    """The plan's exact capacity; raises PlanRefused for what mdadm or md would refuse."""
    raise NotImplementedError
