"""What UDisks2 doesn't say of a disk and the helper reads from sysfs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """One whole disk's facts. ``link`` names the port, host or hub that it hangs on; ``holders`` are kernel names."""

    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    link: str = ""
    holders: tuple[str, ...] = ()
    read_only: bool = False


Facts = Mapping[str, DiskFacts]
"""By device node (``/dev/sda``)."""

NO_FACTS = DiskFacts()
