"""Parser of fio job files into user-defined workloads: the supported options are listed here, all others are refused.

Source: fio(1), "Job file format" and "Job file parameters". fio itself never sees the file: the job doesn't choose the
measured device, and options that name a file, a program or a path are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import Message, say
from raidwright.core.system.own_workload import OwnWorkload
from raidwright.core.system.workload import Pattern
from raidwright.suites import OwnSuite

from .fio_command import is_fio_command, jobs_of_commands
from .fio_options import OPTIONS, is_default, set_option
from .fio_sizes import size_bytes

_MIB = 2**20
_MAX_CHARACTERS = 64 * 1024
_MAX_JOBS = 32
_TIME = re.compile(r"(\d{1,9})(s|m|h|d)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_COMMENT = re.compile(r"[;#]")
DIRECTIONS = {one: one for one in ("read", "write", "rw", "randread", "randwrite", "randrw")} | {"readwrite": "rw"}
TELLS = ("rw", "bs", "iodepth", "numjobs", "rwmixread", "rwmixwrite", "direct", "buffered", "ioengine", "fsync",
          "size", "runtime", "ramp_time", "stonewall")  # fmt: skip
# Fixed options of each job; any other value would make a different workload.
_ALWAYS = {"group_reporting": "1", "thread": "1", "norandommap": "1", "randrepeat": "0",
           "random_generator": "tausworthe64"}  # fmt: skip
_BY_BUFFERED = {False: {"time_based": "1", "end_fsync": "0"}, True: {"time_based": "0", "end_fsync": "1"}}
TARGETS = frozenset({"filename", "directory", "filename_format", "nrfiles", "opendir", "unlink", "offset"})


@dataclass(frozen=True, slots=True)
class OwnJob:
    """One job section. None where the file leaves runtime, region or warm-up open."""

    name: str
    workload: OwnWorkload
    seconds: int | None = None
    region_mib: int | None = None
    warm_up_seconds: int | None = None


def read_fio_job(text: str) -> tuple[OwnJob, ...]:
    """Return the jobs in order; raises InputError, which names the section's key that can't be parsed."""
    return tuple(
        _read_job(name, told, is_first=not place) for place, (name, told) in enumerate(sections_of(text).items())
    )


def sections_of(text: str) -> Mapping[str, Mapping[str, str]]:
    """Return each job's options under their primary names, those of [global] included; raises InputError.

    Also of fio's command lines. As fio's ``init.c`` ``__parse_jobs_ini`` has it: a comment may follow an option, blanks
    may precede one, and any number of [global] sections each count for the jobs that follow.
    """
    if len(text) > _MAX_CHARACTERS:
        raise InputError("This is too long for a job file.", code="job")
    if is_fio_command(text):
        return _counted(jobs_of_commands(text))
    jobs, shared = dict[str, dict[str, str]](), dict[str, str]()
    name, section = "", dict[str, str]()
    for number, raw in enumerate(text.splitlines(), 1):
        line = _COMMENT.split(raw, maxsplit=1)[0].strip()
        if line.startswith("["):
            name = _section_name(line, number, jobs)
            section = shared if name.startswith("global") else jobs.setdefault(name, dict(shared))
        elif line and not name:
            raise _no_job_file(say("line {line} is above the first section, [name]", line=number))
        elif line:
            set_option(section, *(part.strip() for part in line.partition("=")[::2]))
    return _counted(jobs)


def _counted(jobs: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mapping[str, str]]:
    if not 0 < len(jobs) <= _MAX_JOBS:
        raise InputError("A job file has 1 to {most} jobs, each in a section: [name].", code="job", most=_MAX_JOBS)
    return jobs


def _section_name(line: str, number: int, jobs: Mapping[str, object]) -> str:
    name = line[1:-1].strip()
    if not (name and line.endswith("]")):
        raise _no_job_file(say("line {line} begins a section, and isn't [name]", line=number))
    if name in jobs:
        raise InputError(
            "Two jobs are called “{name}”; call one of the sections otherwise.", code="job", name=printable(name)
        )
    return name


def _no_job_file(why: Message) -> InputError:
    return InputError("This is no job file as fio reads it: {why}.", code="job", why=why)


def own_suite(text: str) -> OwnSuite:
    """Return the workloads of a file's jobs, without runtime and region. Raises InputError."""
    return OwnSuite(tuple(dict.fromkeys(job.workload for job in read_fio_job(text))))


def refuse_concurrent(name: str, told: Mapping[str, str], *, is_first: bool) -> None:
    """Refuse a job that fio would run beside the one before."""
    if not is_first and told.get("stonewall") != "1":
        raise bad(name, "stonewall", say("fio would run it beside the one before; jobs run one after the other here"))


def _read_job(name: str, told: Mapping[str, str], *, is_first: bool) -> OwnJob:
    buffered = is_buffered(name, told)
    always = _ALWAYS | _BY_BUFFERED[buffered]
    for key, value in told.items():
        if key in TARGETS:
            raise bad(name, key, say("which array or disk is measured, and where, isn't the job's to say (--target)"))
        if key not in TELLS and key not in always:
            if key in OPTIONS and is_default(key, value):
                continue
            raise bad(name, key, say("a job here says {known:and} alone", known=list(TELLS)))
        if value != always.get(key, value):
            raise bad(name, key, say("such a job runs with {key}={value} here", key=key, value=always[key]))
    refuse_concurrent(name, told, is_first=is_first)
    engine = "psync" if buffered else "libaio"
    if told.get("ioengine", engine) != engine:
        raise bad(name, "ioengine", say("it is libaio with direct=1, and psync without"))
    return OwnJob(
        printable(name),
        OwnWorkload(pattern_of(name, told)),
        seconds_of(name, told, "runtime"),
        region_mib(name, told),
        seconds_of(name, told, "ramp_time"),
    )


def pattern_of(name: str, told: Mapping[str, str]) -> Pattern:
    """Return the access pattern of a job's options; raises InputError, which names the one that can't be parsed."""
    if (direction := DIRECTIONS.get(told.get("rw", "read"))) is None:
        raise bad(name, "rw", say("it is one of {known:or}", known=[*DIRECTIONS]))
    mix = None
    if direction in ("rw", "randrw"):
        reads = _number(name, told, "rwmixread", 50, most=100)
        writes = _number(name, told, "rwmixwrite", 100 - reads, most=100)
        if "rwmixread" in told and reads + writes != 100:
            raise bad(name, "rwmixwrite", say("reads and writes make 100% together"))
        mix = 100 - writes
    block = _bytes(name, told, "bs", 4096)
    if block % 1024:
        raise bad(name, "bs", say("it is whole KiB"))
    return Pattern(
        direction,
        block // 1024,
        _number(name, told, "iodepth", 1),
        buffered=is_buffered(name, told),
        flushed=bool(_number(name, told, "fsync", 0, most=1)),
        read_percent=mix,
        jobs=_number(name, told, "numjobs", 1),
    )


def is_buffered(name: str, told: Mapping[str, str]) -> bool:
    """Return True for I/O through the page cache, fio's default."""
    last = next((key for key in reversed([*told]) if key in ("direct", "buffered")), "")  # they are one option
    said = [key for key in ("direct", "buffered") if _number(name, told, key, 0, most=1)]
    return not last or (last in said) == (last == "buffered")


def region_mib(name: str, told: Mapping[str, str]) -> int | None:
    """Return the MiB from the target's beginning that a job stays within; None for all of it."""
    if told.get("size") == "100%":
        return None
    size = _bytes(name, told, "size", 0)
    if size % _MIB or ("size" in told and not size):
        raise bad(name, "size", say("it is whole MiB"))
    return size // _MIB or None


def _bytes(name: str, told: Mapping[str, str], key: str, default: int) -> int:
    if key not in told:
        return default
    if (found := size_bytes(told[key])) is None:
        raise bad(name, key, say("it is a size such as 4k or 1M"))
    if "ib" in told[key].lower():
        raise bad(
            name, key, say("fio reads {value} as {bytes} bytes; write it as 4k or 1M", value=told[key], bytes=found)
        )
    return found


def seconds_of(name: str, told: Mapping[str, str], key: str) -> int | None:
    """Return the time that the option ``key`` gives; None without it."""
    if key not in told:
        return None
    if (found := _TIME.fullmatch(told[key])) is None:
        raise bad(name, key, say("it is a time such as 30 or 2m"))
    return int(found[1]) * _SECONDS[found[2]] or None


def _number(name: str, told: Mapping[str, str], key: str, default: int, *, most: int = 9999) -> int:
    text = told.get(key, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) <= most):
        raise bad(name, key, say("it is a whole number up to {most}", most=most))
    return int(text)


def bad(name: str, key: str, why: Message) -> InputError:
    """Return the refusal of the option ``key`` of the job ``name``."""
    return InputError(
        "“{key}” of the job [{name}] can't be taken: {why}.",
        code="job",
        key=printable(key),
        name=printable(name),
        why=why,
    )
