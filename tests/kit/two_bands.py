"""A joined plan of two arrays that md leaves alone afterwards, so that its disks can be compared from end to end."""

from __future__ import annotations

from collections.abc import Sequence

from raidwright.core.lvm.joined import MIB
from raidwright.core.lvm.whole_disks import slice_on
from raidwright.core.md.layouts import Level
from raidwright.core.model.plan import Bitmap, LinearVolume, MdArray, Member, Plan

LEVELS = (Level.RAID5, Level.RAID1)


def two_bands(disks: Sequence[Member], lower_mib: int, upper_mib: int, name: str = "tank") -> Plan:
    """Return a raid5 on slices of all ``disks``, joined with a raid1 on those of the last two."""
    lower = MdArray(LEVELS[0], _slices(disks, 1, lower_mib), bitmap=Bitmap.INTERNAL, assume_clean=True)
    upper = MdArray(LEVELS[1], _slices(disks[-2:], 2, upper_mib), bitmap=Bitmap.INTERNAL, assume_clean=True)
    return Plan(LinearVolume((lower, upper), name))


def _slices(disks: Sequence[Member], number: int, size_mib: int) -> tuple[Member, ...]:
    return tuple(slice_on(Member("", size_mib * MIB, partition=number), disk) for disk in disks)
