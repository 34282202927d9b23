"""Disks that nobody has yet: what may be said of them before buying, and how a plan on them is known."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

from .disk import Disk
from .pool import parse_pool

_ID = re.compile(r"disk-(\d+)")  # by-id names begin with a bus or a scheme: ata-, nvme-, wwn-
_NOBODY = Disk("", "", "", "", "", 0)
KINDS = MappingProxyType(  # what a kind says of a disk; "" is a disk of which nothing is known but its size
    {
        "": _NOBODY,
        "hdd7200": replace(_NOBODY, rotation_rpm=7200, bus="ata"),
        "hdd5400": replace(_NOBODY, rotation_rpm=5400, bus="ata"),
        "smr": replace(_NOBODY, rotation_rpm=5400, bus="ata", zoned=True),
        "ssd": replace(_NOBODY, rotation_rpm=0, bus="ata"),
        "nvme": replace(_NOBODY, rotation_rpm=0, bus="nvme"),
    }
)


def is_imagined(disk_id: str) -> bool:
    """Whether an id is one of ours, and no machine's."""
    return _ID.fullmatch(disk_id) is not None


def imagined_disks(pool: str, *, kind: str = "", model: str = "", after: int = 0) -> tuple[Disk, ...]:
    """The disks of a pool such as ``4x8TB+2x4TB``, each of ``kind`` and ``model``, with ids ``disk-N`` after ``after``.

    Raises InputError as ``parse_pool`` does. What a pool says behind a colon is the practice machine's and counts for
    nothing here.
    """
    sizes = [group.size_bytes for group in parse_pool(pool) for _ in range(group.count)]
    return tuple(
        replace(KINDS[kind], id=f"disk-{number}", model=model, size_bytes=size)
        for number, size in enumerate(sizes, start=after + 1)
    )


def last_imagined(ids: tuple[str, ...]) -> int:
    """The highest number that one of ``ids`` has; 0 where none is imagined."""
    return max((int(found[1]) for one in ids if (found := _ID.fullmatch(one))), default=0)
