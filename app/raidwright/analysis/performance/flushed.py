"""Writes that are each followed by a flush (fio's ``fsync=1``), as of a database's log.

Sources: kernel ``md.c md_flush_request`` (a flush goes to every member at once, and those that arrive meanwhile wait
for the next one together), ``blk-flush.c``; fio(1), ``fsync``: a job waits for its flush, whatever its ``iodepth``.
"""

from __future__ import annotations

from math import hypot

from raidwright.core.messages import say

from .array import ModelledArray
from .at_random import bitmap
from .at_random.members import stripes_s, wait_s, written
from .at_random.writes import batch_s
from .bounds import Bound
from .constants import A_HALF, FLUSH_SPREAD
from .drive import latest


def flushed_rate(
    array: ModelledArray, block_bytes: int, jobs: int, span: float, seconds: float, *, at_random: bool
) -> Bound:
    """Return the bytes per second of ``jobs`` that each write a block, flush it, and only then write the next."""
    one_s, flush_s = _written_s(array, block_bytes, jobs, span, at_random=at_random), _flush_s(array)
    plain, reason = jobs / (one_s + flush_s), say("flushes")
    rate = plain
    if array.has_bitmap and at_random:
        at = bitmap.noting(array, span)
        # One bitmap update serves all waiting writes.
        rate = bitmap.settled(
            lambda noted: jobs / (one_s + flush_s + (1 - (1 - noted) ** jobs) * at.write_s), at, seconds
        )
        reason = say("the bitmap") if rate < plain / 2 else reason
    typical = FLUSH_SPREAD if array.slowest.flushes_vary else 0.0
    flushing = flush_s / (one_s + flush_s)
    return Bound(rate * block_bytes, reason, hypot(A_HALF, typical * flushing))


def _written_s(array: ModelledArray, block_bytes: int, jobs: int, span: float, *, at_random: bool) -> float:
    """Return the seconds until the simultaneous writes of all jobs are on the media."""
    drive, parts = array.slowest, written(array, block_bytes)
    inner_span = span * array.size_bytes / drive.size_bytes
    stripes = stripes_s(array, parts) * jobs if array.parities else 0.0
    woken_s = 2 * array.host.wake_s if parts.reads else 0.0
    if drive.spins and not at_random and jobs == 1:  # it has read on, and the next sector has just passed the head
        reads_s = drive.cached_s(parts.read_bytes) if parts.reads else 0.0
        written_s = drive.turn_s + parts.part_bytes / drive.stream_b_s(write=True)
        return woken_s + reads_s + stripes + written_s
    reads_s = woken_s + (wait_s(array, parts.reads, parts.read_bytes, inner_span) if parts.reads else 0.0)
    # Destaging a spinning disk's cache takes as long as reading the blocks.
    own_s = wait_s(array, parts.writes, parts.part_bytes, inner_span, write=not drive.spins)
    return reads_s + stripes + max(own_s, batch_s(array, parts, jobs, inner_span))


def _flush_s(array: ModelledArray) -> float:
    """Return the seconds until the slowest member has flushed."""
    flushes = [drive.flush_s * (1 + drive.flushes_vary * latest(len(array.working))) for drive in array.working]
    return max(flushes) + array.host.wake_s
