"""A plan on a slice of each of its disks: the first GiBs, so that building and measuring take minutes, not days.

The slice counts from a disk's first byte and includes md's metadata, always 1.2, since 0.90 and 1.0 are at the disk's
end. mdadm's ``--size`` limits redundant levels to the slice. raid0 has no size (``md.c`` super_1_load takes the whole
device): there the array is larger, and the measurements use its first region, which lies within the slices since it is
striped evenly.

No initial resync is made (``--assume-clean``). Parity and copies of unwritten blocks are then wrong, which doesn't
change any figure: md reads and writes the same blocks whatever their content, the workloads ignore the content, and
raid5 without a pending resync updates parity as it does for years after one (``raid5.c`` handle_stripe_dirtying uses
reconstruct-write while a resync is pending). Such an array must never hold data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.md.capacity import Capacity, capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.md.survival import survival_of
from raidwright.core.model.halves import cross_paired
from raidwright.core.model.names import SCRATCH_NAME
from raidwright.core.model.plan import FLASH_KINDS, Bitmap, Member, Metadata, Plan
from raidwright.core.units import SECTOR_BYTES
from raidwright.operations.file_systems import Setup

_MIB = 2**20
_LEAST_REGION_MIB = 64


@dataclass(frozen=True, slots=True)
class Contestant:
    """``wanted`` is the array of whole disks that it represents, ``plan`` what is built, ``region_mib`` what is used.

    A single disk is a raid1 of one, which passes requests through: a disk itself is never written to. ``setup`` is the
    file system measured on it, if any; ``halved`` are the disks whose halves it is made of: the beginning of each half
    is used then.
    """

    wanted: Plan
    plan: Plan
    region_mib: int
    setup: Setup | None = None
    halved: tuple[Member, ...] = ()

    @property
    def disks(self) -> tuple[Member, ...]:
        """The whole disks that it takes."""
        return self.halved or tuple(self.plan.disks())

    @property
    def is_alone(self) -> bool:
        """True for a single disk, for comparison."""
        return len(self.plan.members) == 1

    @property
    def survives_a_loss(self) -> bool:
        """True if it survives the failure of any one disk."""
        return not self.is_alone and survival_of(self.plan).most() > 0

    @property
    def is_flash(self) -> bool:
        """True if any of its disks is flash."""
        return any(disk.baseline is not None and disk.baseline.kind in FLASH_KINDS for disk in self.plan.disks())

    @property
    def lost(self) -> tuple[Member, ...]:
        """The disk that is failed: the first one, or all its halves."""
        first, *others = self.plan.disks()
        return (first, *(one for one in others if one.failure_unit == first.failure_unit))

    @property
    def span(self) -> float:
        """The share of the built array that is used."""
        return min(1.0, self.region_mib * _MIB / capacity_of(self.plan).array_bytes)


def alone(disk: Member, slice_bytes: int) -> Contestant:
    """Return ``disk`` alone as a contestant."""
    return contestant_of(Plan(Level.RAID1, (disk,)), slice_bytes)


def crossed(first: Member, second: Member, slice_bytes: int) -> Contestant:
    """Return cross-paired mirrors of two disks, each half with half of a slice."""
    wanted = cross_paired(first, second)
    return replace(contestant_of(wanted, slice_bytes // 2), halved=(first, second))


def contestant_of(wanted: Plan, slice_bytes: int) -> Contestant:
    """Return ``wanted`` on the first ``slice_bytes`` of its disks; raises InputError if that is too little."""
    plan = _sliced(replace(wanted, name=SCRATCH_NAME), slice_bytes)
    capacity = capacity_of(plan)
    region_mib = min(capacity.array_bytes, *_within(plan, capacity, slice_bytes)) // _MIB
    if region_mib < _LEAST_REGION_MIB:
        raise _too_small(plan, slice_bytes)
    return Contestant(wanted, plan, region_mib)


def _sliced(plan: Plan, slice_bytes: int) -> Plan:
    """Limit the plan to the slices, without spares: they would replace the failed disk at once."""
    members = tuple(_sliced(one, slice_bytes) if isinstance(one, Plan) else one for one in plan.members)
    plan = replace(plan, members=members, spares=(), metadata=Metadata.V1_2, data_offset_kib=None)
    plan = replace(plan, assume_clean=plan.level.is_redundant)
    if plan.is_nested or not plan.level.is_redundant:
        return plan
    component_kib = _component_bytes(plan, capacity_of(plan), slice_bytes) // 1024
    if component_kib < plan.effective_chunk_kib or component_kib <= 0:
        raise _too_small(plan, slice_bytes)
    return replace(plan, component_size_kib=component_kib)


def _component_bytes(plan: Plan, capacity: Capacity, slice_bytes: int) -> int:
    """Return the space for data in a slice, in whole chunks, or in the 64 KiB units that mdadm uses for a mirror."""
    data_offset = max(filter(None, capacity.data_offset_sectors), default=0) * SECTOR_BYTES
    size_bytes = min(slice_bytes - data_offset, min(capacity.member_sectors) * SECTOR_BYTES)
    return size_bytes - size_bytes % (max(64, plan.effective_chunk_kib) * 1024)


def _within(plan: Plan, capacity: Capacity, slice_bytes: int) -> Iterator[int]:
    """Yield the bytes within the slices of an array that takes no ``--size``, and its capacity."""
    if not plan.is_nested and not plan.level.is_redundant:
        abreast = len(plan.members) if plan.level is Level.RAID0 else 1
        yield abreast * max(0, _component_bytes(plan, capacity, slice_bytes))
    yield capacity.array_bytes


def without_bitmap(plan: Plan) -> Plan:
    """Return ``plan`` with no write-intent bitmap, inner arrays included."""
    members = tuple(without_bitmap(one) if isinstance(one, Plan) else one for one in plan.members)
    return replace(plan, members=members, bitmap=Bitmap.NONE, bitmap_chunk_kib=None)


def _too_small(plan: Plan, slice_bytes: int) -> InputError:
    return InputError(
        "A slice of {slice_bytes:binary} is too little for {level}; take a GiB or more of each disk.",
        code="slice",
        slice_bytes=slice_bytes,
        level=plan.level,
    )
