"""IOzone 3's printed table, a row per file size and record size. Source: IOzone's ``iozone.c``, its documentation.

Sizes are KiB, rates KiB/s. Tests that weren't run leave their columns blank, so a figure is identified by its position
below the header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.runs.run import RunResult, Source

from .foreign import ForeignFile, ParsedFigure, unreadable

_NAMES = (
    "write", "rewrite", "read", "reread", "random_read", "random_write", "backward_read", "record_rewrite",
    "stride_read", "fwrite", "frewrite", "fread", "freread",
)  # fmt: skip
_HEAD = re.compile(r"\s*kB\s+reclen\s+write\b", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[0-9]+")
_BEGAN = re.compile(r"Run began:\s*(.+)")
_COMMAND = re.compile(r"Command line used:\s*(.+)")
_OTHER_UNITS = ("OPS Mode", "microseconds/op")
_INVALID = "Performance measurements are invalid"  # in diagnostic mode, -+d
_STOPPED = re.compile(
    r"\b(Error (?:reading|writing|in)|exiting iozone|interrupted|Can ?not open|Could not)\b", re.IGNORECASE
)
_COMPLETE = "iozone test complete"
_ASIDE = 3  # characters by which a figure may be off its title


def looks_like(text: str) -> bool:
    """Return True if ``text`` has IOzone's table."""
    return any(_HEAD.match(line) for line in text.splitlines())


def told_by(file: ForeignFile) -> Iterator[ParsedFigure]:
    """Yield each figure of the table. Raises InputError."""
    _verify_mode(file)
    began, command = _BEGAN.search(file.text), _COMMAND.search(file.text)
    started = _date(began[1].strip()) if began else None
    for row in _rows(file):
        size_kib, record_kib = (int(word[0]) for word in row.words[:2])
        for word in row.words[2:]:
            name = _name(file, row.line, row.ends, word)
            rate = int(word[0])
            if not (rate and record_kib):
                raise unreadable(file, row.line, say("“{text}” is no rate", text=word[0]))
            yield ParsedFigure(
                result=RunResult(
                    workload=f"iozone_{name}_{record_kib}k",
                    seconds=size_kib / rate,
                    mb_s=rate * 1024 / 1e6,
                    iops=rate / record_kib,
                    command=command[1].strip() if command else "",
                ),
                source=Source.IOZONE,
                target="",
                started=started or file.made,
                machine="",
                options={"size_kib": size_kib, "record_kib": record_kib},
            )


def _verify_mode(file: ForeignFile) -> None:
    """Raise InputError for modes in which figures aren't rates, or aren't valid."""
    if any(unit in file.text for unit in _OTHER_UNITS):
        raise InputError(
            "{file} is in another unit than kB/s; run IOzone without -O and -N.", code="import-iozone", file=file.name
        )
    if _INVALID in file.text:
        raise InputError(
            "{file} is of IOzone's diagnostic mode (-+d), in which, as it says there, figures don't count; run IOzone "
            "without it.",
            code="import-iozone",
            file=file.name,
        )


class _Row(NamedTuple):
    """A row of the table: its line, the end column of each title above it, and its words."""

    line: int
    ends: list[int]
    words: list[re.Match[str]]


def _rows(file: ForeignFile) -> Iterator[_Row]:
    """Yield the table's rows; raises InputError if IOzone was interrupted."""
    ends: list[int] = []
    most_words = 0
    for number, line in enumerate(file.text.splitlines(), 1):
        if _HEAD.match(line):
            ends = [word.end() for word in _WORD.finditer(line)]
            continue
        if ends and (stopped := _STOPPED.search(line)):
            raise unreadable(file, number, say("IOzone stopped at “{text}”", text=stopped[0]))
        words = list(_WORD.finditer(line))
        if not ends or len(words) < 3 or not all(_NUMBER.fullmatch(word[0]) for word in words[:2]):
            continue
        if wrong := next((word[0] for word in words if not _NUMBER.fullmatch(word[0])), None):
            raise unreadable(file, number, say("“{text}” is no rate", text=wrong))
        if len(words) < most_words and _COMPLETE not in file.text:
            raise unreadable(file, number, say("the table breaks off here"))
        most_words = len(words)
        yield _Row(number, ends, words)


def _name(file: ForeignFile, line: int, ends: list[int], word: re.Match[str]) -> str:
    """Return the test whose column contains ``word``: the word ends at its title's end, or a little off."""
    place = min(range(2, len(ends)), key=lambda at: abs(ends[at] - word.end()))
    if abs(ends[place] - word.end()) > _ASIDE or place - 2 >= len(_NAMES):
        raise unreadable(file, line, say("“{text}” stands below no title of the table", text=word[0]))
    return _NAMES[place - 2]


def _date(text: str) -> datetime | None:
    """Parse the date in this computer's time zone, since IOzone prints none."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").astimezone()
    except ValueError:
        return None
