"""Disks of the practice machine, as configured on the host and prepared in the guest. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .timing import Spinning, Timing, timing_from_json


class DiskUse(StrEnum):
    """Initial content of a disk."""

    NOTHING = ""
    GPT = "gpt"  # a partition table with one empty partition
    EXT4 = "ext4"
    LVM = "lvm"  # a physical volume, in a volume group
    MD = "md"  # a running raid1 with one member missing
    MOUNTED = "mounted"  # ext4, mounted under /srv


_ROTATION_RPM = 7200  # of spinning disks without a timing
_SECTORS = {(512, 512), (512, 4096), (4096, 4096)}  # 512n, 512e, 4Kn


@dataclass(frozen=True, slots=True)
class LabDisk:
    """One disk. ``vendor`` has at most 8 characters, ``model`` 16, as in SCSI's INQUIRY (SPC-4, 6.6.2).

    The WWN is made of ``serial``'s hexadecimal digits (see ``identity``), so serials must differ in those. Without
    ``timing`` the disk is as fast as the host's memory; disks with the same ``link`` share ``link_mb_s``.
    """

    vendor: str
    model: str
    serial: str
    size_bytes: int
    is_rotational: bool = True
    logical_sector_bytes: int = 512
    physical_sector_bytes: int = 512
    use: DiskUse = DiskUse.NOTHING
    timing: Timing | None = None
    link: str = ""
    link_mb_s: float = 0.0

    def __post_init__(self) -> None:
        if (self.logical_sector_bytes, self.physical_sector_bytes) not in _SECTORS:
            raise ValueError(f"no such sectors: {self.logical_sector_bytes}/{self.physical_sector_bytes}")
        if self.link and not self.timing:
            raise ValueError("a disk as fast as memory shares no link")

    @property
    def rotation_rpm(self) -> int:
        """Rotation rate in rpm; 0 for non-rotating disks."""
        if isinstance(self.timing, Spinning):
            return self.timing.rpm
        return _ROTATION_RPM if self.is_rotational else 0


def disk_from_json(fields: dict[str, Any]) -> LabDisk:
    """Return the disk that ``dataclasses.asdict`` turned into ``fields``."""
    return LabDisk(**{**fields, "use": DiskUse(fields["use"]), "timing": timing_from_json(fields["timing"])})
