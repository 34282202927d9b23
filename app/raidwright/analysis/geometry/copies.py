"""Geometry of raid10 in all its layouts, and of raid1, which is raid10 with as many near copies as members.

Source: kernel ``raid10.c`` (``__raid10_find_phys``, ``raid10_find_virt``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from raidwright.core.md.layouts import Copies

from .cells import Cells, Flags, Ints, placed


@dataclass(frozen=True, slots=True)
class CopiesGeometry:
    """raid10 ``layout`` over ``members`` members of ``rows`` rows. Copy j × far + f is near copy j's far copy f."""

    members: int
    rows: int
    chunk_sectors: int
    chunks: int
    layout: Copies
    first_row: int = 0

    @property
    def ways_when_whole(self) -> int:
        return self.layout.total

    @property
    def band_rows(self) -> int:
        """Rows from one far copy to the next; each band holds every chunk's near copies once."""
        return self.rows // self.layout.far

    def cells(self, rows: Ints) -> Cells:
        near, far = self.layout.near, self.layout.far
        band, row = (rows % far, rows // far) if self.layout.offset else (rows // self.band_rows, rows % self.band_rows)
        member = (np.arange(self.members) - near * band[:, None]) % self.members
        position = row[:, None] * self.members + member
        chunk = position // near
        present = (chunk < self.chunks) & (band < far)[:, None] & (rows >= 0)[:, None]
        return placed(chunk, position % near * far + band[:, None], present)

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        near, far, offset = self.layout.near, self.layout.far, self.layout.offset
        copy = np.arange(near * far)
        position = chunks[:, None] * near + copy // far
        band = copy % far
        member = (position + near * band) % self.members
        row = position // self.members
        row = row * far + band if offset else row + band * self.band_rows
        return member, row

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        cells = self.cells(rows)
        member, _ = self.locate(cells.chunk.ravel())
        alive: Ints = (~failed)[member].sum(axis=1, dtype=np.int64)
        return alive.reshape(cells.chunk.shape)
