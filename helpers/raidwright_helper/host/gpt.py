"""The GPT of a disk: its GUID, and the places where it lies.

Source: UEFI 2.10, 5.3 (header in the second sector: "EFI PART", the disk's GUID at byte 56; 16 KiB of entries; a copy
of both at the disk's end).
"""

from __future__ import annotations

import uuid

from .extents import Extent, bytes_at

_MAGIC = b"EFI PART"
_ENTRY_BYTES = 128 * 128
_GRAIN_BYTES = 4096


def table_id(fd: int, sector_bytes: int) -> str:
    """Return the GUID of the table on the open disk ``fd``, "" if it has none; raises OSError."""
    header = bytes_at(fd, sector_bytes, 92)
    if len(header) < 92 or not header.startswith(_MAGIC):
        return ""
    return str(uuid.UUID(bytes_le=header[56:72]))


def table_places(size_bytes: int, sector_bytes: int) -> tuple[Extent, Extent]:
    """Return the parts of a disk that a GPT takes, in whole blocks of 4 KiB."""
    head = -(-(2 * sector_bytes + _ENTRY_BYTES) // _GRAIN_BYTES) * _GRAIN_BYTES
    tail = (size_bytes - _ENTRY_BYTES - sector_bytes) // _GRAIN_BYTES * _GRAIN_BYTES
    return Extent(0, head), Extent(tail, size_bytes - tail)
