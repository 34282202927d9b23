"""The ranking's view-model: wishes in, ranked candidates out, for the sliders, the table and the plot."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.ranking import Candidate, Ranking, Wishes, rank
from raidwright.analysis.likeness import shape
from raidwright.core.model.plan import Member, Plan

from .model import PlanModel


class RankingModel(QObject):
    """The ranking. ``changed`` follows pool, wishes and the present plan. Plans are assessed once per pool."""

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
        """The user's wishes; kept with the plan, so that the first plan on other disks follows them, too."""
        return self._plan.wishes or Wishes()

    @property
    def asks_for_speed(self) -> bool:
        """True if predicted speeds count."""
        return any((self.wishes.reading, self.wishes.writing, self.wishes.random))

    @property
    def fastest_at(self) -> str:
        """The field of the heaviest wish for speed; reading without any."""
        return max(("reading", "writing", "random"), key=lambda field: getattr(self.wishes, field))

    @property
    def pool(self) -> tuple[Member, ...]:
        """The disks of the candidates."""
        return self._plan.pool

    @property
    def prepared(self) -> tuple[Prepared, ...]:
        """The assessed plans, in no order; others for other disks."""
        return self._plan.prepared

    @property
    def why_untouchable(self) -> str:
        """The reason why no plan of these disks has a command; "" if they have."""
        return self._plan.draft.why_untouchable

    @property
    def place(self) -> int | None:
        """The present plan's index among the candidates; None if it isn't one of them."""
        places = (place for place, one in enumerate(self.ranking.candidates) if self.is_chosen(one))
        return next(places, None)

    def wish(self, **fields: int) -> None:
        """Change some wishes."""
        self._plan.wishes = replace(self.wishes, **fields)  # type: ignore[arg-type]
        self._rank()

    def is_chosen(self, candidate: Candidate) -> bool:
        """Return True if the candidate is the present plan."""
        plan = self._plan.draft.plan
        return plan is not None and self._shape(candidate.prepared.plan) == self._shape(plan)

    def choose(self, place: int) -> None:
        """Choose a candidate."""
        self._plan.adopt(self.ranking.candidates[place].prepared.plan)

    def choose_again(self, seen: Candidate) -> None:
        """Choose a candidate seen earlier, whatever its present rank; no effect if it is no candidate any more."""
        shape = self._shape(seen.prepared.plan)
        for place, one in enumerate(self.ranking.candidates):
            if self._shape(one.prepared.plan) == shape:
                self.choose(place)
                return

    def _shape(self, plan: Plan) -> tuple[object, ...]:
        """Return the shape of ``plan``, which is slow with many disks, cached per plan."""
        known = self._shapes.get(id(plan))
        if known is None or known[0] is not plan:
            known = self._shapes[id(plan)] = plan, shape(plan.top)
        return known[1]

    @Slot()
    def _take_pool(self) -> None:
        self._shapes = {}
        self._rank()

    def _rank(self) -> None:
        self.ranking = rank(self._plan.prepared, self.wishes)
        self.changed.emit()
