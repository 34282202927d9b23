"""Geometry of nested arrays: outer chunk → inner chunk → cell of a disk.

Outer and inner chunk size may differ, and the outer array's data begins after its own metadata; so everything is
counted in granules, the largest size that divides them all.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from raidwright.core.md.array_survival import array_survives
from raidwright.core.model.plan import MdArray

from .cells import Cells, Flags, Geometry, Ints, Role


@dataclass(frozen=True, slots=True)
class Inner:
    """One member of the outer array: an inner array, or a bare disk (``geometry`` and ``plan`` None).

    ``data_offset_sectors`` is the outer array's data offset on it; ``first_member`` numbers its first disk.
    """

    geometry: Geometry | None
    array: MdArray | None
    data_offset_sectors: int
    first_member: int

    @property
    def members(self) -> int:
        """The number of disks in this slot."""
        return self.geometry.members if self.geometry else 1


@dataclass(frozen=True, slots=True)
class NestedGeometry:
    """Geometry of an array of arrays: ``chunk_sectors`` is the granule; ``members`` counts all ``inners``' disks."""

    outer: Geometry
    inners: tuple[Inner, ...]
    chunk_sectors: int
    chunks: int

    @property
    def members(self) -> int:
        return sum(inner.members for inner in self.inners)

    @property
    def rows(self) -> int:
        return max(self._rows_of(inner) for inner in self.inners)

    @property
    def first_row(self) -> int:
        _, row = self.locate(np.arange(min(self.chunks, 4096), dtype=np.int64))
        return int(row[row >= 0].min())

    @property
    def ways_when_whole(self) -> int:
        inner = max(inner.geometry.ways_when_whole if inner.geometry else 1 for inner in self.inners)
        return inner + self.outer.ways_when_whole - 1

    def _rows_of(self, inner: Inner) -> int:
        if inner.geometry is None:
            return self.outer.rows * self.outer.chunk_sectors // self.chunk_sectors
        return inner.geometry.rows * inner.geometry.chunk_sectors // self.chunk_sectors

    def _inner_cells(self, inner: Inner, rows: Ints) -> tuple[Cells, Ints]:
        """Return the inner array's cells, and the sector of the outer array's member at which each begins."""
        if inner.geometry is None:
            flat = np.zeros((len(rows), 1), dtype=np.int64)
            return Cells((flat + Role.DATA).astype(np.uint8), flat, flat.astype(np.uint8)), rows[
                :, None
            ] * self.chunk_sectors
        step = inner.geometry.chunk_sectors // self.chunk_sectors
        cells = inner.geometry.cells(rows // step)
        within = (rows % step * self.chunk_sectors)[:, None]
        return cells, cells.chunk * inner.geometry.chunk_sectors + within - inner.data_offset_sectors

    def cells(self, rows: Ints) -> Cells:
        parts = [self._cells_of(slot, inner, rows) for slot, inner in enumerate(self.inners)]
        return Cells(*(np.concatenate([getattr(part, name) for part in parts], axis=1) for name in Cells.__slots__))

    def _cells_of(self, slot: int, inner: Inner, rows: Ints) -> Cells:
        cells, sector = self._inner_cells(inner, rows)
        outer_row, within = np.divmod(sector, self.outer.chunk_sectors)
        outer_row = np.where((cells.chunk >= 0) & (sector >= 0), outer_row, -1)
        held = self.outer.cells(outer_row.ravel())
        role, chunk, copy = (getattr(held, name)[:, slot].reshape(sector.shape) for name in Cells.__slots__)
        step = self.outer.chunk_sectors // self.chunk_sectors
        copies = inner.geometry.ways_when_whole if inner.geometry else 1
        copy = copy * copies + cells.copy
        is_data = (role == Role.DATA) | (role == Role.COPY)
        role = np.where(is_data, np.where(copy > 0, Role.COPY, Role.DATA), role)
        of_inner = (cells.role == Role.P) | (cells.role == Role.Q)
        return Cells(
            role=np.where(of_inner, cells.role, role).astype(np.uint8),
            chunk=np.where(is_data, chunk * step + within // self.chunk_sectors, -1),
            copy=np.where(is_data, copy, 0).astype(np.uint8),
        )

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        step = self.outer.chunk_sectors // self.chunk_sectors
        slot, outer_row = self.outer.locate(chunks // step)
        sector = outer_row * self.outer.chunk_sectors + (chunks % step * self.chunk_sectors)[:, None]
        copies = max(self._copies_of(inner) for inner in self.inners)
        member = np.full((*slot.shape, copies), -1, dtype=np.int64)
        row = np.full_like(member, -1)
        for number, inner in enumerate(self.inners):
            here = slot == number
            found = self._locate_in(inner, sector[here])
            width = found[0].shape[1]
            member[here, :width], row[here, :width] = found
        return member.reshape(len(chunks), -1), row.reshape(len(chunks), -1)

    def _copies_of(self, inner: Inner) -> int:
        return inner.geometry.locate(np.zeros(1, dtype=np.int64))[0].shape[1] if inner.geometry else 1

    def _locate_in(self, inner: Inner, sector: Ints) -> tuple[Ints, Ints]:
        if inner.geometry is None:
            return np.full((len(sector), 1), inner.first_member, dtype=np.int64), sector[:, None] // self.chunk_sectors
        chunk, within = np.divmod(sector + inner.data_offset_sectors, inner.geometry.chunk_sectors)
        member, row = inner.geometry.locate(chunk)
        step = inner.geometry.chunk_sectors // self.chunk_sectors
        return member + inner.first_member, row * step + within[:, None] // self.chunk_sectors

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        """Add the inner array's ways to the ways that the outer array has without this inner array."""
        gone = self.dead_inners(np.flatnonzero(failed).tolist())
        dead = np.array([slot in gone for slot in range(len(self.inners))])
        columns = []
        for slot, inner in enumerate(self.inners):
            part = failed[inner.first_member : inner.first_member + inner.members]
            _, sector = self._inner_cells(inner, rows)
            outer = self.outer.ways(np.maximum(sector.ravel() // self.outer.chunk_sectors, 0), dead)[:, slot]
            others = outer.reshape(sector.shape) - (not dead[slot])
            columns.append(self._inner_ways(inner, rows, part) + others)
        return np.concatenate(columns, axis=1)

    def dead_inners(self, failed: Collection[int]) -> set[int]:
        """Return the outer array's slots that are lost when the ``failed`` disks are."""
        dead = set()
        for slot, inner in enumerate(self.inners):
            own = {member - inner.first_member for member in failed} & set(range(inner.members))
            if not (array_survives(inner.array, own) if inner.array else not own):
                dead.add(slot)
        return dead

    def _inner_ways(self, inner: Inner, rows: Ints, failed: Flags) -> Ints:
        if inner.geometry is None:
            return np.broadcast_to(~failed, (len(rows), 1)).astype(np.int64)
        return inner.geometry.ways(rows // (inner.geometry.chunk_sectors // self.chunk_sectors), failed)
