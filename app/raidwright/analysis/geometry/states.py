"""States of cells after member failures, for the stage."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from .of_plan import Flags, Geometry, Ints, Role


class CellState(IntEnum):
    """State of a cell. RECONSTRUCTABLE and LOST are for cells of failed members, INTACT and LAST for working ones."""

    EMPTY = 0
    INTACT = 1
    LAST = 2  # the last copy of its content, or its stripe has no redundancy left
    RECONSTRUCTABLE = 3  # failed, but its content has another copy or can be computed
    LOST = 4


def cell_states(geometry: Geometry, rows: Ints, failed: Collection[int]) -> NDArray[np.uint8]:
    """Return the ``CellState`` of every cell of ``rows``, shaped (rows, members), with the ``failed`` members gone."""
    flags = failed_flags(geometry, failed)
    role, ways = geometry.cells(rows).role, geometry.ways(rows, flags)
    is_last = (ways <= 1) & (geometry.ways_when_whole > 1)
    working = np.where(is_last, CellState.LAST, CellState.INTACT)
    gone = np.where(ways > 0, CellState.RECONSTRUCTABLE, CellState.LOST)
    states = np.where(flags, gone, working)
    return np.where(role == Role.EMPTY, CellState.EMPTY, states).astype(np.uint8)


def failed_flags(geometry: Geometry, failed: Collection[int]) -> Flags:
    """Return one flag per member, true for ``failed``."""
    flags = np.zeros(geometry.members, dtype=np.bool_)
    flags[list(failed)] = True
    return flags
