"""How fast md rebuilds and checks, and what it leaves to others meanwhile.

Sources: kernel ``md.c``: ``speed_limit_min`` 1000 KiB/s, ``speed_limit_max`` 200,000 KiB/s a member; ``md_do_sync``
looks around after every 128 KiB (``window``), and since 4.1 waits until nothing of its own is on its way when others
use the array. ``is_mddev_idle`` takes others to be there once they moved 64 sectors more of a member than it has asked
for and not yet got, so that few small requests are seldom noticed and wait behind the rebuild's. Since 6.16 it looks at
the array's own requests, and has ``sync_io_depth`` of its own on their way all the same.
"""

from __future__ import annotations

from math import log

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern
from raidwright.core.units import SECTOR_BYTES

from .array import Array
from .bounds import Bound, least
from .drive import MEAN_DISTANCE
from .host import COPY_S, PAGE_BYTES, Host
from .links import link_bounds
from .streams import in_flight_bytes, read_ahead_bytes
from .stripes import held_bytes, read_singly
from .throttle import left_beside_reads
from .typical import SORTED_IN_CACHE

MOST_B_S = 200_000 * 1024
_NOTICED_BYTES = 64 * SECTOR_BYTES
_NOTICES_ALL = (6, 16)
_LOOKS_EVERY_BYTES = 128 * 1024
_PIECE_BYTES = 2**16  # ``raid1-10.c`` RESYNC_BLOCK_SIZE
# What a rebuild has asked of a member at once: 32 pieces (``raid1-10.c`` RESYNC_DEPTH), a stripe cache full.
_ASKED_OF_COPIES_BYTES, _ASKED_OF_STRIPES_BYTES = 32 * _PIECE_BYTES, 2**20
# A rebuild that has so much on its way before it notices somebody keeps every member's queue full of what lies next
# to each other; a read elsewhere waits until it is overdue (``mq-deadline.c`` read_expire). Measured on 6.1: 0.6 to
# 0.7 s a read of stripes, 0.74 of a mirror. (Barriers of raid10 let it in.)
_KEEPS_FULL_BYTES, _OVERDUE_S = 2**20, 0.5


def rebuild_mb_s(array: Array) -> Bound:
    """The speed along each member, over its whole length, while nobody else uses the array."""
    return least((Bound(MOST_B_S, say("md's limit")), *_along(array, writes=True)))


def check_mb_s(array: Array) -> Bound:
    """The same for a check, at the members' beginning: all are read."""
    return least((Bound(MOST_B_S, say("md's limit")), *_along(array, writes=False)))


def _along(array: Array, *, writes: bool) -> list[Bound]:
    """Each member reads or writes on and on; links carry all of them; stripes take the processor."""
    bounds = []
    for drive in array.working:
        mean = mean_share(drive.inner_share) if writes else 1.0
        slower = min(drive.read_b_s, drive.write_b_s) if writes else drive.read_b_s
        bounds.append(Bound(slower * mean, say("the slowest member")))
    bounds += link_bounds(array, [1.0 if drive else 0.0 for drive in array.drives], write=False)
    if array.parities:
        along_b_s = stripes_b_s(array.slots, array.host)
        bounds.append(Bound(along_b_s, say("md's thread on stripes"), spread=array.host.spread))
    return bounds


def stripes_b_s(slots: int, host: Host) -> float:
    """Along each of ``slots`` members, as far as md's threads get with stripes that nothing is copied to or from."""
    page_s = host.stripe_page_s - COPY_S
    return PAGE_BYTES * host.stripe_threads / (slots * page_s)


def mean_share(inner_share: float) -> float:
    """A full pass's mean rate by that at the beginning, where the rate falls evenly to the end."""
    return 1.0 if inner_share >= 1 else (1 - inner_share) / -log(inner_share)


def share_left(array: Array, pattern: Pattern, alone_b_s: float) -> float:
    """What a rebuild leaves of the rate ``alone_b_s`` that ``pattern`` gets without one: a member's time for its share.

    The rebuild's time is for what it has on its way when it looks around, which is little when it notices others each
    time that it does.
    """
    sorted_later = array.slowest.cached_writes and pattern.is_random and pattern.writes
    if array.level is Level.RAID10 and (sorted_later or not array.spins):
        between = _left_between_barriers(array, in_flight_bytes(array, pattern) / alone_b_s)
        return between * _left_of_writes(array, pattern)
    if array.parities and not (array.spins or pattern.is_random or pattern.buffered) and pattern.writes:
        return _left_in_stripes(array, pattern)
    drive, members = array.slowest, len(array.working)
    waiting = max(1.0, pattern.depth / members)
    if pattern.is_random:
        writes = pattern.writes and not array.parities  # which are read for first
        if writes and drive.cached_writes:
            waiting = max(waiting, SORTED_IN_CACHE)
        ours_s = waiting * drive.access_s(pattern.block_bytes, waiting, write=writes)
        if pattern.depth > 1 and array.parities and not drive.spins:  # until all in flight is read for and written
            ours_s = in_flight_bytes(array, pattern) / alone_b_s
        ours_bytes = waiting * pattern.block_bytes
    else:
        ours_bytes = max(in_flight_bytes(array, pattern) / members, array.chunk_bytes)
        ours_s = ours_bytes / drive.stream_b_s(write=pattern.writes) + drive.reposition_s(MEAN_DISTANCE)
    theirs_bytes = _on_their_way(array, ours_bytes)
    theirs_s = theirs_bytes / drive.stream_b_s(write=pattern.writes) + drive.reposition_s(MEAN_DISTANCE)
    reads = array.parities or (array.level is Level.RAID1 and not pattern.writes)
    if reads and drive.spins and array.host.kernel < _NOTICES_ALL and theirs_bytes >= _KEEPS_FULL_BYTES:
        theirs_s = _OVERDUE_S
    return ours_s / (ours_s + theirs_s) * _left_of_writes(array, pattern) * _left_of_pages(array, pattern, alone_b_s)


def _left_of_writes(array: Array, pattern: Pattern) -> float:
    """Of a stream that is written to copies while the rebuild reads one of them.

    Barriers of raid10 keep direct requests and the rebuild's apart in time: those aren't throttled.
    """
    kept_apart = array.level is Level.RAID10 and not pattern.buffered
    if array.parities or pattern.is_random or not pattern.writes or kept_apart:
        return 1.0
    return left_beside_reads(array, min(pattern.block_bytes, array.chunk_bytes))


def _left_of_pages(array: Array, pattern: Pattern, alone_b_s: float) -> float:
    """Of a stream read ahead into stripes: what found no room there is read page by page, and each waits for room.

    (``raid5.c raid5_get_active_stripe``: who found none waits until the rebuild has given a quarter of the cache back,
    half of that on average. Six arrays of emulated spinning disks did 0.5 to 2.3 times what is said, Linux 6.1; one
    came to a standstill, 0.9 MB/s.)
    """
    if not array.parities or not pattern.buffered or pattern.writes:
        return 1.0
    singly = read_singly(array, read_ahead_bytes(array, pattern.block_bytes))
    wait_s = held_bytes(array) / 4 / rebuild_mb_s(array).b_s / 2
    return 1 / (1 + singly * wait_s * alone_b_s / PAGE_BYTES)


def _left_in_stripes(array: Array, pattern: Pattern) -> float:
    """Of a stream that is written to stripes on flash: no more than their cache holds is on its way to a member.

    What the rebuild does between two looks around is read from the others, then written. (Write-back leaves the members
    idle while it fills stripes: time enough for that.)
    """
    drive = array.slowest
    ours_bytes = min(in_flight_bytes(array, pattern) / len(array.working), held_bytes(array))
    ours_s = ours_bytes / drive.stream_b_s(write=True)
    return ours_s / (ours_s + sum(drive.alone_s(_LOOKS_EVERY_BYTES, write=write) for write in (False, True)))


def _left_between_barriers(array: Array, ours_s: float) -> float:
    """Of raid10: what is on its way takes ``ours_s``, then pieces are read and written while nothing else may.

    (``raid10.c raise_barrier``. The barriers of raid1 hold for 64 MiB each, so that others seldom meet them.) Two
    pieces are asked for between two looks around; where somebody waits meanwhile the rebuild sleeps a jiffy
    (``raid10_sync_request``).
    """
    drive = array.slowest
    if drive.spins:  # the second piece lies behind the first, and what is written there is soon in a cache
        theirs_s = drive.reposition_s(MEAN_DISTANCE) + 2 * _PIECE_BYTES / drive.stream_b_s(write=False)
    else:
        theirs_s = 2 * (drive.alone_s(_PIECE_BYTES, write=False) + drive.alone_s(_PIECE_BYTES, write=True))
    slept_s = max(ours_s, array.host.jiffy_s)
    return slept_s / (slept_s + theirs_s)


def _on_their_way(array: Array, ours_bytes: float) -> float:
    """Bytes that a rebuild has asked of a member while others move ``ours_bytes`` there in a round.

    Flash is done with most of what it was asked for when md looks: little of it stands in others' way (measured on
    6.1: single reads keep 0.54 of their rate, single writes 0.23 and 0.24).
    """
    asked_bytes = _ASKED_OF_STRIPES_BYTES if array.parities else _ASKED_OF_COPIES_BYTES
    if array.parities and not array.spins:
        return _LOOKS_EVERY_BYTES
    if array.host.kernel >= _NOTICES_ALL:
        return _LOOKS_EVERY_BYTES if array.parities else asked_bytes
    return min(asked_bytes, _LOOKS_EVERY_BYTES * max(1.0, _NOTICED_BYTES / ours_bytes))
