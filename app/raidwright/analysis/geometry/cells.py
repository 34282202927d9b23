"""What every geometry speaks of: members, rows, and the cells where they meet."""

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
    """What a cell (one chunk row of one member) holds."""

    EMPTY = 0
    DATA = 1
    COPY = 2  # a second or later copy
    P = 3
    Q = 4


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of some rows; each array is shaped (rows, members).

    ``role`` holds ``Role`` as uint8, ``chunk`` the array's chunk (-1 where there is none: empty, P and Q),
    ``copy`` which copy of it this is, from 0.
    """

    role: NDArray[np.uint8]
    chunk: Ints
    copy: NDArray[np.uint8]


class Geometry(Hashable, Protocol):
    """Where an array's chunks lie. Row r of a member begins r × ``chunk_sectors`` behind its data offset.

    ``chunks`` is how many the array has; the last may be cut short. ``ways_when_whole`` is ``ways`` with nothing
    failed: the copies of a chunk, or one more than the parity chunks of a stripe.
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
        """The first row that holds data: 0 but in nested arrays, where the outer array's metadata comes first."""

    @property
    def ways_when_whole(self) -> int: ...

    def cells(self, rows: Ints) -> Cells:
        """What ``rows``, in any order, hold. Rows that don't exist are empty."""

    def locate(self, chunks: Ints) -> tuple[Ints, Ints]:
        """(member, row) of every copy of ``chunks``, each shaped (chunks, copies); -1 where a copy doesn't exist."""

    def ways(self, rows: Ints, failed: Flags) -> Ints:
        """In how many independent ways each cell's content can still be had, shaped (rows, members).

        Zero or less is lost; one is the last. ``failed`` has a flag for each member.
        """


def placed(chunk: Ints, copy: Ints, present: Flags) -> Cells:
    """Cells of data and copies where ``present``, empty elsewhere."""
    role = np.where(copy > 0, Role.COPY, Role.DATA)
    return Cells(
        role=np.where(present, role, Role.EMPTY).astype(np.uint8),
        chunk=np.where(present, chunk, -1),
        copy=np.where(present, copy, 0).astype(np.uint8),
    )
