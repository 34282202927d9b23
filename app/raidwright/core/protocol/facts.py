"""What the helper tells of disks and arrays, and of what was done to them before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

BACKUPS = "/var/lib/raidwright/backups"  # what builds overwrote; only root can read it
KEPT_DAYS = 30  # for so long

UInt32 = Annotated[int, "u"]


CLAIMED_KINDS = frozenset({"btrfs", "jbd", "zfs_member", "bcachefs"})
"""libblkid's types of what can be in use through another disk: its own node is neither mounted nor held then."""


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """One whole disk's facts. ``link`` names the port, host or hub that it hangs on; ``holders`` are kernel names.

    ``rotation_rpm`` is None where it doesn't turn, or doesn't say how fast; ``zoned``: shingled, as it says itself.
    ``claimed`` are the nodes of the disk and its partitions of CLAIMED_KINDS that something has opened for itself.
    """

    logical_sector_bytes: UInt32 | None = None
    physical_sector_bytes: UInt32 | None = None
    link: str = ""
    holders: tuple[str, ...] = ()
    read_only: bool = False
    device: str = ""
    rotation_rpm: int | None = None
    zoned: bool = False
    claimed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class DiskSignature:
    """Something that a disk carries. ``name`` is what is confirmed: ``ext4``, or ``1:ext4`` in its first partition."""

    name: str
    offset_bytes: int
    label: str = ""


UNKNOWN = "unknown"
"""The name of what a disk holds that nothing recognises, confirmed as a signature is."""

SignatureNames = Mapping[str, tuple[str, ...]]
"""By disk, names of signatures on it: those that it carries, or that a person lets go."""


@dataclass(frozen=True, slots=True)
class DiskHealth:
    """What a disk says of itself; None where it doesn't say. Limits in tenths of a second, 0 for none.

    ``lost_sectors``: reallocated, and pending or uncorrectable ones (NVMe: media errors, SCSI: grown defects).
    ``wear_percent``: of the writes that flash is rated for, beyond 100 as well. ``error_recovery``: whether it can
    limit the time that it spends on a bad sector (SCT ERC), which only ATA disks have.
    """

    failing: bool | None = None
    temperature_celsius: int | None = None
    power_on_hours: int | None = None
    lost_sectors: int | None = None
    wear_percent: int | None = None
    has_error_recovery: bool | None = None
    error_recovery_read_ds: int | None = None
    error_recovery_write_ds: int | None = None


class ParityState(StrEnum):
    """What is known of an array's parity; it gives a lost member's data back only where it was computed."""

    SOUND = "sound"  # the first synchronisation computed it, or the last check found no difference
    COMPUTING = "computing"  # md hasn't come to the end of the synchronisation
    NEVER = "never"  # Raidwright built the array with --assume-clean, and no check has found it sound since
    DIFFERS = "differs"  # the last check found differences
    UNTOLD = "untold"  # somebody else built the array; a superblock doesn't tell of --assume-clean


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """One running array's facts. ``least_member_bytes``: how large a new member has to be; 0 where none can be taken.

    ``layout`` is a plan's ("" for none), ``vanished`` the kernel's names of members whose disks are gone,
    ``data_offset_sectors`` where the data begin, by the members' kernel names. ``starts_at_write``: md lets it be
    until something is written to it, and a spare takes over no sooner (array_state ``read-auto``, kernel's md.rst; an
    array that nothing uses comes to that when a member's disk vanishes, mdadm's Incremental.c).

    ``slots``, ``chunk_kib`` and ``size_bytes`` are the kernel's own words, which no event renews elsewhere after a
    --grow; of an array that ``reshapes`` they are those of the new shape. ``bitmap_chunk_kib`` is 0 without a bitmap.

    ``bad_sectors`` are how many of a member's sectors of 512 bytes md knows to be unreadable (``md/dev-*/bad_blocks``),
    by the members' kernel names, for those that have any. ``parity`` is None for a level without.

    ``make`` is mdadm's word for metadata that isn't md's own (``imsm``, ``ddf``; "" for md's), ``container`` the node
    of a volume's container. A container's ``level`` is "container".
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
    device: str = ""
    level: str = ""
    starts_at_write: bool = False
    slots: int = 0
    chunk_kib: int = 0
    size_bytes: int = 0
    bitmap_chunk_kib: int = 0
    reshapes: bool = False
    bad_sectors: tuple[tuple[str, int], ...] = ()
    parity: ParityState | None = None
    make: str = ""
    container: str = ""


class CameBack(StrEnum):
    """How md took a former member back, or would."""

    CAUGHT_UP = "caught-up"  # what it had missed is known and brought up to date
    REBUILDS = "rebuilds"  # as a new disk: all of it is written anew
    SPARE = "spare"  # nothing was missing; it stands by


@dataclass(frozen=True, slots=True)
class Membership:
    """What a disk's superblock says of it: of which array (by UUID), in which slot (None: a spare), and until when.

    ``updated_s`` is Unix time, ``way`` how that array would take it back; None where it doesn't run.
    """

    uuid: str
    slot: int | None
    updated_s: int = 0
    way: CameBack | None = None
    name: str = ""


class BuildState(StrEnum):
    """Where a build stands."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # the helper ended in the middle
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"  # an array taken apart, not built


class BuildStep(StrEnum):
    """What a build's log can say. A step is noted before it begins, an end once it is there."""

    WIPE = "wipe"
    CREATE = "create"
    JOIN = "join"  # always the first: no build, but a disk that is given to an array that runs
    UNDO = "undo"
    DISMANTLE = "dismantle"  # always the first: what is kept is an array taken apart
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"
    FORGOTTEN = "forgotten"  # what was saved is deleted; what the array is stays as it was


class ClosedBy(StrEnum):
    """What closes the way back of an array that was built."""

    NOTHING = ""
    NOT_RUNNING = "not-running"
    MOUNTED = "mounted"
    IN_USE = "in-use"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """A build of the past, as the helper kept it; ``began_s`` is Unix time.

    ``steps`` are BuildSteps and ``closed_by`` a ClosedBy, or what a newer helper knows besides, which closes as well.
    ``removed`` says what was wiped where. ``synchronises``: md's first synchronisation wrote over the disks' insides,
    so a way back restores their ends and what names their contents, but not all of these.
    What closes the way back is told as far as it can be without looking closer.
    ``kept_until_s`` is when what was saved of the disks, or what an undo overwrote on them, is deleted; None when
    nothing is kept.
    """

    id: str
    name: str
    state: BuildState
    began_s: int
    uuid: str
    disks: tuple[str, ...]
    steps: tuple[str, ...]
    removed: tuple[str, ...]
    has_way_back: bool
    synchronises: bool
    closed_by: str = ClosedBy.NOTHING
    kept_until_s: int | None = None


@dataclass(frozen=True, slots=True)
class ScratchRecord:
    """A scratch array that stands, or may: its UUID, and its disks by name.

    ``why_left`` says why it could not be taken away after its owner had left; "" while that one is still there.
    """

    uuid: str
    disks: tuple[str, ...]
    why_left: str = ""


class CheckState(StrEnum):
    """Where a check stands."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    INTERRUPTED = "interrupted"  # the array or the machine was stopped, or something else ended it


@dataclass(frozen=True, slots=True)
class Check:
    """A check of an array, in Unix seconds. ``mismatch_sectors``: how much differed, so far or in all."""

    uuid: str
    name: str
    state: CheckState
    began_s: int
    ended_s: int | None
    mismatch_sectors: int
