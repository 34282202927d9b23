"""Several concurrent streams: flash has more in flight, spinning disks seek between the streams.

Each stream is in its own region. A head serves the pending requests of one stream, then seeks to the
next stream; seeks are shorter the more streams it can choose from (``drive``). Mirrors divide the streams
among themselves (``raid1.c`` and ``raid10.c read_balance``: the nearest head).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, hypot, log

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .at_random.rate import random_rate
from .bounds import Bound
from .constants import (
    DEEP,
    MEAN_DISTANCE,
    QUEUE_GAIN,
    QUEUED_BYTES,
    SEVERAL_MAX_SPREAD,
    WRITE_CACHE_BYTES,
    WRITTEN_BACK_DEPTH,
)
from .streams import in_flight_bytes, stream

SEEKS = say("seeks from one stream to the other")


def outstanding(pattern: Pattern) -> Pattern:
    """Return random ``pattern`` with the requests of all its jobs as its queue depth.

    Buffered random writes come from write-back, many at a time.
    """
    depth = pattern.depth * pattern.jobs
    if pattern.buffered and pattern.writes:
        depth = max(depth, WRITTEN_BACK_DEPTH)
    return replace(pattern, depth=depth)


def at_members(pattern: Pattern) -> Pattern:
    """Return ``pattern`` as the members see it, one job: random I/O of all jobs, flushed writes one at a time."""
    if pattern.flushed:
        return replace(pattern, depth=pattern.jobs, jobs=1, flushed=False, buffered=False)
    return replace(outstanding(pattern), jobs=1, buffered=False) if pattern.is_random else pattern


def streams(array: ModelledArray, pattern: Pattern, span: float) -> Bound:
    """Return the total rate of all ``pattern.jobs`` streams, within a ``span`` (a share) of the array."""
    bound = stream(array, pattern)
    left = left_of_seeks(array, pattern, span)
    if left >= 1:
        return bound
    spread = hypot(bound.spread, min(SEVERAL_MAX_SPREAD, -log(left) / 2))
    seeking_b_s = bound.b_s * left
    if not pattern.buffered:  # no worse than random I/O
        anywhere = random_rate(array, at_members(replace(pattern, direction=f"rand{pattern.direction}")), span)
        seeking_b_s = min(bound.b_s, max(seeking_b_s, anywhere.b_s))
    return Bound(seeking_b_s, SEEKS, spread)


def left_of_seeks(array: ModelledArray, pattern: Pattern, span: float, written: int = 0) -> float:
    """Return the share of a rate without seeks that ``pattern.jobs`` streams reach on spinning disks.

    ``written`` more are written beside them: by every mirror, so that none is left to read a stream undisturbed.
    """
    drive = array.slowest
    each = pattern.jobs / _heads(array, write=pattern.writes)
    if written:
        each = max(1.0, each) + written
    if not drive.spins or each <= 1:
        return 1.0
    run_s = _run_bytes(array, pattern) / drive.stream_b_s(write=pattern.writes)
    distance = MEAN_DISTANCE * span * array.size_bytes / drive.size_bytes
    seek_s: float = drive.reposition_s(distance) / min(each, DEEP) ** QUEUE_GAIN
    return run_s / (run_s + min(1.0, each - 1) * seek_s)


def _heads(array: ModelledArray, *, write: bool) -> int:
    """Return the number of members with the same data among which the streams are divided."""
    if write:
        return 1
    if array.level is Level.RAID1:
        return len(array.working)
    return array.copies.near if array.copies.near == array.copies.total and not array.lost else 1


def _run_bytes(array: ModelledArray, pattern: Pattern) -> float:
    """Return the bytes that a member transfers for one stream before it seeks to the next."""
    asked = min(in_flight_bytes(array, replace(pattern, jobs=1)), QUEUED_BYTES)
    if pattern.writes and array.slowest.cached_writes:
        asked += WRITE_CACHE_BYTES / pattern.jobs
    if array.level in (Level.RAID1, Level.LINEAR):
        return asked
    columns = max(1, array.data_slots // array.copies.near)
    return asked / min(columns, ceil(asked / array.chunk_bytes))
