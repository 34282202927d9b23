"""The probability of a loss below which other dangers are larger; without numpy, for whoever only compares."""

from __future__ import annotations

NEGLIGIBLE = 1e-7  # within a few years: a fire, a theft or a wrong command is far more likely
