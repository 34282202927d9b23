"""Reading and replacing files of the system, whole or not at all.

No link is followed, nothing that root doesn't own alone is touched, and the new content stands beside the old one
until a single rename puts it in place. A reader, or a computer that loses its power, sees the one or the other.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import JobFailed

_MOST_BYTES = 2**20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEFAULT_MODE = 0o644
_WRITABLE_BY_OTHERS = 0o022


@dataclass(frozen=True, slots=True)
class SystemFile:
    """A file as it was read. ``text`` keeps bytes that are no UTF-8; None: there is no such file."""

    path: Path
    text: str | None
    mode: int = DEFAULT_MODE

    @property
    def content(self) -> str:
        """Its text, "" where there is none."""
        return self.text or ""


def read(path: Path) -> SystemFile:
    """The file at ``path``; raises JobFailed when it isn't a plain file that root alone can write."""
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        return SystemFile(path, None)
    except OSError as error:
        raise _unusable(path, str(error.strerror)) from None
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise _unusable(path, "it is not a plain file")
        _verify_ours(path, status)
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise _unusable(path, "it is too large")
    return SystemFile(path, content.decode(errors="surrogateescape"), stat.S_IMODE(status.st_mode))


def lenient_text(path: Path) -> str:
    """What stands in the file at ``path``, for whoever only reads it; "" when it can't be read."""
    try:
        return path.read_bytes().decode(errors="surrogateescape")
    except OSError:
        return ""


def replace(path: Path, text: str, *, mode: int = DEFAULT_MODE) -> None:
    """Put ``text`` at ``path``, whatever was there; raises JobFailed, with the old content still in place."""
    name = f".{path.name}.raidwright-{secrets.token_hex(8)}"
    try:
        with _folder(path.parent) as folder:
            try:
                with os.fdopen(os.open(name, _NEW, 0o600, dir_fd=folder), "wb") as file:
                    os.fchmod(file.fileno(), mode)
                    file.write(text.encode(errors="surrogateescape"))
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
                raise
            os.fsync(folder)
    except OSError as error:
        raise JobFailed(f"{path} can't be written: {error.strerror}.", code="file-write", path=str(path)) from error


def remove(path: Path) -> None:
    """Take the file at ``path`` away, if it is there; raises JobFailed."""
    try:
        with _folder(path.parent) as folder:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path.name, dir_fd=folder)
            os.fsync(folder)
    except OSError as error:
        raise JobFailed(f"{path} can't be removed: {error.strerror}.", code="file-write", path=str(path)) from error


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[int]:
    fd = os.open(path, _FOLDER)
    try:
        _verify_ours(path, os.fstat(fd))
        yield fd
    finally:
        os.close(fd)


def _verify_ours(path: Path, status: os.stat_result) -> None:
    """Nobody but root (in tests: whoever runs them) may own it or write to it."""
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()) or status.st_mode & _WRITABLE_BY_OTHERS:
        raise _unusable(path, "others than root may write to it, or own it")


def _unusable(path: Path, why: str) -> JobFailed:
    return JobFailed(f"{path} can't be used: {why}. Put that right first.", code="file-unusable", path=str(path))
