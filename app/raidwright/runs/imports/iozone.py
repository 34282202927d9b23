"""IOzone 3's printed results. Source: IOzone's ``iozone.c``, its documentation.

Either a table with a row per file size and record size, in which tests that weren't run leave their columns blank, so
that a figure is identified by its position below the header; or, in throughput mode (``-t``), a line per test with the
sum of all processes. Sizes are KiB, rates KiB/s. A file may have the output of several commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.runs.run import RunResult, Source

from .foreign import ForeignFile, ParsedFigure, unreadable

_NAMES = (
    "write", "rewrite", "read", "reread", "random_read", "random_write", "backward_read", "record_rewrite",
    "stride_read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip
_OF_CHILDREN = {
    "initial writers": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
    "random readers": "random_read", "random writers": "random_write", "reverse readers": "backward_read",
    "stride readers": "stride_read", "mixed workload": "mixed", "pwrite writers": "pwrite", "pread readers": "pread",
    "fwriters": "fwrite", "freaders": "fread",
}  # fmt: skip
_HEAD = re.compile(r"\s*kB\s+reclen\s+write\b", re.IGNORECASE)
_CHILDREN = re.compile(r"\s*Children see throughput for\s+(\d+)\s+(\S.*?)\s*=\s*(\S+)\s+(\S+)")
_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[0-9]+")
_BEGAN = re.compile(r"\s*Run began:\s*(.+)")
_COMMAND = re.compile(r"\s*Command line used:\s*(.+)")
_SIZES = re.compile(r"\s*Each \w+ writes an? (\d+) kBytes? file in (\d+) kBytes? records", re.IGNORECASE)
_MODES = tuple(  # lines of IOzone's head that change what is measured, their words, and of which tests ("" for all)
    (re.compile(line), words, tests)
    for line, words, tests in (
        (r"O_DIRECT feature enabled|VxFS .*VX_DIRECT enabled", "direct", ""),
        (r"SYNC Mode\.", "sync", ""),
        (r"DSYNC Mode\.|>>> O_DSYNC mode enabled\. <<<", "dsync", ""),
        (r"(?:RSYNC|Read Sync) Mode\.|Read & Write sync mode active\.", "rsync", ""),
        (r"Include fsync in write timing", "fsync", "write"),
        (r"Using mmap files", "mmap", ""),
        (r"Using msync\(MS_SYNC\) on mmap files", "mmap_msync", ""),
        (r"Using msync\(MS_ASYNC\) on mmap files", "mmap_msync_async", ""),
        (r"Enable mmap & file I/O mixing\.", "mmap_mixed", ""),
        (r"Include close in write timing", "close", "write"),
        (r"POSIX async I/O \(with bcopy\)\. Depth (\d+)", r"async_q\1", ""),
        (r"POSIX Async I/O \(no bcopy\)\. Depth (\d+)", r"async_no_bcopy_q\1", ""),
        (r"Lock file when reading/writing\.", "locked", ""),
        (r"Purge Mode On", "purged", ""),
        (r"Stonewall disabled", "no_stonewall", ""),
        (r"Dedup activated (\d+) percent\.", r"dedup_\1", ""),
        (r"Dedup within & across (\d+) percent\.", r"dedup_within_across_\1", ""),
        (r"Dedup within (\d+) percent\.", r"dedup_within_\1", ""),
        (r"Multi_buffer\. Work area .*", "multi_buffer", ""),
        (r"Madvise enabled: (\d+)", r"madvise_\1", ""),
        (r">>> Record locking mode enabled\. <<<", "record_locked", ""),
        (r">>> Record locking, shared file mode enabled\. <<<", "record_locked_shared", ""),
        (r">>> Shared file mode enabled\. <<<", "shared", ""),
        (r">>> Sequential Mixed workload\. <<<", "sequential", "mixed"),
        (r">>> Think time is included in throughput cal\. <<<", "think_time_included", ""),
        (r">>> No Verify mode\. <<<", "existing_file", ""),
        (r"Disrupted read patterns selected\.", "disrupted", "read"),
        (r"Percent read in mix test is (\d+)", r"reads_\1", "mixed"),
        (r"Rate control active (\d+) Ops/sec ?\.", r"rate_\1", ""),
        (r"Compute time ([\d.]+) seconds for .*", r"think_\1s", ""),
        (r"Burst size set to (\d+) Kbytes\.", r"burst_\1k", ""),
        (r"Using (write|read) telemetry file .*", r"telemetry_\1", ""),
        (r"Using old data sets\.", "old_data", ""),
        (r"File stride size set to (?!17 )(\d+) \* record size\.", r"every_\1", "stride_read"),
        (r"Command line used: .* -U .*", "remounted", ""),
    )
)
_OTHER_UNITS = re.compile(r"OPS Mode|Microseconds/op Mode|Output is in (?:ops/sec|microseconds)", re.IGNORECASE)
_INVALID = re.compile(r"(Verify Mode|I/O Diagnostic mode|Short circuit mode)[^\n]*\n[^\n]*(?:are invalid|testing ONLY)")
_INVALID_MODES = {
    "Verify Mode": say("verify mode (-V)"),
    "I/O Diagnostic mode": say("diagnostic mode (-+d)"),
    "Short circuit mode": say("short circuit mode (-+X)"),
}
_NO_RETEST = "No retest option selected"
_STOPPED = re.compile(
    r"\b(Error (?:reading|writing|in)|exiting iozone|interrupted|Can ?not open|Could not)\b", re.IGNORECASE
)
_COMPLETE = "iozone test complete"
_DEBUGGING = re.compile(r"\nAllocate buffer2 [^\n]*\n")  # within a row, of IOzone itself with -H
_BEGINS = "Iozone: Performance Test of File I/O"
_ASIDE = 3  # characters by which a figure may be off its title


def looks_like(text: str) -> bool:
    """Return True if ``text`` has a table of IOzone's, its lines of throughput, or the head above them."""
    return _BEGINS in text or any(_HEAD.match(line) or _CHILDREN.match(line) for line in text.splitlines())


@dataclass
class _Command:
    """One run of IOzone, as far as its output has been read."""

    line: str = ""
    began: datetime | None = None
    modes: dict[int, str] = field(default_factory=dict)  # the words of _MODES, by their place there
    sizes_kib: tuple[int, int] | None = None  # of each process's file, and of a record
    titles: list[re.Match[str]] = field(default_factory=list)
    most_words: int = 0
    ends: list[int] = field(default_factory=list)  # where the sizes of the table's first row end
    is_without_retests: bool = False  # whose columns are 0 then

    @property
    def has_begun(self) -> bool:
        """True if figures may follow."""
        return bool(self.titles) or self.sizes_kib is not None

    def take(self, line: str) -> bool:
        """Take a line of the head; return False for others."""
        if _NO_RETEST in line:
            self.is_without_retests = True
        if mode := _mode(line.strip()):
            self.modes |= mode
        if found := _BEGAN.match(line):
            self.began = _date(found[1].strip())
        elif found := _COMMAND.match(line):
            self.line = found[1].strip()
        elif found := _SIZES.match(line):
            self.sizes_kib = (int(found[1]), int(found[2]))
        elif _HEAD.match(line):
            self.titles, self.most_words, self.ends = list(_WORD.finditer(line)), 0, []
        else:
            return bool(mode)
        return True

    def workload(self, test: str, record_kib: int, processes: int = 1) -> str:
        """Return the workload's name, with everything that affects the result."""
        words = ["iozone", test, f"{record_kib}k", *([f"j{processes}"] if processes > 1 else [])]
        modes = (name for place, name in sorted(self.modes.items()) if _MODES[place][2] in test)
        return "_".join([*words, *modes])


def _mode(line: str) -> dict[int, str]:
    """Return the words of the mode that a line of the head tells, by its place in _MODES; {} for other lines."""
    found = ((place, sign.fullmatch(line), words) for place, (sign, words, _) in enumerate(_MODES))
    return {place: match.expand(words) for place, match, words in found if match}


def told_by(file: ForeignFile) -> Iterator[ParsedFigure]:
    """Yield each figure of the tables and lines. Raises InputError."""
    is_empty = True
    for figure in _figures(file):
        yield figure
        is_empty = False
    if is_empty:
        raise InputError(
            "{file}: IOzone's output ends before its first figure. Paste all of it.",
            code="import-empty",
            file=file.name,
        )


def _figures(file: ForeignFile) -> Iterator[ParsedFigure]:
    file = replace(file, text=_DEBUGGING.sub("", file.text))
    _verify_mode(file)
    command = _Command()
    for number, line in enumerate(file.text.splitlines(), 1):
        if _BEGINS in line:
            command = _Command()
        if command.take(line):
            continue
        if command.has_begun and (stopped := _STOPPED.search(line)):
            raise unreadable(file, number, say("IOzone stopped at “{text}”", text=stopped[0]))
        if found := _CHILDREN.match(line):
            yield _of_children(file, number, command, found)
        elif command.titles:
            yield from _of_row(file, number, command, list(_WORD.finditer(line)))


def _verify_mode(file: ForeignFile) -> None:
    """Raise InputError for modes in which figures aren't rates, or aren't valid."""
    if _OTHER_UNITS.search(file.text):
        raise InputError(
            "{file} is in another unit than kB/s; run IOzone without -O and -N.", code="import-iozone", file=file.name
        )
    if found := _INVALID.search(file.text):
        raise InputError(
            "{file} is of IOzone's {mode}, in which, as it says there, figures don't count; run IOzone without it.",
            code="import-iozone",
            file=file.name,
            mode=_INVALID_MODES[found[1]],
        )


def _of_children(file: ForeignFile, number: int, command: _Command, found: re.Match[str]) -> ParsedFigure:
    """Return the sum of all processes in one test of throughput mode."""
    processes, unit = int(found[1]), found[4].lower()
    test = _OF_CHILDREN.get(found[2].lower()) or found[2].lower().replace(" ", "_")
    if unit != "kb/sec":
        raise unreadable(file, number, say("“{text}” is no unit of a rate; run IOzone without -O and -N", text=unit))
    if command.sizes_kib is None:
        raise unreadable(file, number, say("the line “Each process writes …”, which gives the record size, is missing"))
    size_kib, record_kib = command.sizes_kib
    rate = float(found[3]) if re.fullmatch(r"\d+(?:\.\d+)?", found[3]) else 0.0
    if not (rate and record_kib):
        raise unreadable(file, number, say("“{text}” is no rate", text=found[3]))
    name = command.workload(test, record_kib, processes)
    return _figure(file, command, name, (size_kib, record_kib, processes), rate)


def _of_row(file: ForeignFile, number: int, command: _Command, words: list[re.Match[str]]) -> Iterator[ParsedFigure]:
    """Yield the figures of a row of the table; other lines have none. Raises InputError if IOzone was interrupted."""
    if not words or not all(_NUMBER.fullmatch(word[0]) for word in words[:2]):
        return
    ends = [word.end() for word in words[:2]]
    is_begun = len(ends) == 2 and all(
        abs(one - other) <= _ASIDE for one, other in zip(ends, command.ends, strict=False)
    )
    if command.most_words and not is_begun and all(_NUMBER.fullmatch(word[0]) for word in words):
        raise unreadable(file, number, say("the row above is cut by another line, so that its other tests are lost"))
    if len(words) < 3:
        return
    if wrong := next((word[0] for word in words if not _NUMBER.fullmatch(word[0])), None):
        raise unreadable(file, number, say("“{text}” is no rate", text=wrong))
    if len(words) < command.most_words and _COMPLETE not in file.text:
        raise unreadable(file, number, say("the table breaks off here"))
    command.most_words, command.ends = len(words), command.ends or ends
    size_kib, record_kib = (int(word[0]) for word in words[:2])
    for word in words[2:]:
        name = _name(file, number, command.titles, word)
        if word[0] == "0" and command.is_without_retests and name.startswith("re"):
            continue
        if not (int(word[0]) and record_kib):
            raise unreadable(file, number, say("“{text}” is no rate", text=word[0]))
        yield _figure(file, command, command.workload(name, record_kib), (size_kib, record_kib, 1), int(word[0]))


def _figure(
    file: ForeignFile, command: _Command, workload: str, sizes: tuple[int, int, int], rate_kib_s: float
) -> ParsedFigure:
    """Return a figure; ``sizes`` are a file's and a record's in KiB, and the number of processes with such a file."""
    size_kib, record_kib, processes = sizes
    return ParsedFigure(
        result=RunResult(
            workload=workload,
            seconds=size_kib * processes / rate_kib_s,
            mb_s=rate_kib_s * 1024 / 1e6,
            iops=rate_kib_s / record_kib,
            command=command.line,
        ),
        source=Source.IOZONE,
        target="",
        started=command.began or file.made,
        machine="",
        options={"size_kib": size_kib, "record_kib": record_kib, **({"processes": processes} if processes > 1 else {})},
    )


def _name(file: ForeignFile, line: int, titles: list[re.Match[str]], word: re.Match[str]) -> str:
    """Return the test whose column contains ``word``: the word ends at its title's end, or a little off."""
    place = min(range(2, len(titles)), key=lambda at: abs(titles[at].end() - word.end()))
    if abs(titles[place].end() - word.end()) > _ASIDE:
        raise unreadable(file, line, say("“{text}” stands below no title of the table", text=word[0]))
    return _NAMES[place - 2] if place - 2 < len(_NAMES) else titles[place][0]


def _date(text: str) -> datetime | None:
    """Parse the date in this computer's time zone, since IOzone prints none."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").astimezone()
    except ValueError:
        return None
