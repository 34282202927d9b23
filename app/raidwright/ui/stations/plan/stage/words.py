"""A cell of the stage in words: its content, its place, and the other copies of its content."""

from __future__ import annotations

import numpy as np

from raidwright.analysis.geometry.cells import Cells, Geometry, Role
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import tr

from .layout import CellPlace
from .picture import SlotColumn, StagePicture


def cell_words(geometry: Geometry, picture: StagePicture, place: CellPlace) -> str:
    """Return three lines or fewer on the cell at ``place``; the column's disk for an empty one."""
    band, column = picture.scene.bands[place.band], picture.columns[place.slot]
    row = int(band.rows[place.row])
    role, chunk = Role(band.cells.role[place.row, place.slot]), int(band.cells.chunk[place.row, place.slot])
    if role is Role.EMPTY:
        return column.hint
    where = _where(geometry, column, row)
    if role in (Role.P, Role.Q):
        covered = _data_of(band.cells, place.row)
        return "\n".join((tr("{role}: parity over chunks {chunks}", role=role.name, chunks=covered), where))
    copy = int(band.cells.copy[place.row, place.slot])
    at = chunk * geometry.chunk_sectors * SECTOR_BYTES
    if geometry.ways_when_whole > 1 and not _has_parity(band.cells):
        title = tr("Chunk {n:,}, copy {copy}, at {at:binary} of the array", n=chunk, copy=copy + 1, at=at)
    else:
        title = tr("Chunk {n:,}, at {at:binary} of the array", n=chunk, at=at)
    lines = (
        title,
        where,
        _elsewhere(geometry, picture, chunk, row, place.slot),
    )
    return "\n".join(line for line in lines if line)


def _where(geometry: Geometry, column: SlotColumn, row: int) -> str:
    start = (column.head_sectors + row * geometry.chunk_sectors) * SECTOR_BYTES
    return tr("{slot}, row {row:,}: byte {start:,} of the member", slot=column.title, row=row, start=start)


def _elsewhere(geometry: Geometry, picture: StagePicture, chunk: int, row: int, slot: int) -> str:
    members, rows = geometry.locate(np.array([chunk], dtype=np.int64))
    others = [
        tr("{slot} row {row:,}", slot=picture.columns[member].title, row=at)
        for member, at in zip(members[0].tolist(), rows[0].tolist(), strict=True)
        if member >= 0 and (member, at) != (slot, row)
    ]
    return tr("Also on {places}", places=others) if others else ""


def _has_parity(cells: Cells) -> bool:
    return bool(np.isin(cells.role, (Role.P, Role.Q)).any())


def _data_of(cells: Cells, row: int) -> list[int]:
    return sorted({int(chunk) for chunk in cells.chunk[row] if chunk >= 0})
