"""Workloads: each one's fio options, and the parser of fio's output.

Pure, and the standard library alone: the helper runs ``fio_argv`` and feeds the output to
``StatusReader``. Rates are decimal (1 MB is 10⁶ bytes). Source: fio(1), ``stat.c`` (``add_ddir_status_json``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from raidwright.core.errors import JobFailed
from raidwright.core.protocol.measured import Sample, WorkloadResult

FIO = "/usr/bin/fio"
# Otherwise fio announces a stream (posix_fadvise(2), POSIX_FADV_SEQUENTIAL), doubling the read-ahead; dd doesn't.
UNHINTED = "--fadvise_hint=0"
GROUPED = "--group_reporting"  # one result for all threads
FIO_MIN = (3, 33)  # Debian 12's; older versions were never tested
STATUS_INTERVAL_MS = 125  # half the interval of four samples a second, so that a busy machine reaches that rate too
_NS_PER_MS = 1e6


class Workload(StrEnum):
    """The closed list of workloads; the values are the names that plans, scripts and the bus use."""

    SEQUENTIAL_READ = "sequential_read"
    SEQUENTIAL_WRITE = "sequential_write"
    BUFFERED_READ = "buffered_read"
    BUFFERED_WRITE = "buffered_write"
    RANDOM_READ_512K = "random_read_512k"
    RANDOM_WRITE_512K = "random_write_512k"
    RANDOM_READ_4K = "random_read_4k"
    RANDOM_WRITE_4K = "random_write_4k"
    RANDOM_READ_4K_Q32 = "random_read_4k_q32"
    RANDOM_WRITE_4K_Q32 = "random_write_4k_q32"
    RANDOM_MIXED_4K_Q32 = "random_mixed_4k_q32"

    @property
    def writes(self) -> bool:
        """True if it overwrites the device."""
        return self.pattern.writes

    @property
    def pattern(self) -> Pattern:
        """Its access pattern."""
        return _PATTERNS[self]


class AnyWorkload(Protocol):
    """A built-in or user-defined (``own_workload``) workload; its text is its name, on the bus and in stored runs."""

    @property
    def writes(self) -> bool: ...

    @property
    def pattern(self) -> Pattern: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """fio's ``--rw``, block size and requests in flight.

    ``buffered`` uses the page cache; ``flushed`` flushes after each write.
    Of mixed patterns (``rw``, ``randrw``) ``read_percent`` of the requests are reads. ``jobs`` run the same at once.
    """

    direction: str
    block_kib: int
    depth: int
    buffered: bool = False
    flushed: bool = False
    read_percent: int | None = None
    jobs: int = 1

    @property
    def writes(self) -> bool:
        """True if it overwrites the device."""
        return self.direction.endswith(("write", "rw"))

    @property
    def is_random(self) -> bool:
        """True for random access."""
        return self.direction.startswith("rand")

    @property
    def block_bytes(self) -> int:
        """Size of one request."""
        return self.block_kib * 1024


class Region(NamedTuple):
    """A part of a device."""

    offset_bytes: int
    size_bytes: int


# Sequential: 8 × 1 MiB in flight keeps sixteen members with 512 KiB chunks busy.
_PATTERNS: Mapping[Workload, Pattern] = {
    Workload.SEQUENTIAL_READ: Pattern("read", 1024, 8),
    Workload.SEQUENTIAL_WRITE: Pattern("write", 1024, 8),
    Workload.BUFFERED_READ: Pattern("read", 1024, 1, buffered=True),
    Workload.BUFFERED_WRITE: Pattern("write", 1024, 1, buffered=True),
    Workload.RANDOM_READ_512K: Pattern("randread", 512, 1),
    Workload.RANDOM_WRITE_512K: Pattern("randwrite", 512, 1),
    Workload.RANDOM_READ_4K: Pattern("randread", 4, 1),
    Workload.RANDOM_WRITE_4K: Pattern("randwrite", 4, 1),
    Workload.RANDOM_READ_4K_Q32: Pattern("randread", 4, 32),
    Workload.RANDOM_WRITE_4K_Q32: Pattern("randwrite", 4, 32),
    Workload.RANDOM_MIXED_4K_Q32: Pattern("randrw", 4, 32, read_percent=70),
}


def fio_argv(
    workload: AnyWorkload, device: str, *, seconds: int, region_bytes: int, warm_up_seconds: int = 0
) -> tuple[str, ...]:
    """Return the fio command that runs ``workload`` on the first ``region_bytes`` of the block ``device``.

    fio prints its counters periodically, and resets them after the warm-up. ``device`` is as for ``pattern_argv``.
    """
    argv = pattern_argv(
        str(workload),
        workload.pattern,
        device,
        seconds=seconds,
        region=Region(0, region_bytes),
        warm_up_seconds=warm_up_seconds,
    )
    return (*argv, f"--status-interval={STATUS_INTERVAL_MS}ms")


def pattern_argv(
    name: str, pattern: Pattern, device: str, *, seconds: int, region: Region, warm_up_seconds: int = 0
) -> tuple[str, ...]:
    """Return the fio command that runs ``pattern`` within ``region`` of the block ``device`` for ``seconds``.

    The ``warm_up_seconds`` before aren't counted. ``device`` contains no ``:``, at which fio would split it into two
    names.
    """
    if ":" in device:
        raise ValueError(f"fio can't be given the name {device!r}")
    # fmt: off
    return (
        FIO,
        f"--name={name}",
        f"--filename={device}",
        f"--rw={pattern.direction}",
        *((f"--rwmixread={pattern.read_percent}",) if pattern.read_percent is not None else ()),
        f"--bs={pattern.block_kib}k",
        f"--offset={region.offset_bytes}",
        *_places(pattern, region),
        f"--runtime={seconds}",
        *((f"--ramp_time={warm_up_seconds}",) if warm_up_seconds else ()),
        *_engine(pattern),
        *(("--fsync=1",) if pattern.flushed else ()),
        *((f"--numjobs={pattern.jobs}",) if pattern.jobs > 1 else ()),
        *(() if pattern.writes else ("--readonly",)),
        "--norandommap",  # the map of a 16 TiB array would take half a GiB
        "--random_generator=tausworthe64",  # the default one ends at 2³² blocks
        "--randrepeat=0",  # the same offsets every time would be cached by the disks
        "--thread",
        GROUPED,
        "--eta=never",
        "--output-format=json",
    )
    # fmt: on


def _places(pattern: Pattern, region: Region) -> tuple[str, ...]:
    """Return the options for where jobs work: random ones all over the region, each stream in a part of its own."""
    each = region.size_bytes // pattern.jobs // pattern.block_bytes * pattern.block_bytes
    if pattern.is_random or pattern.jobs == 1 or not each:
        return (f"--size={region.size_bytes}",)
    return f"--size={each}", f"--offset_increment={each}"


def _engine(pattern: Pattern) -> tuple[str, ...]:
    if not pattern.buffered:
        return ("--ioengine=libaio", "--direct=1", f"--iodepth={pattern.depth}", "--time_based")
    # Not time-based: a second pass over the region would be served from memory. The time includes the flush.
    flush = ("--end_fsync=1",) if pattern.writes else ()
    return ("--ioengine=psync", "--direct=0", UNHINTED, *flush)


@dataclass(frozen=True, slots=True)
class Direction:
    """fio's counters of reads or of writes since the start."""

    size_bytes: int = 0
    requests: int = 0
    runtime_ms: int = 0
    latency_sum_ns: float = 0.0
    latencies: int = 0
    p99_ns: float = 0.0


@dataclass(frozen=True, slots=True)
class Status:
    """One JSON object of fio's output, with counters since the start."""

    read: Direction
    write: Direction
    error: int

    @property
    def runtime_ms(self) -> int:
        """Milliseconds that fio has run, without its start-up."""
        return max(self.read.runtime_ms, self.write.runtime_ms)


START = Status(Direction(), Direction(), 0)


def sample_between(before: Status, after: Status) -> Sample | None:
    """Return the rates between ``before`` and ``after``; None if no time passed."""
    elapsed_s = (after.runtime_ms - before.runtime_ms) / 1000
    if elapsed_s <= 0:
        return None
    latency_ns = sum(_latency_sum(after)) - sum(_latency_sum(before))
    count = sum(_latencies(after)) - sum(_latencies(before))
    return Sample(
        seconds=after.runtime_ms / 1000,
        read_mb_s=(after.read.size_bytes - before.read.size_bytes) / 1e6 / elapsed_s,
        write_mb_s=(after.write.size_bytes - before.write.size_bytes) / 1e6 / elapsed_s,
        read_iops=(after.read.requests - before.read.requests) / elapsed_s,
        write_iops=(after.write.requests - before.write.requests) / elapsed_s,
        latency_ms=max(latency_ns, 0.0) / count / _NS_PER_MS if count > 0 else 0.0,
    )


def result_of(workload: str, command: str, status: Status) -> WorkloadResult:
    """Return the means over the whole run of ``command``; raises JobFailed if fio counted nothing or met an error."""
    if status.error:
        raise JobFailed(
            "fio stopped with error {errno} of the device; the kernel's log names the disk.",
            code="workload-io-error",
            errno=status.error,
        )
    seconds = status.runtime_ms / 1000
    count = sum(_latencies(status))
    if seconds <= 0 or count <= 0:
        raise JobFailed("fio ended before it had measured anything; try a longer run.", code="workload-empty")
    return WorkloadResult(
        workload=str(workload),
        seconds=seconds,
        mb_s=(status.read.size_bytes + status.write.size_bytes) / 1e6 / seconds,
        iops=(status.read.requests + status.write.requests) / seconds,
        latency_ms=sum(_latency_sum(status)) / count / _NS_PER_MS,
        latency_p99_ms=max(status.read.p99_ns, status.write.p99_ns) / _NS_PER_MS,
        command=command,
    )


def _latency_sum(status: Status) -> tuple[float, float]:
    return status.read.latency_sum_ns, status.write.latency_sum_ns


def _latencies(status: Status) -> tuple[int, int]:
    return status.read.latencies, status.write.latencies


class StatusReader:
    """Splits fio's standard output, fed line by line, into Status values.

    fio prints whole indented objects one after another: each begins with a line ``{`` and ends with a line ``}``.
    Text between them (warnings) is skipped.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> Status | None:
        """Return the Status that ``line`` completes, if any; raises JobFailed if fio's output can't be read."""
        text = self.whole(line)
        return read_status(text) if text else None

    def whole(self, line: str) -> str:
        """Return the object that ``line`` completes; "" if none."""
        line = line.rstrip("\n")
        if line == "{":
            self._lines = [line]
        elif self._lines:
            self._lines.append(line)
            if line == "}":
                text, self._lines = "\n".join(self._lines), []
                return text
        return ""


def read_status(text: str) -> Status:
    """Return the Status of the only job in one JSON object of fio ≥ 3.0; raises JobFailed if it isn't one."""
    return read_statuses(text)[0]


def read_statuses(text: str) -> tuple[Status, ...]:
    """Return the Status of each of its jobs, at least one; raises JobFailed as well."""
    try:
        jobs = json.loads(text)["jobs"]
        return tuple(_status(jobs[number]) for number in range(max(1, len(jobs))))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise JobFailed(
            "What fio printed can't be read; Raidwright knows fio 3.33 and later.", code="workload-output"
        ) from error


def _status(job: Mapping[str, Any]) -> Status:
    flushes = flushes_of(job, job.get("job options", {}))
    return Status(_read_direction(job["read"]), _read_direction(job["write"], flushes), int(job["error"]))


class Flushes(NamedTuple):
    """Waits of a job's writes for their flushes: the sum, and 99 of 100 flushes; zeros without flushes."""

    sum_ns: float = 0.0
    p99_ns: float = 0.0


_NO_FLUSHES = Flushes()


def flushes_of(job: Mapping[str, Any], options: Mapping[str, str]) -> Flushes:
    """Return the flushes after the writes of a job with these options.

    fio counts them apart (``sync``): a write's own latency ends before its flush begins.
    """
    if options.get("fsync", "0") == options.get("fdatasync", "0") == "0":
        return _NO_FLUSHES  # a single flush at the end is no write's
    told = job.get("sync", {})
    latency = told.get("lat_ns", {})
    sum_ns = float(latency.get("mean") or 0) * int(latency.get("N") or told.get("total_ios") or 0)
    return Flushes(sum_ns, float(latency.get("percentile", {}).get("99.000000", 0.0)))


def _read_direction(data: Mapping[str, object], flushes: Flushes = _NO_FLUSHES) -> Direction:
    latency = data["clat_ns"]
    if not isinstance(latency, Mapping):
        raise TypeError("clat_ns")
    count = int(latency["N"])
    return Direction(
        size_bytes=int(str(data["io_bytes"])),
        requests=int(str(data["total_ios"])),
        runtime_ms=int(str(data["runtime"])),
        latency_sum_ns=float(latency["mean"]) * count + (flushes.sum_ns if count else 0.0),
        latencies=count,
        # Of 98 in 100 writes and their flushes at least, both are within theirs.
        p99_ns=float(latency.get("percentile", {}).get("99.000000", 0.0)) + flushes.p99_ns,
    )
