"""The bytes that a build overwrites: saved before the first write, restored by undo.

The saved parts of each member, with reasons (found by comparing members filled with a pattern before and after
``mdadm --create``, for metadata 0.90, 1.0, 1.1 and 1.2, internal bitmap, partial parity log and journal):

- both ends (`END_BYTES` each): partition tables, file systems' superblocks, md's superblock and bitmap. One MiB
  would not do: a partial parity log reaches to 1032 KiB from the start (1.2) or 1036 KiB from the end (1.0);
- each signature that was found, wherever it lies;
- `END_BYTES` where md's data begin: a journal starts with a block of its own there, and so does the superblock of
  an array whose member is another.

Not saved: md's first resync between the two ends, which can be as much as the disks hold, and the far end of an inner
array where that isn't near its disks' own (a given component size).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from raidwright.core.errors import JobFailed

from raidwright_helper.host.extents import END_BYTES, Extent, Unreadable, digest_of, read_blocks
from raidwright_helper.host.system_files import new_file

_GRAIN_BYTES = 4096  # the largest sector size
_AS_FOUND = ".found"


@dataclass(frozen=True, slots=True)
class Saved:
    """A file with the bytes of ``extents``, one after the other, and its SHA-256."""

    file: str
    extents: tuple[Extent, ...]
    sha256: str


def extents_to_save(size_bytes: int, marks: Iterable[Extent]) -> tuple[Extent, ...]:
    """Return both ends of a device and ``marks``, in whole sectors, ordered and merged."""
    wanted = (Extent(0, END_BYTES), Extent(max(0, size_bytes - END_BYTES), END_BYTES), *marks)
    merged: list[tuple[int, int]] = []
    for extent in sorted(wanted, key=lambda one: one.offset_bytes):
        start = extent.offset_bytes // _GRAIN_BYTES * _GRAIN_BYTES
        end = min(size_bytes, -(-extent.end_bytes // _GRAIN_BYTES) * _GRAIN_BYTES)
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return tuple(Extent(start, end - start) for start, end in merged)


def save(device: int, extents: tuple[Extent, ...], path: Path, who: str) -> Saved:
    """Copy ``extents`` of the open ``device`` into the new file ``path`` and sync it.

    ``who`` is the disk, for people. Raises JobFailed.
    """
    digest = hashlib.sha256()
    try:
        with new_file(path) as file:
            for block in read_blocks(device, extents):
                digest.update(block)
                file.write(block)
    except Unreadable as error:
        raise JobFailed(
            "{who} can't be read ({why}), so what it holds could not be saved first, and nothing was "
            "written to any disk. It may be failing; build without it.",
            code="disk-unreadable",
            who=who,
            why=error.strerror,
        ) from error
    except OSError as error:
        raise JobFailed(
            "What the disks hold at their ends could not be saved first ({why}), so nothing was written to "
            "them. Make room below /var/lib/raidwright and try again.",
            code="backup-failed",
            why=error.strerror,
        ) from error
    return Saved(path.name, extents, digest.hexdigest())


def read_anew(device: int, saved: Saved) -> str:
    """Return the SHA-256 of the extents of ``saved`` as they are now, read past the cache; raises JobFailed."""
    try:
        return digest_of(device, saved.extents)
    except OSError as error:
        raise JobFailed("A disk can't be read ({why}).", code="disk-unreadable", why=error.strerror) from error


def only_erased(device: int, saved: Saved, folder: Path, besides: Collection[Extent] = ()) -> bool:
    """Return whether the open ``device`` still reads as saved, except for bytes that were set to zero.

    This holds before an act, and after any number of erasing steps (wipefs, ``mdadm --zero-superblock``). In an
    interrupted undo, each block may also read as it did when the undo began (``keep_as_found``). Anything else was
    written since, except in the extents ``besides``, of whole blocks. Raises JobFailed, OSError.
    """
    before = _saved_bytes(saved, folder, "The disk")
    found_path = folder / f"{saved.file}{_AS_FOUND}"
    as_found = found_path.read_bytes() if found_path.exists() else before
    position = 0
    offsets = _offsets(saved.extents)
    for block in read_blocks(device, saved.extents, _GRAIN_BYTES):
        there, offset = slice(position, position + len(block)), next(offsets)
        position += len(block)
        if any(extent.offset_bytes <= offset < extent.end_bytes for extent in besides):
            continue
        if block not in (before[there], as_found[there]) and not all(
            now in (0, then) for now, then in zip(block, before[there], strict=True)
        ):
            return False
    return True


def _offsets(extents: Iterable[Extent]) -> Iterator[int]:
    """Yield where on the device each block of 4 KiB of ``extents`` begins."""
    for extent in extents:
        yield from range(extent.offset_bytes, extent.end_bytes, _GRAIN_BYTES)


def keep_as_found(device: int, saved: Saved, folder: Path, who: str) -> None:
    """Save the device's content before ``put_back``, in case that is interrupted; skipped without disk space."""
    path = folder / f"{saved.file}{_AS_FOUND}"
    if path.exists():
        return
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with contextlib.suppress(JobFailed):
        save(device, saved.extents, new, who)
        new.rename(path)


def keep_difference(saved: Saved, folder: Path) -> None:
    """Reduce what ``keep_as_found`` saved to what an undo overwrote with other bytes; raises JobFailed, OSError.

    The file has the same length and order of extents; unchanged blocks of 4 KiB are zeros in it, so that it holds no
    secrets of the disk's former contents. Without any difference it is removed.
    """
    path = folder / f"{saved.file}{_AS_FOUND}"
    if not path.exists():
        return
    before, as_found = _saved_bytes(saved, folder, "The disk"), path.read_bytes()
    blocks = [slice(start, start + _GRAIN_BYTES) for start in range(0, len(before), _GRAIN_BYTES)]
    if len(as_found) == len(before) and before != as_found:
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        with new_file(new) as file:
            for block in blocks:
                is_same = as_found[block] == before[block]
                file.write(bytes(len(before[block])) if is_same else as_found[block])
        new.rename(path)
    else:
        path.unlink()


def _saved_bytes(saved: Saved, folder: Path, who: str) -> bytes:
    try:
        content = (folder / saved.file).read_bytes()
    except OSError as error:
        raise JobFailed(
            "{who}: its backup can't be read ({why}).", code="backup-damaged", who=who, why=error.strerror
        ) from error
    if hashlib.sha256(content).hexdigest() != saved.sha256:
        raise JobFailed("{who}: its backup is damaged; nothing of it was put back.", code="backup-damaged", who=who)
    return content


def put_back(device: int, saved: Saved, folder: Path, who: str) -> None:
    """Write the saved bytes back to their place, and verify them by reading; raises JobFailed.

    ``device``, called ``who`` for people, is open for reading and writing. Nothing is written if the file's digest
    differs.
    """
    content = _saved_bytes(saved, folder, who)
    try:
        position = 0
        for extent in saved.extents:
            _write_all(device, content[position : position + extent.length_bytes], extent.offset_bytes)
            position += extent.length_bytes
        os.fsync(device)
        found = digest_of(device, saved.extents)
    except OSError as error:
        raise JobFailed(
            "{who}: writing its old bytes back failed ({why}).", code="put-back-failed", who=who, why=error.strerror
        ) from error
    if found != saved.sha256:
        raise JobFailed("{who} doesn't give back what was written to it.", code="put-back-differs", who=who)


def _write_all(device: int, content: bytes, offset_bytes: int) -> None:
    while content:
        written = os.pwrite(device, content, offset_bytes)
        content, offset_bytes = content[written:], offset_bytes + written
