"""What candidates are told apart by and takes numpy: how likely each loses data, and how fast it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.core.model.plan import Member

from .candidates import LOSS_YEARS, Predictions, Speeds
from .speeds import mb_s_of, predictions_of, together


class Figures(NamedTuple):
    """The likely chances of a loss within ``LOSS_YEARS``; ``shares`` are speeds by those of the pool's disks."""

    array_loss: float
    sector_loss: float
    predictions: Predictions
    shares: Speeds


def figures_of(assessments: Iterable[Assessment], pool: tuple[Member, ...]) -> Iterator[Figures]:
    """Those of each, for the disks of ``pool``."""
    all_disks = together(pool)
    for one in assessments:
        losses = likely_loss(one.plan, Assumptions.of(one.plan), LOSS_YEARS, one.capacity)
        predictions = predictions_of(one.plan)
        yield Figures(*losses, predictions, mb_s_of(predictions).over(all_disks))
