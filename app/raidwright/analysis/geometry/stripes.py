"""The stripe that each cell of a geometry belongs to, which decides its colour on the stage and in reports."""

from __future__ import annotations

import numpy as np

from .cells import Cells, Geometry, Ints, Role


def stripes_of(geometry: Geometry, rows: Ints, cells: Cells) -> Ints:
    """Return the stripe of each cell, from 0; -1 for an empty cell. Shaped (rows, members), as ``cells``.

    It is the row of the chunk's first copy, so that copies share their chunk's stripe; parity has its own row's.
    """
    stripe = np.broadcast_to(rows[:, None], cells.role.shape).copy()
    holds_data = (cells.role == Role.DATA) | (cells.role == Role.COPY)
    if holds_data.any():
        _members, found = geometry.locate(cells.chunk[holds_data])
        stripe[holds_data] = found[:, 0]
    stripe -= geometry.first_row
    stripe[cells.role == Role.EMPTY] = -1
    return stripe
