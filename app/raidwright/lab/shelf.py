"""Plausible makes and models for the practice machine's disks, by size."""

from __future__ import annotations

from collections.abc import Iterable

from raidwright.core.errors import InputError
from raidwright.core.model.pool import parse_pool
from raidwright.lab.disks.disk import DiskUse, LabDisk

# (largest label in GB, vendor, model, serial prefix, rotates): the first that is large enough is taken.
_SHELF = (
    (250, "Samsung", "SSD 860 EVO", "S3Y9NB0K", False),
    (500, "Samsung", "SSD 870 EVO", "S6PYNM0R", False),
    (1000, "WDC", "WD10EZEX", "WCC6Y", True),
    (2000, "Seagate", "ST2000DM008", "WFL2", True),
    (4000, "WDC", "WD40EFRX", "WCC7K", True),
    (6000, "TOSHIBA", "HDWG460", "Y1Q0", True),
    (8000, "WDC", "WD80EFZX", "VK0", True),
    (10000, "Seagate", "ST10000VN0008", "ZA2", True),
    (12000, "WDC", "WD120EFBX", "5QG", True),
    (16000, "TOSHIBA", "MG08ACA16TE", "Z0N0", True),
    (20000, "Seagate", "ST20000NM007D", "ZVT", True),
)
_LARGEST_BYTES = 24_000 * 1_010_000_000  # labelled 24 TB


def disks_from_text(text: str, *, first_number: int = 1) -> tuple[LabDisk, ...]:
    """The disks that ``4x8TB+2TB:ext4`` orders, numbered from ``first_number``; raises InputError."""
    wanted = [group for group in parse_pool(text) for _ in range(group.count)]
    return tuple(_take(group.size_bytes, group.use, n) for n, group in enumerate(wanted, start=first_number))


def next_number(serials: Iterable[str]) -> int:
    """A number that none of our ``serials`` ends in."""
    return max((int(serial[-4:], 16) for serial in serials), default=0) + 1


def _take(size_bytes: int, use: str, number: int) -> LabDisk:
    if use not in list(DiskUse):
        known = ", ".join(kind for kind in DiskUse if kind)
        raise InputError("A practice disk can't hold “{use}”; it can hold {known}.", code="use", use=use, known=known)
    if size_bytes > _LARGEST_BYTES:
        raise InputError("A practice disk can be 24 TB at most.", code="size", size_bytes=size_bytes)
    # A disk holds a little more than its label says.
    fitting = (row for row in _SHELF if size_bytes <= row[0] * 1_010_000_000)
    _, vendor, model, prefix, rotates = next(fitting, _SHELF[-1])
    return LabDisk(vendor, model, f"{prefix}{number:04X}", size_bytes, rotates, use=DiskUse(use))
