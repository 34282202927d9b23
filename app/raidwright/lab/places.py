"""Locations for a practice machine's memory and changed blocks (the first with enough space), and its disks' contents.

The kernel maps its memory from a file and runs its processes from it, so the file system must not be mounted noexec;
containers mount /dev/shm with 64 MiB and noexec. The kernel doesn't detect too little space when it starts: it dies by
SIGBUS when it touches the first page without space.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import MachineError
from raidwright.core.sizes import binary_size

_MEMORY = Path("/dev/shm")  # noqa: S108  # the tmpfs that POSIX shared memory lives in


@dataclass(frozen=True, slots=True)
class WritableFolder:
    """A writable folder, with its free bytes; ``runs_programs`` is false on a noexec mount."""

    path: Path
    free_bytes: int
    runs_programs: bool


def cache_root() -> Path:
    """Return the folder that caches root images."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "raidwright" / "lab"


def made_cache() -> Path:
    """Return the cache folder, created if need be and writable; raises MachineError."""
    cache = cache_root()
    why = ""
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
    if not why and not os.access(cache, os.W_OK | os.X_OK):
        why = os.strerror(errno.EACCES)
    if why:
        raise MachineError(
            "The practice machine's files can't be kept in {path}: {why}. Make that folder writable, or set "
            "XDG_CACHE_HOME to a folder that is.",
            code="cache",
            path=cache,
            why=why,
        )
    return cache


def places() -> tuple[WritableFolder, ...]:
    """Return the folders that may hold a lab's files, the fastest first; folders that aren't writable are left out."""
    cache = cache_root()
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    folders = dict.fromkeys((_MEMORY, Path(tempfile.gettempdir()), Path("/var/tmp"), cache))  # noqa: S108  # only their free space matters
    return tuple(_place(folder) for folder in folders if os.access(folder, os.W_OK | os.X_OK))


def roomy(needed_bytes: int, claimed_bytes: Callable[[Path], int] = lambda _path: 0) -> Path:
    """Return the first place with ``needed_bytes`` free beside the bytes claimed by other labs; raises MachineError."""
    found = places()
    for place in found:
        if place.runs_programs and place.free_bytes - claimed_bytes(place.path) >= needed_bytes:
            return place.path
    seen = ", ".join(f"{place.path} has {_said(place)}" for place in found)
    raise MachineError(
        "The practice machine needs {needed_bytes:binary} for its memory, and no place has them: {seen}. "
        "Make room in one of these, or set TMPDIR to a folder that has it.",
        code="no-room",
        needed_bytes=needed_bytes,
        seen=seen,
    )


def roomiest() -> Path:
    """Return the place with the most free space, which holds the disks' contents."""
    return max(places(), key=lambda place: place.free_bytes).path


def _place(folder: Path) -> WritableFolder:
    facts = os.statvfs(folder)
    return WritableFolder(folder, facts.f_bavail * facts.f_frsize, not facts.f_flag & os.ST_NOEXEC)


def _said(place: WritableFolder) -> str:
    free = f"{binary_size(place.free_bytes)} free"
    return free if place.runs_programs else f"{free} but lets no programs run"
