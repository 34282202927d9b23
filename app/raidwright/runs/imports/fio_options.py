"""Options of a fio job, and the workload's name that they and the job's counts agree on.

A name includes everything that affects the result: every option that isn't known to be neutral is part of it
(``reading.fio_options``). If options and counts disagree, the counts are right: with --group_reporting fio prints
the options of the last job beside the sum of all jobs (fio's issues 480 and 2132). Source: fio(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from raidwright.core.messages import say
from raidwright.core.system.workload import Workload
from raidwright.reading.fio_options import changes_result, is_default, primary_name
from raidwright.reading.fio_sizes import KB_BASES, size_bytes

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
_UNSAFE = re.compile(r"[^\w.:,%/+-]+")
_MAX_VALUE_CHARACTERS = 32
_PERCENT = 100
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
            key, text = _canonical(primary_name(name), str(value).strip() or "1")
            found.pop(key, None)
            found[key] = text
    return found


def _canonical(name: str, value: str) -> tuple[str, str]:
    """Return the option in one of the two ways to say it: fio keeps one value, and the last that is given counts."""
    if name == "fdatasync":
        return "fsync", value
    if name == "buffered" and value in ("0", "1"):
        return "direct", str(1 - int(value))
    if name == "rwmixwrite" and value.isdecimal() and int(value) <= _PERCENT:
        return "rwmixread", str(_PERCENT - int(value))
    return name, value


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
    if (engine := _engine(options)) not in _PLAIN_ENGINES:
        yield f"ioengine={_safe(engine)}"
    for name in sorted(options):
        is_mix = name == "rwmixread" and pattern in _MIXED and not is_default(name, options[name])
        if is_mix or changes_result(name, options[name], options):
            yield f"{_safe(name)}={_safe(options[name])}"


def _flushed(options: Mapping[str, str]) -> str:
    """Return the flush after each write, or after several; O_SYNC and O_DSYNC count as a flush after each."""
    each = options.get("fsync", "0")
    is_synchronous = options.get("sync", "0") not in ("0", "none")
    if each == "0" and not is_synchronous:
        return ""
    return "flushed" if is_synchronous or each == "1" else f"flushed={_safe(each)}"


def _is_direct(options: Mapping[str, str]) -> bool:
    return options.get("direct", "0") != "0" or options.get("atomic", "0") != "0"


def _depth(options: Mapping[str, str]) -> int:
    return int(options.get("iodepth", "1")) if _engine(options) not in _PLAIN_ENGINES - _ASYNCHRONOUS else 1


def _engine(options: Mapping[str, str]) -> str:
    """Return the engine's name; one of another's, as SPDK's, is given by its file."""
    text = options.get("ioengine", "psync").removeprefix("external:")
    return text.rpartition("/")[2].removesuffix(".so") if text.startswith((".", "/")) else text.partition("/")[0]


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
