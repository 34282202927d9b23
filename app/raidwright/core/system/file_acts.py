"""Measurements of a file system: a large file written, rewritten and read, many files created, stat'ed, deleted.

bonnie++'s six tests, which published comparisons use, run with fio. Pure, and the standard library alone. Sources:
bonnie++(8), fio(1): "filecreate", "filestat" and "filedelete" count files, and move no data.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from .workload import FIO, STATUS_INTERVAL_MS, UNHINTED, Pattern

_BLOCK_KIB = 1024
MIN_MIB, MAX_MIB = 1, 2**20
MIN_FILES, MAX_FILES = 100, 1_000_000
FILES = 4000
_MANY = "files"  # fio names the files after the job: each act must find those of the one before


class FileAct(StrEnum):
    """The tests in the order in which they run; each uses the files that the previous ones left."""

    WRITE = "file_write"
    REWRITE = "file_rewrite"  # each block read and overwritten, both counted
    READ = "file_read"
    READ_CACHED = "file_cached"  # again, from memory: read into it just before, uncounted
    CREATE = "file_create"
    STAT = "file_stat"
    DELETE = "file_delete"

    @property
    def counts_files(self) -> bool:
        """True if the rate is files per second instead of MB/s."""
        return self in _ENGINES

    @property
    def writes(self) -> bool:
        """Always True: every test changes at least the file system's metadata."""
        return True

    @property
    def pattern(self) -> Pattern:
        """Access pattern on the file; for many files, on one directory entry each."""
        return _PATTERNS[self]


_ENGINES: Mapping[FileAct, tuple[str, ...]] = {
    FileAct.CREATE: ("--ioengine=filecreate",),
    FileAct.STAT: ("--ioengine=filestat",),
    FileAct.DELETE: ("--ioengine=filedelete",),
}
_PATTERNS: Mapping[FileAct, Pattern] = {
    FileAct.WRITE: Pattern("write", _BLOCK_KIB, 1, buffered=True),
    FileAct.REWRITE: Pattern("rw", _BLOCK_KIB, 1, buffered=True, read_percent=50),
    FileAct.READ: Pattern("read", _BLOCK_KIB, 1, buffered=True),
    FileAct.READ_CACHED: Pattern("read", _BLOCK_KIB, 1, buffered=True),
    **{act: Pattern("read", 4, 1, buffered=True) for act in _ENGINES},
}


def act_argv(act: FileAct, folder: str, *, size_mib: int, files: int) -> tuple[str, ...]:
    """Return the fio command that runs ``act`` in ``folder``, a file system's root whose path has no ``:``."""
    # fmt: off
    return (
        FIO,
        f"--name={_MANY if act.counts_files else act}",
        *(_with_many_files(act, folder, files) if act.counts_files else _with_one_file(act, folder, size_mib)),
        "--thread",
        "--group_reporting",
        "--eta=never",
        "--output-format=json",
        f"--status-interval={STATUS_INTERVAL_MS}ms",
    )
    # fmt: on


def _with_one_file(act: FileAct, folder: str, size_mib: int) -> tuple[str, ...]:
    pattern = act.pattern
    twice = f"--io_size={2 * size_mib}m"  # all of it read, and all of it written
    mixed = () if pattern.read_percent is None else (f"--rwmixread={pattern.read_percent}", twice)
    flush = () if pattern.direction == "read" else ("--end_fsync=1",)
    return (
        f"--filename={folder}/raidwright-measured",
        f"--rw={pattern.direction}",
        *mixed,
        f"--bs={pattern.block_kib}k",
        f"--size={size_mib}m",
        "--ioengine=psync",
        UNHINTED,
        "--fallocate=none",  # the file system allocates the space as it is written
        *flush,
        *(("--pre_read=1",) if act is FileAct.READ_CACHED else ()),
    )


def _with_many_files(act: FileAct, folder: str, files: int) -> tuple[str, ...]:
    return (
        f"--directory={folder}",
        f"--nrfiles={files}",
        "--filesize=4k",
        "--create_on_open=1",  # else fio first fills and flushes each file that is empty, uncounted and for minutes
        "--openfiles=1",
        "--fallocate=none",
        *_ENGINES[act],
    )
