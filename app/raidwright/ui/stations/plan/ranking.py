"""Wishes in, ranked candidates out: the view-model behind the sliders, the table and the map."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.ranking import Candidate, Ranking, Wishes, rank
from raidwright.core.model.plan import Member, Plan

from . import edits
from .model import PlanModel


class RankingModel(QObject):
    """``changed`` follows pool, wishes and the plan chosen. A pool's plans are assessed once, and ranked at will."""

    changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._shapes: dict[int, tuple[Plan, tuple[object, ...]]] = {}
        self.ranking = Ranking(())
        plan.pool_changed.connect(self._take_pool)
        plan.changed.connect(self.changed)
        self._rank()

    @property
    def wishes(self) -> Wishes:
        """What matters to the person; kept with the plan, so that the next disks' first plan follows it too."""
        return self._plan.wishes or Wishes()

    @property
    def asks_for_speed(self) -> bool:
        """Whether estimates of speed count."""
        return any((self.wishes.reading, self.wishes.writing, self.wishes.random))

    @property
    def fastest_at(self) -> str:
        """The field of the heaviest wish for speed; reading where there is none."""
        return max(("reading", "writing", "random"), key=lambda field: getattr(self.wishes, field))

    @property
    def pool(self) -> tuple[Member, ...]:
        """The disks that there are candidates for."""
        return self._plan.pool

    @property
    def place(self) -> int | None:
        """Where the plan on the stage stands among the candidates, from 0; None where it is none of them."""
        places = (place for place, one in enumerate(self.ranking.candidates) if self.is_chosen(one))
        return next(places, None)

    def wish(self, **fields: int) -> None:
        """Change some wishes."""
        self._plan.wishes = replace(self.wishes, **fields)  # type: ignore[arg-type]
        self._rank()

    def is_chosen(self, candidate: Candidate) -> bool:
        """Whether this is the plan that stands on the stage."""
        plan = self._plan.draft.plan
        return plan is not None and self._shape(candidate.prepared.plan) == self._shape(plan)

    def choose(self, place: int) -> None:
        """Put a candidate on the stage."""
        self._plan.adopt(self.ranking.candidates[place].prepared.plan)

    def choose_again(self, seen: Candidate) -> None:
        """Put on the stage what was seen earlier, wherever it stands by now; nothing where it is none any more."""
        shape = self._shape(seen.prepared.plan)
        for place, one in enumerate(self.ranking.candidates):
            if self._shape(one.prepared.plan) == shape:
                self.choose(place)
                return

    def _shape(self, plan: Plan) -> tuple[object, ...]:
        """``edits.shape``, which takes its time with many disks, of each plan once."""
        known = self._shapes.get(id(plan))
        if known is None or known[0] is not plan:
            known = self._shapes[id(plan)] = plan, edits.shape(plan)
        return known[1]

    @Slot()
    def _take_pool(self) -> None:
        self._shapes = {}
        self._rank()

    def _rank(self) -> None:
        self.ranking = rank(self._plan.prepared, self.wishes)
        self.changed.emit()
