"""What candidates are told apart by: how likely each loses data, and how fast it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from raidwright.analysis.performance.prediction import Prediction

LOSS_YEARS = 5.0


@dataclass(frozen=True, slots=True)
class Speeds:
    """Rates of one stream read and written, and of small accesses: in MB/s, or in multiples of one disk's."""

    read: float
    write: float
    random_read: float
    random_write: float

    def over(self, other: Speeds, factor: float = 1.0) -> Speeds:
        """These by the ``other``, ``factor`` times."""
        return Speeds(*(factor * getattr(self, name) / getattr(other, name) for name in Speeds.__slots__))


class Predictions(NamedTuple):
    """One stream read and written, and small accesses; None where an array has lost its data."""

    read: Prediction | None
    write: Prediction | None
    random_read: Prediction | None
    random_write: Prediction | None


class Figures(NamedTuple):
    """The likely chances of a loss within ``LOSS_YEARS``; ``shares`` are speeds by those of the pool's disks."""

    array_loss: float
    sector_loss: float
    predictions: Predictions
    shares: Speeds
