"""Which failures lose nothing: counted exactly, never sampled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from .plan import Plan


@dataclass(frozen=True, slots=True)
class Survival:
    """A plan seen by what fails. Failures are indices into ``units``, the disks in order of first appearance."""

    units: tuple[str, ...]

    def counts(self, k: int) -> tuple[int, int]:
        """(sets of ``k`` failures that lose nothing, all sets of ``k``)."""
        raise NotImplementedError

    def survives(self, failed: Collection[int]) -> bool:
        """Whether the array still runs with all its data when these units have failed."""
        raise NotImplementedError

    def most(self) -> int:
        """The largest k for which every set of k failures loses nothing (-1: it doesn't even start)."""
        raise NotImplementedError

    def fatal_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of units that lose data together."""
        raise NotImplementedError

    def lost_fraction(self, failed: Collection[int]) -> Fraction:
        """How much of the array's data has no copy left and can't be computed."""
        raise NotImplementedError


def survival_of(plan: Plan) -> Survival:
    """The plan's survival; ``missing`` members have failed already."""
    raise NotImplementedError
