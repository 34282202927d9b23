"""The stage's content as values: the visible rows, and each cell's content, colour and state.

Made from ``core.geometry`` and ``core.stage`` only; no Qt here. A scene equals only itself.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from raidwright.analysis.geometry.of_plan import Cells, Geometry, Ints
from raidwright.analysis.geometry.states import cell_states
from raidwright.analysis.geometry.stripes import stripes_of
from raidwright.colours import STRIPES

# Copies more than this many rows away are shown in a separate band: those of far layouts.
_FAR_ROWS = 64

States = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Consecutive rows; arrays shaped (rows, members). ``colour`` indexes ``STRIPES``, -1 for no colour."""

    rows: Ints
    cells: Cells
    colour: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The visible bands, from the top, without failures; ``source`` has all rows."""

    members: int
    chunk_sectors: int
    bands: tuple[Band, ...]
    source: Geometry


@lru_cache(maxsize=4)  # scrolling calls it several times per frame
def band_starts(geometry: Geometry) -> tuple[int, ...]:
    """Return the first rows of the bands: one band, or with far copies one per set of copies."""
    _members, rows = geometry.locate(np.zeros(1, dtype=np.int64))
    distances = sorted({int(row) - int(rows[0, 0]) for row in rows[0]})
    return (geometry.first_row, *(geometry.first_row + gap for gap in distances if gap > _FAR_ROWS))


def rows_to_scroll(geometry: Geometry) -> int:
    """Return the rows of a band, the scrolling range."""
    starts = band_starts(geometry)
    return (starts[1] if len(starts) > 1 else geometry.rows) - starts[0]


def scene_of(geometry: Geometry, first: int, count: int) -> Scene:
    """Return ``count`` rows of every band, from its ``first``-th row on."""
    bands = []
    for start in band_starts(geometry):
        rows = np.arange(start + first, min(start + first + count, geometry.rows), dtype=np.int64)
        cells = geometry.cells(rows)
        bands.append(Band(rows, cells, _colours(geometry, rows, cells)))
    return Scene(geometry.members, geometry.chunk_sectors, tuple(bands), geometry)


def states_of(geometry: Geometry, scene: Scene, failed: Collection[int]) -> tuple[States, ...]:
    """Return the ``CellState`` of every cell of each band without the ``failed`` slots."""
    return tuple(cell_states(geometry, band.rows, failed) for band in scene.bands)


def _colours(geometry: Geometry, rows: Ints, cells: Cells) -> Ints:
    """Return a colour for each stripe."""
    stripes = stripes_of(geometry, rows, cells)
    return np.where(stripes < 0, -1, stripes % len(STRIPES))
