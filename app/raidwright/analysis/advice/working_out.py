"""Computation of the candidates' figures, which imports numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidwright.analysis.assessment import Assessment
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.loss import likely_loss
from raidwright.core.model.plan import Member

from .figures import LOSS_YEARS, CandidateFigures
from .speeds import compared_speeds, predictions_of, together


def figures_of(assessments: Iterable[Assessment], pool: tuple[Member, ...]) -> Iterator[CandidateFigures]:
    """Yield each candidate's figures, relative to the disks of ``pool``."""
    all_disks = together(pool)
    for one in assessments:
        losses = likely_loss(one.plan, Assumptions.of(one.plan), LOSS_YEARS, one.capacity)
        predictions = predictions_of(one.plan)
        yield CandidateFigures(*losses, predictions, compared_speeds(one.plan, predictions).over(all_disks))
