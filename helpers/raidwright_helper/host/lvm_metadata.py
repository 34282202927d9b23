"""LVM's metadata as a physical volume itself keeps them, read from the device.

The label keeps the size that the volume had when it was made; pvresize changes only the text. Sources: lvm2
``lib/format_text/layout.h`` (``struct pv_header``, ``mda_header``, ``raw_locn``), ``lib/format_text/export.c``.
"""

from __future__ import annotations

import struct
from typing import Any

from raidwright.core.system.content_size import HEAD_BYTES, lvm_areas, lvm_uuid
from raidwright.core.units import SECTOR_BYTES

from .extents import bytes_at
from .lvm_text import UNCLEAR, parsed

_MAGIC = b" LVM2 x[5A%r0N*>"
_LOCN = 40  # the first raw_locn in the header
_MAX_TEXT_BYTES = 2**24


def used_on(fd: int) -> int | None:
    """Return the sectors that LVM has of the physical volume at ``fd``; None if its text can't be read.

    A physical volume in no group has no text: then its label's size holds, which is None here as well.
    """
    head = bytes_at(fd, 0, HEAD_BYTES)
    for start, size in lvm_areas(head):
        try:
            text = _text(fd, start, size)
            [group] = [one for one in parsed(text).values() if isinstance(one, dict)]
            return _size_of(group, lvm_uuid(head))
        except (*UNCLEAR, struct.error, OSError):
            continue
    return None


def _text(fd: int, start: int, size: int) -> str:
    """Return the text in the metadata area, which is a ring behind its header; raises ValueError for none."""
    header = bytes_at(fd, start, SECTOR_BYTES)
    offset, length = struct.unpack_from("<QQ", header, _LOCN)
    if header[4:20] != _MAGIC or not 0 < length <= min(size, _MAX_TEXT_BYTES) or not SECTOR_BYTES <= offset < size:
        raise ValueError(offset)
    first = bytes_at(fd, start + offset, min(length, size - offset))
    rest = bytes_at(fd, start + SECTOR_BYTES, length - len(first)) if len(first) < length else b""
    return (first + rest).rstrip(b"\0").decode("ascii")


def _size_of(group: Any, uuid: str) -> int:
    [volume] = [one for one in group["physical_volumes"].values() if one["id"].replace("-", "") == uuid]
    last = int(volume["pe_start"]) + int(volume["pe_count"]) * int(group["extent_size"])
    return max(int(volume["dev_size"]), last)
