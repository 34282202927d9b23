"""Capacity of an array: its sectors, component size and data offsets, exactly as mdadm and md make them.

Sources: mdadm ``Create.c``; kernel ``raid0.c create_strip_zones``, ``raid5.c raid5_size``, ``raid10.c
calc_sectors`` and ``raid10_size``, ``md-linear.c linear_conf``. Units: sectors of 512 bytes, and KiB where it says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raidwright.core.errors import PlanRefused
from raidwright.core.model.plan import Bitmap, Consistency, MdArray, Member, Metadata
from raidwright.core.units import SECTOR_BYTES

from .layouts import Level
from .mdadm_versions import MDADM_4_4, MdadmVersion
from .overlaps import Data, refuse_data_on_bitmap, refuse_data_on_superblock
from .refusals import refuse_double_use, refuse_shape
from .superblock import (
    LOCKLESS_BYTES,
    PPL_SECTORS,
    bitmap_bytes,
    bitmap_reserve,
    default_data_offset,
    least_bitmap_chunk_kib,
    least_device,
    unstriped_sectors,
    usable_sectors,
)

_V0_90_MAX_KIB = 2**32
_V0_90_LINEAR_MAX_SECTORS = 2**33 - 2
_BLOCK_BYTES = 4096
_MIN_JOURNAL_SECTORS = 10  # tried with mdadm 4.2 and 4.4: with 8 or 9 the kernel says EINVAL


@dataclass(frozen=True, slots=True)
class Lost:
    """Sectors of the members that the array doesn't offer; with the array's they add up to the members'.

    ``larger_members_sectors`` is what larger members have over the smallest, or over what metadata 0.90 can use of
    one; ``held_back_sectors`` is what ``--size`` leaves unused. Spares and journal are not counted.
    """

    metadata_sectors: int = 0
    larger_members_sectors: int = 0
    held_back_sectors: int = 0
    rounding_sectors: int = 0
    redundancy_sectors: int = 0

    def __add__(self, other: Lost) -> Lost:
        return Lost(*(getattr(self, name) + getattr(other, name) for name in Lost.__slots__))


@dataclass(frozen=True, slots=True)
class Capacity:
    """Sizes of the array that ``mdadm --create`` would make of a plan.

    ``component_size_kib`` is what sysfs shows afterwards (0 for raid0 and linear unless ``--size``);
    ``data_offset_sectors`` in slot order, None for a missing member, then the spares'; ``member_sectors``
    is what the array uses of each member, in slot order (for a missing one, what it will).
    ``smallest_replacement_sectors`` is the smallest device that md takes in a member's place, None where
    the level can't replace one.
    ``inner`` are the capacities of a nested plan's arrays, in slot order. Of a joined plan ``data_offset_sectors`` and
    ``member_sectors`` are where LVM's extents begin on each array, and how much they take of it.
    """

    array_sectors: int
    component_size_kib: int
    data_offset_sectors: tuple[int | None, ...]
    member_sectors: tuple[int, ...]
    lost: Lost
    smallest_replacement_sectors: int | None
    inner: tuple[Capacity, ...] = ()

    @property
    def array_bytes(self) -> int:
        """Usable bytes."""
        return self.array_sectors * SECTOR_BYTES


def capacity_of(plan: MdArray, mdadm: MdadmVersion = MDADM_4_4) -> Capacity:
    """Return the plan's exact capacity; raises PlanRefused for what mdadm or md would refuse."""
    refuse_double_use(plan.disks())
    return array_capacity(plan, mdadm)


def array_capacity(plan: MdArray, mdadm: MdadmVersion) -> Capacity:
    """Return the capacity of an array that shares no disk with another part of its plan; raises PlanRefused."""
    refuse_shape(plan, mdadm)
    inner = tuple(array_capacity(member, mdadm) for member in plan.inner)
    devices = _Devices.of(plan, inner)
    if not plan.level.is_redundant:
        return _unstriped(plan, devices, inner)
    return _with_component(plan, devices, inner)


@dataclass(frozen=True, slots=True)
class _Device:
    """A device as mdadm sees it: its size, and the part usable as a component."""

    name: str
    sectors: int
    usable_sectors: int

    def usable_kib(self, chunk_kib: int) -> int:
        """Usable KiB, in whole chunks. mdadm masks, so that odd chunks round oddly (``Create.c``)."""
        usable_kib = self.usable_sectors // 2
        return usable_kib & ~(chunk_kib - 1) if chunk_kib else usable_kib


@dataclass(frozen=True, slots=True)
class _Devices:
    """A plan's devices: slots (None for missing) and spares, with their common data offset."""

    slots: tuple[_Device | None, ...]
    spares: tuple[_Device, ...]
    data_offset: int
    reserve: int

    @classmethod
    def of(cls, plan: MdArray, inner: tuple[Capacity, ...]) -> _Devices:
        """Size every device as mdadm does; refuse those that are too small or too large."""
        arrays = iter(inner)
        slots = [None if member is None else _sized(member, slot, arrays) for slot, member in enumerate(plan.members)]
        spares = [(spare.id, spare.sectors) for spare in plan.spares]
        first_sectors = next(slot[1] for slot in slots if slot)
        reserve = PPL_SECTORS if plan.consistency is Consistency.PPL else bitmap_reserve(first_sectors)
        data_offset = 2 * (plan.data_offset_kib or 0) or default_data_offset(
            plan.metadata, first_sectors, plan.effective_chunk_kib, reserve
        )
        if plan.journal is not None:
            _refuse_small_journal(plan, plan.journal, data_offset)
        return cls(
            slots=tuple(_checked(plan, *slot, data_offset) if slot else None for slot in slots),
            spares=tuple(_checked(plan, *spare, data_offset) for spare in spares),
            data_offset=data_offset,
            reserve=reserve,
        )

    @property
    def present(self) -> tuple[_Device, ...]:
        """The members that aren't missing."""
        return tuple(device for device in self.slots if device)

    @property
    def offsets(self) -> tuple[int | None, ...]:
        """Data offset of each slot, None for a missing member, then of each spare."""
        return tuple(self.data_offset if device else None for device in (*self.slots, *self.spares))


def _sized(member: Member | MdArray, slot: int, arrays: Iterator[Capacity]) -> tuple[str, int]:
    if isinstance(member, MdArray):
        return f"The array in slot {slot}", next(arrays).array_sectors
    return member.id, member.sectors


def _look_at(plan: MdArray, name: str, sectors: int, data_offset: int) -> _Device:
    reserve = PPL_SECTORS if plan.consistency is Consistency.PPL else bitmap_reserve(sectors)
    usable = usable_sectors(plan.metadata, sectors, data_offset, reserve)
    if usable < 0:
        raise PlanRefused(
            "{disk} is too small: {size_kib} KiB don't hold md's own data. Leave it out, or take a larger one.",
            code="disk-too-small",
            disk=name,
            size_kib=sectors // 2,
        )
    return _Device(name, sectors, usable)


def _refuse_small_journal(plan: MdArray, journal: Member, data_offset: int) -> None:
    """mdadm writes an empty journal's first block where members' data begins (``write_empty_r5l_meta_block``)."""
    device = _look_at(plan, journal.id, journal.sectors, data_offset)
    if plan.metadata is not Metadata.V0_90 and device.usable_sectors < _MIN_JOURNAL_SECTORS:
        raise PlanRefused(
            "{disk} is too small: after md's own data there is no room for a journal. Take a larger one.",
            code="disk-too-small",
            disk=journal.id,
        )


def _checked(plan: MdArray, name: str, sectors: int, data_offset: int) -> _Device:
    device = _look_at(plan, name, sectors, data_offset)
    usable_kib, size_kib = device.usable_kib(plan.effective_chunk_kib), plan.component_size_kib
    if usable_kib == 0:
        raise PlanRefused(
            "{disk} is too small: after md's own data no whole chunk is left. Take a smaller chunk or a larger disk.",
            code="disk-too-small",
            disk=name,
        )
    if size_kib and usable_kib < _whole_chunks(plan, size_kib):
        raise PlanRefused(
            "{who} has room for {usable_bytes:size} of data ({usable_kib} KiB), and each member needs "
            "{size_bytes:size} ({size_kib} KiB). Take a larger disk.",
            code="size",
            disk=name,
            who=next((disk.label for disk in plan.disks() if disk.id == name), name),
            usable_bytes=usable_kib * 1024,
            usable_kib=usable_kib,
            size_bytes=size_kib * 1024,
            size_kib=size_kib,
        )
    return device


def _whole_chunks(plan: MdArray, size_kib: int) -> int:
    chunk_kib = plan.effective_chunk_kib
    return size_kib & ~(chunk_kib - 1) if chunk_kib else size_kib


def _unstriped(plan: MdArray, devices: _Devices, inner: tuple[Capacity, ...]) -> Capacity:
    """raid0 and linear, which use each member to its end."""
    size_kib = _whole_chunks(plan, plan.component_size_kib or 0)
    offered = [
        unstriped_sectors(plan.metadata, device.sectors, devices.data_offset, 2 * size_kib)
        for device in devices.present
    ]
    given = [_v0_90_linear(sectors) for sectors in offered] if _is_v0_90_linear(plan) else offered
    chunk = 2 * plan.effective_chunk_kib or 1
    used = tuple(sectors - sectors % chunk for sectors in given)
    _refuse_zones_without_layout(plan, used)
    _refuse_overlaps(plan, devices, size_kib, size_kib, bitmap=0)
    # raid0_size masks with the chunk, so a chunk that is no power of two loses a little more
    array_sectors = sum(sectors & ~(chunk - 1) for sectors in used) if plan.level is Level.RAID0 else sum(used)
    lost = Lost(
        metadata_sectors=sum(device.sectors for device in devices.present) - sum(offered),
        larger_members_sectors=sum(offered) - sum(given),
        rounding_sectors=sum(given) - array_sectors,
    )
    return Capacity(
        array_sectors=array_sectors,
        component_size_kib=size_kib,
        data_offset_sectors=devices.offsets,
        member_sectors=used,
        lost=sum((capacity.lost for capacity in inner), lost),
        smallest_replacement_sectors=None,
        inner=inner,
    )


def _is_v0_90_linear(plan: MdArray) -> bool:
    return plan.level is Level.LINEAR and plan.metadata is Metadata.V0_90


def _v0_90_linear(sectors: int) -> int:
    """Return the sectors that linear uses of a member with metadata 0.90.

    ``md.c super_90_load`` cuts members at 4 TiB except raid0's and linear's, as its comment says; but it reads the
    level, -1 for linear, as an unsigned number, so that linear's are cut as well.
    """
    return sectors if sectors < _V0_90_LINEAR_MAX_SECTORS + 2 else _V0_90_LINEAR_MAX_SECTORS


def _refuse_zones_without_layout(plan: MdArray, used: tuple[int, ...]) -> None:
    """``raid0.c create_strip_zones``: more than one zone needs a known layout, but for a last zone of one member."""
    zones = sorted(set(used))
    if plan.layout == "dangerous" and len(zones) > 1 and sum(sectors > zones[0] for sectors in used) > 1:
        raise PlanRefused(
            "The kernel doesn't start a raid0 of unequal members whose layout nobody knows; "
            "take “original” instead of “dangerous”.",
            code="raid0-layout",
        )


def _with_component(plan: MdArray, devices: _Devices, inner: tuple[Capacity, ...]) -> Capacity:
    """The levels that use the same size of each member."""
    chunk_kib = plan.effective_chunk_kib
    smallest = min(device.usable_kib(chunk_kib) for device in (*devices.present, *devices.spares))
    available = smallest & ~63 if plan.level is Level.RAID1 else smallest  # whole chunks, should it become raid5
    component = _whole_chunks(plan, plan.component_size_kib) if plan.component_size_kib else available
    if plan.metadata is Metadata.V0_90 and component >= _V0_90_MAX_KIB:
        raise PlanRefused(
            "Metadata 0.90 can't use 4 TiB or more of a member; take 1.2, or give a smaller size.", code="metadata-0.90"
        )
    array_sectors, used = _array(plan, component)
    if array_sectors == 0:
        raise PlanRefused(
            "These members are so small that nothing would be left for data. Take larger ones or a smaller chunk.",
            code="empty-array",
        )
    bitmap = _bitmap_bytes(plan, 2 * used, array_sectors)
    _refuse_overlaps(plan, devices, component, used, bitmap)
    # 0.90 doesn't support a journal, so the kernel takes it for one more spare
    journal = (0,) if plan.journal and plan.metadata is Metadata.V0_90 else ()
    log = PPL_SECTORS if plan.consistency is Consistency.PPL else -(-bitmap // _BLOCK_BYTES) * 8
    return Capacity(
        array_sectors=array_sectors,
        component_size_kib=used,
        data_offset_sectors=devices.offsets + journal,
        member_sectors=(2 * used,) * len(plan.members),
        lost=sum((capacity.lost for capacity in inner), _lost(devices, available, component, used, array_sectors)),
        smallest_replacement_sectors=least_device(plan.metadata, 2 * used, devices.data_offset, log),
        inner=inner,
    )


def _array(plan: MdArray, component_kib: int) -> tuple[int, int]:
    """Return (array sectors, component KiB as the kernel records it) for a component of ``component_kib``."""
    members = len(plan.members)
    if plan.level is Level.RAID1:
        return 2 * component_kib, component_kib
    if plan.level.parity_disks:
        return 2 * component_kib * (members - plan.level.parity_disks), component_kib
    copies, chunk_kib = plan.copies, plan.effective_chunk_kib
    chunks = component_kib // chunk_kib // copies.far * members // copies.near
    used_chunks = -(-chunks * copies.total // members)
    return 2 * chunks * chunk_kib, used_chunks * chunk_kib


def _bitmap_bytes(plan: MdArray, component_sectors: int, array_sectors: int) -> int:
    if plan.bitmap is Bitmap.NONE:
        return 0
    if plan.bitmap is Bitmap.LOCKLESS:
        return LOCKLESS_BYTES
    covered = array_sectors if plan.level is Level.RAID10 else component_sectors
    if plan.bitmap_chunk_kib is None:
        return bitmap_bytes(covered, component_sectors)
    least_kib = least_bitmap_chunk_kib(covered, component_sectors, plan.metadata)
    if plan.bitmap_chunk_kib < least_kib:
        raise PlanRefused(
            "A bitmap chunk of {chunk_kib} KiB needs more space than is reserved; the minimum here is {least} KiB.",
            code="bitmap-chunk",
            chunk_kib=plan.bitmap_chunk_kib,
            least=least_kib,
        )
    return bitmap_bytes(covered, component_sectors, plan.bitmap_chunk_kib)


def _refuse_overlaps(plan: MdArray, devices: _Devices, component_kib: int, used_kib: int, bitmap: int) -> None:
    """Compare the superblock with the component that mdadm asks for, the bitmap with raid10's actual component."""
    members = [(device.name, device.sectors) for device in devices.present]
    others = [(device.id, device.sectors) for device in (*plan.spares, *((plan.journal,) if plan.journal else ()))]
    refuse_data_on_superblock(Data(plan.metadata, devices.data_offset, 2 * component_kib), members + others)
    refuse_data_on_bitmap(Data(plan.metadata, devices.data_offset, 2 * used_kib), bitmap, members)


def _lost(devices: _Devices, available: int, component: int, used: int, array_sectors: int) -> Lost:
    """Return the losses, from KiB (``array_sectors``: sectors); per-member ones count once for each present member."""
    present = devices.present
    smallest = min(device.usable_sectors for device in (*present, *devices.spares))
    members = len(present)
    return Lost(
        metadata_sectors=sum(device.sectors - device.usable_sectors for device in present),
        larger_members_sectors=sum(device.usable_sectors for device in present) - members * smallest,
        held_back_sectors=members * 2 * (available - component),
        rounding_sectors=members * (smallest - 2 * available + 2 * (component - used)),
        redundancy_sectors=members * 2 * used - array_sectors,
    )
