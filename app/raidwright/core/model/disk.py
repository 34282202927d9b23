"""A machine's disk as a value: who it is, what it is, and what it is in use for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .plan import Baseline, Member


class UseKind(StrEnum):
    """Why a disk isn't free. The values are part of ``raidwright disks --json``."""

    SYSTEM = "system"  # the running system lives on it
    MOUNTED = "mounted"
    SWAP = "swap"
    HELD = "held"  # device-mapper, bcache or md has it open
    ARRAY_MEMBER = "array_member"  # of a running md array
    STOPPED_ARRAY_MEMBER = "stopped_array_member"  # of an array that doesn't run, but could be started
    STALE_ARRAY_MEMBER = "stale_array_member"  # md superblock, of no array that runs or could be started
    LVM = "lvm"
    ENCRYPTED = "encrypted"
    FILESYSTEM = "filesystem"
    PARTITION_TABLE = "partition_table"
    SIGNATURE = "signature"  # any other that blkid knows
    READ_ONLY = "read_only"
    NAMELESS = "nameless"  # no by-id name that is its alone, so no plan could mean it for sure


# In use now: taking the disk would pull it from under something that runs.
LIVE_USES = frozenset(
    {UseKind.SYSTEM, UseKind.MOUNTED, UseKind.SWAP, UseKind.HELD, UseKind.ARRAY_MEMBER, UseKind.READ_ONLY}
)


@dataclass(frozen=True, slots=True)
class ArrayHere:
    """How much of an array that doesn't run is here: members of ``slots``, and when they were written (Unix time)."""

    here: int
    slots: int
    updated_s: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that a disk, or a partition of it, is in use for.

    ``detail`` is the label, mount point, array name or type that names it for a person;
    ``partition`` is 0 for the whole disk. ``array`` is known of members of arrays that don't run.
    """

    kind: UseKind
    detail: str = ""
    partition: int = 0
    array: ArrayHere | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """What the disk says of itself; None where it doesn't say."""

    failing: bool | None = None
    temperature_celsius: float | None = None
    power_on_hours: int | None = None
    bad_sectors: int | None = None
    wear_percent: int | None = None  # of the writes that flash is rated for; it can exceed 100
    has_error_recovery: bool | None = None  # whether it can limit the time that it spends on a bad sector (SCT ERC)
    error_recovery_read_s: float | None = None  # the limit that it keeps to now, 0 for none
    error_recovery_write_s: float | None = None


@dataclass(frozen=True, slots=True)
class Disk:
    """A whole disk. ``id`` is its most stable by-id name (``wwn-0x…`` where there is one);
    a device node, which no plan takes, where it has none of its own.

    ``rotation_rpm``: 0 is flash, None unknown, -1 rotates at an unknown rate. Sector sizes are None where nobody could
    be asked. ``link`` names the port or bus that it shares with others of the same link. ``baseline`` is what was
    measured of it, None where nothing was. ``zoned``: shingled, as it says itself; many shingled disks don't.
    """

    id: str
    device: str
    model: str
    serial: str
    wwn: str
    size_bytes: int
    by_id: tuple[str, ...] = ()
    logical_sector_bytes: int | None = None
    physical_sector_bytes: int | None = None
    rotation_rpm: int | None = None
    bus: str = ""
    link: str = ""
    health: Health = Health()
    uses: tuple[Use, ...] = ()
    baseline: Baseline | None = None
    zoned: bool = False

    @property
    def is_free(self) -> bool:
        """Whether an array may take it as it is."""
        return not self.uses

    @property
    def is_live(self) -> bool:
        """Whether something that runs has it."""
        return any(use.kind in LIVE_USES for use in self.uses)

    @property
    def is_takeable(self) -> bool:
        """Whether an array may take it, once a person has let go of what it carries."""
        return not self.is_live and all(use.kind is not UseKind.NAMELESS for use in self.uses)

    def as_member(self) -> Member:
        """The plan's member that means this disk."""
        return Member(self.id, self.size_bytes, self.model, self.serial, baseline=self.baseline or self.of_kind())

    def of_kind(self) -> Baseline | None:
        """What its facts say of its speed: its kind and its turns; None where they don't."""
        if self.rotation_rpm is None:
            return None
        if self.rotation_rpm == 0:
            return Baseline(kind="nvme" if self.bus == "nvme" else "ssd")
        return Baseline(kind="smr" if self.zoned else "hdd", rpm=self.rotation_rpm if self.rotation_rpm > 0 else None)
