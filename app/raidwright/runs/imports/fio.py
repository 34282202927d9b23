"""fio's own JSON, of fio 3.0 and later. Source: fio's ``stat.c`` (show_thread_status_json), fio(1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.system.workload import Workload
from raidwright.runs.run import RunResult, Source

from .foreign import ForeignFile, Told, unreadable

_NS_PER_MS = 1e6
_VERSION = re.compile(r"fio-(\d+)\.\S*")
_SIZE = re.compile(r"(\d+)\s*([kmgt]?)(i?b?)", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_ASYNCHRONOUS = ("libaio", "io_uring", "posixaio", "solarisaio", "windowsaio", "io_uring_cmd")
_BLOCK = "4k"  # what fio takes where nothing is said


def looks_like(text: str) -> bool:
    """Whether ``text`` may be fio's."""
    return '"fio version"' in text


def told_by(file: ForeignFile) -> Iterator[Told]:
    """Each job that did something, reading and writing apart. Raises InputError."""
    output = _last_object(file)
    version = str(output.get("fio version", ""))
    match = _VERSION.match(version)
    if match is None or int(match[1]) < 3:
        raise InputError(
            "{file} is of {version}; Raidwright reads what fio 3.0 and later print.",
            code="import-fio",
            file=file.name,
            version=version or say("an unknown fio"),
        )
    jobs = output.get("jobs")
    if not isinstance(jobs, list) or not jobs:
        raise InputError("{file} holds no jobs of fio's.", code="import-fio", file=file.name)
    for job in jobs:
        try:
            yield from _of_job(output, job, version.removeprefix("fio-"), file)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            name = str(job.get("jobname", "")) if isinstance(job, Mapping) else ""
            why = error.args[0] if isinstance(error, ValueError) else say("{what} is missing, or no number", what=error)
            raise InputError(
                "{file}: the job “{name}” is not as fio writes one: {why}. Nothing of the file is kept.",
                code="import-fio",
                file=file.name,
                name=name,
                why=why,
            ) from error


def _last_object(file: ForeignFile) -> Mapping[str, Any]:
    """The last object: of ``--status-interval`` it counts everything; what fio warns of stands before it."""
    decoder, found, place = json.JSONDecoder(), None, _next_brace(file.text, 0)
    while place >= 0:
        try:
            found, end = decoder.raw_decode(file.text, place)
        except (ValueError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else 1
            why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            raise unreadable(file, where, why) from error
        place = _next_brace(file.text, end)
    if not isinstance(found, dict):
        raise InputError("{file} holds no JSON of fio's.", code="import-fio", file=file.name)
    return found


def _next_brace(text: str, start: int) -> int:
    """Where the next line begins with an object."""
    match = re.compile(r"^\{", re.MULTILINE).search(text, start)
    return match.start() if match else -1


def _of_job(output: Mapping[str, Any], job: Mapping[str, Any], version: str, file: ForeignFile) -> Iterator[Told]:
    if job.get("error"):
        raise ValueError(say("it ended with error {error}", error=str(job["error"])))
    options = {**output.get("global options", {}), **job.get("job options", {})}
    for direction in ("read", "write"):
        counted = job[direction]
        if not counted["total_ios"]:
            continue
        seconds = counted["runtime"] / 1000
        if seconds <= 0:
            raise ValueError(say("it ran for no time at all"))
        alone = {**output, "jobs": [job]}
        yield Told(
            result=RunResult(
                workload=_workload(options, direction),
                seconds=seconds,
                mb_s=int(counted["io_bytes"]) / 1e6 / seconds,
                iops=int(counted["total_ios"]) / seconds,
                latency_ms=_latency_ms(counted, "mean"),
                latency_p99_ms=_p99_ms(counted),
                command=_command(options),
            ),
            source=Source.FIO,
            target=str(options.get("filename") or options.get("directory") or job.get("jobname", "")),
            started=_started(output, seconds) or file.made,
            machine=str(job.get("hostname", "")),
            options=options,
            surroundings={"fio": version},
            fio_json=json.dumps(alone, ensure_ascii=False),
        )


def _latency_ms(counted: Mapping[str, Any], name: str) -> float | None:
    latency = counted.get("clat_ns", {})
    return float(latency[name]) / _NS_PER_MS if latency.get("N") else None


def _p99_ms(counted: Mapping[str, Any]) -> float | None:
    share = counted.get("clat_ns", {}).get("percentile", {}).get("99.000000")
    return None if share is None else float(share) / _NS_PER_MS


def _started(output: Mapping[str, Any], seconds: float) -> datetime | None:
    """The time stamp is the end's."""
    ended_s = output.get("timestamp_ms", 0) / 1000 or output.get("timestamp", 0)
    return datetime.fromtimestamp(ended_s - seconds, UTC) if ended_s else None


def _workload(options: Mapping[str, str], direction: str) -> str:
    """One of ours where the job asked for the same, else a name that says what it asked for."""
    pattern = str(options.get("rw") or options.get("readwrite") or "read").lower().partition(":")[0]
    is_random = pattern.startswith("rand")
    block_bytes = _size_bytes(str(options.get("bs") or options.get("blocksize") or _BLOCK).split(",")[0])
    engine = str(options.get("ioengine", "psync")).partition("/")[0]
    depth = int(options.get("iodepth", 1)) if engine in _ASYNCHRONOUS else 1
    jobs, is_direct = int(options.get("numjobs", 1)), str(options.get("direct", "0")) == "1"
    flushed = str(options.get("fsync", options.get("fdatasync", "0"))) != "0"
    mixed = pattern in ("rw", "readwrite", "randrw")
    asked = (f"{'rand' if is_random else ''}{direction}", block_bytes, depth, not is_direct)
    if jobs == 1 and not flushed and not mixed:
        for ours in Workload:
            one = ours.pattern
            if asked == (one.direction, one.block_bytes, one.depth, one.buffered):
                return ours
    name = f"fio_{asked[0]}_{_short(block_bytes)}_q{depth}"
    extras = {f"j{jobs}": jobs > 1, "buffered": not is_direct, "flushed": flushed, "mixed": mixed}
    return "_".join((name, *(extra for extra, holds in extras.items() if holds)))


def _size_bytes(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(say("“{text}” is no size of a block", text=text))
    return int(match[1]) << (10 * _POWERS[match[2].lower()])


def _short(size_bytes: int) -> str:
    for sign, power in (("m", 2), ("k", 1)):
        if size_bytes % 1024**power == 0:
            return f"{size_bytes // 1024**power}{sign}"
    return f"{size_bytes}b"


def _command(options: Mapping[str, str]) -> str:
    return " ".join(("fio", *(f"--{name}={value}" if value else f"--{name}" for name, value in options.items())))
