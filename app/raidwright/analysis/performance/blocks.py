"""Placement of one block: the number of members that it covers, and the bytes on each.

Sources: kernel ``raid1.c`` and ``raid10.c read_balance`` (choice of the copy), ``raid5.c fetch_block`` (the sources of
a lost chunk).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from raidwright.analysis.geometry.cells import Flags, Ints
from raidwright.core.md.layouts import Level
from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .constants import BLOCK_PLACES


@dataclass(frozen=True, slots=True)
class Share:
    """A ``share`` of the blocks is read from ``members`` members, ``part_bytes`` from each.

    (At queue depth 1: from the member that has most of the block.)
    """

    share: float
    members: float
    part_bytes: float


def of_stripes(array: ModelledArray, pattern: Pattern) -> tuple[Share, Share]:
    """Return the shares of a parity array's blocks without and with a chunk that must be reconstructed.

    In a row with a lost chunk in the block md reads all other chunks, the block's own once (``raid5.c fetch_block``).
    Large blocks are placed by the geometry, at positions all over a few rows.
    """
    if pattern.block_bytes <= array.chunk_bytes:
        lost = array.lost / array.slots
        return Share(1 - lost, 1, pattern.block_bytes), Share(lost, len(array.working), pattern.block_bytes)
    chunks = ceil(pattern.block_bytes / array.chunk_bytes)
    first = chunks * np.arange(min(BLOCK_PLACES, array.slots * array.data_slots), dtype=np.int64)
    located = array.geometry.locate(np.add.outer(first, range(chunks)).ravel())
    member, row = (each.reshape(-1, chunks) for each in located)
    row -= row[:, :1]
    is_read = np.zeros((len(first), row.max() + 1, array.slots), dtype=bool)
    is_read[np.arange(len(first))[:, None], row, member] = True
    is_lost = np.array([drive is None for drive in array.drives])
    computed = (is_read & is_lost).any(axis=2)
    is_read = (is_read | computed[:, :, None]) & ~is_lost
    counts = is_read.sum(axis=1)
    touched = computed.any(axis=1)
    return _share(array, pattern, counts, ~touched), _share(array, pattern, counts, touched)


def _share(array: ModelledArray, pattern: Pattern, counts: Ints, which: Flags) -> Share:
    """Average over the places selected by ``which``; ``counts`` are chunks by place and member."""
    if not which.any():
        return Share(0.0, 1, 0)
    members = np.count_nonzero(counts[which], axis=1).mean()
    each = counts[which].max(axis=1).mean() if pattern.depth == 1 else counts[which].sum(axis=1).mean() / members
    return Share(which.mean(), members, each * array.chunk_bytes)


def pieces(array: ModelledArray, block_bytes: int, *, write: bool) -> tuple[int, float]:
    """Return (members that one block covers, bytes on each): all near copies are written, one is read.

    Flash reads neighbouring chunks from both near copies by turns (fewest pending). Of two heads the nearer one reads
    on, and if one of a pair is lost, the other reads the pair's whole part of the block.
    """
    if array.level is Level.LINEAR or (array.level is Level.RAID1 and not write):
        return 1, float(block_bytes)
    copies, most = array.copies.near if write else 1, array.data_slots
    if array.copies.near > 1 and not write and (array.lost or array.spins):
        most = array.slots // array.copies.near if in_pairs(array) else len(array.working)
    members = min(ceil(block_bytes / array.chunk_bytes) * copies, most)
    return members, block_bytes * copies / members


def uneven(array: ModelledArray, block_bytes: int, depth: int, *, write: bool) -> float:
    """Return the ratio of the largest member share of one block to the mean.

    (Five members share eight chunks as 2, 2, 2, 1 and 1.) Stripes are written by rows, and of two heads the nearer one
    reads on.
    """
    chunks = ceil(block_bytes / array.chunk_bytes) * (array.copies.total if write else 1)
    follows = not write and (array.level is Level.RAID1 or (array.copies.total > 1 and array.spins))
    if depth > 1 or array.parities or follows or array.level is Level.LINEAR or chunks <= array.slots:
        return 1.0
    return ceil(chunks / array.slots) * array.slots / chunks


def in_pairs(array: ModelledArray) -> bool:
    """True if the same members hold near copies of the same chunks."""
    return array.copies.near > 1 and array.slots % array.copies.near == 0
