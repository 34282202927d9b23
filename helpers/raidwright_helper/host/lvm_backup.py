"""The kind and pieces of a joined volume in LVM's own backup of its metadata, and its arrays' sizes.

No device is opened.

LVM writes the file after each change of a group. Sources: vgcfgbackup(8); lvm2 ``lib/format_text/export.c``
(``_print_segment``, ``_print_pvs``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from raidwright.core.lvm.joined import LINEAR, STRIPED, VOLUME

from .host import Host
from .lvm import joined_over
from .lvm_text import UNCLEAR, parsed
from .system_files import lenient_text

_LINEAR_VALUES = 2  # of "stripes": the physical volume and its first extent


@dataclass(frozen=True, slots=True)
class Placed:
    """An array's part of its joined volume: ``kind`` and ``pieces`` as ``volume_kind`` and ``pieces`` of ArrayFacts."""

    kind: str
    pieces: tuple[int, ...] = ()


def placed_of(host: Host, array: int) -> Placed | None:
    """Return the array's part of its joined volume; None if LVM's backup doesn't tell, or tells of another size."""
    try:
        volume, group, name = _found(host, array)
        segments = [one for one in group["logical_volumes"][VOLUME].values() if isinstance(one, dict)]
        sectors = sum(int(one["extent_count"]) for one in segments) * int(group["extent_size"])
        if sectors * 512 != host.size_bytes(volume):
            return None
        if (kind := next(filter(None, map(_other_kind, segments)), LINEAR)) != LINEAR:
            return Placed(kind)
        return Placed(LINEAR, tuple(_pieces(group, segments, name)))
    except UNCLEAR:
        return None


def used_of(host: Host, array: int) -> int | None:
    """Return the sectors of the array that LVM has for its own; None if its backup doesn't tell.

    The label on the array keeps the size that it had when it was made.
    """
    try:
        _, group, name = _found(host, array)
        volume = group["physical_volumes"][name]
        return int(volume["pe_start"]) + int(volume["dev_size"])
    except UNCLEAR:
        return None


def _found(host: Host, array: int) -> tuple[int, Any, str]:
    """Return the array's joined volume, its group, and the array's name in it; raises one of ``UNCLEAR``."""
    joined = joined_over(host, array)
    if joined is None:
        raise KeyError(array)
    uuid = host.udev(array).properties.get("ID_FS_UUID", "")
    group: Any = parsed(lenient_text(host.root / "etc/lvm/backup" / joined[1]))[joined[1]]
    return joined[0], group, next(name for name, one in group["physical_volumes"].items() if one["id"] == uuid)


def _other_kind(segment: Any) -> str:
    """Return LVM's type of the segment; "" for a linear one, which LVM writes as one stripe."""
    kind: str = segment.get("type", STRIPED)
    is_linear = kind == STRIPED and len(segment["stripes"]) == _LINEAR_VALUES
    return "" if is_linear else kind


def _pieces(group: Any, segments: list[Any], name: str) -> Iterator[int]:
    extent, start = int(group["extent_size"]), int(group["physical_volumes"][name]["pe_start"])
    for one in sorted(segments, key=lambda one: int(one["start_extent"])):
        volume, first = one["stripes"]
        if volume == name:
            yield int(one["start_extent"]) * extent
            yield start + int(first) * extent
            yield int(one["extent_count"]) * extent
