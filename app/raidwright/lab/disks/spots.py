"""Unreadable sectors of a failing practice disk: the same for the same serial, denser towards the outer tracks."""

from __future__ import annotations

from random import Random

from .disk import LabDisk

_FIRST_BYTE = 64 * 2**20  # so that a disk can still be identified
_RUN_BLOCKS = 8  # latent errors come in short runs
_BLOCK_BYTES = 4096


def unreadable_spots(disk: LabDisk) -> list[tuple[int, int]]:
    """Return (start, end) in bytes. Each decade of the offset has as many, so that small arrays meet some, too."""
    count = disk.timing.unreadable_spots if disk.timing else 0
    random = Random(disk.serial)  # noqa: S311  # reproducible on purpose
    if disk.size_bytes <= 2 * _FIRST_BYTE:
        return []
    span = disk.size_bytes / _FIRST_BYTE / 2
    starts = [int(_FIRST_BYTE * span ** random.random()) // _BLOCK_BYTES * _BLOCK_BYTES for _ in range(count)]
    return [(start, start + _BLOCK_BYTES * random.randint(1, _RUN_BLOCKS)) for start in starts]
