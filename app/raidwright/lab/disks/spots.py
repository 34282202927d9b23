"""Where a sick practice disk can't be read: the same places for the same serial, denser towards the outside."""

from __future__ import annotations

from random import Random

from .disk import LabDisk

_FIRST_BYTE = 64 * 2**20  # so that a disk can still be recognised
_RUN_BLOCKS = 8  # latent errors come in short runs
_BLOCK_BYTES = 4096


def unreadable_spots(disk: LabDisk) -> list[tuple[int, int]]:
    """From and to, in bytes. Each tenfold of the disk has as many, so that small arrays meet some, too."""
    count = disk.timing.unreadable_spots if disk.timing else 0
    random = Random(disk.serial)  # noqa: S311  # the same for everybody is what is wanted
    if disk.size_bytes <= 2 * _FIRST_BYTE:
        return []
    span = disk.size_bytes / _FIRST_BYTE / 2
    starts = [int(_FIRST_BYTE * span ** random.random()) // _BLOCK_BYTES * _BLOCK_BYTES for _ in range(count)]
    return [(start, start + _BLOCK_BYTES * random.randint(1, _RUN_BLOCKS)) for start in starts]
