"""What a job tells while it runs, and what it ends with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from raidwright.core.system.filesystem import FileSystemKind

from .facts import CameBack
from .measured import Figures


@dataclass(frozen=True, slots=True)
class AtOnceResult:
    """What several disks do when all of them are read at once: ``streams`` and ``accesses`` by the disk's id."""

    streams: Mapping[str, Figures]
    accesses: Mapping[str, Figures]
    seconds: int
    fio: str
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActFigures:
    """One act on a file system (``core.system.file_acts``), as in ``WorkloadResult``; ``mb_s`` is 0 for many files."""

    seconds: float
    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class FileSystemMeasured:
    """What a file system did on an array, act by act; it is gone again.

    ``unit_kib``, ``width_kib`` and ``log_unit_kib`` are what it said itself of its alignment, 0 for none.
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
    """The array that a build made, as md itself reports it. ``log`` has one line a step.

    ``build_id`` is what Undo takes; "" for a scratch array, which has no way back.
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
    """A build taken back. ``synchronised``: as ``BuildRecord.synchronises``."""

    build_id: str
    synchronised: bool
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScratchStopped:
    """A scratch array that is gone, by its UUID; its disks are free."""

    uuid: str


class Joined(StrEnum):
    """What became of a disk that was given to an array."""

    REBUILDS = "rebuilds"  # md writes onto it what the empty place held
    SPARE = "spare"  # nothing is missing; it stands by
    TAKES_OVER = "takes-over"  # md copies onto it what the old member holds, which works meanwhile


@dataclass(frozen=True, slots=True)
class MemberChange:
    """A member failed, removed or taken back. ``missing``: how many places lack a working member now."""

    missing: int
    came_back: CameBack | None
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """A disk that an array has taken. ``missing``: how many places lack a working member until it is rebuilt."""

    missing: int
    joined: Joined
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stopped:
    """An array that was stopped; its disks still belong to it."""

    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """An array that was started, of which ``missing`` members aren't here."""

    uuid: str
    device: str
    missing: int
    read_only: bool
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dismantled:
    """An array taken apart; Undo with ``build_id`` puts its superblocks back."""

    build_id: str
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeFileSystem:
    """A file system that was made. The stripe is 0 where the array has none."""

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
    """Where a file system is mounted."""

    place: str
    kind: FileSystemKind
    command: str
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Unmounted:
    """Where a file system was mounted."""

    place: str
    kind: FileSystemKind
    command: str
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is set: the array's by name, a line a disk, and the rules that are kept for the next boot."""

    settings: Mapping[str, str]
    disks: tuple[str, ...]
    kept: tuple[str, ...]
    log: tuple[str, ...] = ()
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The lines of a unified diff, none when all is said already; ``token`` stands for exactly this change.

    ``timers``: systemd's, which are off and are switched on with it: those of md's monthly check and daily reminder.
    """

    token: str
    difference: tuple[str, ...]
    initramfs: bool
    timers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configured:
    """Files that were written, or put back. ``id`` is the change's."""

    files: tuple[str, ...]
    log: tuple[str, ...] = ()
    id: str = ""
