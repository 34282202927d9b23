"""The helper's facts about disks and arrays, and the records of its changes to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from raidwright.core.md.sync import PAUSED_KIB_S

from .device_users import DeviceUser

BACKUPS = "/var/lib/raidwright/backups"  # data overwritten by builds; only root can read it
KEPT_DAYS = 30  # retention of backups

UInt32 = Annotated[int, "u"]


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """One whole disk's facts. ``link`` names its port, host or hub; ``holders`` are kernel names.

    ``rotation_rpm`` is None if it doesn't rotate, or doesn't report its speed; ``zoned``: the disk reports SMR.
    ``claimed`` are the nodes of the disk and its partitions that something has claimed without any other sign of it:
    the second disk of a mounted file system, an external journal. ``used_by`` are those that can be named.
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
    used_by: tuple[DeviceUser, ...] = ()


@dataclass(frozen=True, slots=True)
class DiskSignature:
    """A signature on a disk. ``name`` is the text to confirm: ``ext4``, or ``1:ext4`` in its first partition."""

    name: str
    offset_bytes: int
    label: str = ""


UNKNOWN = "unknown"
"""The name of what a disk holds that nothing recognises, confirmed as a signature is."""

SignatureNames = Mapping[str, tuple[str, ...]]
"""By disk, names of signatures on it: those that it carries, or that a person gives up."""


@dataclass(frozen=True, slots=True)
class DiskHealth:
    """A disk's SMART health; None for values that it doesn't report. Limits in tenths of a second, 0 for none.

    ``bad_sectors``: reallocated, and pending or uncorrectable ones (NVMe: media errors, SCSI: grown defects).
    ``wear_percent``: of the rated flash writes, may exceed 100. ``error_recovery``: the disk supports a limit on the
    recovery of a bad sector (SCT ERC), which only ATA disks that turn need. ``retired_blocks`` to ``low_usage`` are as
    in ``Health``; a sign that the program doesn't know is left out there.
    """

    failing: bool | None = None
    temperature_celsius: int | None = None
    power_on_hours: int | None = None
    bad_sectors: int | None = None
    wear_percent: int | None = None
    has_error_recovery: bool | None = None
    error_recovery_read_ds: int | None = None
    error_recovery_write_ds: int | None = None
    retired_blocks: int | None = None
    unread_errors: int | None = None
    signs: tuple[str, ...] = ()
    low_now: tuple[str, ...] = ()
    low_once: tuple[str, ...] = ()
    low_usage: tuple[str, ...] = ()


class ParityState(StrEnum):
    """State of an array's parity; only computed parity can restore a lost member's data."""

    SOUND = "sound"  # the initial resync computed it, or the last check found no difference
    COMPUTING = "computing"  # md hasn't finished the initial resync
    NEVER = "never"  # Raidwright built the array with --assume-clean, and no check has found the parity correct since
    DIFFERS = "differs"  # the last check found differences
    COPY_CUT_OFF = "copy-cut-off"  # the computer stopped while a member was copied, and no check has ended since
    UNTOLD = "untold"  # built by other means; a superblock doesn't record --assume-clean


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    """One running array's facts. ``least_member_bytes``: minimum size of a new member; 0 if none can be added.

    ``layout`` is a plan's ("" for none), ``vanished`` the kernel's names of members whose disks are gone,
    ``data_offset_sectors`` the data offset, by the members' kernel names. ``starts_at_write``: md starts no resync or
    recovery until the first write (array_state ``read-auto``, kernel's md.rst; an unused array gets there when a
    member's disk vanishes, mdadm's Incremental.c).

    ``slots``, ``chunk_kib`` and ``size_bytes`` are the kernel's own values, which no event updates elsewhere after a
    --grow; of an array that ``reshapes`` they are those of the new shape. ``bitmap_chunk_kib`` is 0 without a bitmap.

    ``bad_sectors`` counts the bad blocks in md's log (``md/dev-*/bad_blocks``) in sectors of 512 bytes, by the kernel
    names of members that have any. ``parity`` is None for a level without.

    ``make`` is mdadm's word for metadata that isn't md's own (``imsm``, ``ddf``; "" for md's), ``container`` the node
    of a volume's container. A container's ``level`` is "container".

    ``read_only``: nothing may be written to it (array_state ``readonly``).
    ``used_bytes`` of ``file_system_bytes`` are taken on the file system mounted from it; both are 0 if none is.
    ``holders`` are the devices on it, by device-mapper's names, or the kernel's. ``volume_kind`` is the kind of the
    joined volume over it: ``linear``, another target of device-mapper or type of LVM's, or ``unknown``; "" if there is
    none. ``pieces`` are its pieces in a linear one, each a sector of the volume, one of the array, and a number of
    sectors. Both are those of LVM's own backup of its metadata, or of device-mapper's table.
    ``limit_kib_s`` is its own limit for md's work, along each member; 0: the system's.
    ``claimed``: a job of the helper's is at work on it or on its disks.
    ``delayed``: md begins its work on it once it is done with another array on the same disks (sync_completed;
    kernel ``md.c``, ``match_mddev_units``).
    ``stays_stopped``: once stopped, md would start it again only by force. ``spares`` is the number of its spares.
    ``has_failed``: it runs, and more members are gone than it survives. UDisks2 then loses it (udev has no UUID of it
    any more), so ``uuid`` and ``mounted_at`` tell which it is, and where its file system is mounted.
    ``layers`` are the lines (``core.system.layers``) of the devices on it.
    ``slots_before`` is the number of slots before a reshape that changes it, else 0. ``uuid`` and the rest are as in
    ``RunningState``, the members as its lines; "" and () from an older helper.
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
    used_bytes: int = 0
    file_system_bytes: int = 0
    read_only: bool = False
    holders: tuple[str, ...] = ()
    pieces: tuple[int, ...] = ()
    limit_kib_s: int = 0
    volume_kind: str = ""
    claimed: bool = False
    delayed: bool = False
    stays_stopped: bool = False
    spares: int = 0
    uuid: str = ""
    has_failed: bool = False
    mounted_at: str = ""
    array_state: str = ""
    sync_action: str = ""
    degraded: int = 0
    resync_pending: bool = False
    suspended: bool = False
    shortened: bool = False
    slots_before: int = 0
    layers: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @property
    def is_paused(self) -> bool:
        """True if md's work on it is held back to the lowest limit."""
        return self.limit_kib_s == PAUSED_KIB_S


@dataclass(frozen=True, slots=True)
class HostFacts:
    """The machine's own name (what mdadm takes for its homehost), its kernel's release, and mdadm's version.

    ``homehosts`` are the home hosts that mdadm.conf gives it as well. "" for what couldn't be read. ``efi``: its
    firmware is UEFI, and started it as such; None from an older helper.
    """

    hostname: str = ""
    kernel: str = ""
    mdadm: str = ""
    homehosts: tuple[str, ...] = ()
    efi: bool | None = None

    def is_home(self, homehost: str) -> bool:
        """True if an array of ``homehost`` is this machine's own; also where either is unknown."""
        return not homehost or not self.hostname or homehost in ("any", self.hostname, *self.homehosts)


class AlertChannel(StrEnum):
    """A way in which people are told of an array's events."""

    MAIL = "mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True)
class AlertFacts:
    """The receivers of messages on failing disks, and the time of the last one, in Unix seconds (None: not recorded).

    ``mail`` is mdadm.conf's MAILADDR, ``can_mail``: there is a mail server to hand a mail to. ``webhook`` is the URL's
    scheme, host and port; the rest of it and the token leave the machine only towards that host. ``waiting`` messages
    couldn't be posted yet. ``watches``: md's monitor runs, None if that couldn't be learned. ``is_called``: it runs
    Raidwright's program, and ``event_s`` is when it last did. A failure's sentence is "" once a message arrived again.
    """

    mail: str = ""
    can_mail: bool = False
    webhook: str = ""
    kind: str = ""
    has_token: bool = False
    waiting: int = 0
    watches: bool | None = None
    is_called: bool = False
    event_s: int | None = None
    mail_sent_s: int | None = None
    mail_failure: str = ""
    webhook_sent_s: int | None = None
    webhook_failure: str = ""

    @property
    def sent_s(self) -> int | None:
        """The time of the last message that went out by any channel."""
        return max((one for one in (self.mail_sent_s, self.webhook_sent_s) if one is not None), default=None)

    @property
    def channels(self) -> tuple[AlertChannel, ...]:
        """The channels that are set up."""
        is_set = {AlertChannel.MAIL: self.mail, AlertChannel.WEBHOOK: self.webhook}
        return tuple(channel for channel, where in is_set.items() if where)

    @property
    def arriving(self) -> tuple[AlertChannel, ...]:
        """The channels that are set up and that nothing known keeps a message from."""
        works = {AlertChannel.MAIL: self.can_mail, AlertChannel.WEBHOOK: self.is_called}
        return tuple(channel for channel in self.channels if works[channel] and self.watches is not False)


@dataclass(frozen=True, slots=True)
class ChangeGround:
    """Running state of an array that a change must heed (``core.md.changes``).

    ``kind`` is libblkid's type of its content ("" for none, UNKNOWN for unrecognised bytes), ``used_sectors`` what that
    uses of the array, None if unknown; ``size_sectors`` the array's present size; ``mdadm`` the version installed
    there; ``busy`` md's sync_action unless that is idle. ``shares_backup``: the folder of backup files lies on the
    array. ``start_sectors`` is the place of LVM's first extent on an array of a joined volume; None if it isn't LVM's.
    ``log_room_sectors`` is the least room on a member for a partial parity log, None if its superblock can't be read.
    ``conf_words`` are the words of the array's lines in mdadm.conf that name its shape: ``level=raid5``.
    ``former`` are the lines of the devices that carry its superblock and aren't in it (``FormerMember``).
    """

    kind: str
    mounted_at: str
    mdadm: str
    missing: int
    used_sectors: int | None = None
    size_sectors: int = 0
    busy: str = ""
    reshapes: bool = False
    shares_backup: bool = False
    start_sectors: int | None = None
    log_room_sectors: int | None = None
    conf_words: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


class CameBack(StrEnum):
    """md's way of re-adding a former member."""

    CAUGHT_UP = "caught-up"  # only the regions that it missed are resynced
    REBUILDS = "rebuilds"  # as a new disk: a full recovery
    SPARE = "spare"  # no slot was free; it is a spare


@dataclass(frozen=True, slots=True)
class Membership:
    """Membership recorded in a disk's superblock: array (by UUID), slot (None: a spare), and last update.

    ``updated_s`` is Unix time, ``way`` how that array would re-add the disk; None if the array isn't running.
    ``history`` is the disk's beside that array (``core.md.histories.History``), "" if unknown.
    """

    uuid: str
    slot: int | None
    updated_s: int = 0
    way: CameBack | None = None
    name: str = ""
    history: str = ""


class BuildState(StrEnum):
    """State of a build."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # the helper ended before the build did
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"  # an array dismantled, not built
    RESCUED = "rescued"  # superblocks written by a rescue, not a build


class BuildStep(StrEnum):
    """Entries of a build's log. A step is logged before it begins, an end once it is reached."""

    WIPE = "wipe"
    PARTITION = "partition"  # of a joined volume: its disks' partition tables
    CREATE = "create"
    VOLUME = "volume"  # of a joined volume: LVM joins its arrays
    JOIN = "join"  # always the first: not a build, but a disk added to a running array
    UNDO = "undo"
    DISMANTLE = "dismantle"  # always the first: the record of a dismantled array
    RESCUE = "rescue"  # always the first: superblocks are about to be written by a rescue
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"
    RESCUED = "rescued"
    FORGOTTEN = "forgotten"  # the backup is deleted; the array stays as it was


class ClosedBy(StrEnum):
    """Reason why a build can't be undone."""

    NOTHING = ""
    NOT_RUNNING = "not-running"
    MOUNTED = "mounted"
    IN_USE = "in-use"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """A past build, as the helper recorded it; ``began_s`` is Unix time.

    ``steps`` are BuildSteps and ``closed_by`` a ClosedBy, or a newer helper's value, which prevents the undo as well.
    ``removed`` lists the signatures wiped. ``synchronises``: md's initial resync overwrote the disks' data area, so an
    undo restores their ends and the signatures, but not all contents.
    ``closed_by`` is determined without examining the disks.
    ``kept_until_s`` is when the backup of the disks, or of the data that an undo overwrote, is deleted; None without
    one.
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
    """A scratch array that exists, or may exist: its UUID, and its disks by name.

    ``why_left`` tells why it couldn't be removed after its owner had left; "" while the owner is connected.
    """

    uuid: str
    disks: tuple[str, ...]
    why_left: str = ""


class CheckState(StrEnum):
    """State of a check."""

    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    INTERRUPTED = "interrupted"  # the array or the machine was stopped, or the check was ended otherwise


@dataclass(frozen=True, slots=True)
class Check:
    """A check of an array, in Unix seconds. ``mismatch_sectors``: the count so far or in total."""

    uuid: str
    name: str
    state: CheckState
    began_s: int
    ended_s: int | None
    mismatch_sectors: int
