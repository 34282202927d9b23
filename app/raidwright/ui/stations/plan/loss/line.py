"""A plan's line in the chart."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.analysis.reliability.loss import CurvePoint

MAX_LINES = 3


@dataclass(frozen=True, slots=True)
class LossLine:
    """A plan's name, and the probability of a loss over the years, from 0 at year 0."""

    name: str
    points: tuple[CurvePoint, ...]
