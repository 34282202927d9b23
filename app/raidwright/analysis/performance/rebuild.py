"""Rate of rebuilds and checks, and the share of other I/O that remains during them.

Sources: kernel ``md.c``: ``speed_limit_min`` 1000 KiB/s, ``speed_limit_max`` 200,000 KiB/s per member; ``md_do_sync``
checks for other I/O after every 128 KiB (``window``), and since 4.1 waits until its own requests are done if the array
is in use. ``is_mddev_idle`` counts a member as in use once other I/O has moved 64 sectors more than the resync has in
flight there, so that few small requests often go unnoticed and wait behind the rebuild's. Since 6.16 it looks at the
array's own requests, and keeps ``sync_io_depth`` requests in flight regardless.
"""

from __future__ import annotations

from typing import NamedTuple

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .bounds import Bound, least
from .constants import (
    ASKED_OF_COPIES_BYTES,
    ASKED_OF_STRIPES_BYTES,
    COPY_S,
    KEEPS_FULL_BYTES,
    LOOKS_EVERY_BYTES,
    MEAN_DISTANCE,
    NOTICED_BYTES,
    NOTICES_ALL_SINCE,
    OVERDUE_S,
    PAGE_BYTES,
    SORTED_IN_CACHE,
    SYNC_MAX_B_S,
    SYNC_PIECE_BYTES,
    TWOFOLD,
)
from .links import link_bounds
from .streams import in_flight_bytes, read_ahead_bytes
from .stripes import held_bytes, left_of_pages
from .throttle import left_beside_reads


class SyncRound(NamedTuple):
    """Alternation: ``ours_s`` for other I/O in flight, ``theirs_s`` for ``theirs_bytes`` of the sync on each member.

    ``left`` is the share of other I/O left by further causes; ``moving`` that of ``ours_s`` which a stream alone takes,
    without the seek back to it.
    """

    ours_s: float
    theirs_s: float
    theirs_bytes: float
    left: float = 1.0
    moving: float = 1.0


def rebuild_mb_s(array: ModelledArray) -> Bound:
    """Return the rebuild rate along each member, over its whole length, on an idle array."""
    return least((_limit(array), *_along(array, writes=True)))


def check_mb_s(array: ModelledArray) -> Bound:
    """Return the rate of a check at the members' beginning: all are read."""
    return least((_limit(array), *_along(array, writes=False)))


def sync_mb_s(array: ModelledArray) -> Bound:
    """Return the mean rate over the members' whole length, without writes."""
    first = check_mb_s(array)
    mean_b_s = min(drive.mean_b_s(write=False) for drive in array.working)
    return first if first.b_s <= mean_b_s else Bound(mean_b_s, say("the slowest member"), first.spread)


def _limit(array: ModelledArray) -> Bound:
    return Bound(array.host.sync_limit_b_s or SYNC_MAX_B_S, say("md's limit"))


def _along(array: ModelledArray, *, writes: bool) -> list[Bound]:
    """List the bounds: each member sequentially, links with all members' traffic, and md's thread on stripes."""
    bounds = []
    for drive in array.working:
        slower_b_s = min(drive.mean_b_s(write=write) for write in (False, True)) if writes else drive.read_b_s
        bounds.append(Bound(slower_b_s, say("the slowest member")))
    bounds += link_bounds(array, [1.0 if drive else 0.0 for drive in array.drives], write=False)
    if array.parities:
        along_b_s = stripes_b_s(array)
        bounds.append(Bound(along_b_s, say("md's thread on stripes"), spread=TWOFOLD))
    return bounds


def stripes_b_s(array: ModelledArray) -> float:
    """Return md's ceiling along each member, in bytes per second, without copies to or from stripes."""
    return PAGE_BYTES * array.host.stripe_threads / (array.slots * (array.page_s - COPY_S))


def share_left(array: ModelledArray, pattern: Pattern, alone_b_s: float) -> float:
    """Return the share of ``alone_b_s`` (the rate without a rebuild) that ``pattern`` keeps during one.

    md's limit matters where one was set: a practice machine's rebuilds, which all of this was measured on, end before
    md notices that they are above its own.
    """
    each = round_of(array, pattern, alone_b_s)
    limit_b_s = array.host.sync_limit_b_s
    if limit_b_s is None:
        return each.left * each.ours_s / (each.ours_s + each.theirs_s)
    return left_at(each, limit_b_s)


def left_at(each: SyncRound, limit_b_s: float) -> float:
    """Return the share left to other I/O while md holds a sync at ``limit_b_s`` per member (``md_do_sync`` sleeps)."""
    busy = min(each.theirs_s / (each.ours_s + each.theirs_s), limit_b_s * each.theirs_s / each.theirs_bytes)
    return each.left * (1 - busy)


def round_of(array: ModelledArray, pattern: Pattern, alone_b_s: float) -> SyncRound:
    """Return the alternation of a sync and ``pattern``, whose rate is ``alone_b_s`` without one, on each member.

    The sync's time is for its requests in flight when it checks for other I/O, which are few if it notices it each
    time.
    """
    sorted_later = array.slowest.cached_writes and pattern.is_random and pattern.writes
    if array.level is Level.RAID10 and (sorted_later or not array.spins):
        between = _between_barriers(array, in_flight_bytes(array, pattern) / alone_b_s)
        return between._replace(left=_left_of_writes(array, pattern))
    if array.parities and not (array.spins or pattern.is_random or pattern.buffered) and pattern.writes:
        return _in_stripes(array, pattern)
    drive, members = array.slowest, len(array.working)
    waiting = max(1.0, pattern.depth / members)
    if pattern.is_random:
        writes = pattern.writes and not array.parities  # parity writes read first
        if writes and drive.cached_writes:
            waiting = max(waiting, SORTED_IN_CACHE)
        moving_s = ours_s = waiting * drive.access_s(pattern.block_bytes, waiting, write=writes)
        if pattern.depth > 1 and array.parities and not drive.spins:  # until all in flight is complete
            moving_s = ours_s = in_flight_bytes(array, pattern) / alone_b_s
        ours_bytes = waiting * pattern.block_bytes
    else:
        ours_bytes = max(in_flight_bytes(array, pattern) / members, array.chunk_bytes)
        moving_s = ours_bytes / drive.stream_b_s(write=pattern.writes)
        ours_s = moving_s + drive.reposition_s(MEAN_DISTANCE)
    theirs_bytes = _on_their_way(array, ours_bytes)
    theirs_s = theirs_bytes / drive.stream_b_s(write=pattern.writes) + drive.reposition_s(MEAN_DISTANCE)
    reads = array.parities or (array.level is Level.RAID1 and not pattern.writes)
    if reads and drive.spins and array.host.kernel < NOTICES_ALL_SINCE:
        kept_full = min(1.0, max(0.0, 2 * theirs_bytes / KEEPS_FULL_BYTES - 1))  # share of the time
        theirs_s += kept_full * (OVERDUE_S - theirs_s)
    left = _left_of_writes(array, pattern) * _left_of_pages(array, pattern, alone_b_s)
    return SyncRound(ours_s, theirs_s, theirs_bytes, left, moving_s / ours_s)


def _left_of_writes(array: ModelledArray, pattern: Pattern) -> float:
    """Return the share left of a stream written to copies while the rebuild reads one of them.

    raid10's barriers separate direct requests from the rebuild's in time, so that those aren't throttled.
    """
    kept_apart = array.level is Level.RAID10 and not pattern.buffered
    if array.parities or pattern.is_random or not pattern.writes or kept_apart:
        return 1.0
    return left_beside_reads(array, min(pattern.block_bytes, array.chunk_bytes))


def _left_of_pages(array: ModelledArray, pattern: Pattern, alone_b_s: float) -> float:
    """Return the share left of buffered reads through stripes, if what exceeds the cache is read page by page.

    (``raid5.c raid5_get_active_stripe``: a request without a free stripe waits until the rebuild has released a quarter
    of the cache, half of that on average. Six arrays of emulated spinning disks reached 0.5 to 2.3 times the
    prediction, Linux 6.1; one came to a standstill, 0.9 MB/s.)
    """
    if not array.parities or not pattern.buffered or pattern.writes:
        return 1.0
    page_s = held_bytes(array) / 4 / rebuild_mb_s(array).b_s / 2
    return left_of_pages(array, read_ahead_bytes(array, pattern.block_bytes), page_s, alone_b_s)


def _in_stripes(array: ModelledArray, pattern: Pattern) -> SyncRound:
    """Return the alternation for a stream through flash stripes: the stripe cache limits the bytes in flight.

    What the rebuild does between two checks for other I/O is read from the other members, then written. (Write-back
    leaves the members idle while it fills stripes: time enough for that.)
    """
    drive = array.slowest
    ours_bytes = min(in_flight_bytes(array, pattern) / len(array.working), held_bytes(array))
    ours_s = ours_bytes / drive.stream_b_s(write=True)
    theirs_s = sum(drive.alone_s(LOOKS_EVERY_BYTES, write=write) for write in (False, True))
    return SyncRound(ours_s, theirs_s, LOOKS_EVERY_BYTES)


def _between_barriers(array: ModelledArray, ours_s: float) -> SyncRound:
    """Return raid10's alternation: requests in flight take ``ours_s``, then pieces are read and written exclusively.

    (``raid10.c raise_barrier``. raid1's barriers cover 64 MiB each, so that other I/O seldom meets them.) Two pieces
    are issued between two checks for other I/O; if some waits, the rebuild sleeps a jiffy (``raid10_sync_request``).
    """
    drive = array.slowest
    if drive.spins:  # the second piece follows the first, and writes are soon in the cache
        theirs_s = drive.reposition_s(MEAN_DISTANCE) + 2 * SYNC_PIECE_BYTES / drive.stream_b_s(write=False)
    else:
        theirs_s = 2 * (drive.alone_s(SYNC_PIECE_BYTES, write=False) + drive.alone_s(SYNC_PIECE_BYTES, write=True))
    return SyncRound(max(ours_s, array.host.jiffy_s), theirs_s, 2 * SYNC_PIECE_BYTES)


def _on_their_way(array: ModelledArray, ours_bytes: float) -> float:
    """Return the rebuild's bytes in flight to a member while other I/O moves ``ours_bytes`` there per round.

    Flash has completed most rebuild requests when md checks: little of them delays other I/O (measured on 6.1: single
    reads keep 0.54 of their rate, single writes 0.23 and 0.24).
    """
    asked_bytes = ASKED_OF_STRIPES_BYTES if array.parities else ASKED_OF_COPIES_BYTES
    if array.parities and not array.spins:
        return LOOKS_EVERY_BYTES
    if array.host.kernel >= NOTICES_ALL_SINCE:
        return LOOKS_EVERY_BYTES if array.parities else asked_bytes
    return min(asked_bytes, LOOKS_EVERY_BYTES * max(1.0, NOTICED_BYTES / ours_bytes))
