"""Geometry of raid4, raid5 and raid6: a stripe is one row over all members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from raidwright.core.md.parity import ParityLayout

from .cells import Cells, Flags, Ints, Role


@dataclass(frozen=True, slots=True)
class ParityGeometry:
    """``rows`` stripes over ``members`` members; ``parities`` chunks of each stripe are P (and Q)."""

    members: int
    rows: int
    chunk_sectors: int
    parities: int
    layout: ParityLayout
    first_row: int = 0

    @property
    def data_members(self) -> int:
        """Data chunks per stripe."""
        return self.members - self.parities

    @property
    def chunks(self) -> int:
        return self.rows * self.data_members

    @property
    def ways_when_whole(self) -> int:
        return self.parities + 1

    def parity(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return (P's member, Q's member) of each row; Q's is -1 for single parity."""
        p: Ints = np.asarray(self.layout.p_member(self.members, rows))
        q = self.layout.q_member(self.members, rows)
        return p, np.full_like(rows, -1) if q is None else np.asarray(q)

    def cells(self, rows: Ints) -> Cells:
        member, stripe = np.arange(self.members), rows[:, None]
        p, q = self.parity(stripe)
        exists = (stripe >= 0) & (stripe < self.rows)
        role = np.where(member == p, Role.P, np.where(member == q, Role.Q, Role.DATA))
        chunk = stripe * self.data_members + self.layout.data_index(self.members, stripe, member)
        return Cells(
            role=np.where(exists, role, Role.EMPTY).astype(np.uint8),
            chunk=np.where(exists & (role == Role.DATA), chunk, -1),
            copy=np.zeros(role.shape, dtype=np.uint8),
        )

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        stripe, index = np.divmod(chunks, self.data_members)
        member: Ints = np.asarray(self.layout.data_member(self.members, stripe, index))
        return member[:, None], stripe[:, None]

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        left = self.parities + 1 - int(np.count_nonzero(failed))
        return np.full((len(rows), self.members), left, dtype=np.int64)
