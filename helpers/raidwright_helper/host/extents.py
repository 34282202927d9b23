"""Parts of a device: their bytes, block by block, and their digest."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MIB = 2**20
END_BYTES = 2 * MIB  # of each end of a disk or array that is saved or compared


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


def read_blocks(device: int, extents: Iterable[Extent], max_bytes: int = MIB) -> Iterator[bytes]:
    """Yield the bytes of ``extents`` on the open ``device``, at most ``max_bytes`` at once; raises Unreadable."""
    for extent in extents:
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
