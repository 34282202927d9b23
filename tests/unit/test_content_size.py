"""Size that an array's content claims, read from its superblock; anything damaged claims nothing that is known."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st
from raidwright.core.system.content_size import HEAD_BYTES, used_sectors


def _ext(blocks: int, log: int = 2, *, magic: int = 0xEF53, is_64bit: bool = True) -> bytes:
    head = bytearray(HEAD_BYTES)
    struct.pack_into("<I", head, 1024 + 4, blocks & 0xFFFFFFFF)
    struct.pack_into("<I", head, 1024 + 24, log)
    struct.pack_into("<H", head, 1024 + 56, magic)
    struct.pack_into("<I", head, 1024 + 96, 0x80 if is_64bit else 0)
    struct.pack_into("<I", head, 1024 + 336, blocks >> 32)
    return bytes(head)


@given(st.integers(1, 2**40), st.integers(0, 6))
def test_ext4_counts_blocks(blocks: int, log: int) -> None:
    assert used_sectors("ext4", _ext(blocks, log)) == blocks * (2 << log)


def test_without_64bit_the_high_half_is_something_else() -> None:
    assert used_sectors("ext4", _ext(5 + (7 << 32), is_64bit=False)) == 40


def test_xfs_btrfs_and_lvm() -> None:
    xfs = struct.pack(">4sIQ", b"XFSB", 4096, 1000).ljust(HEAD_BYTES, b"\0")
    assert used_sectors("xfs", xfs) == 8000
    btrfs = bytearray(HEAD_BYTES)
    btrfs[65536 + 64 : 65536 + 72] = b"_BHRfS_M"
    struct.pack_into("<QQQQ", btrfs, 65536 + 112, 10 * 2**20, 0, 0, 1)
    assert used_sectors("btrfs", bytes(btrfs)) == 20480
    struct.pack_into("<Q", btrfs, 65536 + 112 + 24, 2)
    assert used_sectors("btrfs", bytes(btrfs)) is None  # on another device as well
    lvm = bytearray(HEAD_BYTES)
    lvm[512:520], lvm[536:544] = b"LABELONE", b"LVM2 001"
    struct.pack_into("<I", lvm, 512 + 20, 32)
    struct.pack_into("<Q", lvm, 512 + 32 + 32, 2**20)
    assert used_sectors("LVM2_member", bytes(lvm)) == 2048


def test_what_is_not_understood_is_not_known() -> None:
    assert used_sectors("ext4", _ext(5, magic=0)) is None
    assert used_sectors("crypto_LUKS", bytes(HEAD_BYTES)) is None
    assert used_sectors("ext4", b"short") is None
    assert used_sectors("xfs", bytes(HEAD_BYTES)) is None


@given(st.sampled_from(["ext4", "xfs", "btrfs", "LVM2_member", "x"]), st.binary(max_size=4096))
def test_no_bytes_break_it(kind: str, noise: bytes) -> None:
    found = used_sectors(kind, (noise * (HEAD_BYTES // max(1, len(noise)) + 1))[:HEAD_BYTES])
    assert found is None or found >= 0
