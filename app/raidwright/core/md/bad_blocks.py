"""md's list of bad blocks on a member of 1.x, and which of the array's sectors its ranges can be written through.

Sources: kernel ``md_p.h`` (``bblog_offset``, ``bblog_size``, ``bblog_shift``) and ``md.c`` ``super_1_load``: 64-bit
little-endian entries, a sector of the member above 10 bits of a count, until all bits are set; ``raid10.c``
``__raid10_find_phys``, ``raid5.c`` ``raid5_compute_blocknr``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .layouts import Level
from .member_superblock import MemberSuperblock

Range = tuple[int, int]  # first sector and number of sectors
_COUNT_BITS = 10
_END = 2**64 - 1
_PARITY_DISKS = {Level.RAID4: 1, Level.RAID5: 1, Level.RAID6: 2}


def bad_ranges(log: bytes, shift: int) -> tuple[Range, ...]:
    """Return the ranges of the member's sectors in the bytes of its list."""
    found = []
    for (entry,) in struct.iter_unpack("<Q", log[: len(log) // 8 * 8]):
        if entry == _END:
            break
        if count := entry & (1 << _COUNT_BITS) - 1:
            found.append((entry >> _COUNT_BITS << shift, count << shift))
    return tuple(found)


def rewriting_ranges(member: MemberSuperblock, bad: Range) -> tuple[Range, ...]:
    """Return the array's sectors that, when rewritten, rewrite the ``bad`` range of the member: its whole stripes.

    () for a level without copies or parity, and for sectors outside of the data.
    """
    first = max(0, bad[0] - member.data_offset_sectors)
    end = min(bad[0] + bad[1] - member.data_offset_sectors, member.component_sectors)
    if first >= end:
        return ()
    if member.level == Level.RAID1:
        return ((first, end - first),)
    chunk = member.chunk_sectors
    if not chunk or member.level not in (*_PARITY_DISKS, Level.RAID10):
        return ()
    rows = range(first // chunk, -(-end // chunk))
    chunks = sorted({number for row in rows for number in _chunks(member, row)})
    return tuple(_joined((number * chunk, chunk) for number in chunks))


def _chunks(member: MemberSuperblock, row: int) -> range:
    """Return the numbers of the array's chunks with data or parity in the ``row`` of chunks across its members."""
    if member.level != Level.RAID10:
        data = member.slots - _PARITY_DISKS[Level(member.level)]
        return range(row * data, (row + 1) * data)
    near, far, is_offset = member.layout & 0xFF, member.layout >> 8 & 0xFF, bool(member.layout >> 16 & 1)
    rows = member.component_sectors // member.chunk_sectors
    if far > 1:
        row = row // far if is_offset else row % (rows // far)
    return range(row * member.slots // near, -(-(row + 1) * member.slots // near))


def _joined(ranges: Iterator[Range]) -> Iterator[Range]:
    """Yield the ascending ``ranges``, those that follow one another as one."""
    first = count = 0
    for begin, size in ranges:
        if count and begin == first + count:
            count += size
            continue
        if count:
            yield first, count
        first, count = begin, size
    if count:
        yield first, count
