"""The loss of the plan on the stage: over how many years, and on which assumptions, which the plan itself keeps."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from ...core.candidates import Prepared
from ...core.plan import ASSUMED, Plan
from ...core.reliability.assumptions import Assumptions
from ...core.reliability.drivers import Bought, what_it_buys
from ...core.reliability.loss import Loss, likely_loss, loss_of
from ..plan.model import PlanModel

Given = tuple[tuple[str, float], ...]

CANDIDATES_YEARS = 5.0


class LossModel(QObject):
    """``changed`` follows the plan, the years asked for and the assumptions.

    A value that ``move`` gives holds until something else is said; ``assume`` makes it a step of the plan, that can
    be taken back.
    """

    changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self.years = CANDIDATES_YEARS
        self.loss: Loss | None = None
        self._moving: Given = ()
        self._chances: dict[Plan, float] = {}
        self._chances_rest_on: Given = ()
        plan.changed.connect(self._follow)
        self._solve()

    @property
    def can_assume(self) -> bool:
        """Whether the plan may still be changed."""
        return self._plan.can_edit

    @property
    def given(self) -> Given:
        """What the user says, by the names in ``plan.ASSUMED``."""
        said = dict(self._said) | dict(self._moving)
        return tuple((name, said[name]) for name in ASSUMED if name in said)

    def assumptions_for(self, plan: Plan) -> Assumptions:
        """What the user says, and for the rest what is published."""
        return Assumptions.of(plan).with_given(self.given)

    def set_years(self, years: float) -> None:
        """Ask about so many years."""
        if years != self.years:
            self.years = years
            self._solve()

    def move(self, name: str, value: float) -> None:
        """Show what an assumption would do, while a slider moves."""
        if self.can_assume:
            self._moving = ((name, value),)
            self._solve()

    def assume(self, name: str, value: float) -> None:
        """Keep an assumption in the plan."""
        self._keep(dict(self._said) | {name: value})

    def forget(self, name: str) -> None:
        """Assume what is published again."""
        self._keep({key: value for key, value in self._said if key != name})

    def forget_all(self) -> None:
        """Assume what is published of everything."""
        self._keep({})

    def of(self, plan: Plan) -> Loss:
        """Another plan's loss, over the same years and on the same assumptions."""
        return loss_of(plan, self.assumptions_for(plan), self.years)

    def bought(self) -> tuple[Bought, ...]:
        """What changes to the plan would buy."""
        return what_it_buys(self.loss.plan, self.loss.assumptions, self.years) if self.loss is not None else ()

    def chance_of(self, candidate: Prepared) -> float:
        """The likely chance that a candidate loses its array within ``CANDIDATES_YEARS``; kept until more is said."""
        if self._said != self._chances_rest_on:
            self._chances, self._chances_rest_on = {}, self._said
        if candidate.plan not in self._chances:
            assumptions = Assumptions.of(candidate.plan).with_given(self._said)
            capacity = candidate.assessment.capacity
            self._chances[candidate.plan], _sectors = likely_loss(
                candidate.plan, assumptions, CANDIDATES_YEARS, capacity
            )
        return self._chances[candidate.plan]

    @property
    def _said(self) -> Given:
        return self._plan.draft.plan.assumptions if self._plan.draft.plan is not None else ()

    def _keep(self, said: dict[str, float]) -> None:
        self._moving = ()
        kept = tuple((name, said[name]) for name in ASSUMED if name in said)
        before = self._plan.draft
        self._plan.edit(lambda plan: replace(plan, assumptions=kept))
        if self._plan.draft is before:  # nothing new was said, but what moved is back
            self._solve()

    @Slot()
    def _follow(self) -> None:
        self._moving = ()
        self._solve()

    def _solve(self) -> None:
        assessment = self._plan.draft.assessment
        self.loss = None
        if assessment is not None:
            assumptions = self.assumptions_for(assessment.plan)
            self.loss = loss_of(assessment.plan, assumptions, self.years, capacity=assessment.capacity)
        self.changed.emit()
