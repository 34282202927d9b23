"""Member I/O of one array access: the cells (member, row) that a read or write reads and writes, parity included.

Sources: kernel ``raid5.c handle_stripe_dirtying`` (read-modify-write or reconstruct-write), ``raid1.c`` and
``raid10.c read_balance``: the first working copy is read, which is what far layouts always do and the other layouts
do when idle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np

from raidwright.core.units import SECTOR_BYTES

from .nested import Inner, NestedGeometry
from .of_plan import Geometry
from .parity_rows import ParityGeometry

_PAGE_BYTES = 4096  # raid456 works on stripes of one page a member
MAX_CHUNKS = 100_000


class Touch(StrEnum):
    """Reason why an access reads or writes a cell."""

    READ = "read"  # the requested data
    READ_REBUILD = "read-rebuild"  # to reconstruct a failed member's data
    READ_OLD = "read-old"  # read-modify-write: old data and old parity
    READ_REST = "read-rest"  # reconstruct-write: the stripe's other data
    WRITE = "write"
    WRITE_COPY = "write-copy"
    WRITE_PARITY = "write-parity"
    UNREADABLE = "unreadable"  # requested, but lost


WRITES = frozenset({Touch.WRITE, Touch.WRITE_COPY, Touch.WRITE_PARITY})


@dataclass(frozen=True, slots=True)
class TouchedCell:
    """``size_bytes`` at ``offset_bytes`` within the cell (member, row)."""

    member: int
    row: int
    offset_bytes: int
    size_bytes: int
    touch: Touch


def touched(
    geometry: Geometry, offset_bytes: int, size_bytes: int, *, write: bool, failed: Collection[int] = ()
) -> tuple[TouchedCell, ...]:
    """Return the cells that reading or writing ``size_bytes`` at ``offset_bytes`` of the array reads and writes.

    The part beyond the array's end is left out. Raises ValueError for a span of more than ``MAX_CHUNKS`` chunks.
    """
    chunk_bytes = geometry.chunk_sectors * SECTOR_BYTES
    end = min(offset_bytes + size_bytes, geometry.chunks * chunk_bytes)
    if size_bytes // chunk_bytes > MAX_CHUNKS:
        raise ValueError(f"more than {MAX_CHUNKS} chunks")
    if isinstance(geometry, NestedGeometry):
        return tuple(_nested(geometry, offset_bytes, end - offset_bytes, write, frozenset(failed)))
    pieces = tuple(_pieces(offset_bytes, end, chunk_bytes))
    if not pieces:
        return ()
    if isinstance(geometry, ParityGeometry):
        access = _write_stripe if write else _read_stripe
        return tuple(cell for stripe in _stripes(geometry, pieces) for cell in access(geometry, *stripe, set(failed)))
    return tuple(_copies(geometry, pieces, write, set(failed)))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of one chunk, in bytes within it; ``chunk`` is the array's chunk number or the data index in a stripe."""

    chunk: int
    start: int
    end: int


def _pieces(start: int, end: int, chunk_bytes: int) -> Iterator[_Piece]:
    while start < end:
        chunk, within = divmod(start, chunk_bytes)
        until = min(end, (chunk + 1) * chunk_bytes)
        yield _Piece(chunk, within, until - chunk * chunk_bytes)
        start = until


def _copies(geometry: Geometry, pieces: tuple[_Piece, ...], write: bool, failed: set[int]) -> Iterator[TouchedCell]:
    """Yield the cells of striped or mirrored pieces: a read takes the first working copy, a write takes all copies."""
    members, rows = geometry.locate(np.array([piece.chunk for piece in pieces], dtype=np.int64))
    for piece, on, at in zip(pieces, members.tolist(), rows.tolist(), strict=True):
        working = [(member, row) for member, row in zip(on, at, strict=True) if member not in failed]
        if not working:
            yield _cell(on[0], at[0], piece, Touch.UNREADABLE)
        for number, (member, row) in enumerate(working if write else working[:1]):
            touch = (Touch.WRITE_COPY if number else Touch.WRITE) if write else Touch.READ
            yield _cell(member, row, piece, touch)


def _cell(member: int, row: int, piece: _Piece, touch: Touch) -> TouchedCell:
    return TouchedCell(member, row, piece.start, piece.end - piece.start, touch)


def _stripes(geometry: ParityGeometry, pieces: tuple[_Piece, ...]) -> Iterator[tuple[int, tuple[_Piece, ...]]]:
    """Yield each touched stripe's number and its pieces, numbered by data index."""
    stripes: defaultdict[int, list[_Piece]] = defaultdict(list)
    for piece in pieces:
        stripe, index = divmod(piece.chunk, geometry.data_members)
        stripes[stripe].append(_Piece(index, piece.start, piece.end))
    for stripe, parts in stripes.items():
        yield stripe, tuple(parts)


@dataclass(frozen=True, slots=True)
class _Stripe:
    """The members of one stripe: data by index, then P and Q."""

    data: tuple[int, ...]
    parity: tuple[int, ...]

    @classmethod
    def of(cls, geometry: ParityGeometry, stripe: int) -> _Stripe:
        members, layout = geometry.members, geometry.layout
        parity = (layout.p_member(members, stripe), layout.q_member(members, stripe))
        return cls(
            tuple(int(layout.data_member(members, stripe, index)) for index in range(geometry.data_members)),
            tuple(member for member in parity if member is not None),
        )


def _read_stripe(
    geometry: ParityGeometry, stripe: int, parts: tuple[_Piece, ...], failed: set[int]
) -> Iterator[TouchedCell]:
    """Read the data; reconstruct a failed member's chunk from as many members as the stripe has data, P before Q."""
    members = _Stripe.of(geometry, stripe)
    sources = [member for member in (*members.data, *members.parity) if member not in failed][: len(members.data)]
    for part in parts:
        member = members.data[part.chunk]
        if member not in failed:
            yield _cell(member, stripe, part, Touch.READ)
        elif len(sources) < len(members.data):
            yield _cell(member, stripe, part, Touch.UNREADABLE)
        else:
            yield from (_cell(source, stripe, part, Touch.READ_REBUILD) for source in sources)


def _write_stripe(
    geometry: ParityGeometry, stripe: int, parts: tuple[_Piece, ...], failed: set[int]
) -> Iterator[TouchedCell]:
    """Write the data and the parity covering it, page column by page column as md does."""
    members = _Stripe.of(geometry, stripe)
    for start, end in _columns(parts, geometry.chunk_sectors * SECTOR_BYTES):
        column = _Piece(0, start, end)
        within = [part for part in parts if part.start < end and part.end > start]
        changed = {members.data[part.chunk] for part in within}
        whole = {members.data[part.chunk] for part in within if part.start <= start and part.end >= end}
        for member, touch in _reads_before_write(members, changed, whole, failed):
            yield _cell(member, stripe, column, touch)
        for part in within:
            member = members.data[part.chunk]
            if member not in failed:
                clipped = _Piece(part.chunk, max(part.start, start), min(part.end, end))
                yield _cell(member, stripe, clipped, Touch.WRITE)
        for member in members.parity:
            if member not in failed:
                yield _cell(member, stripe, column, Touch.WRITE_PARITY)


def _columns(parts: tuple[_Piece, ...], chunk_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield the page-aligned (start, end) byte spans over which the same data chunks are written in the same way."""
    edges = {edge for part in parts for place in (part.start, part.end) for edge in _page_edges(place, chunk_bytes)}
    bounds = sorted(edges)
    for start, end in pairwise(bounds):
        if any(part.start < end and part.end > start for part in parts):
            yield start, end


def _page_edges(place: int, chunk_bytes: int) -> tuple[int, int]:
    return place // _PAGE_BYTES * _PAGE_BYTES, min(-(-place // _PAGE_BYTES) * _PAGE_BYTES, chunk_bytes)


def _reads_before_write(
    members: _Stripe, changed: set[int], whole: set[int], failed: set[int]
) -> list[tuple[int, Touch]]:
    """Return the reads of a read-modify-write if strictly fewer and all readable, else of a reconstruct-write."""
    modify = [*(member for member in members.data if member in changed), *members.parity]
    rest = [member for member in members.data if member not in whole]
    modify_works, rest_works = failed.isdisjoint(modify), failed.isdisjoint(rest)
    if modify_works and (len(modify) < len(rest) or not rest_works):
        return [(member, Touch.READ_OLD) for member in modify]
    if rest_works:
        return [(member, Touch.READ_REST) for member in rest]
    return [(member, Touch.READ_REBUILD) for member in (*members.data, *members.parity) if member not in failed]


def _nested(
    geometry: NestedGeometry, offset: int, size: int, write: bool, failed: frozenset[int]
) -> Iterator[TouchedCell]:
    """Yield the cells of an access to a nested array: each access of the outer array is an access to an inner array."""
    dead = geometry.dead_inners(failed)
    for outer in touched(geometry.outer, offset, size, write=write, failed=dead):
        inner = geometry.inners[outer.member]
        start = outer.row * geometry.outer.chunk_sectors * SECTOR_BYTES + outer.offset_bytes
        for cell in _inside(inner, start, outer, failed):
            yield from _in_granules(geometry, inner, cell)


def _inside(inner: Inner, start: int, outer: TouchedCell, failed: frozenset[int]) -> Iterator[TouchedCell]:
    """Yield the cells within one outer member; a bare disk counts as one long cell."""
    if inner.geometry is None:
        yield TouchedCell(0, 0, start, outer.size_bytes, outer.touch)
        return
    own = {member - inner.first_member for member in failed}
    span = inner.data_offset_sectors * SECTOR_BYTES + start
    writes = outer.touch in WRITES
    for cell in touched(inner.geometry, span, outer.size_bytes, write=writes, failed=own & set(range(inner.members))):
        purpose = outer.touch if cell.touch in (Touch.READ, Touch.WRITE) else cell.touch
        yield TouchedCell(cell.member, cell.row, cell.offset_bytes, cell.size_bytes, purpose)


def _in_granules(geometry: NestedGeometry, inner: Inner, cell: TouchedCell) -> Iterator[TouchedCell]:
    """Cut a cell of an inner array into cells of the nested geometry."""
    cell_bytes = inner.geometry.chunk_sectors * SECTOR_BYTES if inner.geometry else 0
    start = cell.row * cell_bytes + cell.offset_bytes
    for piece in _pieces(start, start + cell.size_bytes, geometry.chunk_sectors * SECTOR_BYTES):
        yield _cell(inner.first_member + cell.member, piece.chunk, piece, cell.touch)
