"""Several streams at once: flash has more in flight, spinning disks seek from one stream to the other.

Each of the streams is at a place of its own. A head serves the requests that one stream has waiting, then moves to the
next stream; what it seeks is shorter the more streams it may choose from (``drive``). Mirrors divide the streams
among themselves (``raid1.c`` and ``raid10.c read_balance``: the head that is nearest).
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, hypot, log

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from .array import Array
from .at_random.rate import random_rate
from .bounds import Bound
from .drive import DEEP, MEAN_DISTANCE, QUEUE_GAIN
from .streams import QUEUED_BYTES, WRITE_CACHE_BYTES, in_flight_bytes, stream

_MAX_SPREAD = 0.6  # no measurement of an array with several streams tells more
_WRITTEN_BACK_DEPTH = 128  # pages that the kernel writes back: nr_requests of one disk's queue, at least


def outstanding(pattern: Pattern) -> Pattern:
    """``pattern`` of random accesses with the requests of all its jobs as its depth.

    Random writes through the page cache come from there, many at a time.
    """
    depth = pattern.depth * pattern.jobs
    if pattern.buffered and pattern.writes:
        depth = max(depth, _WRITTEN_BACK_DEPTH)
    return replace(pattern, depth=depth)


def at_members(pattern: Pattern) -> Pattern:
    """``pattern`` as the members see it, one job: random accesses of all jobs, flushed ones one at a time."""
    if pattern.flushed:
        return replace(pattern, depth=pattern.jobs, jobs=1, flushed=False, buffered=False)
    return replace(outstanding(pattern), jobs=1, buffered=False) if pattern.is_random else pattern


def streams(array: Array, pattern: Pattern, span: float) -> Bound:
    """The rate of all ``pattern.jobs`` streams together, within a ``span`` (a share) of the array."""
    bound = stream(array, pattern)
    left = left_of_seeks(array, pattern, span)
    if left >= 1:
        return bound
    spread = hypot(bound.spread, min(_MAX_SPREAD, -log(left) / 2))
    seeking_b_s = bound.b_s * left
    if not pattern.buffered:  # no worse than accesses anywhere
        anywhere = random_rate(array, at_members(replace(pattern, direction=f"rand{pattern.direction}")), span)
        seeking_b_s = min(bound.b_s, max(seeking_b_s, anywhere.b_s))
    return Bound(seeking_b_s, say("seeks from one stream to the other"), spread)


def left_of_seeks(array: Array, pattern: Pattern, span: float) -> float:
    """The share of a rate without seeks that is left to ``pattern.jobs`` streams on spinning disks."""
    drive = array.slowest
    heads = _heads(array, write=pattern.writes)
    each = pattern.jobs / heads
    if not drive.spins or each <= 1:
        return 1.0
    run_s = _run_bytes(array, pattern) / drive.stream_b_s(write=pattern.writes)
    distance = MEAN_DISTANCE * span * array.size_bytes / drive.size_bytes
    seek_s: float = drive.reposition_s(distance) / min(each, DEEP) ** QUEUE_GAIN
    return run_s / (run_s + min(1.0, each - 1) * seek_s)


def _heads(array: Array, *, write: bool) -> int:
    """Among how many members with the same data the streams are divided."""
    if write:
        return 1
    if array.level is Level.RAID1:
        return len(array.working)
    return array.copies.near if array.copies.near == array.copies.total and not array.lost else 1


def _run_bytes(array: Array, pattern: Pattern) -> float:
    """What one member moves for one stream before it seeks to the next."""
    asked = min(in_flight_bytes(array, replace(pattern, jobs=1)), QUEUED_BYTES)
    if pattern.writes and array.slowest.cached_writes:
        asked += WRITE_CACHE_BYTES / pattern.jobs
    if array.level in (Level.RAID1, Level.LINEAR):
        return asked
    columns = max(1, array.data_slots // array.copies.near)
    return asked / min(columns, ceil(asked / array.chunk_bytes))
