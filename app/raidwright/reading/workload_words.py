"""Parser of workloads to predict, from fio's words (``randread,bs=16k,depth=8,jobs=4``) or a fio job file.

Source: fio(1), "Job file parameters". Options that the model doesn't support are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from raidwright.core.errors import InputError
from raidwright.core.json_fields import printable
from raidwright.core.messages import Message, say
from raidwright.core.system.own_workload import refusal
from raidwright.core.system.workload import Pattern, Workload

from .fio_job import DIRECTIONS
from .fio_sizes import size_bytes

MAX_DEPTH = 65_536
MAX_JOBS = 4096
_MAX_CHARACTERS = 200
_NUMBER_DIGITS = 4
_SYNONYMS = {"readwrite": "rw", "blocksize": "bs", "iodepth": "depth", "numjobs": "jobs", "rwmixread": "reads",
             "sync": "fsync", "fdatasync": "fsync", "flushed": "fsync", "span": "size"}  # fmt: skip
_SWITCHES = ("buffered", "flushed", "fsync", "fdatasync", "sync")  # options that may lack a value
_WORDS = ("rw", "bs", "depth", "jobs", "reads", "rwmixwrite", "direct", "buffered", "fsync", "size")
_ONE_BLOCK = say("one size of block is predicted at a time; ask for each size as a workload of its own")
_EVENLY = say("random accesses are predicted evenly spread; give the part that is busy as size=8g")
_AS_FAST = say("the most that the array does is predicted; leave the limit out, and compare it with the figure")
_OF_RUNS = say("it says how fio runs, which changes no prediction; leave it out")
_OF_TARGETS = say("the plan says what is asked; leave it out")
UNPREDICTED: Mapping[str, Message] = {
    **dict.fromkeys(("bsrange", "blocksize_range", "bssplit", "bs_unaligned"), _ONE_BLOCK),
    **dict.fromkeys(("random_distribution", "percentage_random", "zipf", "pareto"), _EVENLY),
    **dict.fromkeys(("rate", "rate_iops", "rate_min", "thinktime", "latency_target"), _AS_FAST),
    **dict.fromkeys(
        ("runtime", "time_based", "ramp_time", "group_reporting", "thread", "ioengine", "end_fsync"), _OF_RUNS
    ),
    **dict.fromkeys(("filename", "directory", "offset", "name"), _OF_TARGETS),
}


@dataclass(frozen=True, slots=True)
class AskedWorkload:
    """A ``pattern`` to predict, under ``name``.

    Accesses fall within the first ``span_bytes`` of the array (None: all of it). The rate is the mean of the first
    ``seconds`` (None: a minute). ``without_effect`` are the options of its job that change no prediction;
    ``queues_unasked`` if it has requests in flight at once, and names no engine of fio's that can.
    """

    name: str
    pattern: Pattern
    span_bytes: int | None = None
    seconds: int | None = None
    without_effect: tuple[str, ...] = ()
    queues_unasked: bool = False


def read_workload(text: str) -> AskedWorkload:
    """Parse the workload that ``text`` describes; raises InputError, which names the word that can't be parsed.

    Its name has the words of ``text`` in canonical spelling and order, so that equal workloads have equal names.
    """
    words = _Words(text)
    pattern = _pattern(words)
    if why := refusal(pattern, max_depth=MAX_DEPTH, max_jobs=MAX_JOBS):
        raise InputError("The workload “{text}” can't be predicted. {why}", code="workload", text=words.text, why=why)
    span = words.size("size") if "size" in words.given else None
    return AskedWorkload(_name(words, pattern, span), pattern, span)


def each_named_once(asked: Iterable[AskedWorkload]) -> tuple[AskedWorkload, ...]:
    """Return the workloads without duplicates; raises InputError if two different ones have the same name."""
    found: dict[str, AskedWorkload] = {}
    for one in asked:
        if one.name in set(Workload) and one.pattern != Workload(one.name).pattern:
            raise InputError(
                "A job called “{name}” would hide the workload of that name; call its section otherwise.",
                code="workload",
                name=one.name,
            )
        if found.setdefault(one.name, one) != one:
            raise InputError(
                "Two jobs are called “{name}”; call one of the sections otherwise.", code="workload", name=one.name
            )
    return tuple(found.values())


class _Words:
    """The words of a text as ``given``, by canonical name; raises InputError for an unknown one."""

    def __init__(self, text: str) -> None:
        self.text = printable(text[:_MAX_CHARACTERS])
        if len(text) > _MAX_CHARACTERS:
            raise self.refused(self.text, say("it is too long"))
        self.given: dict[str, str] = {}
        for place, word in enumerate(text.split(",")):
            key, value = self._read(word.strip(), is_first=not place)
            if key in self.given:
                raise self.refused(word, say("it is said twice"))
            self.given[key] = value
        if "rw" not in self.given:
            raise self.refused(text, say("it doesn't say what is done: {known:or}", known=list(DIRECTIONS)))

    def _read(self, word: str, *, is_first: bool) -> tuple[str, str]:
        key, is_said, value = (part.strip().lower() for part in word.partition("="))
        if not is_said and key in DIRECTIONS and (is_first or "rw" not in self.given):
            return "rw", DIRECTIONS[key]
        if why := UNPREDICTED.get(key):
            raise self.refused(word, why)
        name = _SYNONYMS.get(key, key)
        if name not in _WORDS or (not is_said and key not in _SWITCHES):
            known = [
                *dict.fromkeys(DIRECTIONS.values()),
                "bs=16k",
                "depth=8",
                "jobs=4",
                "reads=70%",
                "buffered",
                "flushed",
                "size=8g",
            ]
            raise self.refused(word, say("a workload is made of {known:and}", known=known))
        return name, value if is_said else "1"

    def refused(self, word: str, why: Message) -> InputError:
        return InputError(
            "“{word}” in the workload “{text}” can't be taken: {why}.",
            code="workload",
            word=printable(word.strip()),
            text=self.text,
            why=why,
        )

    def number(self, key: str, default: int, most: int) -> int:
        """Return a non-negative integer."""
        text = self.given.get(key, str(default)).removesuffix("%" if key == "reads" else "")
        if not (text.isascii() and text.isdecimal() and len(text) <= _NUMBER_DIGITS and int(text) <= most):
            raise self.refused(f"{key}={self.given[key]}", say("it is a whole number up to {most}", most=most))
        return int(text)

    def size(self, key: str, default: int = 0) -> int:
        """Return a size in bytes, as fio parses it."""
        if key not in self.given:
            return default
        text = self.given[key]
        word = f"{key}={text}"
        if "-" in text or ":" in text or "/" in text:
            raise self.refused(word, _ONE_BLOCK if key == "bs" else say("it is a size such as 4k or 1M"))
        found = size_bytes(text)
        if found is None or not 0 < found < 2**63:
            raise self.refused(word, say("it is a size such as 4k or 1M"))
        if "ib" in text:
            raise self.refused(
                word, say("fio reads {value} as {bytes} bytes; write it as 4k or 1M", value=text, bytes=found)
            )
        return found


def _pattern(words: _Words) -> Pattern:
    direction = DIRECTIONS.get(words.given["rw"])
    if direction is None:
        raise words.refused(f"rw={words.given['rw']}", say("it is one of {known:or}", known=list(DIRECTIONS)))
    block = words.size("bs", 4096)
    if block % 1024:
        raise words.refused(f"bs={words.given['bs']}", say("it is whole KiB"))
    return Pattern(
        direction,
        block // 1024,
        words.number("depth", 1, MAX_DEPTH),
        buffered=_is_buffered(words),
        flushed=bool(words.number("fsync", 0, 1)),
        read_percent=_read_percent(words, direction),
        jobs=words.number("jobs", 1, MAX_JOBS),
    )


def _is_buffered(words: _Words) -> bool:
    """Return True for buffered I/O; the default is direct, as in the built-in workloads (fio's is buffered)."""
    is_buffered = bool(words.number("buffered", 0, 1))
    if "direct" in words.given:
        is_direct = bool(words.number("direct", 1, 1))
        if "buffered" in words.given and is_buffered == is_direct:
            raise words.refused(f"direct={words.given['direct']}", say("it is the contrary of buffered"))
        return not is_direct
    return is_buffered


def _read_percent(words: _Words, direction: str) -> int | None:
    said = [key for key in ("reads", "rwmixwrite") if key in words.given]
    if direction not in ("rw", "randrw"):
        if said:
            raise words.refused(
                f"{said[0]}={words.given[said[0]]}", say("only rw and randrw read and write; take one of them")
            )
        return None
    reads = words.number("reads", 50, 100)
    if "rwmixwrite" not in words.given:
        return reads
    writes = words.number("rwmixwrite", 50, 100)
    if "reads" in words.given and reads + writes != 100:
        raise words.refused(f"rwmixwrite={writes}", say("reads and writes make 100% together"))
    return 100 - writes


def _name(words: _Words, pattern: Pattern, span: int | None) -> str:
    said = words.given
    parts = (
        pattern.direction,
        f"bs={_short(pattern.block_bytes)}" if "bs" in said else "",
        f"depth={pattern.depth}" if "depth" in said else "",
        f"jobs={pattern.jobs}" if "jobs" in said else "",
        f"reads={pattern.read_percent}%" if {"reads", "rwmixwrite"} & said.keys() else "",
        "buffered" if pattern.buffered else "",
        "flushed" if pattern.flushed else "",
        f"size={_short(span)}" if span else "",
    )
    return ",".join(filter(None, parts))


def _short(size: int) -> str:
    """Format a size as fio does: 16k, 1m, 8g."""
    for power, sign in ((30, "g"), (20, "m"), (10, "k")):
        if size % 2**power == 0:
            return f"{size >> power}{sign}"
    return str(size)


def within(asked: AskedWorkload, span_bytes: int | None) -> AskedWorkload:
    """Return the workload, limited to ``span_bytes`` unless it has a span of its own."""
    return asked if asked.span_bytes or span_bytes is None else replace(asked, span_bytes=span_bytes)
