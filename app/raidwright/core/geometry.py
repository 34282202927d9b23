"""Where every chunk, copy and parity block lies, both ways, for whole windows of rows at a time (numpy)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .plan import Plan

Ints = NDArray[np.int64]


class Role(IntEnum):
    """What a cell (one chunk row of one member) holds."""

    EMPTY = 0
    DATA = 1
    COPY = 2  # a second or later copy
    P = 3
    Q = 4


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of some rows, each array shaped (rows, members).

    ``role`` holds ``Role`` as uint8; ``chunk`` the array chunk, or for P and Q the stripe's first chunk... -1 where none;
    ``copy`` counts from 0.
    """

    role: NDArray[np.uint8]
    chunk: Ints
    copy: NDArray[np.uint8]


class Geometry(Protocol):
    """Where things lie on ``members`` members of ``rows`` rows of ``chunk_sectors``; ``chunks`` is the array's count."""

    @property
    def members(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def chunk_sectors(self) -> int: ...
    @property
    def first_row(self) -> int:
        """The first row that holds data: 0 but for nested arrays, whose outer superblock comes first."""

    def cells(self, rows: Ints) -> Cells:
        """What the given ``rows`` (any order) hold."""

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        """(member, row) of every copy of ``chunks``, each shaped (chunks, copies)."""

    def parity(self, rows: Ints) -> tuple[Ints, Ints]:
        """(P's member, Q's member) of each row, -1 where there is none."""


def geometry_of(plan: Plan) -> Geometry:
    """The plan's geometry; raises PlanRefused as ``capacity_of`` does."""
    raise NotImplementedError
