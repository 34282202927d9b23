"""The model's own error by kind of prediction, from the residuals of published arrays (``make published-check``).

A spread is the standard deviation of the logarithm with which the band holds 90 of 100 rows of all published ones of
its kind, each author counting by the root of their rows, beside the spreads of the inputs that are assumed. Kinds with
rows of fewer than two authors have the widest spread of those with more, and none is under 0.12.
"""

from __future__ import annotations

from enum import StrEnum
from math import hypot

from raidwright.core.system.workload import Pattern

from .array import ModelledArray
from .constants import KIND_SPREADS


class ErrorKind(StrEnum):
    """Predictions that err alike in the published world."""

    STREAM = "streams"
    STRIPES_WRITTEN = "streams written with parity"
    RANDOM = "random access, disks that turn"
    SMALL_WRITE = "random writes with parity, disks that turn"
    FLASH = "random access, flash"
    DEGRADED = "with a disk lost"
    SYNC = "a check or rebuild itself"
    BESIDE = "beside a check, a resync or a rebuild"


OWN_SPREADS = {kind: KIND_SPREADS[kind] for kind in ErrorKind}


def error_kind(array: ModelledArray, pattern: Pattern, *, beside: bool) -> ErrorKind:
    """Return the kind of a prediction of ``array``; ``beside``: while md syncs or rebuilds it."""
    if beside:
        return ErrorKind.BESIDE
    if pattern.is_random and not array.spins:
        return ErrorKind.FLASH
    if pattern.writes and array.parities:
        return ErrorKind.SMALL_WRITE if pattern.is_random else ErrorKind.STRIPES_WRITTEN
    if array.lost:
        return ErrorKind.DEGRADED
    return ErrorKind.RANDOM if pattern.is_random else ErrorKind.STREAM


def own_spread(array: ModelledArray, pattern: Pattern, *, beside: bool) -> float:
    """Return the model's own log deviation when all inputs are known.

    On practice disks, which answer by the model's own physics: as all cells of three draws of ``make predict-check``
    have it (seeds 20261127 to 20261129), of which 92 of 100 are within the band; of slices as two volumes have it
    (``make predict-check JOINED=2``).
    """
    if not array.host.practice:
        return OWN_SPREADS[error_kind(array, pattern, beside=beside)]
    own = 0.1 if pattern.writes and array.parities else 0.035
    sliced = 0.15 if array.bands else 0.0
    return hypot(own, sliced, 0.05 if array.lost else 0.0, 0.2 if beside and array.spins else 0.0)
