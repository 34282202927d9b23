"""Headroom for a reshape: how far the data offset can move, and what a reshape without headroom needs instead.

A reshape rewrites the data in place. Either it moves the data offset, so that nothing is overwritten before it is
copied, or a backup file keeps the critical section. Sources: mdadm ``super1.c`` (``getinfo_super1``,
``write_init_super1``), ``Grow.c`` (``compute_backup_blocks``, ``set_new_data_offset``, ``update_cache_size``,
``reshape_array``); kernel ``md.c super_1_allow_new_offset``, ``raid5.c raid5_set_cache_size``. All in sectors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidwright.core.md.capacity import Capacity
from raidwright.core.md.superblock import (
    BAD_BLOCK_LOG_SECTORS,
    LOCKLESS_BYTES,
    SUPERBLOCK_AT,
    bitmap_bytes,
    bitmap_reserve,
    superblock_at,
)
from raidwright.core.messages import say
from raidwright.core.model.plan import Bitmap, MdArray, Metadata

from .possibility import Possibility, backup_file, chunk_up_to, no

_SUPERBLOCK_SECTORS = 72  # reserved by the kernel from a superblock's start
_MAX_CACHED_STRIPES = 32768
_STRIPE_SECTORS = 8
NO_CACHE = say("Its chunk is so large that md's stripe cache can't hold the stripes of a reshape.")
TOO_SMALL = say("Its members are too small to be reshaped through a backup.")
MAX_CHUNK_KIB = 2**14  # 32 MiB would need one stripe more than the cache holds


@dataclass(frozen=True, slots=True)
class Room:
    """Free sectors on every member between md's metadata and the data offset, and after the data's end."""

    before: int
    after: int

    @property
    def either(self) -> int:
        """Headroom for a reshape that may move the data offset in either direction."""
        return max(self.before, self.after)


def room_of(plan: MdArray, capacity: Capacity) -> Room:
    """Return the headroom of the member with the least; none with metadata 0.90, which has no data offset."""
    if plan.metadata is Metadata.V0_90:
        return Room(0, 0)
    sectors = device_sectors(plan, capacity)
    offset = next(offset for offset in capacity.data_offset_sectors if offset is not None)
    component = component_sectors(capacity)
    end = offset + component
    if plan.metadata is Metadata.V1_0:
        kept = bitmap_reserve(component) + BAD_BLOCK_LOG_SECTORS
        return Room(offset, max(0, min(superblock_at(plan.metadata, size) for size in sectors) - kept - end))
    return Room(max(0, offset - _metadata_end(plan, capacity, offset)), max(0, min(sectors) - end))


def component_sectors(capacity: Capacity) -> int:
    """Return the sectors used of each member; for raid0, which records no component size, the smallest member's."""
    return 2 * capacity.component_size_kib or min(capacity.member_sectors)


def device_sectors(plan: MdArray, capacity: Capacity) -> list[int]:
    """Return the sizes of members (in slot order) and spares; missing members are left out."""
    inner = iter(capacity.inner)
    members = [
        next(inner).array_sectors if isinstance(member, MdArray) else member.sectors
        for member in plan.members
        if member is not None
    ]
    return members + [spare.sectors for spare in plan.spares]


def _metadata_end(plan: MdArray, capacity: Capacity, data_offset: int) -> int:
    """Return the sector after superblock, bitmap and bad-block log, with metadata 1.1 and 1.2."""
    start, component = SUPERBLOCK_AT[plan.metadata], 2 * capacity.component_size_kib
    bitmap = bitmap_reserve(component)
    if plan.bitmap is Bitmap.LOCKLESS:
        bitmap = LOCKLESS_BYTES // 512
    elif plan.bitmap is Bitmap.INTERNAL:
        bitmap = -(-bitmap_bytes(component, component) // 4096) * 8
    log_end = start + 8 + bitmap + BAD_BLOCK_LOG_SECTORS
    if data_offset < log_end and data_offset >= start + 16:
        log_end = data_offset
    return max(start + _SUPERBLOCK_SECTORS, log_end)


@dataclass(frozen=True, slots=True)
class Restripe:
    """A parity array's reshape: its data disks and its chunk in sectors, before and after."""

    data_disks: tuple[int, int]
    chunks: tuple[int, int]

    @property
    def unit(self) -> int:
        """Sectors of the array that are whole stripes both before and after."""
        (before, after), (old, new) = self.data_disks, self.chunks
        return math.lcm(old * before, new * after)

    @property
    def fits_the_cache(self) -> bool:
        """True if md's stripe cache can be made large enough, as mdadm sizes it."""
        wanted = max(4 * max(self.chunks), 16 + self.unit // min(self.data_disks))
        return wanted // _STRIPE_SECTORS + 1 <= _MAX_CACHED_STRIPES

    def finds(self, room: Room) -> bool:
        """True if ``room`` lets the reshape move the data offset instead of keeping a backup."""
        grows = self.data_disks[1] > self.data_disks[0]
        return (room.before if grows else room.either) >= self.unit // self.data_disks[0]

    def fits_a_backup(self, component: int) -> bool:
        """True if members of ``component`` sectors are large enough for a reshape with a backup."""
        return self.unit < component // 2


def restriped_chunk(now_kib: int, divisor_kib: int, data_disks: int, room: Room, component: int) -> Possibility:
    """Return a chunk change for ``data_disks`` > 1, up to ``divisor_kib``, with a backup if ``room`` is too small."""
    if now_kib > MAX_CHUNK_KIB:
        return no("chunk", NO_CACHE)

    def fits(chunk_kib: int) -> bool:
        return Restripe((data_disks, data_disks), (2 * now_kib, 2 * chunk_kib)).fits_a_backup(component)

    most, room_kib = min(divisor_kib, MAX_CHUNK_KIB), room.either // 2
    without = 1 << room_kib.bit_length() - 1 if room_kib >= now_kib else None
    while most > (without or now_kib) and not fits(most):
        most //= 2
    if without and most <= without:
        return chunk_up_to(most, now_kib)
    return chunk_up_to(most, now_kib, backup_file(without)) if fits(most) else no("chunk", TOO_SMALL)
