"""One stream through an array, read or written: each member's way over its platter, and what it all waits for.

A stream's chunks are laid out over the real geometry for one turn of the layout, and each member's time is worked out
from what it moves and what it skips. The slowest member, the links and the processor bound the whole.

Sources: kernel ``raid0.c``, ``raid1.c`` and ``raid10.c read_balance`` (a stream stays on one mirror of raid1; far and
offset read the first copy; near copies take turns, see below), ``raid5.c raid5_read_one_chunk`` (reads of a whole array
go past the stripe cache) and ``make_stripe_request`` (those of a degraded one through it, since 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.geometry.cells import Ints
from raidwright.analysis.geometry.parity_rows import ParityGeometry
from raidwright.core.md.layouts import Level
from raidwright.core.system.workload import Pattern

from . import stripes
from .array import Array
from .bounds import Bound, least
from .host import PAGE_BYTES

_LEAST_READ_AHEAD = 128 * 1024
_IN_FLIGHT = 1.5  # of the read-ahead: the window that is read and the one that is asked for meanwhile
_WRITE_CACHE_BYTES = 8 * 2**20  # of a disk's own cache that holds what is still to be written
_WRITE_BACK_BYTES = 2**30  # dirty pages, of which the kernel lets so many gather before it holds a writer back
_QUEUED_BYTES = 64 * 2**20  # of them in one disk's queue: nr_requests, 128 at least, of 512 KiB
_READS_IN_STRIPES = (2, 6), (2, 6, 20)  # from when on, and until when, raid5 reads went through the stripe cache


def stream(array: Array, pattern: Pattern) -> Bound:
    """The rate of one stream by ``pattern`` from the array's beginning, and what limits it."""
    bounds = [_of_members(array, pattern), *_of_queue(array, pattern), *_of_host(array, pattern)]
    return least(bounds)


def in_flight_bytes(array: Array, pattern: Pattern) -> float:
    """What a stream has asked for at any time."""
    if not pattern.buffered:
        return pattern.block_bytes * pattern.depth
    if pattern.writes:
        return _WRITE_BACK_BYTES
    return _IN_FLIGHT * read_ahead_bytes(array)


def read_ahead_bytes(array: Array) -> float:
    """Two stripes, as md sets it (``md_set_readahead``, ``raid5_set_limits``), unless it was set otherwise."""
    if array.host.read_ahead_bytes is not None:
        return array.host.read_ahead_bytes
    if array.level in (Level.RAID1, Level.LINEAR):
        return _LEAST_READ_AHEAD
    columns = array.data_slots / array.copies.near
    stripe = array.chunk_bytes * (columns if columns == int(columns) else array.slots)
    return max(_LEAST_READ_AHEAD, 2 * stripe)


def _of_members(array: Array, pattern: Pattern) -> Bound:
    write = pattern.writes
    if array.level in (Level.LINEAR, Level.RAID1):
        drives = array.working if array.level is Level.RAID1 and write else array.working[:1]
        slowest = min(drive.stream_b_s(write=write) for drive in drives)
        loads = np.ones(array.slots) if len(drives) > 1 else np.eye(array.slots)[0]
        return least((Bound(slowest, "one disk's own speed"), *_of_links(array, loads, write)))
    moved = _moved(array, write=write)
    seconds = _member_seconds(array, moved, in_flight_bytes(array, pattern), write=write)
    rate = moved.user_bytes / float(seconds.max())
    per_byte = moved.bytes_by_slot(array) / moved.user_bytes
    bound = least((Bound(rate, "the members"), *_of_links(array, per_byte, write)))
    return stripes.batched(array, pattern, bound) if write and array.parities else bound


def _of_links(array: Array, per_byte: NDArray[np.float64], write: bool) -> list[Bound]:
    """What shared links let through, when ``per_byte`` bytes go to each slot for one of the stream."""
    ceilings = dict(array.plan.links)
    loads: dict[str, float] = {}
    for share, of_slot in zip(per_byte, array.link_loads, strict=True):
        for link, load in of_slot[write].items():
            loads[link] = loads.get(link, 0.0) + float(share) * load
    bounds = [Bound(ceilings[link] * 1e6 / load, f"the link {link}", shared=True) for link, load in loads.items()
              if load and ceilings.get(link)]  # fmt: skip
    whole = array.host.write_ceiling_b_s if write else array.host.read_ceiling_b_s
    if whole:
        bounds.append(Bound(whole / max(float(per_byte.sum()), 1.0), "the computer's bus or processor", shared=True))
    return bounds


@dataclass(frozen=True, slots=True)
class _Moved:
    """The cells that a stream of ``user_bytes`` reads or writes, in its order."""

    member: Ints
    row: Ints
    user_bytes: int

    def bytes_by_slot(self, array: Array) -> NDArray[np.float64]:
        moved: NDArray[np.float64] = np.bincount(self.member, minlength=array.slots) * np.float64(array.chunk_bytes)
        return moved


def _moved(array: Array, *, write: bool) -> _Moved:
    """One turn of the layout: every parity position, every pair of copies."""
    geometry = array.geometry
    rows = _turn_rows(array)
    if isinstance(geometry, ParityGeometry):
        cells = _stripe_cells(array, geometry, np.arange(rows, dtype=np.int64), write=write)
        return _Moved(cells[1], cells[0], rows * array.data_slots * array.chunk_bytes)
    chunks = np.arange(rows * array.slots // array.copies.near, dtype=np.int64)
    member, row = geometry.locate(chunks)
    gone = np.array([drive is None for drive in array.drives])
    if write:
        there = ~gone[member]
        return _Moved(member[there], row[there], len(chunks) * array.chunk_bytes)
    taken = np.argmax(_preference(array, chunks, gone[member]), axis=1)
    each = np.arange(len(chunks))
    return _Moved(member[each, taken], row[each, taken], len(chunks) * array.chunk_bytes)


def _turn_rows(array: Array) -> int:
    """Rows after which the layout repeats: every place of the parity, every copy on every member."""
    return 2 * array.copies.near * array.slots


def _preference(array: Array, chunks: Ints, gone: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How much each copy of each chunk is liked: near ones, and any on flash, take turns; else the first is read."""
    copies = array.copies.total
    order = np.zeros(gone.shape) - np.arange(copies)
    if array.copies.far == 1 or not array.spins:
        turn = (chunks * array.copies.near // array.slots) if array.slots % array.copies.near == 0 else chunks
        order = -((np.arange(copies) - turn[:, None]) % copies).astype(np.float64)
    return np.where(gone, -np.inf, order)


def _stripe_cells(array: Array, geometry: ParityGeometry, rows: Ints, *, write: bool) -> tuple[Ints, Ints]:
    """(rows, members) of the cells that streaming over ``rows`` touches."""
    member = np.arange(array.slots)
    there = np.broadcast_to(np.array([drive is not None for drive in array.drives]), (len(rows), array.slots))
    if write:
        touched = there
    else:
        p, q = geometry.parity(rows)
        is_p, is_q = member == p[:, None], member == q[:, None]
        data_gone = (~there & ~is_p & ~is_q).sum(axis=1)[:, None]  # each is computed from one parity more
        first_parity = is_p & there
        second = is_q & there
        has_first = first_parity.any(axis=1)[:, None]
        needs_second = data_gone > np.where(has_first, 1, 0)
        touched = there & ((~is_p & ~is_q) | (first_parity & (data_gone > 0)) | (second & needs_second))
    row, slot = np.nonzero(touched)
    return rows[row], slot.astype(np.int64)


def _member_seconds(array: Array, moved: _Moved, in_flight: float, *, write: bool) -> NDArray[np.float64]:
    """How long each slot takes over its cells: moving, skipping, and going between far bands."""
    band_rows = max(1, array.geometry.rows // array.copies.far) if not array.copies.offset else array.geometry.rows
    order = np.lexsort((moved.row, moved.member))
    member, row = moved.member[order], moved.row[order]
    band = np.minimum(row // band_rows, array.copies.far - 1) if not array.copies.offset else np.zeros_like(row)
    rates = np.array([drive.stream_b_s(write=write) if drive else np.inf for drive in array.drives])
    inner = np.array([1 - drive.inner_share if drive else 0.0 for drive in array.drives])
    used = np.array([array.size_bytes / drive.size_bytes if drive else 0.0 for drive in array.drives])
    place = band / array.copies.far * used[member]
    seconds = array.chunk_bytes / (rates[member] * (1 - inner[member] * place))
    if array.copies.near > 1 and not write and not array.lost and array.spins:
        gaps = np.full_like(row, array.copies.near - 1)  # the nearer head reads, in no regular order
    else:
        gaps = _gaps(member, row, band, _turn_rows(array) * (array.copies.far if array.copies.offset else 1))
    by_slot = np.bincount(member, weights=seconds, minlength=array.slots)
    for gap in np.unique(gaps[gaps > 0]):
        skips = np.bincount(member[gaps == gap], minlength=array.slots)
        by_slot += skips * np.array([d.skip_s(float(gap) * array.chunk_bytes, write=write) if d else 0.0
                                     for d in array.drives])  # fmt: skip
    return by_slot + _between_bands(array, moved, member, band, in_flight, write=write)


def _gaps(member: Ints, row: Ints, band: Ints, turn_rows: int) -> Ints:
    """The rows left out before each cell; before a member's first in a band, those since its last one turn before."""
    first = (np.diff(member, prepend=-1) != 0) | (np.diff(band, prepend=-1) != 0)
    last = np.roll(first, -1)
    gaps = np.diff(row, prepend=0) - 1
    gaps[first] = row[first] + turn_rows - row[last] - 1
    return gaps


def _between_bands(
    array: Array, moved: _Moved, member: Ints, band: Ints, in_flight: float, *, write: bool
) -> NDArray[np.float64]:
    """Seeks between far copies: once a band for each batch that a member can put in order."""
    seconds = np.zeros(array.slots)
    if array.copies.offset or array.copies.far == 1:
        return seconds
    moves = moved.bytes_by_slot(array)
    for slot, drive in enumerate(array.drives):
        if drive is None or not drive.spins:
            continue
        bands = len(np.unique(band[member == slot]))
        if bands > 1:
            share = moves[slot] / moved.user_bytes
            batch = min(in_flight * share, _QUEUED_BYTES) + (_WRITE_CACHE_BYTES if write else 0)
            batches = moves[slot] / batch
            distance = array.size_bytes / drive.size_bytes / array.copies.far
            seconds[slot] = batches * bands * drive.reposition_s(distance)
    return seconds


def _of_queue(array: Array, pattern: Pattern) -> list[Bound]:
    """What is in flight, over the time that one piece of it takes; spinning disks have read ahead by then."""
    if pattern.writes:
        return []
    asked = in_flight_bytes(array, pattern)
    piece = min(array.chunk_bytes, pattern.block_bytes, asked)
    bounds = []
    drive = array.slowest
    if not drive.spins:
        alone_s = drive.read_access_s + piece / drive.read_b_s
        if asked < 2 * array.slots * piece:
            bounds.append(Bound(min(asked, array.slots * piece) / alone_s, "what is in flight"))
    else:
        bounds.append(Bound(asked / drive.cached_s(piece), "what is in flight"))
        first, fixed = _READS_IN_STRIPES
        if pattern.buffered and array.parities and first <= array.host.kernel < fixed:
            window = read_ahead_bytes(array)
            whole = array.data_slots * drive.read_b_s
            bounds.append(Bound(window / (window / whole + drive.turn_s), "read-ahead"))
    return bounds


def _of_host(array: Array, pattern: Pattern) -> list[Bound]:
    """The processor's share: each request, each member's part of it, each page of a stripe."""
    host = array.host
    parts = max(1.0, pattern.block_bytes / array.chunk_bytes) * (array.copies.total if pattern.writes else 1)
    request_s = max(drive.request_s for drive in array.working) + parts * host.member_request_s
    bounds = [Bound(pattern.block_bytes / request_s, "the processor")]
    if pattern.buffered:
        bounds.append(Bound(host.buffered_b_s, "one process through the page cache"))
    if array.parities and (pattern.writes or array.lost):
        pages = array.slots if pattern.writes else array.slots - array.lost
        a_second = host.stripe_threads / (pages * host.stripe_page_s)
        bounds.append(Bound(a_second * array.data_slots * PAGE_BYTES, "md's thread on stripes"))
    return bounds
