"""Parts of a device: their bytes past the page cache, block by block, and their digest.

md, LVM and a mounted file system write past the page cache of a device, and the cache lives for as long as anybody has
the device open. So everything here has the kernel drop what it has cached there first. What a mounted file system says
of itself isn't on its device at all (``content``). No other module reads a device.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MIB = 2**20
END_BYTES = 2 * MIB  # of each end of a disk or array that is saved or compared
_CACHED_BYTES = 65536  # the kernel drops whole pages alone, which no machine has larger


@dataclass(frozen=True, slots=True)
class Extent:
    """Part of a device, in bytes from its start."""

    offset_bytes: int
    length_bytes: int

    @property
    def end_bytes(self) -> int:
        """The first byte after the extent."""
        return self.offset_bytes + self.length_bytes


class Unreadable(OSError):
    """A read error of the device, not the backup."""


def forget_cached(device: int, extent: Extent) -> None:
    """Have the kernel drop its clean cached pages of ``extent`` on the open ``device``; dirty ones are newer."""
    start = extent.offset_bytes // _CACHED_BYTES * _CACHED_BYTES
    end = -(-extent.end_bytes // _CACHED_BYTES) * _CACHED_BYTES
    os.posix_fadvise(device, start, end - start, os.POSIX_FADV_DONTNEED)


def forget_all_cached(device: int) -> None:
    """Have the kernel drop all clean cached pages of the open ``device``, before another program looks at it."""
    os.posix_fadvise(device, 0, 0, os.POSIX_FADV_DONTNEED)


def expect_random_reads(device: int) -> None:
    """Have the kernel read nothing ahead on the open ``device``."""
    os.posix_fadvise(device, 0, 0, os.POSIX_FADV_RANDOM)


def bytes_at(device: int, offset_bytes: int, count: int) -> bytes:
    """Return ``count`` bytes of the open ``device`` as they are now, fewer at its end; raises OSError."""
    forget_cached(device, Extent(offset_bytes, count))
    return os.pread(device, count, offset_bytes)


def read_blocks(device: int, extents: Iterable[Extent], max_bytes: int = MIB) -> Iterator[bytes]:
    """Yield the bytes of ``extents`` on the open ``device``, at most ``max_bytes`` at once; raises Unreadable."""
    for extent in extents:
        forget_cached(device, extent)
        position = extent.offset_bytes
        while position < extent.end_bytes:
            try:
                block = os.pread(device, min(max_bytes, extent.end_bytes - position), position)
            except OSError as error:
                raise Unreadable(error.errno, error.strerror) from error
            if not block:
                raise Unreadable(errno.EIO, "it ends too early")
            yield block
            position += len(block)


def digest_of(device: int, extents: Iterable[Extent]) -> str:
    """Return the SHA-256 of ``extents`` on the open ``device``; raises OSError."""
    digest = hashlib.sha256()
    for block in read_blocks(device, extents):
        digest.update(block)
    return digest.hexdigest()
