"""A plan on a slice of each of its disks: the first GiBs, so that building and measuring takes minutes, not days.

The slice counts from a disk's first byte and includes md's own data: always metadata 1.2, since 0.90 and 1.0 are at a
disk's end. mdadm's ``--size`` limits the levels with redundancy to it. raid0 has no size (``md.c`` super_1_load uses
the whole device): there the array is larger, and measurements use only the region at its beginning, which is in the
slices since it is spread evenly.

There is no initial resync (``--assume-clean``). Copies then differ where nothing has been written yet, and parity is
wrong where it was never computed, which changes no figure: md reads and writes the same blocks whatever their content,
no measurement depends on it, and raid5 without a pending resync updates parity as it does for years after one
(``raid5.c`` handle_stripe_dirtying reconstructs instead as long as one is pending). Such an array serves for figures
only, so it never holds data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidwright.analysis.layers.survival import survival_of
from raidwright.core.errors import InputError
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.layouts import Level
from raidwright.core.model.halves import cross_paired
from raidwright.core.model.names import SCRATCH_NAME
from raidwright.core.model.plan import FLASH_KINDS, Bitmap, MdArray, Member, Metadata, Plan
from raidwright.core.units import SECTOR_BYTES
from raidwright.operations.file_systems import Setup

_MIB = 2**20
_MIN_REGION_MIB = 64


@dataclass(frozen=True, slots=True)
class Contestant:
    """A contestant: the array of whole disks ``wanted``, the one built ``plan``, and its used part ``region_mib``.

    One disk alone is a mirror of one, which passes requests through: nothing is written to a disk itself. ``setup`` is
    the measured file system, if any; ``halved`` are the disks that are used as halves: then each half's beginning is
    used. ``is_volume``: a disk that takes part as it is, such as the volume of a hardware controller.
    """

    wanted: Plan
    plan: Plan
    region_mib: int
    setup: Setup | None = None
    halved: tuple[Member, ...] = ()
    is_volume: bool = False

    @property
    def disks(self) -> tuple[Member, ...]:
        """The whole disks that it uses."""
        return self.halved or tuple(self.plan.disks())

    @property
    def is_alone(self) -> bool:
        """True for one disk alone, the reference."""
        return len(self.plan.array.members) == 1 and not self.is_volume

    @property
    def is_layout(self) -> bool:
        """True for an array that can be built and ranked."""
        return not self.is_alone and not self.is_volume

    @property
    def survives_a_loss(self) -> bool:
        """True if it survives the loss of any one disk."""
        return self.is_layout and survival_of(self.plan.top).most() > 0

    @property
    def is_flash(self) -> bool:
        """True if any of its disks is flash."""
        return any(disk.baseline is not None and disk.baseline.kind in FLASH_KINDS for disk in self.plan.disks())

    @property
    def lost(self) -> tuple[Member, ...]:
        """The disk that is removed from it, or its halves: the first."""
        first, *others = self.plan.disks()
        return (first, *(one for one in others if one.failure_unit == first.failure_unit))

    @property
    def span(self) -> float:
        """The used share of the array built."""
        return min(1.0, self.region_mib * _MIB / capacity_of(self.plan.top).array_bytes)


def alone(disk: Member, slice_bytes: int) -> Contestant:
    """Return ``disk`` alone."""
    return contestant_of(Plan(MdArray(Level.RAID1, (disk,))), slice_bytes)


def volume(disk: Member, slice_bytes: int) -> Contestant:
    """Return ``disk`` as it is, beside arrays: a hardware controller's volume."""
    return replace(alone(disk, slice_bytes), is_volume=True)


def crossed(first: Member, second: Member, slice_bytes: int) -> Contestant:
    """Return cross-paired mirrors of two disks, each half with half of a slice."""
    wanted = cross_paired(first, second)
    return replace(contestant_of(Plan(wanted), slice_bytes // 2), halved=(first, second))


def contestant_of(wanted: Plan, slice_bytes: int) -> Contestant:
    """Return ``wanted`` on the first ``slice_bytes`` of its disks; raise InputError if that is too small."""
    array = _sliced(replace(wanted.array, name=SCRATCH_NAME), slice_bytes)
    plan = wanted.on(array)
    capacity = capacity_of(array)
    region_mib = min(capacity.array_bytes, *_within(array, capacity, slice_bytes)) // _MIB
    if region_mib < _MIN_REGION_MIB:
        raise _too_small(array, slice_bytes)
    return Contestant(wanted, plan, region_mib)


def _sliced(array: MdArray, slice_bytes: int) -> MdArray:
    """Return the array on slices.

    Spares are left out: they would replace the lost disk at once, and don't change the speed before.
    """
    members = tuple(_sliced(one, slice_bytes) if isinstance(one, MdArray) else one for one in array.members)
    array = replace(array, members=members, spares=(), metadata=Metadata.V1_2, data_offset_kib=None)
    array = replace(array, assume_clean=array.level.is_redundant)
    if array.is_nested or not array.level.is_redundant:
        return array
    component_kib = _component_bytes(array, capacity_of(array), slice_bytes) // 1024
    if component_kib < array.effective_chunk_kib or component_kib <= 0:
        raise _too_small(array, slice_bytes)
    return replace(array, component_size_kib=component_kib)


def _component_bytes(array: MdArray, capacity: Capacity, slice_bytes: int) -> int:
    """Return the bytes of a slice for data, in whole chunks, or in the 64 KiB that mdadm rounds a mirror to."""
    data_offset = max(filter(None, capacity.data_offset_sectors), default=0) * SECTOR_BYTES
    size_bytes = min(slice_bytes - data_offset, min(capacity.member_sectors) * SECTOR_BYTES)
    return size_bytes - size_bytes % (max(64, array.effective_chunk_kib) * 1024)


def _within(array: MdArray, capacity: Capacity, slice_bytes: int) -> Iterator[int]:
    """Yield the bytes of an array without --size that are in the slices, and the array's size."""
    if not array.is_nested and not array.level.is_redundant:
        abreast = len(array.members) if array.level is Level.RAID0 else 1
        yield abreast * max(0, _component_bytes(array, capacity, slice_bytes))
    yield capacity.array_bytes


def without_bitmap(array: MdArray) -> MdArray:
    """Return ``array`` and its inner arrays without a write-intent bitmap."""
    members = tuple(without_bitmap(one) if isinstance(one, MdArray) else one for one in array.members)
    return replace(array, members=members, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)


def _too_small(array: MdArray, slice_bytes: int) -> InputError:
    return InputError(
        "A slice of {slice_bytes:binary} is too little for {level}; take a GiB or more of each disk.",
        code="slice",
        slice_bytes=slice_bytes,
        level=array.level,
    )
