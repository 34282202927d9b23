"""Reading and replacing system files atomically.

No link is followed, only files that root alone owns are touched, and the new content is written beside the old one
until a single rename puts it in place. A reader, or a computer after a power cut, sees the one or the other.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from raidwright.core.errors import JobFailed
from raidwright.core.messages import say, sentences

_MAX_BYTES = 2**20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEFAULT_MODE = 0o644
_WRITABLE_BY_OTHERS = 0o022


@dataclass(frozen=True, slots=True)
class SystemFile:
    """A file's content when read. ``text`` keeps bytes that aren't UTF-8; None: there is no such file."""

    path: Path
    text: str | None
    mode: int = DEFAULT_MODE

    @property
    def content(self) -> str:
        """The text, "" if there is no file."""
        return self.text or ""


def read(path: Path) -> SystemFile:
    """Read the file at ``path``; raises JobFailed unless it is a plain file that root alone can write."""
    try:
        return read_within(None, path)
    except OSError as error:
        raise _unusable(path, str(error.strerror)) from None


def read_within(folder: int | None, path: Path, *, most_bytes: int = _MAX_BYTES) -> SystemFile:
    """Read like ``read``, in the open ``folder`` if given; raises OSError if it may be readable another time."""
    try:
        fd = os.open(path if folder is None else path.name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return SystemFile(path, None)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link, a socket
            raise _unusable(path, say("it is not a plain file")) from None
        raise
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            raise _unusable(path, say("it is not a plain file"))
        _verify_ours(path, status)
        with os.fdopen(fd, "rb", closefd=False) as file:
            content = file.read(most_bytes + 1)
    finally:
        os.close(fd)
    if len(content) > most_bytes:
        raise _unusable(path, say("it is too large"))
    return SystemFile(path, content.decode(errors="surrogateescape"), stat.S_IMODE(status.st_mode))


def lenient_text(path: Path) -> str:
    """Return the content of the file at ``path``, for reading only; "" if it can't be read."""
    try:
        return path.read_bytes().decode(errors="surrogateescape")
    except OSError:
        return ""


def replace(path: Path, text: str, *, mode: int = DEFAULT_MODE) -> None:
    """Write ``text`` to ``path``, replacing any file; raises JobFailed, with the old content still in place."""
    new = f".{path.name}.raidwright-new"
    with _told(path, say("written")), own_folder(path.parent) as folder:
        try:
            _unlink(new, folder)  # left by a power cut
            with new_file(new, folder=folder) as file:
                os.fchmod(file.fileno(), mode)
                file.write(text.encode(errors="surrogateescape"))
            os.rename(new, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            _unlink(new, folder)
            raise
        os.fsync(folder)


def remove(path: Path) -> None:
    """Remove the file at ``path``, if it exists; raises JobFailed."""
    with _told(path, say("removed")), own_folder(path.parent) as folder:
        _unlink(path.name, folder)
        os.fsync(folder)


def have_folder(path: Path) -> None:
    """Make the folder at ``path`` if it is missing, root's alone; raises JobFailed."""
    if path.is_dir():
        return
    have_folder(path.parent)
    with _told(path, say("made")), own_folder(path.parent) as above:
        os.mkdir(path.name, 0o700, dir_fd=above)
        os.fsync(above)


@contextlib.contextmanager
def new_file(path: Path | str, *, folder: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file, root's alone, synced when the block ends; raises OSError."""
    with os.fdopen(os.open(path, _NEW, 0o600, dir_fd=folder), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def own_folder(path: Path) -> Iterator[int]:
    """Open the folder at ``path``; raises OSError, and JobFailed unless root alone can write to it."""
    fd = os.open(path, _FOLDER)
    try:
        _verify_ours(path, os.fstat(fd))
        yield fd
    finally:
        os.close(fd)


def _unlink(name: str, folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


@contextlib.contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """Turn OSError into JobFailed, in a sentence with the remedy."""
    try:
        yield
    except OSError as error:
        sentence = say("{path} can't be {what}: {why}.", path=path, what=what, why=error.strerror)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            sentence = sentences([sentence, say("Make room there.")])
        raise JobFailed(sentence, code="file-write", path=str(path)) from error


def _verify_ours(path: Path, status: os.stat_result) -> None:
    """Raise JobFailed if anybody but root (in tests: the user who runs them) owns it or can write to it."""
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()) or status.st_mode & _WRITABLE_BY_OTHERS:
        raise _unusable(path, say("others than root may write to it, or own it"))


def _unusable(path: Path, why: str) -> JobFailed:
    return JobFailed(
        "{path} can't be used: {why}. Put that right first.",
        code="file-unusable",
        path=str(path),
        why=why,
    )
