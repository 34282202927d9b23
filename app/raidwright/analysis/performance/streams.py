"""Sequential rate of an array, read or written: each member's transfer and skip time, and the other bottlenecks.

Each member's time comes from the bytes it moves and skips (``ways``). The slowest member, the links, the requests in
flight and the processor bound the whole.

Sources: kernel ``raid0.c``, ``raid1.c`` and ``raid10.c read_balance`` (a stream stays on one mirror of raid1; far and
offset read the first copy; for near see ``near``), ``raid5.c raid5_read_one_chunk`` (reads of a clean array bypass the
stripe cache) and ``make_stripe_request`` (reads of a degraded one use it, since 4.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from . import stripes
from .array import ModelledArray
from .blocks import of_stripes, pieces, uneven
from .bounds import Bound, least
from .constants import (
    MAX_REQUEST_BYTES,
    MIN_READ_AHEAD_BYTES,
    PAGE_BYTES,
    QUEUED_BYTES,
    READ_AHEAD_IN_FLIGHT,
    READ_AS_ASKED_SINCE,
    READS_IN_STRIPES,
    STRIPE_REQUESTS_SINCE,
    STRIPES_LIMITED_SINCE,
    STRIPES_REQUEST_BYTES,
    TWOFOLD,
    WHOLE_STREAM,
    WRITE_BACK_BYTES,
    WRITE_CACHE_BYTES,
)
from .links import link_bounds
from .locks import lock_bounds
from .near import read_by_all, read_by_nearest
from .ways import StreamTransfer, way_of


def stream(array: ModelledArray, pattern: Pattern) -> Bound:
    """Return the rate of ``pattern``'s streams without seeks between them, and its bottleneck, at the array's start."""
    bounds = [_of_members(array, pattern), *_of_queue(array, pattern), *_of_host(array, pattern)]
    return least(bounds)


def in_flight_bytes(array: ModelledArray, pattern: Pattern) -> float:
    """Return the streams' bytes in flight."""
    if not pattern.buffered:
        return pattern.block_bytes * pattern.depth * pattern.jobs
    if pattern.writes:
        return WRITE_BACK_BYTES
    return READ_AHEAD_IN_FLIGHT * read_ahead_bytes(array, pattern.block_bytes) * pattern.jobs


def read_ahead_bytes(array: ModelledArray, block_bytes: int) -> float:
    """Return the size of a read-ahead window for reads of ``block_bytes``.

    Two stripes, as md sets it (``md_set_readahead``, ``raid5_set_limits``), unless set otherwise; as much as the
    program requests if a request to the array may be as large (``readahead.c ondemand_readahead``, since 4.10), which
    on raid0 it may not (``raid0.c``: max_hw_sectors is a chunk).
    """
    set_bytes = _stripes_ahead(array) if array.host.read_ahead_bytes is None else array.host.read_ahead_bytes
    if array.host.kernel < READ_AS_ASKED_SINCE or array.level is Level.RAID0:
        return set_bytes
    return max(set_bytes, min(block_bytes, _largest_request_bytes(array)))


def _largest_request_bytes(array: ModelledArray) -> float:
    """Return the largest request that the array takes (``max_sectors_kb`` of its queue)."""
    if not array.parities or array.host.kernel < STRIPES_LIMITED_SINCE:
        return MAX_REQUEST_BYTES
    if array.host.kernel < STRIPE_REQUESTS_SINCE:
        return STRIPES_REQUEST_BYTES
    return min(MAX_REQUEST_BYTES, array.data_slots * array.chunk_bytes)


def _stripes_ahead(array: ModelledArray) -> float:
    if array.level in (Level.RAID1, Level.LINEAR):
        return MIN_READ_AHEAD_BYTES
    columns = array.data_slots / array.copies.near
    stripe = array.chunk_bytes * (columns if columns == int(columns) else array.slots)
    return max(MIN_READ_AHEAD_BYTES, 2 * stripe)


def _of_members(array: ModelledArray, pattern: Pattern) -> Bound:
    write = pattern.writes
    if array.level in (Level.LINEAR, Level.RAID1):
        return _of_whole_disks(array, pattern)
    way = way_of(array, write=write)
    if array.copies.near == array.copies.total > 1 and array.spins and not write:
        members = _of_nearest(array, pattern)
    else:
        seconds = _member_seconds(array, way, in_flight_bytes(array, pattern), write=write)
        members = Bound(way.user_bytes / float(seconds.max()), say("the members"))
    per_byte = way.moved_bytes / way.user_bytes
    bound = least((members, *link_bounds(array, per_byte.tolist(), write=write)))
    if pattern.buffered and not write and (left := _left_of_ahead(array, pattern, bound.b_s)) < WHOLE_STREAM:
        return Bound(bound.b_s * left, say("the stripe cache"), spread=TWOFOLD)
    return stripes.batched(array, pattern, bound) if write and array.parities else bound


def _of_whole_disks(array: ModelledArray, pattern: Pattern) -> Bound:
    """Of a mirror all members are written, and each of several streams is read from another one of them."""
    write, is_mirror = pattern.writes, array.level is Level.RAID1
    drives = array.working if is_mirror and write else array.working[:1]
    slowest = min(drive.stream_b_s(write=write) for drive in drives)
    loads = np.ones(array.slots) if len(drives) > 1 else np.eye(array.slots)[0]
    if is_mirror and not write and pattern.jobs > 1:
        heads = sorted(drive.stream_b_s(write=False) for drive in array.working)[-pattern.jobs :]
        slowest = sum(heads)
        loads = np.array([drive.stream_b_s(write=False) / slowest if drive else 0.0 for drive in array.drives])
    return least((Bound(slowest, say("one disk's own speed")), *link_bounds(array, loads.tolist(), write=write)))


def _of_nearest(array: ModelledArray, pattern: Pattern) -> Bound:
    """Read rate of near copies on spinning disks."""
    if pattern.buffered:
        rate, spread = read_by_nearest(array, read_ahead_bytes(array, pattern.block_bytes), 2, in_order=True)
    else:
        rate, spread = read_by_nearest(array, pattern.block_bytes, pattern.depth, in_order=False)
    if pattern.jobs > 1:
        rate = max(rate, read_by_all(array, pattern.jobs))
    return Bound(rate, say("the members"), spread)


def _left_of_ahead(array: ModelledArray, pattern: Pattern, ideal_b_s: float) -> float:
    """Return the share of ``ideal_b_s`` left if read-ahead exceeds a degraded array's stripe cache."""
    drive = array.slowest  # a spinning disk has read the next page ahead by itself
    page_s = array.host.wake_s + (drive.cached_s(PAGE_BYTES) if drive.spins else drive.read_access_s)
    return stripes.left_of_pages(array, read_ahead_bytes(array, pattern.block_bytes), page_s, ideal_b_s)


def _member_seconds(array: ModelledArray, way: StreamTransfer, in_flight: float, *, write: bool) -> NDArray[np.float64]:
    """Return the seconds per slot: its transfer, plus the seeks between far copies, once per batch that it can sort."""
    seconds = way.seconds.copy()
    for slot in np.flatnonzero(way.bands > 1):
        drive = array.drives[slot]
        if drive is not None and drive.spins:
            share = way.moved_bytes[slot] / way.user_bytes
            batch = min(in_flight * share, QUEUED_BYTES) + (WRITE_CACHE_BYTES if write else 0)
            distance = array.size_bytes / drive.size_bytes / array.copies.far
            seconds[slot] += way.moved_bytes[slot] / batch * way.bands[slot] * drive.reposition_s(distance)
    return seconds


def _of_queue(array: ModelledArray, pattern: Pattern) -> list[Bound]:
    """Bound by the bytes in flight over the latency of one piece; spinning disks answer from their read-ahead."""
    if pattern.writes:
        return _of_write_queue(array, pattern)
    asked = in_flight_bytes(array, pattern)
    window = read_ahead_bytes(array, pattern.block_bytes)
    piece = min(array.chunk_bytes, pattern.block_bytes, window)
    bounds = []
    drive = array.slowest
    if not drive.spins:
        part_bytes = piece if pattern.buffered else _largest_part(array, pattern)
        answered_s = _answered_s(array, piece, part_bytes, write=False)
        bounds.append(Bound(asked / answered_s, say("what is in flight")))
    else:
        bounds.append(Bound(asked / drive.cached_s(piece), say("what is in flight")))
        first, fixed = READS_IN_STRIPES
        if pattern.buffered and array.parities and first <= array.host.kernel < fixed:
            whole = array.data_slots * drive.read_b_s
            bounds.append(Bound(window / (window / whole + drive.turn_s), say("read-ahead")))
    return bounds


def _of_write_queue(array: ModelledArray, pattern: Pattern) -> list[Bound]:
    """The same of direct writes: flash, and a spinning disk's cache, take each in its time."""
    if pattern.buffered:
        return []
    drive, asked = array.slowest, in_flight_bytes(array, pattern)
    piece = min(array.chunk_bytes, pattern.block_bytes)
    if not drive.spins:
        answered_s = _answered_s(array, piece, _largest_part(array, pattern), write=True)
    elif drive.cached_writes or asked > pattern.block_bytes:
        answered_s = drive.cached_s(piece)
    else:  # the next sector has just passed
        answered_s = drive.turn_s + piece / drive.write_b_s
    return [Bound(asked / answered_s, say("what is in flight"))]


def _largest_part(array: ModelledArray, pattern: Pattern) -> float:
    """Return the bytes of one block on the member that has most of it."""
    if array.parities and not pattern.writes:
        return max(one.part_bytes for one in of_stripes(array, pattern))
    _, part_bytes = pieces(array, pattern.block_bytes, write=pattern.writes)
    return part_bytes * uneven(array, pattern.block_bytes, pattern.depth * pattern.jobs, write=pattern.writes)


def _answered_s(array: ModelledArray, piece: float, part_bytes: float, *, write: bool) -> float:
    """Return the time until the last member of flash has answered its part of a request, piece after piece."""
    return max(
        drive.alone_s(piece, write=write) + max(0.0, part_bytes - piece) / drive.stream_b_s(write=write)
        for drive in array.working
    )


def _of_host(array: ModelledArray, pattern: Pattern) -> list[Bound]:
    """Bounds of the processor: per request, per member part of it, and per page of a stripe."""
    host = array.host
    parts = max(1.0, pattern.block_bytes / array.chunk_bytes) * (array.copies.total if pattern.writes else 1)
    request_s = parts * (max(drive.request_s for drive in array.working) + host.member_request_s)
    spread = host.spread_of(pattern.jobs)
    bounds = [
        *lock_bounds(array, pattern),
        Bound(pattern.jobs * pattern.block_bytes / request_s, say("the processor"), spread=spread),
    ]
    if pattern.buffered:
        copied = host.buffered_write_b_s if pattern.writes else host.buffered_read_b_s
        bounds.append(Bound(pattern.jobs * copied, say("one process through the page cache"), spread=spread))
    if array.parities and (pattern.writes or array.lost):
        pages = array.slots if pattern.writes else array.slots - array.lost
        bounds.append(Bound(stripes.thread_b_s(array, pages), say("md's thread on stripes"), spread=TWOFOLD))
    return bounds
