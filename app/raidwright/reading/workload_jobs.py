"""Parser of fio job files into workloads to predict: any job that the model supports, whatever else says how fio runs.

Source: fio(1), "Job file parameters". Unlike the jobs that are measured (``fio_job``), these may name their target and
what fio prints: neither is opened, and the prediction says that they change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import say
from raidwright.core.system.own_workload import refusal

from .fio_job import TELLS, bad, is_buffered, pattern_of, refuse_concurrent, region_mib, seconds_of, sections_of
from .fio_options import OPTIONS, changes_prediction
from .workload_words import MAX_DEPTH, MAX_JOBS, UNPREDICTED, AskedWorkload

_MIB = 2**20
_ASYNCHRONOUS = ("libaio", "io_uring", "posixaio")
_SYNCHRONOUS = ("psync", "sync", "vsync", "pvsync", "pvsync2")
_QUEUES_BUFFERED = ("io_uring", "posixaio")  # libaio's io_submit waits for each request through the page cache (fio(1))
_OTHER = say("with it the job is another test than the one that is predicted; leave it out, or ask for it without")
_FLUSHES = {"fdatasync": ("0", "1"), "sync": ("0", "1", "none", "sync", "dsync")}  # as fsync=1 does


def read_workload_jobs(text: str) -> tuple[AskedWorkload, ...]:
    """Return the jobs of a fio job file, each named after its section; raises InputError, which names the option."""
    return tuple(_asked(name, told, is_first=not place) for place, (name, told) in enumerate(sections_of(text).items()))


def _asked(name: str, told: Mapping[str, str], *, is_first: bool) -> AskedWorkload:
    refuse_concurrent(name, told, is_first=is_first)
    for key, value in told.items():
        if key in (*TELLS, *_FLUSHES):
            continue
        if key not in OPTIONS:
            raise bad(name, key, UNPREDICTED.get(key, say("no option of fio's that is known here")))
        if changes_prediction(key, value, told):
            raise bad(name, key, UNPREDICTED.get(key, _OTHER))
    pattern = pattern_of(name, _flushing(name, told))
    _refuse_engine(name, told)
    unused = {"rwmixread", "rwmixwrite"} & told.keys() if pattern.read_percent is None else set()
    if pattern.buffered and pattern.depth > 1 and told.get("ioengine", "libaio") not in _QUEUES_BUFFERED:
        pattern, unused = replace(pattern, depth=1), {*unused, "iodepth"}
    if why := refusal(pattern, max_depth=MAX_DEPTH, max_jobs=MAX_JOBS):
        raise InputError("The job [{name}] can't be predicted. {why}", code="job", name=printable(name), why=why)
    region = region_mib(name, told)
    if region and "directory" in told and "filename" not in told:
        region *= pattern.jobs  # each job has a file of its own
    return AskedWorkload(
        printable(name),
        pattern,
        None if region is None else region * _MIB,
        seconds_of(name, told, "runtime"),
        tuple(sorted(unused | (told.keys() - {*TELLS, *_FLUSHES}))),
        queues_unasked="ioengine" not in told and pattern.depth > 1,
    )


def _flushing(name: str, told: Mapping[str, str]) -> Mapping[str, str]:
    """Return the options with ``fsync`` for any that makes each write wait until it is on the media."""
    for key, known in _FLUSHES.items():
        if key in told and told[key] not in known:
            raise bad(name, key, say("it is one of {known:or}", known=list(known)))
    flushes = any(told.get(key, known[0]) not in ("0", "none") for key, known in _FLUSHES.items())
    return {**told, "fsync": "1"} if flushes else told


def _refuse_engine(name: str, told: Mapping[str, str]) -> None:
    """Refuse an engine that isn't predicted, and more in flight than one that waits for each request has."""
    engine = told.get("ioengine", "libaio")
    if engine not in _ASYNCHRONOUS and engine not in _SYNCHRONOUS:
        raise bad(name, "ioengine", say("it is one of {known:or}", known=[*_ASYNCHRONOUS, *_SYNCHRONOUS]))
    if engine in _SYNCHRONOUS and not is_buffered(name, told) and told.get("iodepth", "1") != "1":
        raise bad(name, "iodepth", say("{engine} has one request in flight", engine=engine))
