"""Writes of raid4, raid5 and raid6: full stripes, read-modify-write or reconstruct-write.

Sources: kernel ``raid5.c handle_stripe_dirtying`` (the choice), ``raid5.h`` (stripes of one page per member), ``raid5.c
grow_one_stripe`` (the cache grows since 4.1), commit 584acdd49cd2 (raid6 read-modify-write since 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd

from raidwright.core.md.layouts import Level
from raidwright.core.messages import say
from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .bounds import Bound
from .constants import (
    BATCH_OF_CACHE,
    CACHE_GROWTH,
    CACHE_PAGES,
    FLASH_SINGLY,
    FROM_4_1,
    PAGE_BYTES,
    READ_ON_BYTES,
    STRIPES_READ_FOR,
    TURNING_SINGLY,
    WRITE_BACK_PIECE_BYTES,
)
from .throttle import left_beside_reads


def batched(array: ModelledArray, pattern: Pattern, ideal: Bound) -> Bound:
    """Bound a stream of writes, of which ``ideal`` is what the members could sustain without pauses.

    Stripes fill the cache and are written in batches; between two, spinning members lose a turn. Partial stripes in
    flight need reads first.
    """
    asked = pattern.block_bytes * pattern.depth
    stripe = array.data_slots * array.chunk_bytes
    whole = _whole(array, pattern, ideal)
    if pattern.buffered or asked >= stripe:
        return whole
    partial = min(whole, _partial(array, pattern, ideal), key=lambda bound: bound.b_s)
    gathered = max(0.0, 2 * asked / stripe - 1)  # from half a stripe on the more often all of it is there in time
    return Bound(partial.b_s ** (1 - gathered) * whole.b_s**gathered, partial.reason) if gathered else partial


def _whole(array: ModelledArray, pattern: Pattern, ideal: Bound) -> Bound:
    """Bound a stream of writes with at least a stripe in flight."""
    drive = array.slowest
    if not pattern.buffered and (array.host.kernel >= FROM_4_1 or not drive.spins):
        return _torn(array, pattern, ideal)
    if not drive.spins:
        return _throttled(array, ideal)
    batch = BATCH_OF_CACHE * cache_pages(array) * PAGE_BYTES * array.data_slots
    return Bound(batch / (batch / ideal.b_s + drive.turn_s), say("the stripe cache"))


def thread_b_s(array: ModelledArray, pages: int) -> float:
    """Return the ceiling of md's threads in user bytes per second, with ``pages`` of each stripe handled."""
    return array.data_slots * PAGE_BYTES * array.host.stripe_threads / (pages * array.page_s)


def _throttled(array: ModelledArray, ideal: Bound) -> Bound:
    """Write-back to flash: the reads of a few partial stripes make the kernel throttle the writes beside them."""
    left = left_beside_reads(array, WRITE_BACK_PIECE_BYTES)
    return Bound(ideal.b_s * left, say("the kernel's throttling of writes")) if left < 1 else ideal


def _torn(array: ModelledArray, pattern: Pattern, ideal: Bound) -> Bound:
    """Direct large requests: a stripe that two of them share is read before the second arrives.

    md doesn't delay synchronous writes (``raid5.c make_stripe_request``: REQ_SYNC). All then wait until that stripe is
    read and written: on ten arrays of emulated disks 0.4 to 1.1 turns, or 0.9 to 2.2 times as long as flash takes for
    both. Most of that is ``throttle``'s: with it switched off three arrays of flash reached 80 to 98% of the ideal,
    with it 51 to 77%. Full stripes are written together (since 4.1: ``stripe_add_to_batch_list``) and lose nothing.
    """
    drive, block = array.slowest, pattern.block_bytes
    stripe = array.data_slots * array.chunk_bytes
    torn = min(1 - gcd(block, stripe) / stripe, block / stripe)  # split stripes per block, each counted once at most
    piece = min(block, array.chunk_bytes)
    wait_s = drive.turn_s if drive.spins else drive.alone_s(piece, write=False) + drive.alone_s(piece, write=True)
    read_for = STRIPES_READ_FOR if pattern.depth * pattern.jobs > 1 else 1.0  # the second isn't under way yet
    seconds = block / ideal.b_s + torn * read_for * wait_s
    return Bound(block / seconds, say("stripes written in parts")) if torn else ideal


def read_singly(array: ModelledArray, read_ahead_bytes: float) -> float:
    """Return the share of a buffered stream that a degraded array reads page by page, one after the other.

    All its reads use the stripe cache. Read-ahead that finds no free stripe fails (``raid5.c make_stripe_request``),
    and its pages are read on demand. Two windows are in flight. Where they are two thirds of the cache per member,
    Linux 6.1 read 0.06 to 0.6% so, at the cache's size 0.1 to 3%, at twice 28 to 33%, at four times 70%: on four arrays
    of emulated flash. On four of disks that turn, whose stripes are in flight for longer, it was about 2% at half the
    cache's size, 5 to 42% at its size and most at twice. The cache grows meanwhile, and from earlier writes.
    """
    if array.host.kernel < FROM_4_1 or not array.parities or not array.lost:
        return 0.0
    windows = 2 * read_ahead_bytes / array.data_slots / held_bytes(array)
    half, steepness = TURNING_SINGLY if array.spins else FLASH_SINGLY
    room: float = (half / windows) ** steepness
    return 1 / (1 + room)


def left_of_pages(array: ModelledArray, read_ahead_bytes: float, page_s: float, ideal_b_s: float) -> float:
    """Return the share of ``ideal_b_s`` left to a buffered stream whose single pages take ``page_s`` each."""
    return 1 / (1 + read_singly(array, read_ahead_bytes) * page_s * ideal_b_s / PAGE_BYTES)


def held_bytes(array: ModelledArray) -> int:
    """Bytes of each member that the stripe cache holds before it grows."""
    return (array.host.stripe_cache_pages or CACHE_PAGES) * PAGE_BYTES


def cache_pages(array: ModelledArray) -> int:
    """Stripes in the cache: as set, or the size that md grows it to while writers wait."""
    if array.host.stripe_cache_pages is not None:
        return array.host.stripe_cache_pages
    return CACHE_PAGES * (CACHE_GROWTH if array.host.kernel >= FROM_4_1 else 1)


def _partial(array: ModelledArray, pattern: Pattern, ideal: Bound) -> Bound:
    """Bound partial-stripe writes: each visit to a stripe writes some chunks after reading others.

    Spinning disks have read on to what is read, and write into their caches, but for each time that a head goes between
    the two; without a write cache both wait a turn. On Linux 6.1, four emulated disks with 64 and 512 KiB chunks wrote
    blocks of 8 KiB at 13.5 and 11.4 MB/s, of 64 KiB at 21 and 39 MB/s, of 512 KiB at 49 MB/s.
    """
    drive = array.slowest
    asked = pattern.block_bytes * pattern.depth
    chunks = max(1.0, asked / array.chunk_bytes)
    parts = stripe_parts(array, ceil(chunks) * array.chunk_bytes)
    part = min(asked, array.chunk_bytes)
    moved = (parts.reads + parts.writes) / len(array.working) * part
    wait_s = drive.turn_s or drive.read_access_s
    if drive.cached_writes:
        wait_s = drive.cached_s(part) + part / READ_ON_BYTES * drive.jump_s
    seconds = moved / drive.stream_b_s(write=True) + 2 * (wait_s + array.host.wake_s)
    return min(ideal, Bound(asked / seconds, say("stripes written in parts")), key=lambda bound: bound.b_s)


@dataclass(frozen=True, slots=True)
class Parts:
    """Member requests of one write: ``writes`` of ``part_bytes`` each, preceded by ``reads`` of ``read_bytes``.

    Full stripes among the writes needn't wait for the reads.
    """

    reads: float
    writes: float
    part_bytes: float
    read_bytes: float

    @property
    def moved_bytes(self) -> float:
        """Bytes moved on all members together."""
        return self.reads * self.read_bytes + self.writes * self.part_bytes


def stripe_parts(array: ModelledArray, size_bytes: int) -> Parts:
    """Return the member requests of an aligned write of ``size_bytes``; averaged over which members are lost."""
    data = array.data_slots
    chunks = max(1, ceil(size_bytes / array.chunk_bytes))
    whole, rest = divmod(chunks, data)
    reads, writes = (_degraded(array, rest) if array.lost else _healthy(array, rest)) if rest else (0.0, 0.0)
    part_bytes = min(size_bytes, array.chunk_bytes)
    if whole:  # a member's chunks of neighbouring stripes are adjacent: one request
        return Parts(reads, float(array.slots - array.lost), array.chunk_bytes * ceil(chunks / data), part_bytes)
    return Parts(reads, writes, part_bytes, part_bytes)


def _healthy(array: ModelledArray, changed: int) -> tuple[float, float]:
    """Return (reads, writes) for ``changed`` data chunks: read-modify-write or reconstruct-write, the fewer reads."""
    modify, rest = changed + array.parities, array.data_slots - changed
    modifies = array.level is not Level.RAID6 or array.host.kernel >= FROM_4_1
    return modify if modifies and modify < rest else rest, changed + array.parities


def _degraded(array: ModelledArray, changed: int) -> tuple[float, float]:
    """Return (reads, writes) with one member lost (more are much alike): changed data, other data, or parity."""
    data, parity, slots = array.data_slots, array.parities, array.slots
    cases = (  # share, reads, writes
        (parity / slots, max(0.0, _healthy(array, changed)[0] - 1), changed + parity - 1),
        (changed / slots, data - 1, changed - 1 + parity),  # the lost chunk is computed: all others are read
        ((data - changed) / slots, changed + parity, changed + parity),  # reconstruct-write would need it
    )
    return sum(share * reads for share, reads, _ in cases), sum(share * writes for share, _, writes in cases)
