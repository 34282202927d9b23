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
from .workload_words import MAX_DEPTH, MAX_JOBS, UNPREDICTED, AskedWorkload

_MIB = 2**20
_ASYNCHRONOUS = ("libaio", "io_uring", "posixaio")
_SYNCHRONOUS = ("psync", "sync", "vsync", "pvsync", "pvsync2")
_QUEUES_BUFFERED = ("io_uring", "posixaio")  # libaio's io_submit waits for each request through the page cache (fio(1))
_FLUSHES = {"fdatasync": ("0", "1"), "sync": ("0", "1", "none", "sync", "dsync")}  # as fsync=1 does
_WITHOUT_EFFECT = frozenset(
    (
        *("filename", "directory", "name", "description", "group_reporting", "thread", "time_based", "loops"),
        *("io_size", "norandommap", "randrepeat", "allrandrepeat", "random_generator", "randseed", "offset_increment"),
        *("refill_buffers", "zero_buffers", "scramble_buffers", "buffer_pattern", "buffer_compress_percentage"),
        *("invalidate", "fadvise_hint", "fallocate", "end_fsync", "create_on_open", "allow_mounted_write", "readonly"),
        *("ramp_time", "startdelay", "exitall", "new_group", "continue_on_error", "gtod_reduce", "clocksource"),
        *("log_avg_msec", "write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "log_hist_msec"),
        *("per_job_logs", "log_unix_epoch", "unified_rw_reporting", "percentile_list", "lat_percentiles"),
        *("hipri", "registerfiles", "fixedbufs", "sqthread_poll", "cpus_allowed", "numa_cpu_nodes", "numa_mem_policy"),
        *("clat_percentiles", "slat_percentiles", "disable_lat", "disable_clat", "disable_slat", "iomem", "mem"),
        *("disable_bw", "disable_bw_measurement", "log_max_value", "log_offset", "significant_figures"),
        *("overwrite", "unlink", "allow_file_create", "create_serialize", "create_fsync", "fsync_on_close"),
        *("exitall_on_error", "cpus_allowed_policy", "exec_prerun", "exec_postrun"),
    )
)
_WITHOUT_EFFECT_AS = {  # fio's defaults; any other value changes what is asked
    "verify": "0", "nrfiles": "1", "offset": "0", "rate": "0", "rate_iops": "0", "thinktime": "0",
    "random_distribution": "random", "percentage_random": "100", "zonemode": "none",
}  # fmt: skip


def read_workload_jobs(text: str) -> tuple[AskedWorkload, ...]:
    """Return the jobs of a fio job file, each named after its section; raises InputError, which names the option."""
    return tuple(_asked(name, told, is_first=not place) for place, (name, told) in enumerate(sections_of(text).items()))


def _asked(name: str, told: Mapping[str, str], *, is_first: bool) -> AskedWorkload:
    refuse_concurrent(name, told, is_first=is_first)
    defaults = {key for key, value in told.items() if _WITHOUT_EFFECT_AS.get(key) == value}
    for key in told:
        if key not in (*TELLS, *_FLUSHES, *_WITHOUT_EFFECT, *defaults):
            told_alone = say("a job that is predicted says {known:and} alone", known=list(TELLS))
            raise bad(name, key, UNPREDICTED.get(key, told_alone))
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
        tuple(sorted(unused | defaults | _WITHOUT_EFFECT & told.keys())),
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
