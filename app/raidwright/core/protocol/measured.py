"""Results and samples of measurements, of an array and of a disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of a running workload; rates over the time since the sample before.

    ``latency_ms`` is the mean completion latency of that time. About once a second a sample also has the surroundings:
    ``busy``, by kernel name, the share of the time since the previous reading in which a disk had requests;
    ``celsius``, by kernel name, of disks that report it, every ten seconds; and md's ``sync_action``, "" for no array.
    None: not read.
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
    """A finished workload: means over its whole duration.

    Latencies are of completion; ``latency_p99_ms`` is the 99th percentile. ``surroundings``: by name, conditions during
    the run (the helper's ``acts/surroundings.py``); None if not recorded.
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
    """One measurement of a disk: means over its duration, latencies as in ``WorkloadResult``, without any flush."""

    mb_s: float
    iops: float
    latency_ms: float
    latency_p99_ms: float


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """A single disk's figures by measurement (``core.system.baseline``); size in bytes, ``began_s`` is Unix time."""

    figures: Mapping[str, Figures]
    size_bytes: int
    seconds: int
    began_s: int
    fio: str
    log: tuple[str, ...] = ()
