"""Unrecognised bytes on a disk, found by reading a few places of it.

libblkid knows a disk by magic strings. A closed plain dm-crypt or VeraCrypt disk has none, nor has a damaged file
system of which only backup superblocks are left. Each place of a disk that was never written to, or was erased,
consists of one repeated byte.

The places are the same for every disk of a size: its first and last 4 KiB, the usual starts of partitions, backup
superblocks and md's data, and others spread evenly. Places that our own measurements wrote are zeroed again
(``clear``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from raidwright.core.protocol.facts import UNKNOWN

from .extents import bytes_at
from .signatures import Signature

PLACE_BYTES = 4096  # the largest sector size
_KIB, _MIB, _GIB = 2**10, 2**20, 2**30
_SPREAD = 24  # even intervals, which also include XFS's quarters (mkfs.xfs: four allocation groups)
_LIKELY_BYTES = (
    64 * _KIB,  # btrfs, first superblock
    _MIB,  # first partition; md's data of small disks
    3 * _MIB,
    8 * _MIB,  # ext4 with blocks of 1 KiB: superblock of group 1, at 8193 KiB
    32 * _MIB,  # ext4 with blocks of 2 KiB
    64 * _MIB,  # btrfs, second superblock
    128 * _MIB,  # ext4 with blocks of 4 KiB; md's data of large disks
    129 * _MIB,
    256 * _GIB,  # btrfs, third superblock
    1024 * _GIB - 4 * _KIB,  # XFS larger than 4 TiB, second allocation group
)


def places(size_bytes: int) -> tuple[int, ...]:
    """Return the offsets in bytes of the places read on a device of ``size_bytes``, in order."""
    blocks = size_bytes // PLACE_BYTES
    if not blocks:
        return ()
    spread = (-(-blocks * part // _SPREAD) for part in range(_SPREAD))
    likely = (offset // PLACE_BYTES for offset in _LIKELY_BYTES)
    return tuple(PLACE_BYTES * block for block in sorted({*spread, *likely, blocks - 1}) if block < blocks)


def find_unknown(device: int, size_bytes: int) -> Signature | None:
    """Return the first place of the open ``device`` that isn't one repeated byte, or is unreadable; None if none."""
    for offset in places(size_bytes):
        try:
            block = bytes_at(device, offset, PLACE_BYTES)
        except OSError:  # a bad sector may have held data, too
            block = b""
        if len(block) < PLACE_BYTES or block.count(block[0]) < PLACE_BYTES:
            return Signature(UNKNOWN, offset, PLACE_BYTES)
    return None


def clear(device: int, size_bytes: int, *, kept_bytes: int = 0) -> None:
    """Zero the places of the open ``device``, except within ``kept_bytes`` of either end; raises OSError.

    Only for what Raidwright's own measuring wrote on a disk that was empty, or that a person released for overwriting.
    """
    for offset in _inner(places(size_bytes), size_bytes, kept_bytes):
        os.pwrite(device, bytes(PLACE_BYTES), offset)
    os.fsync(device)


def _inner(offsets: Iterable[int], size_bytes: int, kept_bytes: int) -> Iterable[int]:
    return (one for one in offsets if kept_bytes <= one <= size_bytes - kept_bytes - PLACE_BYTES)
