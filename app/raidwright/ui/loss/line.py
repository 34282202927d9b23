"""What the chart draws of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.reliability.loss import Loss

MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Line:
    """A plan's name, and its loss."""

    name: str
    loss: Loss
