"""What the stage shows beyond the geometry: each cell's state after failures, and what an access touches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum

import numpy as np
from numpy.typing import NDArray

from .geometry import Geometry, Ints


class CellState(IntEnum):
    """How a cell stands. The last two are on failed members, the others on working ones."""

    EMPTY = 0
    INTACT = 1
    LAST = 2  # one more failure could lose it: the only copy, or a stripe without redundancy left
    RECONSTRUCTABLE = 3  # failed, but its content is elsewhere or can be computed
    LOST = 4


class Touch(StrEnum):
    """Why an access reads or writes a cell."""

    READ = "read"  # the data asked for
    READ_REBUILD = "read-rebuild"  # to compute what a failed member held
    READ_OLD = "read-old"  # read-modify-write: the old data or parity
    READ_REST = "read-rest"  # reconstruct-write: the stripe's untouched data
    WRITE = "write"
    WRITE_COPY = "write-copy"
    WRITE_PARITY = "write-parity"


@dataclass(frozen=True, slots=True)
class TouchedCell:
    """``size_bytes`` at ``offset_bytes`` within the cell (member, row)."""

    member: int
    row: int
    offset_bytes: int
    size_bytes: int
    touch: Touch


def cell_states(geometry: Geometry, rows: Ints, failed: Collection[int]) -> NDArray[np.uint8]:
    """``CellState`` of every cell of ``rows``, shaped (rows, members), when the ``failed`` members are gone."""
    raise NotImplementedError


def touched(
    geometry: Geometry, offset_bytes: int, size_bytes: int, *, write: bool, failed: Collection[int] = ()
) -> tuple[TouchedCell, ...]:
    """What reading or writing this span of the array reads and writes on the members."""
    raise NotImplementedError
