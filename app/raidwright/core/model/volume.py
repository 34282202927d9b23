"""LVM's linear volume over md arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .array import MdArray
from .member import Member


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a joined volume: ``sectors`` of the array at place ``member``, from its sector ``start_sector`` on."""

    member: int
    start_sector: int
    sectors: int


@dataclass(frozen=True, slots=True)
class LinearVolume:
    """A logical volume over ``arrays``, one after the other, each on slices of disks (``core.md.joined``)."""

    arrays: tuple[MdArray, ...]
    name: str = "md0"
    homehost: str = ""  # of its arrays
    pieces: tuple[Piece, ...] = ()  # of one that has grown, in its order; () as a new one has them

    @property
    def is_nested(self) -> bool:
        """True: what lies in it are arrays."""
        return True

    @property
    def inner(self) -> tuple[MdArray, ...]:
        """The arrays directly below, as of a nested array."""
        return self.arrays

    @property
    def is_guessed(self) -> bool:
        """True if a field of an existing array is unknown."""
        return any(array.is_guessed for array in self.arrays)

    def as_built(self) -> LinearVolume:
        """Return the volume just created: nothing is unknown, and it isn't in pieces."""
        return replace(self, arrays=tuple(array.as_built() for array in self.arrays), pieces=())

    def md_arrays(self) -> Iterator[MdArray]:
        """Yield the arrays, and those in them, in order."""
        for array in self.arrays:
            yield from array.md_arrays()

    def disks(self) -> Iterator[Member]:
        """Yield every slice of its arrays."""
        for array in self.arrays:
            yield from array.disks()

    def each_disk(self, change: Callable[[Member], Member]) -> LinearVolume:
        """Return the volume with ``change`` applied to every slice of ``disks``."""
        return replace(self, arrays=tuple(array.each_disk(change) for array in self.arrays))
