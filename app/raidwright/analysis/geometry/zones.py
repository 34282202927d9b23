"""Geometry of raid0 and linear: zones of rows, each over the members long enough to reach it.

Source: kernel ``raid0.c`` (``create_strip_zones``, ``find_zone``, ``map_sector``), ``md-linear.c``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cells import Cells, Flags, Ints, placed


@dataclass(frozen=True, slots=True)
class ZonedGeometry:
    """Zones over members of ``lengths`` rows. ``alternate`` is raid0's layout 2: each zone counts its chunks from 0."""

    lengths: tuple[int, ...]
    chunk_sectors: int
    chunks: int
    zones: tuple[Zone, ...]
    alternate: bool = False
    first_row: int = 0
    ways_when_whole: int = 1

    @property
    def members(self) -> int:
        return len(self.lengths)

    @property
    def rows(self) -> int:
        return max(self.lengths)

    def cells(self, rows: Ints) -> Cells:
        chunk = np.full((len(rows), self.members), -1, dtype=np.int64)
        for zone in self.zones:
            inside = np.flatnonzero((rows >= zone.first_row) & (rows < zone.end_row))
            width = len(zone.members)
            start = (zone.first_chunk + (rows[inside] - zone.first_row) * width)[:, None]
            index = np.arange(width)
            turned = index if self.alternate else (index - start) % width
            chunk[np.ix_(inside, np.array(zone.members))] = start + turned
        return placed(chunk, np.zeros_like(chunk), (chunk >= 0) & (chunk < self.chunks))

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        member, row = np.full_like(chunks, -1), np.full_like(chunks, -1)
        for zone in self.zones:
            inside = (chunks >= zone.first_chunk) & (chunks < zone.end_chunk)
            width = len(zone.members)
            behind = chunks[inside] - zone.first_chunk
            index = (behind if self.alternate else chunks[inside]) % width
            member[inside] = np.array(zone.members)[index]
            row[inside] = zone.first_row + behind // width
        return member[:, None], row[:, None]

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        return np.broadcast_to(~failed, (len(rows), self.members)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Zone:
    """Rows ``first_row`` to ``end_row`` (exclusive) of ``members``; its chunks begin at ``first_chunk``."""

    members: tuple[int, ...]
    first_row: int
    end_row: int
    first_chunk: int

    @property
    def end_chunk(self) -> int:
        """One past the zone's last chunk."""
        return self.first_chunk + (self.end_row - self.first_row) * len(self.members)


def striped(lengths: tuple[int, ...], chunk_sectors: int, chunks: int, *, alternate: bool) -> ZonedGeometry:
    """Build raid0's zones over members of ``lengths`` rows."""
    zones: list[Zone] = []
    first_row = first_chunk = 0
    for end_row in sorted(set(lengths)):
        members = tuple(member for member, length in enumerate(lengths) if length > first_row)
        zones.append(Zone(members, first_row, end_row, first_chunk))
        first_row, first_chunk = end_row, zones[-1].end_chunk
    return ZonedGeometry(lengths, chunk_sectors, chunks, tuple(zones), alternate)


def concatenated(lengths: tuple[int, ...], chunk_sectors: int) -> ZonedGeometry:
    """Build linear's zones over members of ``lengths`` rows: one zone per member."""
    zones: list[Zone] = []
    for member, length in enumerate(lengths):
        zones.append(Zone((member,), 0, length, zones[-1].end_chunk if zones else 0))
    return ZonedGeometry(lengths, chunk_sectors, sum(lengths), tuple(zones))
