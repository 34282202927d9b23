"""Rates of arrays: measured, predicted by us, and predicted naively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RATES = ("measured_mb_s", "predicted_mb_s", "low_mb_s", "high_mb_s", "naive_mb_s")


@dataclass(frozen=True, slots=True)
class Rate:
    """A measured rate beside our prediction with its band, and the naive prediction."""

    measured_mb_s: float
    predicted_mb_s: float
    low_mb_s: float
    high_mb_s: float
    naive_mb_s: float

    @property
    def error(self) -> float:
        """Relative error of the prediction."""
        return self.predicted_mb_s / self.measured_mb_s - 1

    @property
    def naive_error(self) -> float:
        """Relative error of the naive prediction."""
        return self.naive_mb_s / self.measured_mb_s - 1

    @property
    def within(self) -> bool:
        """True when the measured rate lies within the band."""
        return self.low_mb_s <= self.measured_mb_s <= self.high_mb_s

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a table's columns ``RATES``."""
        return tuple(f"{getattr(self, name):.4g}" for name in RATES)


def quantiles(errors: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 90th percentile of the absolute errors."""
    median, ninety = np.quantile(np.abs(errors), [0.5, 0.9])
    return float(median), float(ninety)
