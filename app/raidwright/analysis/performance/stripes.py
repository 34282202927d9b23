"""What raid4, raid5 and raid6 do to write: whole stripes, read-modify-write or reconstruct-write.

Sources: kernel ``raid5.c handle_stripe_dirtying`` (the choice), ``raid5.h`` (stripes of one page a member),
``raid5.c grow_one_stripe`` (the cache grows since 4.1), commit 584acdd49cd2 (raid6 modifies since 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from raidwright.core.md.layouts import Level
from raidwright.core.system.workload import Pattern

from .array import Array
from .bounds import Bound
from .host import PAGE_BYTES

FROM_4_1 = (4, 1)
_CACHE_PAGES = 256  # ``raid5.h`` NR_STRIPES
_GROWN = 4  # times as many while writers wait, since 4.1
_BATCH_OF_CACHE = 3 / 8  # a batch is between a quarter (md's low-water mark) and half of the cache


def batched(array: Array, pattern: Pattern, ideal: Bound) -> Bound:
    """A stream of writes, of which ``ideal`` is what the members could take without a pause.

    Stripes fill the cache and go out in batches; between two, spinning members wait for the first sector to come round
    again. What is in flight and doesn't fill a stripe is read and computed for.
    """
    drive = array.slowest
    stripe = array.data_slots * array.chunk_bytes
    if not pattern.buffered and pattern.block_bytes * pattern.depth < stripe:
        return _partial(array, pattern, ideal)
    if not drive.spins:
        return ideal
    batch = _BATCH_OF_CACHE * cache_pages(array) * PAGE_BYTES * array.data_slots
    return Bound(batch / (batch / ideal.b_s + drive.turn_s), "the stripe cache")


def cache_pages(array: Array) -> int:
    """Stripes in the cache: as set, or what md makes of its own while writers wait."""
    if array.host.stripe_cache_pages is not None:
        return array.host.stripe_cache_pages
    return _CACHE_PAGES * (_GROWN if array.host.kernel >= FROM_4_1 else 1)


def _partial(array: Array, pattern: Pattern, ideal: Bound) -> Bound:
    """Each visit to a stripe brings some of its chunks, reads what is missing, and waits for the platter twice."""
    drive = array.slowest
    asked = pattern.block_bytes * pattern.depth
    chunks = max(1.0, asked / array.chunk_bytes)
    parts = stripe_parts(array, ceil(chunks) * array.chunk_bytes)
    moved = (parts.reads + parts.writes) / len(array.working) * array.chunk_bytes
    seconds = moved / drive.stream_b_s(write=True) + 2 * (drive.turn_s or drive.read_access_s)
    return min(ideal, Bound(asked / seconds, "stripes written in parts"), key=lambda bound: bound.b_s)


@dataclass(frozen=True, slots=True)
class Parts:
    """Member requests of one write; ``read_at_once`` of the reads must be there before anything is written."""

    reads: float
    writes: float


def stripe_parts(array: Array, size_bytes: int) -> Parts:
    """What writing ``size_bytes``, aligned, reads and writes on the members; the mean over which members are lost."""
    data, parity = array.data_slots, array.parities
    chunks = max(1, ceil(size_bytes / array.chunk_bytes))
    whole, rest = divmod(chunks, data)
    full = Parts(0, data + parity) if whole else Parts(0, 0)
    if not rest:
        part = Parts(0, 0)
    elif array.lost:
        part = _degraded(array, rest)
    else:
        part = _healthy(array, rest)
    if whole:  # a member's chunks of neighbouring stripes lie together: one request
        scale = (array.slots - array.lost) / array.slots
        return Parts(part.reads, max(full.writes * scale, part.writes))
    return part


def _healthy(array: Array, changed: int) -> Parts:
    """``changed`` of the data chunks: read the fewer, old data and parity, or the stripe's other data."""
    modify, rest = changed + array.parities, array.data_slots - changed
    modifies = array.level is not Level.RAID6 or array.host.kernel >= FROM_4_1
    return Parts(modify if modifies and modify < rest else rest, changed + array.parities)


def _degraded(array: Array, changed: int) -> Parts:
    """One member is lost (more are much like it): data that change, other data of the stripe, or parity."""
    data, parity, slots = array.data_slots, array.parities, array.slots
    healthy = _healthy(array, changed)
    of_parity = Parts(max(0.0, healthy.reads - 1) if healthy.reads else 0.0, changed + parity - 1)
    of_changed = Parts(data - 1, changed - 1 + parity)  # what it held is computed: all others are read
    of_rest = Parts(changed + parity, changed + parity)  # reconstruct-write would need it: the old are read
    shares = (parity / slots, changed / slots, (data - changed) / slots)
    cases = (of_parity, of_changed, of_rest)
    return Parts(
        sum(share * case.reads for share, case in zip(shares, cases, strict=True)),
        sum(share * case.writes for share, case in zip(shares, cases, strict=True)),
    )
