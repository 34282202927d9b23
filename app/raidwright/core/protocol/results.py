"""Results of the helper's jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.md.rescue.stripes import Proof
from raidwright.core.system.filesystem import FileSystemKind

from .facts import AlertChannel, CameBack
from .measured import Figures


@dataclass(frozen=True, slots=True)
class AtOnceResult:
    """Figures of several disks read simultaneously: ``streams`` and ``accesses`` by the disk's id."""

    streams: Mapping[str, Figures]
    accesses: Mapping[str, Figures]
    seconds: int
    fio: str
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActFigures:
    """One test of a file system (``core.system.file_acts``), as in ``WorkloadResult``; ``mb_s`` is 0 for many files."""

    seconds: float
    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class FileSystemMeasured:
    """Results of a temporary file system on an array, test by test.

    ``unit_kib``, ``width_kib`` and ``log_unit_kib`` are the alignment that it reported, 0 for none.
    ``mkfs`` is the command that made it, ``commands`` are fio's, and ``surroundings`` as in ``WorkloadResult``.
    """

    kind: FileSystemKind
    figures: Mapping[str, ActFigures]
    commands: Mapping[str, str]
    surroundings: Mapping[str, str]
    unit_kib: int = 0
    width_kib: int = 0
    log_unit_kib: int = 0
    mkfs: str = ""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The array made by a build, as md itself reports it. ``log`` has one line per step.

    ``build_id`` is the argument for Undo; "" for a scratch array, which can't be undone.
    """

    device: str
    uuid: str
    array_sectors: int
    component_size_kib: int
    command: str
    log: tuple[str, ...] = ()
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """An undone build. ``synchronised``: as ``BuildRecord.synchronises``.

    ``volume_active``: what was undone is a joined volume's dismantling, and the volume is active again.
    """

    build_id: str
    synchronised: bool
    log: tuple[str, ...] = ()
    volume_active: bool = False


@dataclass(frozen=True, slots=True)
class ScratchStopped:
    """A removed scratch array, by its UUID; its disks are free."""

    uuid: str


class Joined(StrEnum):
    """Role of a disk added to an array."""

    REBUILDS = "rebuilds"  # md rebuilds the missing member's data on it
    SPARE = "spare"  # no member is missing; it is a spare
    TAKES_OVER = "takes-over"  # md copies the old member's data to it, while that member keeps working


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A member failed, removed or re-added. ``missing``: number of slots without a working member now."""

    missing: int
    came_back: CameBack | None
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """A disk added to an array. ``missing``: number of slots without a working member until it is rebuilt.

    ``arrays`` is the number of arrays that it is in now: of a joined volume, several.
    """

    missing: int
    joined: Joined
    log: tuple[str, ...] = ()
    arrays: int = 1


@dataclass(frozen=True, slots=True)
class ArrayChanged:
    """A changed array: its shape now, and its component size. ``content``: what was grown with it, "" for nothing.

    ``checks``: md compares its copies or parity now.
    """

    uuid: str
    level: str
    slots: int
    array_sectors: int
    component_size_kib: int
    content: str = ""
    log: tuple[str, ...] = ()
    checks: bool = False


@dataclass(frozen=True, slots=True)
class Stopped:
    """A stopped array; its disks still belong to it."""

    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenOver:
    """An array that runs under its new name, with this machine as its home host."""

    uuid: str
    device: str
    name: str
    homehost: str
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """A started array with ``missing`` members absent."""

    uuid: str
    device: str
    missing: int
    read_only: bool
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Continued:
    """An array with which md goes on, with ``missing`` members absent."""

    uuid: str
    device: str
    missing: int
    log: tuple[str, ...] = ()


class RescueVerdict(StrEnum):
    """The result of a trial on overlays."""

    GOOD = "good"  # the file system has no error and can be mounted, and the stripes agree where they had to prove it
    UNPROVEN = "unproven"  # likewise, but no stripes can be compared that prove a member without a superblock
    DAMAGED = "damaged"  # it can be mounted, and its check found errors, or too many stripes differ
    BROKEN = "broken"  # a file system is recognised, and its files can't be reached
    HOLDS = "holds"  # something is recognised that isn't mounted in a trial, such as LVM or LUKS
    NOTHING = "nothing"  # nothing is recognised
    REFUTED = "refuted"  # the stripes contradict it, so it wasn't started

    @property
    def is_success(self) -> bool:
        """True if the same may be done for real."""
        return self not in (RescueVerdict.BROKEN, RescueVerdict.NOTHING, RescueVerdict.REFUTED)


class FileSystemCheck(StrEnum):
    """The result of a file system's own check, which repairs nothing."""

    CLEAN = "clean"
    ERRORS = "errors"
    NONE = ""  # there is none that was checked


@dataclass(frozen=True, slots=True)
class RescueTried:
    """A trial on overlays, taken down again. No disk was written to.

    ``missing`` members were absent, ``holds`` are the names of what is on the array, ``checked`` are the last lines of
    the file system's check. ``files`` are some of its files, a line each: size in bytes, SHA-256 (``-`` if the file
    wasn't read, ``!`` if it can't be read), and path. ``failing`` are disks, by id, that couldn't be read in places.

    ``volumes`` are LVM's on the array, a line each: what was found (a RescueVerdict, ``elsewhere`` if a part of it is
    on other physical volumes, or the segment's type that a trial doesn't open, as ``type:thin``), and GROUP/NAME. Their
    files' paths begin with the volume's name. ``stores_missing`` of the group's physical volumes are elsewhere.

    ``proof`` is what the members' stripes say: ``stripes_looked`` at all over the disks, ``stripes_told`` of these with
    data to compare, of which ``stripes_agreed`` agree. ``contradicted`` are disks that are zero where the others hold
    data; without ``tells_order`` another order of the disks would agree as well. ``landmarks_of`` is the file system of
    which these were fixed places instead, where no stripe tells anything; "" for stripes.
    """

    verdict: RescueVerdict
    missing: int
    size_bytes: int
    holds: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    stores_missing: int = 0
    check: FileSystemCheck = FileSystemCheck.NONE
    proof: Proof = Proof.UNTOLD
    stripes_looked: int = 0
    stripes_told: int = 0
    stripes_agreed: int = 0
    contradicted: tuple[str, ...] = ()
    tells_order: bool = True
    landmarks_of: str = ""


@dataclass(frozen=True, slots=True)
class Rescued:
    """An array brought back, which runs read-only; Undo with ``build_id`` restores the superblocks.

    ``mounted_at`` is where its file system is mounted, read-only and without a replay of its log; "" if it isn't.
    ``reshape_waits``: a reshape of its stripes is unfinished, so it can't be read before md goes on with that.
    """

    uuid: str
    device: str
    missing: int
    build_id: str
    log: tuple[str, ...] = ()
    mounted_at: str = ""
    reshape_waits: bool = False


@dataclass(frozen=True, slots=True)
class Dismantled:
    """A dismantled array; Undo with ``build_id`` restores its superblocks."""

    build_id: str
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeFileSystem:
    """A new file system. The stripe is 0 if the array has none."""

    device: str
    kind: FileSystemKind
    filesystem_uuid: str
    stripe_unit_kib: int = 0
    stripe_width_kib: int = 0
    command: str = ""
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Mounted:
    """A mounted file system."""

    place: str
    kind: FileSystemKind
    command: str
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Unmounted:
    """An unmounted file system."""

    place: str
    kind: FileSystemKind
    command: str
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class ArraySettings:
    """Current settings: the array's by name, one line per disk, and the rules stored for the next boot."""

    settings: Mapping[str, str]
    disks: tuple[str, ...]
    kept: tuple[str, ...]
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The lines of a unified diff, none if nothing changes; ``token`` identifies exactly this change.

    ``timers``: disabled systemd timers that the change enables: those of md's monthly check and daily reminder.
    """

    token: str
    difference: tuple[str, ...]
    initramfs: bool
    timers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configured:
    """Files that were written, or restored. ``id`` is the change's."""

    files: tuple[str, ...]
    log: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class AlertSent:
    """A test message that was delivered: the webhook's host answered with success, or the mail server took it."""

    channel: AlertChannel
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WebhookSet:
    """The webhook that is set now: its scheme, host and port; "" for none."""

    place: str
    log: tuple[str, ...] = ()


class LocateWay(StrEnum):
    """A way to show which disk is meant."""

    LIGHT = "light"  # its bay's locate light
    READS = "reads"  # reads in bursts: its own light blinks


class NoLight(StrEnum):
    """Why a disk wasn't shown by a light."""

    NOTHING = ""  # it was, or wasn't to be
    NO_PROGRAM = "no-program"  # ledctl isn't installed
    NO_BAY = "no-bay"  # ledctl knows no light of that disk


@dataclass(frozen=True, slots=True)
class DiskLocated:
    """A disk that was shown; ``no_light``: why it was by reads alone."""

    way: LocateWay
    no_light: NoLight = NoLight.NOTHING
    log: tuple[str, ...] = ()
