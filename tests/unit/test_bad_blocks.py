"""Lists of bad blocks read from a member, and the array's sectors through which their ranges are written again."""

from __future__ import annotations

import struct

import pytest
from raidwright.core.md.bad_blocks import bad_ranges, rewriting_ranges
from raidwright.core.md.layouts import Level
from raidwright.core.md.member_superblock import MemberSuperblock

_CHUNK = 8


def _entries(*ranges: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<Q", first << 10 | count) for first, count in ranges)


def test_entries_end_where_all_bits_are_set() -> None:
    log = _entries((2848, 8), (5000, 512)) + b"\xff" * 8 + _entries((1, 1))
    assert bad_ranges(log, 0) == ((2848, 8), (5000, 512))
    assert bad_ranges(log, 3) == ((2848 * 8, 64), (40000, 4096))
    assert bad_ranges(_entries((9, 0), (7, 1)) + b"\0\0", 0) == ((7, 1),)  # an empty record, and the end of the room
    assert bad_ranges(b"", 0) == ()


def _member(level: Level, slots: int, layout: int = 0, rows: int = 40, *, offset: int = 2048) -> MemberSuperblock:
    chunk = 0 if level is Level.RAID1 else _CHUNK
    return MemberSuperblock(
        "u", "1.2", level, slots, 1, 1, layout=layout, chunk_sectors=chunk, component_sectors=rows * _CHUNK,
        data_offset_sectors=offset,
    )  # fmt: skip


def test_a_mirrors_sectors_are_the_arrays() -> None:
    member = _member(Level.RAID1, 2)
    assert rewriting_ranges(member, (2048 + 100, 8)) == ((100, 8),)
    assert rewriting_ranges(member, (2040, 16)) == ((0, 8),)  # the superblock's own aren't data
    assert rewriting_ranges(member, (2048 + 40 * _CHUNK - 2, 8)) == ((40 * _CHUNK - 2, 2),)
    assert rewriting_ranges(member, (0, 8)) == ()


def test_parity_is_rewritten_with_all_data_of_its_stripe() -> None:
    assert rewriting_ranges(_member(Level.RAID5, 4), (2048 + 9, 8)) == ((24, 48),)  # two stripes of 24 sectors
    assert rewriting_ranges(_member(Level.RAID6, 4), (2048 + 9, 1)) == ((16, 16),)
    assert rewriting_ranges(_member(Level.RAID0, 4), (2048 + 9, 1)) == ()


def _copies(chunk: int, slots: int, layout: int, rows: int) -> set[tuple[int, int]]:
    """Return the member and the row of each copy, as ``__raid10_find_phys`` of kernel raid10.c works them out."""
    near, far, is_offset = layout & 0xFF, layout >> 8 & 0xFF, layout >> 16 & 1
    stripe, disk = divmod(chunk * near, slots)
    stripe *= far if is_offset else 1
    stride = 1 if is_offset else rows // far
    found = set()
    for _ in range(near):
        at, place = stripe, disk
        found.add((place, at))
        for _ in range(1, far):
            place = (place + near) % slots
            at += stride
            found.add((place, at))
        disk += 1
        if disk >= slots:
            disk, stripe = 0, stripe + (far if is_offset else 1)
    return found


@pytest.mark.parametrize("layout", [0x102, 0x103, 0x201, 0x301, 0x10201, 0x10301])
@pytest.mark.parametrize("slots", [3, 4, 5])
def test_every_copy_on_a_row_is_written_again_in_raid10(layout: int, slots: int) -> None:
    rows = 60
    near, far = layout & 0xFF, layout >> 8 & 0xFF
    chunks = slots * rows // far // near
    member = _member(Level.RAID10, slots, layout, rows)
    for row in range(0, rows - far, 5):
        written = {
            number // _CHUNK
            for first, count in rewriting_ranges(member, (2048 + row * _CHUNK, _CHUNK))
            for number in range(first, first + count, _CHUNK)
        }
        on_row = {chunk for chunk in range(chunks) if any(at == row for _, at in _copies(chunk, slots, layout, rows))}
        assert on_row
        assert on_row <= written
        assert len(written) <= slots + 1
