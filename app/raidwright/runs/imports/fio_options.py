"""Options of a fio job, and the workload's name that they and the job's counts agree on.

A name includes everything that affects the result: every option that isn't known to be neutral is part of it. If
options and counts disagree, the counts are right: with --group_reporting fio prints the options of the last job beside
the sum of all jobs (fio's issues 480 and 2132). Source: fio(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raidwright.core.messages import say
from raidwright.core.reading.fio_sizes import KB_BASES, size_bytes
from raidwright.core.system.workload import Workload

_ALIASES = {
    "readwrite": "rw", "blocksize": "bs", "blocksize_range": "bsrange", "wait_for_previous": "stonewall",
    "new_group": "new_reporting_group", "fdatasync": "fsync",
}  # fmt: skip
_ASYNCHRONOUS = frozenset({"libaio", "io_uring", "posixaio", "solarisaio", "windowsaio", "io_uring_cmd"})
_PLAIN_ENGINES = _ASYNCHRONOUS | {"sync", "psync", "vsync", "pvsync", "pvsync2"}
_DEFAULT_BLOCK = "4k"
_DIRECTIONS = ("read", "write", "trim")  # as fio orders sizes of each
_MIXED = frozenset({"rw", "randrw", "trimwrite", "randtrimwrite"})
_DOES = {
    "read": ("read",), "randread": ("read",), "write": ("write",), "randwrite": ("write",), "trim": ("trim",),
    "randtrim": ("trim",), "rw": ("read", "write", "mixed"), "randrw": ("read", "write", "mixed"),
    "trimwrite": ("trim", "write"), "randtrimwrite": ("trim", "write"),
}  # fmt: skip
# Options that the name includes anyway, or that set the target, the duration, and fio's output or logs.
_SAID = frozenset({"rw", "bs", "bsrange", "bssplit", "iodepth", "numjobs", "direct", "buffered", "fsync", "sync",
                   "ioengine", "end_fsync", "kb_base", "unit_base"})  # fmt: skip
_NEUTRAL = frozenset({
    "name", "description", "filename", "directory", "size", "filesize", "io_size", "io_limit", "number_ios", "offset",
    "offset_increment", "runtime", "timeout", "time_based", "ramp_time", "startdelay", "loops", "stonewall",
    "new_reporting_group", "group_reporting", "stats", "thread", "randrepeat", "allrandrepeat", "randseed",
    "norandommap", "softrandommap", "random_generator", "fallocate", "unlink", "filename_format", "overwrite",
    "allow_file_create", "file_append", "readonly", "exitall", "exitall_on_error", "continue_on_error", "eta",
    "status_interval", "output", "output-format", "minimal", "terse_version", "log_avg_msec", "log_hist_msec",
    "log_max_value", "log_offset", "log_unix_epoch", "log_compression", "per_job_logs", "bwavgtime", "iopsavgtime",
    "percentile_list", "clat_percentiles", "lat_percentiles", "slat_percentiles", "significant_figures",
    "disable_lat", "disable_clat", "disable_slat", "disable_bw_measurement", "disable_bw", "gtod_reduce", "gtod_cpu",
    "clocksource", "cpus_allowed", "cpus_allowed_policy", "cpumask", "numa_cpu_nodes", "numa_mem_policy", "mem",
    "iomem", "hugepage-size", "fadvise_hint", "refill_buffers", "scramble_buffers", "zero_buffers",
    "unified_rw_reporting", "client", "server", "hostname", "port", "wait_for", "ioscheduler", "reduce_bw_lat",
    "registerfiles", "fixedbufs", "hipri", "sqthread_poll", "force_async", "userspace_reap", "nonvectored",
    "serialize_overlap", "kb_base", "unlink_each_loop", "create_serialize", "create_fsync", "create_on_open",
    "create_only", "openfiles", "idle_prof", "disk_util", "steadystate", "ss", "ss_dur", "ss_ramp",
})  # fmt: skip
_NEUTRAL_BEGINNINGS = ("write_bw_log", "write_lat_log", "write_iops_log", "write_hist_log", "exec_", "log_", "ss_")
# fio's defaults: an option with its default value is neutral.
_DEFAULTS = {
    "verify": "0", "rate_iops": "0", "rate": "0", "thinktime": "0", "random_distribution": "random", "nrfiles": "1",
    "zonemode": "none", "percentage_random": "100", "invalidate": "1", "rwmixread": "50", "rwmixwrite": "50",
    "do_verify": "1", "file_service_type": "roundrobin", "iodepth_batch": "1", "rate_process": "linear",
    "buffer_compress_percentage": "0", "dedupe_percentage": "0", "bs_unaligned": "0", "bs_is_seq_rand": "0",
}  # fmt: skip
_UNSAFE = re.compile(r"[^\w.:,%/+-]+")
_MAX_VALUE_CHARACTERS = 32
_SIZE_TOLERANCE = 0.02  # the last request of a file may be short


class Counts(NamedTuple):
    """Counts of a job in one direction: bytes transferred and requests completed."""

    size_bytes: int
    requests: int

    @property
    def block_bytes(self) -> float:
        """Mean size of a request."""
        return self.size_bytes / self.requests


def merged(*sections: Mapping[str, object]) -> dict[str, str]:
    """Merge the options of ``sections``, later ones over earlier ones, under fio's primary name of each option.

    A flag without a value is "1".
    """
    found: dict[str, str] = {}
    for section in sections:
        for name, value in section.items():
            key = _ALIASES.get(name, name)
            found.pop(key, None)
            found[key] = str(value).strip() or "1"
    return found


def directions_of(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the directions that a job with these ``options`` counts; () for a pattern that fio(1) doesn't have.

    A job that verifies reads back what it has written.
    """
    verified = ("read",) if options.get("verify", "0") != "0" else ()
    found = _DOES.get(_pattern(options)[0], ())
    return (*found, *verified) if found else ()


def workload_name(options: Mapping[str, str], direction: str, counts: Counts, jobs: int, *, is_mingled: bool) -> str:
    """Return the name of the workload of ``jobs`` clones with these ``options`` in ``direction``.

    A predefined one if the options match it exactly, and ``counts`` don't contradict it. ``is_mingled``: the counts
    include other jobs', whose options are unknown.
    """
    if not options:
        return f"fio_{direction}_{_mean(counts)}_options_unknown"
    if is_mingled:
        return f"fio_{direction}_{_mean(counts)}_grouped"
    pattern, modifier = _pattern(options)
    block = _block(options, direction, counts, is_random=pattern.startswith("rand"))
    extras = [*_extras(options, pattern, modifier, jobs)]
    is_direct, depth = _is_direct(options), _depth(options)
    asked = f"{'rand' if pattern.startswith('rand') else ''}{'rw' if direction == 'mixed' else direction}"
    is_whole = extras == (["end_fsync=1"] if direction == "write" and not is_direct else [])
    if is_whole and isinstance(block, int) and not _is_repeated(options, counts):
        for ours in Workload:
            one = ours.pattern
            if (asked, block, depth, not is_direct) == (one.direction, one.block_bytes, one.depth, one.buffered):
                return ours
    again = ["again"] if not is_direct and _is_repeated(options, counts) else []
    buffered = [] if is_direct else ["buffered"]
    size = _short(block) if isinstance(block, int) else block
    where = next((at for at, extra in enumerate(extras) if not re.fullmatch(r"j\d+", extra)), len(extras))
    return "_".join(("fio", asked, size, f"q{depth}", *extras[:where], *buffered, *again, *extras[where:]))


def _pattern(options: Mapping[str, str]) -> tuple[str, str]:
    """Return fio's ``rw`` and the part after its colon."""
    pattern, _, modifier = options.get("rw", "read").lower().partition(":")
    return {"readwrite": "rw"}.get(pattern, pattern), modifier


def _extras(options: Mapping[str, str], pattern: str, modifier: str, jobs: int) -> Iterator[str]:
    """Yield everything else that affects the result, in the order of a name."""
    if jobs > 1:
        yield f"j{jobs}"
    if flushed := _flushed(options):
        yield flushed
    if pattern in _MIXED:
        yield "mixed"
    if modifier:
        yield f"rw={_safe(f'{pattern}:{modifier}')}"
    if options.get("end_fsync", "0") != "0":
        yield "end_fsync=1"
    engine = options.get("ioengine", "psync").partition("/")[0]
    if engine not in _PLAIN_ENGINES:
        yield f"ioengine={_safe(engine)}"
    for name in sorted(options.keys() - _SAID - _NEUTRAL):
        is_mix = name in ("rwmixread", "rwmixwrite")
        is_default = options[name] == _DEFAULTS.get(name, "0") or (is_mix and pattern not in _MIXED)
        if not is_default and not name.startswith(_NEUTRAL_BEGINNINGS):
            yield f"{_safe(name)}={_safe(options[name])}"


def _flushed(options: Mapping[str, str]) -> str:
    """Return the flush after each write, or after several; O_SYNC and O_DSYNC count as a flush after each."""
    each = options.get("fsync", "0")
    is_synchronous = options.get("sync", "0") not in ("0", "none")
    if each == "0" and not is_synchronous:
        return ""
    return "flushed" if is_synchronous or each == "1" else f"flushed={_safe(each)}"


def _is_direct(options: Mapping[str, str]) -> bool:
    if "direct" in options:
        return options["direct"] != "0"
    return options.get("buffered", "1") == "0" or options.get("atomic", "0") != "0"


def _depth(options: Mapping[str, str]) -> int:
    engine = options.get("ioengine", "psync").partition("/")[0]
    return int(options.get("iodepth", "1")) if engine not in _PLAIN_ENGINES - _ASYNCHRONOUS else 1


def _block(options: Mapping[str, str], direction: str, counts: Counts, *, is_random: bool) -> int | str:
    """Return the request size in bytes, or text for several sizes."""
    kb_base = options.get("kb_base", KB_BASES[0])
    place = _DIRECTIONS.index(direction) if direction in _DIRECTIONS else 0
    if options.get("bs_is_seq_rand", "0") != "0":
        place = int(is_random)
    if "bssplit" in options:
        return f"split={_safe(_of_direction(options['bssplit'], place))}"
    if "bsrange" in options:
        ends = re.split(r"[-:]", _of_direction(options["bsrange"], place))
        least, greatest = min(_bytes(end, kb_base) for end in ends), max(_bytes(end, kb_base) for end in ends)
        if least != greatest:
            return f"{_short(least)}-{_short(greatest)}"
        return least
    sizes = [_bytes(_of_direction(options.get("bs", _DEFAULT_BLOCK), at) or _DEFAULT_BLOCK, kb_base) for at in (0, 1)]
    if direction == "mixed" and sizes[0] != sizes[1]:
        return f"{_short(sizes[0])}-{_short(sizes[1])}"
    size = _bytes(_of_direction(options.get("bs", _DEFAULT_BLOCK), place) or _DEFAULT_BLOCK, kb_base)
    return size if abs(counts.block_bytes / size - 1) <= _SIZE_TOLERANCE else f"about_{_mean(counts)}"


def _of_direction(text: str, place: int) -> str:
    """Return the part of ``read,write,trim`` for the direction at ``place``: the last given applies to all after it."""
    parts = [part.strip() for part in text.split(",")]
    return parts[min(place, len(parts) - 1)]


def _is_repeated(options: Mapping[str, str], counts: Counts) -> bool:
    """Return True if a buffered job transferred more than its files hold: the page cache served the rest."""
    size = size_bytes(options.get("size", ""), options.get("kb_base", KB_BASES[0]))
    return not _is_direct(options) and bool(size) and counts.size_bytes > (size or 0) * int(options.get("numjobs", "1"))


def _bytes(text: str, kb_base: str) -> int:
    if not (size := size_bytes(text, kb_base)):
        raise ValueError(say("“{text}” is no size of a block", text=text))
    return size


def _mean(counts: Counts) -> str:
    size = round(counts.block_bytes)
    return _short(size) if size % 1024 == 0 or size < 1024 else f"{round(size / 1024)}k"


def _short(size: int) -> str:
    for sign, power in (("m", 2), ("k", 1)):
        if size % 1024**power == 0:
            return f"{size // 1024**power}{sign}"
    return f"{size}b"


def _safe(text: str) -> str:
    return _UNSAFE.sub("", text)[:_MAX_VALUE_CHARACTERS]
