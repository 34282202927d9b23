"""What measuring tells while it runs, and what it ends with: of an array, of a disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment of a running workload; rates over the time since the one before.

    ``latency_ms`` is the mean completion latency of that time. About once a second it also tells what goes on beside:
    ``busy``, by kernel name, the share of the time since the last look in which a disk had requests; ``celsius``, by
    kernel name, of disks that say, every ten seconds; and md's ``sync_action``, "" for no array. None: nobody looked.
    """

    seconds: float
    read_mb_s: float
    write_mb_s: float
    read_iops: float
    write_iops: float
    latency_ms: float
    busy: Mapping[str, float] | None = None
    celsius: Mapping[str, float] | None = None
    sync_action: str | None = None


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """A finished workload: means over its whole time.

    Latencies are of completion; ``latency_p99_ms`` is not exceeded by 99 of 100 requests. ``surroundings``: by name,
    what held meanwhile (the helper's ``acts/surroundings.py``); None where nobody looked.
    """

    workload: str
    seconds: float
    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float
    command: str
    surroundings: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Figures:
    """One measurement of a disk: means over its whole time, latencies as in ``WorkloadResult``, without any flush."""

    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """What a disk of ``size_bytes`` does alone, by measurement (``core.system.baseline``); ``began_s`` is Unix time."""

    figures: Mapping[str, Figures]
    size_bytes: int
    seconds: int
    began_s: int
    fio: str
    log: tuple[str, ...] = ()
