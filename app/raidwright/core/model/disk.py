"""A machine's disk as a value: its identity, its properties, and its uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .plan import Baseline, Member


class UseKind(StrEnum):
    """Reason why a disk isn't free. The values are part of ``raidwright disks --json``."""

    SYSTEM = "system"  # the running system is on it
    MOUNTED = "mounted"
    SWAP = "swap"
    HELD = "held"  # device-mapper, bcache or md has it open, or something that nothing names claims it
    LOOP = "loop"  # a loop device is over it
    LOG = "log"  # the log, or another part, of a file system mounted from another device
    PROCESS = "process"  # a program has it open for writing, such as a virtual machine that it is passed to
    EXPORT = "export"  # this machine exports it to others, by iSCSI or NVMe over fabrics
    READER = "reader"  # a program has it open for reading only, which hinders nothing
    ARRAY_MEMBER = "array_member"  # of a running md array
    STOPPED_ARRAY_MEMBER = "stopped_array_member"  # of an array that isn't running, but could be started
    STALE_ARRAY_MEMBER = "stale_array_member"  # md superblock of no array that is running or could be started
    LVM = "lvm"
    ENCRYPTED = "encrypted"
    FILESYSTEM = "filesystem"
    PARTITION_TABLE = "partition_table"
    SIGNATURE = "signature"  # any other known to blkid
    READ_ONLY = "read_only"
    NAMELESS = "nameless"  # no unique by-id name, so no plan can identify it


# In use now: taking the disk would remove it from under whatever uses it.
LIVE_USES = frozenset(
    {
        UseKind.SYSTEM,
        UseKind.MOUNTED,
        UseKind.SWAP,
        UseKind.HELD,
        UseKind.LOOP,
        UseKind.LOG,
        UseKind.PROCESS,
        UseKind.EXPORT,
        UseKind.ARRAY_MEMBER,
        UseKind.READ_ONLY,
    }
)


@dataclass(frozen=True, slots=True)
class ArrayHere:
    """Members present of an array that isn't running: ``here`` of ``slots``, and their last update (Unix time)."""

    here: int
    slots: int
    updated_s: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a disk or of a partition of it.

    ``detail`` is the label, mount point, array name or type to show for it; ``partition`` is 0 for the whole disk.
    ``array`` is set for members of arrays that aren't running. ``through`` is the device stacked on the disk that is
    really used, "" for the disk or partition itself. ``pid`` is the process, and for a mount one whose mount namespace
    has it; 0: the system's own has.
    """

    kind: UseKind
    detail: str = ""
    partition: int = 0
    array: ArrayHere | None = None
    through: str = ""
    pid: int = 0


MAX_POWER_ON_HOURS = 40 * 8766  # a disk with more counts minutes or seconds
CELSIUS = range(-40, 126)  # a disk beyond it has no sensor


class HealthSign(StrEnum):
    """A warning of the disk's own about itself: each bit of NVMe's Critical Warning, or a SCSI disk's alike."""

    TEMPERATURE = "temperature"  # above or below its own limits, which is no failure
    SPARE = "spare"  # spare flash below its threshold
    RELIABILITY = "reliability"
    READ_ONLY = "read-only"
    BACKUP = "backup"  # what keeps its cache over a power cut
    PERSISTENT_MEMORY = "persistent-memory"


@dataclass(frozen=True, slots=True)
class Health:
    """A disk's SMART health; None for values that it doesn't report.

    ``signs`` are its own warnings; ``low_now`` and ``low_once`` the pre-fail attributes at or below their thresholds,
    by smartctl's names: now, and at some time before; ``low_usage`` the attributes of use that are now.
    ``retired_blocks``: of flash, which has some from the start on.
    """

    failing: bool | None = None
    temperature_celsius: float | None = None
    power_on_hours: int | None = None
    bad_sectors: int | None = None
    wear_percent: int | None = None  # of the rated flash writes; it can exceed 100
    has_error_recovery: bool | None = None  # supports a limit on the recovery of a bad sector (SCT ERC)
    error_recovery_read_s: float | None = None  # the current limit, 0 for none
    error_recovery_write_s: float | None = None
    retired_blocks: int | None = None
    unread_errors: int | None = None  # reads, of SCSI writes too, that it could not correct, and reported
    signs: tuple[HealthSign, ...] = ()
    low_now: tuple[str, ...] = ()
    low_once: tuple[str, ...] = ()
    low_usage: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Disk:
    """A whole disk. ``id`` is its most stable by-id name (``wwn-0x…`` where there is one);
    a device node, which no plan accepts, if it has no by-id name.

    ``rotation_rpm``: 0 is flash, None unknown, -1 rotates at an unknown rate. Sector sizes are None if they couldn't be
    read. ``link`` names the port or bus that it shares with others of the same link. ``baseline`` is its measured
    speed, None if never measured. ``zoned``: the disk reports SMR; many SMR disks don't.
    ``has_esp``: it has an EFI system partition. ``path`` is
    udev's name of its place, below /dev/disk/by-path ("" if it has none): no other disk has the same.
    ``power_loss_protection`` is flash's, as said; None if only its model can tell.
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
    has_esp: bool = False
    path: str = ""
    power_loss_protection: bool | None = None

    @property
    def is_free(self) -> bool:
        """True if the disk may be used for an array as it is."""
        return all(use.kind is UseKind.READER for use in self.uses)

    @property
    def is_live(self) -> bool:
        """True if a mounted file system, a running array or another active user has the disk."""
        return any(use.kind in LIVE_USES for use in self.uses)

    @property
    def is_takeable(self) -> bool:
        """True if the disk may be used for an array, once the user has released its contents for erasure."""
        return not self.is_live and all(use.kind is not UseKind.NAMELESS for use in self.uses)

    def as_member(self) -> Member:
        """Return the plan's member for this disk."""
        sectors = self.logical_sector_bytes if self.logical_sector_bytes == 4096 else None  # as in plans
        baseline = self.baseline or self.of_kind()
        return Member(self.id, self.size_bytes, self.model, self.serial, baseline=baseline, sector_bytes=sectors)

    def of_kind(self) -> Baseline | None:
        """Return the disk's kind and rpm as a baseline; None if unknown."""
        if self.rotation_rpm is None:
            return None
        if self.rotation_rpm == 0:
            kind = "nvme" if self.bus == "nvme" else "ssd"
            return Baseline(kind, power_loss_protection=self.power_loss_protection)
        return Baseline(kind="smr" if self.zoned else "hdd", rpm=self.rotation_rpm if self.rotation_rpm > 0 else None)
