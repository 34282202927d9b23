"""What UDisks2 doesn't say of a disk or an array and the helper reads from sysfs and superblocks."""

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


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """One running array's facts. ``least_member_bytes``: how large a new member has to be; 0 where none can be taken.

    ``layout`` is a plan's ("" for none), ``vanished`` the kernel's names of members whose disks are gone,
    ``data_offset_sectors`` where the data begin, by the members' kernel names.
    """

    layout: str = ""
    metadata: str = ""
    bitmap: str = ""
    consistency: str = ""
    component_size_kib: int = 0
    logical_sector_bytes: int = 512
    least_member_bytes: int = 0
    vanished: tuple[str, ...] = ()
    data_offset_sectors: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Membership:
    """What a disk's superblock says of it: of which array (by UUID), in which slot, until when (Unix time).

    ``way`` is how that array would take it back, ``caught-up`` or ``rebuilds``; None where it doesn't run.
    """

    uuid: str
    slot: int | None
    updated_s: int
    way: str | None


Facts = Mapping[str, DiskFacts]
"""By device node (``/dev/sda``)."""

NO_FACTS = DiskFacts()


@dataclass(frozen=True, slots=True)
class Known:
    """All that the helper has told: of disks and of arrays by device node, of former members by disk id."""

    disks: Facts
    arrays: Mapping[str, ArrayFacts]
    memberships: Mapping[str, Membership]


NOTHING_KNOWN = Known({}, {}, {})
