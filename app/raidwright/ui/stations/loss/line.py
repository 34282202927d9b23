"""What the chart draws of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.analysis.reliability.loss import CurvePoint

MAX_LINES = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A plan's name, and the chance of a loss over the years, from none today on."""

    name: str
    points: tuple[CurvePoint, ...]
