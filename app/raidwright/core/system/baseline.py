"""A disk's baseline: short measurements of the disk alone, and the figures that a plan takes from them.

Pure, and the standard library alone: the helper runs ``baseline_argv``. All I/O bypasses the page cache.
Writes leave ``KEPT_BYTES`` at either end of the disk untouched: all that libblkid, mdadm or the kernel identify a disk
by (signatures of file systems and superblocks, partition tables, their copies at the end) is there, so the random
bytes written in between can't be mistaken for a signature, not even after an aborted measurement.
Source: fio(1); libblkid's ``superblocks`` and ``partitions``, of which VMFS is furthest in, at 2 MiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from raidwright.core.errors import InputError
from raidwright.core.model.plan import SPEEDS, Baseline
from raidwright.core.protocol.measured import Figures

from .workload import FIO, GROUPED, START, Pattern, Region, Status, StatusReader, pattern_argv, read_statuses, result_of

MAX_SECONDS = 10
DEFAULT_SECONDS = 2
KEPT_BYTES = 16 * 2**20
MIN_BYTES = 8 * KEPT_BYTES  # of a disk whose zones are far enough apart to differ
_MIB = 2**20
_MIN_SPAN_BYTES = 2**30  # more than a disk's own cache
_STREAMED = 0.02  # of the disk: more than a stream covers in the time


class Measurement(StrEnum):
    """The closed list of measurements of a disk; the values are the names that scripts and the bus use.

    Outside is a disk's beginning. 4 KiB accesses cover the whole disk, its first tenth and its first hundredth: the
    seek distance. ``flushed``: each write is followed by a flush of the disk's cache.
    """

    READ_OUTSIDE = "sequential_read_outside"
    READ_MIDDLE = "sequential_read_middle"
    READ_INSIDE = "sequential_read_inside"
    READ_4K = "random_read_4k"
    READ_4K_DEEP = "random_read_4k_q32"
    READ_4K_TENTH = "random_read_4k_tenth"
    READ_4K_HUNDREDTH = "random_read_4k_hundredth"
    READ_64K = "random_read_64k"
    READ_1M = "random_read_1m"
    WRITE_OUTSIDE = "sequential_write_outside"
    WRITE_4K = "random_write_4k"
    WRITE_4K_DEEP = "random_write_4k_q32"
    WRITE_4K_FLUSHED = "flushed_write_4k"
    WRITE_1M = "random_write_1m"

    @property
    def probe(self) -> Probe:
        """Its access pattern and place."""
        return _PROBES[self]

    @property
    def is_stream(self) -> bool:
        """True if it is reported in MB/s; random access is reported in IOPS."""
        return not self.probe.pattern.is_random


@dataclass(frozen=True, slots=True)
class Probe:
    """A ``pattern`` over a ``share`` of the disk; ``place`` is 0 at its beginning, 1 at its end."""

    pattern: Pattern
    share: float = 1.0
    place: float = 0.0


_READ, _WRITE = Pattern("read", 1024, 8), Pattern("write", 1024, 8)
_PROBES: Mapping[Measurement, Probe] = {
    Measurement.READ_OUTSIDE: Probe(_READ, _STREAMED),
    Measurement.READ_MIDDLE: Probe(_READ, _STREAMED, 0.5),
    Measurement.READ_INSIDE: Probe(_READ, _STREAMED, 1.0),
    Measurement.READ_4K: Probe(Pattern("randread", 4, 1)),
    Measurement.READ_4K_DEEP: Probe(Pattern("randread", 4, 32)),
    Measurement.READ_4K_TENTH: Probe(Pattern("randread", 4, 1), 0.1),
    Measurement.READ_4K_HUNDREDTH: Probe(Pattern("randread", 4, 1), 0.01),
    Measurement.READ_64K: Probe(Pattern("randread", 64, 1)),
    Measurement.READ_1M: Probe(Pattern("randread", 1024, 1)),
    Measurement.WRITE_OUTSIDE: Probe(_WRITE, _STREAMED),
    Measurement.WRITE_4K: Probe(Pattern("randwrite", 4, 1)),
    Measurement.WRITE_4K_DEEP: Probe(Pattern("randwrite", 4, 32)),
    Measurement.WRITE_4K_FLUSHED: Probe(Pattern("randwrite", 4, 1, flushed=True)),
    Measurement.WRITE_1M: Probe(Pattern("randwrite", 1024, 1)),
}


AT_ONCE = (Measurement.READ_OUTSIDE, Measurement.READ_4K_DEEP)  # of several disks, to find a shared bottleneck
MAX_AT_ONCE = 64


def measurements(*, write: bool) -> tuple[Measurement, ...]:
    """Return the measurements in order; reads come first, before a cache has dirty data to write back."""
    return tuple(one for one in Measurement if write or not one.probe.pattern.writes)


def checked_seconds(seconds: int) -> int:
    """Return ``seconds`` if a measurement may take so long; raises InputError."""
    if not 0 < seconds <= MAX_SECONDS:
        raise InputError("Each measurement of a disk takes 1 to {most} seconds.", code="seconds", most=MAX_SECONDS)
    return seconds


def region_of(measurement: Measurement, size_bytes: int) -> Region:
    """Return the region of a disk of ``size_bytes`` (at least ``MIN_BYTES``), in whole MiB."""
    probe = measurement.probe
    first = KEPT_BYTES if probe.pattern.writes else 0
    usable = size_bytes - 2 * first
    span = max(int(usable * probe.share), min(_MIN_SPAN_BYTES, usable // 3))
    offset = first + int((usable - span) * probe.place)
    return Region(offset - offset % _MIB, span - span % _MIB)


def baseline_argv(measurement: Measurement, device: str, *, seconds: int, size_bytes: int) -> tuple[str, ...]:
    """Return the fio command for one measurement of ``device``.

    A write finds an empty cache at first, so it is counted only after a warm-up.
    """
    pattern = measurement.probe.pattern
    warm_up_seconds = seconds if pattern.writes else 0
    return pattern_argv(
        measurement,
        pattern,
        device,
        seconds=seconds,
        region=region_of(measurement, size_bytes),
        warm_up_seconds=warm_up_seconds,
    )


def at_once_argv(measurement: Measurement, devices: Mapping[str, int], *, seconds: int) -> tuple[str, ...]:
    """Return the fio command for a read measurement of several ``devices`` (with their bytes) at once: a job each."""
    jobs = [
        baseline_argv(measurement, device, seconds=seconds, size_bytes=size_bytes)
        for device, size_bytes in devices.items()
    ]
    return (FIO, *(word for job in jobs for word in job[1:] if word != GROUPED))


def figures_of_each(measurement: Measurement, command: str, output: str) -> tuple[Figures, ...]:
    """Parse fio's output of ``at_once_argv``, one result per disk; raises JobFailed as ``figures_of``."""
    reader = StatusReader()
    told = [text for line in output.splitlines() if (text := reader.whole(line))]
    return tuple(_figures(measurement, command, one) for one in (read_statuses(told[-1]) if told else (START,)))


def figures_of(measurement: Measurement, command: str, output: str) -> Figures:
    """Parse fio's output of one measurement; raises JobFailed if fio counted nothing, or met an I/O error."""
    reader = StatusReader()
    told = [status for line in output.splitlines() if (status := reader.feed(line)) is not None]
    return _figures(measurement, command, told[-1] if told else START)


def _figures(measurement: Measurement, command: str, status: Status) -> Figures:
    result = result_of(measurement, command, status)
    return Figures(result.mb_s, result.iops, result.latency_ms, result.latency_p99_ms)


_MB_S = {
    "sequential_read_mb_s": Measurement.READ_OUTSIDE,
    "sequential_write_mb_s": Measurement.WRITE_OUTSIDE,
}
_IOPS = {
    "random_read_4k_iops": Measurement.READ_4K,
    "random_write_4k_iops": Measurement.WRITE_4K,
    "random_read_4k_q32_iops": Measurement.READ_4K_DEEP,
    "random_write_4k_q32_iops": Measurement.WRITE_4K_DEEP,
    "random_read_64k_iops": Measurement.READ_64K,
    "random_read_1m_iops": Measurement.READ_1M,
    "random_write_1m_iops": Measurement.WRITE_1M,
}


def baseline_of(known: Baseline, figures: Mapping[str, Figures]) -> Baseline:
    """Return the disk's baseline for a plan: ``known`` (kind, rpm, link) with the measured figures.

    Figures outside a plan's limits (``SPEEDS``) are left out.
    """
    found: dict[str, float | None] = {
        **{name: figures[of].mb_s for name, of in _MB_S.items() if of in figures},
        **{name: figures[of].iops for name, of in _IOPS.items() if of in figures},
        "flush_ms": _flush_ms(figures),
    }
    limits = {name: SPEEDS["mb_s" if name in _MB_S else "ms" if name == "flush_ms" else "iops"] for name in found}
    meant = {name: value for name, value in found.items() if value is not None and not limits[name].refusal(value)}
    return replace(known, **meant)  # type: ignore[arg-type]  # mypy can't tell its fields from others


def _flush_ms(figures: Mapping[str, Figures]) -> float | None:
    """Return the extra milliseconds of a write followed by a flush (``Baseline.flush_ms``).

    On a spinning disk that includes reaching the platter, which unflushed writes do later and many at once.
    """
    sure, write = figures.get(Measurement.WRITE_4K_FLUSHED), figures.get(Measurement.WRITE_4K)
    return max(0.0, 1000 / sure.iops - 1000 / write.iops) if sure and write else None
