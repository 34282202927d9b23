"""Path of a stream over each member: its cells in order, their transfer times, and the gaps between them.

One full period of the layout over the real geometry, so that every position of parity and copies counts equally.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.geometry.cells import Flags, Ints
from raidwright.analysis.geometry.parity_rows import ParityGeometry

from .array import ModelledArray
from .constants import CACHED_WAYS


@dataclass(frozen=True, eq=False)
class StreamTransfer:
    """By slot, for ``user_bytes`` of the stream: bytes moved, the ``seconds`` for that, and the far bands visited."""

    user_bytes: int
    moved_bytes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    bands: Ints


@lru_cache(maxsize=CACHED_WAYS)
def way_of(array: ModelledArray, *, write: bool) -> StreamTransfer:
    """Return the path of a stream over ``array`` (not linear, not raid1), without the seeks between far bands."""
    rows = 2 * array.copies.near * array.slots  # the layout's period
    geometry = array.geometry
    if isinstance(geometry, ParityGeometry):
        row, member = _stripe_cells(array, geometry, np.arange(rows, dtype=np.int64), write=write)
        chunks = rows * array.data_slots
    else:
        chunks = rows * array.slots // array.copies.near
        row, member = _copy_cells(array, np.arange(chunks, dtype=np.int64), write=write)
    order = np.lexsort((row, member))
    row, member = row[order], member[order]
    offset = array.copies.offset
    band_rows = max(1, geometry.rows // array.copies.far)
    band = np.zeros_like(row) if offset else np.minimum(row // band_rows, array.copies.far - 1)
    gaps = _gaps(member, row, band, rows * (array.copies.far if offset else 1))
    cells = np.bincount(member, minlength=array.slots)
    bands = np.bincount(member[_first_of_band(member, band)], minlength=array.slots)
    seconds = _moving(array, member, band, write=write) + _skipping(array, member, gaps, write=write)
    if array.reads_any_copy and not write:
        seconds = _by_speed(array, np.arange(chunks, dtype=np.int64))
    return StreamTransfer(chunks * array.chunk_bytes, cells * np.float64(array.chunk_bytes), seconds, bands)


def _there(array: ModelledArray) -> Flags:
    return np.array([drive is not None for drive in array.drives])


def _copy_cells(array: ModelledArray, chunks: Ints, *, write: bool) -> tuple[Ints, Ints]:
    """Return (rows, members) of the cells of copies: all are written, one is read."""
    member, row = array.geometry.locate(chunks)
    there = _there(array)[member]
    if write:
        return row[there], member[there]
    taken = np.argmax(np.where(there, _liking(array, chunks, member.shape), -np.inf), axis=1)
    each = np.arange(len(chunks))
    return row[each, taken], member[each, taken]


def _liking(array: ModelledArray, chunks: Ints, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return each copy's preference for reading: near copies, and any on flash, take turns; else the first is read."""
    copies = np.arange(shape[1])
    if array.copies.far > 1 and array.spins:
        return np.broadcast_to(-copies.astype(np.float64), shape)
    in_rows = array.slots % array.copies.near == 0
    turn = chunks * array.copies.near // array.slots if in_rows else chunks
    return -((copies - turn[:, None]) % shape[1]).astype(np.float64)


def _stripe_cells(array: ModelledArray, geometry: ParityGeometry, rows: Ints, *, write: bool) -> tuple[Ints, Ints]:
    """Return (rows, members) of the cells of stripes: all are written; data are read, and all others if data are lost.

    (``raid5.c need_this_block``: every other device; for raid6 both parities.)
    """
    there = np.broadcast_to(_there(array), (len(rows), array.slots))
    if write:
        touched = there
    else:
        member = np.arange(array.slots)
        p, q = (parity[:, None] for parity in geometry.parity(rows))
        is_data = (member != p) & (member != q)
        wanted = is_data | (is_data & ~there).any(axis=1)[:, None]
        touched = there & wanted
    row, slot = np.nonzero(touched)
    return rows[row], slot.astype(np.int64)


def _first_of_band(member: Ints, band: Ints) -> Flags:
    first: Flags = np.ones(len(member), dtype=np.bool_)
    first[1:] = (member[1:] != member[:-1]) | (band[1:] != band[:-1])
    return first


def _gaps(member: Ints, row: Ints, band: Ints, turn_rows: int) -> Ints:
    """Return the rows skipped before each cell; before a band's first cell, those since its last, a period earlier."""
    first = _first_of_band(member, band)
    gaps = np.zeros_like(row)
    gaps[1:] = row[1:] - row[:-1] - 1
    gaps[first] = row[first] + turn_rows - row[np.roll(first, -1)] - 1
    return gaps


def _moving(array: ModelledArray, member: Ints, band: Ints, *, write: bool) -> NDArray[np.float64]:
    """Return the seconds to transfer the cells; bands further in are slower."""
    cells = np.zeros((array.slots, array.copies.far))
    np.add.at(cells, (member, band), 1.0)
    seconds = np.zeros(array.slots)
    for slot, drive in enumerate(array.drives):
        if drive is not None:
            used = array.size_bytes / drive.size_bytes / array.copies.far
            for number, count in enumerate(cells[slot]):
                seconds[slot] += count * array.chunk_bytes / drive.stream_b_s(write=write, place=number * used)
    return seconds


def _by_speed(array: ModelledArray, chunks: Ints) -> NDArray[np.float64]:
    """Return each member's seconds if faster members read more of the copies.

    All members are as quick together as the slowest set of them that shares chunks which no other member has. (Which
    members those are repeats after as many chunks as there are members.)
    """
    period = chunks[: array.slots]
    member, _ = array.geometry.locate(period)
    holders, counts = np.unique(np.sort(np.where(_there(array)[member], member, -1)), axis=0, return_counts=True)
    b_s = np.array([*(drive.stream_b_s(write=False) if drive else 0.0 for drive in array.drives), 0.0])  # of slot -1
    slowest_s = max(float((counts / b_s[holders].sum(axis=1)).max()), len(period) / float(b_s.sum()))
    return np.full(array.slots, slowest_s / len(period) * len(chunks) * array.chunk_bytes)


def _skipping(array: ModelledArray, member: Ints, gaps: Ints, *, write: bool) -> NDArray[np.float64]:
    """Return the seconds spent on gaps between cells."""
    seconds = np.zeros(array.slots)
    for gap in set(gaps[gaps > 0].tolist()):
        skips = np.bincount(member[gaps == gap], minlength=array.slots)
        skipped = float(gap * array.chunk_bytes)
        seconds += skips * np.array([drive.skip_s(skipped, write=write) if drive else 0.0 for drive in array.drives])
    return seconds
