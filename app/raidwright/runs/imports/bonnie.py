"""bonnie++'s CSV, of format versions 1.93 to 1.98, and of bonnie++ 1.0x, which writes no version.

Lines of 1.98 have two columns more than those of 1.97, the request size of seeks and the number of processes that
seek, which bonnie++ 2.00 omits from its printed header. Rates are KiB/s, seeks and files per second. Its latencies are
maxima, not means, and are left out. Source: bonnie++'s ``bon_time.cpp``, ``bon_csv2txt.cpp``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from raidwright.core.messages import say
from raidwright.runs.run import RunResult, Source

from .foreign import ForeignFile, ParsedFigure, unreadable

_HEAD = (
    "format_version,bonnie_version,name,concurrency,seed,file_size,io_chunk_size,putc,putc_cpu,put_block,put_block_cpu,"
    "rewrite,rewrite_cpu,getc,getc_cpu,get_block,get_block_cpu,seeks,seeks_cpu,num_files,max_size,min_size,num_dirs,"
    "file_chunk_size,seq_create,seq_create_cpu,seq_stat,seq_stat_cpu,seq_del,seq_del_cpu,ran_create,ran_create_cpu,"
    "ran_stat,ran_stat_cpu,ran_del,ran_del_cpu,putc_latency,put_block_latency,rewrite_latency,getc_latency,"
    "get_block_latency,seeks_latency,seq_create_latency,seq_stat_latency,seq_del_latency,ran_create_latency,"
    "ran_stat_latency,ran_del_latency"
)
_COLUMNS = _HEAD.split(",")
_AFTER = _COLUMNS.index("io_chunk_size") + 1
_FILES = _COLUMNS.index("num_files") - 1
_WITH_SEEKS = [*_COLUMNS[:_AFTER], "seek_chunk_size", "seek_processes", *_COLUMNS[_AFTER:]]
_OF_1_0 = ["name", "file_size", *_COLUMNS[_AFTER : _FILES + 2], *_COLUMNS[_FILES + 6 : _FILES + 18]]
_LAYOUTS = {len(columns): columns for columns in (_COLUMNS, _WITH_SEEKS)}
_RATES = {
    "putc": "bonnie_char_write",
    "put_block": "bonnie_block_write",
    "rewrite": "bonnie_rewrite",
    "getc": "bonnie_char_read",
    "get_block": "bonnie_block_read",
}
_COUNTS = {
    "seeks": "bonnie_seeks",
    "seq_create": "bonnie_create",
    "seq_stat": "bonnie_stat",
    "seq_del": "bonnie_delete",
    "ran_create": "bonnie_random_create",
    "ran_stat": "bonnie_random_stat",
    "ran_del": "bonnie_random_delete",
}
_OPTIONS = {
    "version": "bonnie_version", "size": "file_size", "concurrency": "concurrency",
    "seek_chunk_size": "seek_chunk_size", "seek_processes": "seek_processes",
}  # fmt: skip
_SIZE = re.compile(r"(\d+)([KMGTkmgt]?)")
_POWERS = {"": 2, "K": 1, "M": 2, "G": 3, "T": 4}  # a plain number is in MiB
_CHUNK = "8k"
_LINE = re.compile(r"(1\.9\d\w*|2\.\d+\w*),")
_LINE_OF_1_0 = re.compile(r"[^,]*,(?:\d+[MG](?::\d+k?)?)?(?:,(?:\d+(?:\.\d+)?|\++)?){12},[\d:/]*(?:,(?:\d+|\++)?){12}")
_TOO_FAST = re.compile(r"\++")


def looks_like(text: str) -> bool:
    """Return True if a line of ``text`` may be bonnie++'s."""
    return any(
        _LINE.match(line) or _LINE_OF_1_0.fullmatch(line) or line.startswith("format_version,") for line in _lines(text)
    )


def told_by(file: ForeignFile) -> Iterator[ParsedFigure]:
    """Yield each line's figures, except those that bonnie++ omitted or found too fast to measure. Raises InputError."""
    for number, line in enumerate(_lines(file.text), 1):
        is_of_1_0 = _LINE_OF_1_0.fullmatch(line) is not None
        if not (is_of_1_0 or _LINE.match(line)):
            continue  # the header, and bonnie++'s messages
        row = next(csv.reader([line]))
        if len(row) == len(_COLUMNS) - 1 and not any(row[_AFTER - 2 : _FILES]):
            row.insert(_AFTER - 1, "")  # with -s 0 bonnie++ 1.96 prints a comma less
        columns = _OF_1_0 if is_of_1_0 else _LAYOUTS.get(len(row))
        if columns is None:
            why = say("it has {count} columns and not bonnie++'s {known:or}", count=len(row), known=list(_LAYOUTS))
            raise unreadable(file, number, why)
        try:
            yield from _of_line(dict(zip(columns, row, strict=True)), file.made)
        except ValueError as error:
            raise unreadable(file, number, error.args[0]) from error


def _lines(text: str) -> Iterator[str]:
    """Yield each line without what a mail or a page puts around it."""
    yield from (line.strip("> \t\\`") for line in text.splitlines())


def _of_line(row: Mapping[str, str], made: datetime) -> Iterator[ParsedFigure]:
    file_size, _, chunk_of_1_0 = row["file_size"].partition(":")
    size_bytes = _size_bytes(file_size, 2) if file_size else 0
    chunk_bytes = _size_bytes(row.get("io_chunk_size") or chunk_of_1_0 or _CHUNK, 0)
    for column, workload in _RATES.items():
        if (rate := _rate(row[column])) is not None:
            b_s = rate * 1024
            is_by_byte = "char" in workload
            # Since 1.9 these tests have a size of their own (-f, 20 MiB unless said), which no column tells.
            seconds = 0.0 if is_by_byte and "format_version" in row else size_bytes / b_s
            yield _told(row, RunResult(workload, seconds, b_s / 1e6, b_s / (1 if is_by_byte else chunk_bytes)), made)
    for column, workload in _COUNTS.items():
        if (rate := _rate(row[column])) is not None:
            count = 1024 * int(row["num_files"].partition(":")[0] or 0) if column != "seeks" else 0
            yield _told(row, RunResult(workload, count / rate, 0.0, rate), made)


def _told(row: Mapping[str, str], result: RunResult, made: datetime) -> ParsedFigure:
    copies = row.get("concurrency", "")
    if copies.isdecimal() and int(copies) > 1:  # copies of the test at once, whose sum the line has
        result = replace(result, workload=f"{result.workload}_j{int(copies)}")
    return ParsedFigure(
        result=result, source=Source.BONNIE, target="", started=made, machine=row["name"],
        options={name: row[column] for name, column in _OPTIONS.items() if row.get(column)},
    )  # fmt: skip


def _rate(text: str) -> float | None:
    if not text or _TOO_FAST.fullmatch(text):
        return None
    rate = float(text)
    if not 0 < rate < float("inf"):
        raise ValueError(say("“{text}” is no rate", text=text))
    return rate


def _size_bytes(text: str, plain_power: int) -> int:
    match = _SIZE.match(text)
    if match is None:
        raise ValueError(say("“{text}” is no size", text=text))
    power = _POWERS[match[2].upper()] if match[2] else plain_power
    return int(match[1]) << (10 * power)
