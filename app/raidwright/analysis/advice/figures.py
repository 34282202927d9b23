"""Figures that distinguish candidates: probability of loss, and speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction

LOSS_YEARS = 5.0


@dataclass(frozen=True, slots=True)
class PoolSpeeds:
    """Sequential read and write rates, and random I/O rates: in MB/s, or in multiples of one disk's."""

    read: float
    write: float
    random_read: float
    random_write: float

    def over(self, other: PoolSpeeds, factor: float = 1.0) -> PoolSpeeds:
        """Return the ratios of these to ``other``, times ``factor``."""
        return PoolSpeeds(*(factor * getattr(self, name) / getattr(other, name) for name in PoolSpeeds.__slots__))


class Predictions(NamedTuple):
    """Predictions of sequential and random I/O; None if an array has lost its data."""

    read: Prediction | None
    write: Prediction | None
    random_read: Prediction | None
    random_write: Prediction | None


class CandidateFigures(NamedTuple):
    """Likely probabilities of loss within ``LOSS_YEARS``; ``shares`` are speeds relative to the pool's disks'."""

    array_loss: float
    sector_loss: float
    predictions: Predictions
    shares: PoolSpeeds
