"""Common types of all geometries: roles, cells (one chunk row of one member) and the ``Geometry`` protocol."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Role(IntEnum):
    """Content of a cell (one chunk row of one member)."""

    EMPTY = 0
    DATA = 1
    COPY = 2  # a second or later copy
    P = 3
    Q = 4


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of some rows; each array is shaped (rows, members).

    ``role`` holds ``Role`` as uint8, ``chunk`` the array's chunk number (-1 for empty, P and Q), ``copy`` the number of
    the copy, from 0.
    """

    role: NDArray[np.uint8]
    chunk: Ints
    copy: NDArray[np.uint8]


class Geometry(Hashable, Protocol):
    """Chunk placement of an array. Row r of a member begins r × ``chunk_sectors`` after its data offset.

    ``chunks`` is the number of chunks; the last may be partial. ``ways_when_whole`` is ``ways`` with no member failed:
    the copies of a chunk, or one more than the parity chunks of a stripe.
    """

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
        """The first row that holds data: 0, except in nested arrays, where the outer array's metadata comes first."""

    @property
    def ways_when_whole(self) -> int: ...

    def cells(self, rows: Ints) -> Cells:
        """Return the cells of ``rows`` (in any order). Rows that don't exist are empty."""

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        """Return (members, rows) of each copy of ``chunks``, shaped (chunks, copies); -1 where a copy doesn't exist."""

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        """Count the independent ways to obtain each cell's content, shaped (rows, members).

        Zero or less: lost; one: no redundancy left. ``failed`` has one flag per member.
        """


def placed(chunk: Ints, copy: Ints, present: Flags) -> Cells:
    """Build cells of data and copies where ``present``, empty elsewhere."""
    role = np.where(copy > 0, Role.COPY, Role.DATA)
    return Cells(
        role=np.where(present, role, Role.EMPTY).astype(np.uint8),
        chunk=np.where(present, chunk, -1),
        copy=np.where(present, copy, 0).astype(np.uint8),
    )
