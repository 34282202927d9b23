"""What privileged jobs tell: their progress and samples, what they end with, and the builds of the past."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class JobProgress:
    """A step of a privileged job: ``fraction`` is 0 … 1 of the whole job, ``step`` a code (``stage-…``)."""

    step: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment of a running workload; rates over the time since the sample before."""

    seconds: float
    read_mb_s: float
    write_mb_s: float
    read_iops: float
    write_iops: float
    latency_ms: float


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """A finished workload: means over its whole time; ``latency_p99_ms`` is completion latency."""

    workload: str
    seconds: float
    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float
    command: str


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The array that a build made, as md itself reports it. ``log`` has one line a step.

    ``build_id`` is what ``Helper.undo`` takes; "" for a scratch array, which has no way back.
    """

    device: str
    uuid: str
    array_sectors: int
    component_size_kib: int
    command: str
    log: tuple[str, ...] = ()
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class DiskSignature:
    """Something that a disk carries. ``name`` is what is confirmed: ``ext4``, or ``1:ext4`` in its first partition."""

    name: str
    offset_bytes: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a person confirmed: the array's name, typed, and by disk the names of the signatures that may go."""

    name: str
    removed: tuple[tuple[str, tuple[str, ...]], ...] = ()


class BuildState(StrEnum):
    """Where a build stands."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"  # the helper ended in the middle
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"
    DISMANTLED = "dismantled"  # an array taken apart, not built


BACKUPS = "/var/lib/raidwright/backups"  # on the machine; only root can read it
KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """A build of the past, as the helper kept it; ``began_s`` is Unix time.

    ``steps`` are codes; ``removed`` says what was wiped where. ``synchronises``: md's first synchronisation wrote
    over the disks' insides, so a way back restores their ends and what names their contents, but not all of these.
    ``closed_by``: what closes the way back of an array that stands, as a code (``mounted``, ``in-use``, ``written``,
    ``not-running``), as far as can be told without looking closer; "" for nothing.
    ``kept_until_s`` is when what was saved of the disks is deleted; None when nothing is kept.
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
    closed_by: str = ""
    kept_until_s: int | None = None


@dataclass(frozen=True, slots=True)
class UndoResult:
    """A build taken back. ``synchronised``: as ``BuildRecord.synchronises``."""

    build_id: str
    synchronised: bool
    log: tuple[str, ...] = ()
