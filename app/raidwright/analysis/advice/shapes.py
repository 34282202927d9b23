"""What an array holds, survives, risks and gives, for shapes of one array beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.md.survival import Survival
from raidwright.core.model.plan import Plan

from .figures import LOSS_YEARS, Predictions
from .speeds import predictions_of


@dataclass(frozen=True, slots=True)
class ShapeFigures:
    """A shape's usable bytes, survival, likely probability of loss within ``LOSS_YEARS``, and predicted speeds."""

    array_bytes: int
    survival: Survival
    array_loss: float
    predictions: Predictions


def figures_of_shape(plan: Plan) -> ShapeFigures:
    """Return the figures of ``plan``, whole; raises PlanRefused for what mdadm or md would refuse."""
    capacity = capacity_of(plan.top)
    array_loss, _sectors = likely_loss(plan, Assumptions.of(plan), LOSS_YEARS, capacity)
    return ShapeFigures(capacity.array_bytes, survival_of(plan.top), array_loss, predictions_of(plan))
