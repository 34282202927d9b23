"""The loss of the plan on the stage: over how many years, and on which assumptions, which the plan itself keeps."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.drivers import Bought, what_it_buys
from raidwright.analysis.reliability.loss import Loss, likely_loss, loss_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.ui.stations.plan.edits import as_said
from raidwright.ui.stations.plan.model import Edit, PlanModel

from . import overrides as said


class LossModel(QObject):
    """``changed`` follows the plan, the years asked for and the assumptions; ``years_changed`` the years alone.

    A value that ``move`` gives holds until something else is said; the others make what they say a step of the plan,
    that can be taken back.
    """

    changed = Signal()
    years_changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self.years = plan.first_years
        self.loss: Loss | None = None
        self._moved: Plan | None = None
        self._chances: dict[int, tuple[Prepared, float]] = {}  # by identity: a plan of 24 disks takes long to hash
        self._chances_rest_on: tuple[object, ...] = ()
        plan.changed.connect(self._follow)
        self._solve()

    @property
    def can_assume(self) -> bool:
        """Whether the plan may still be changed."""
        return self._plan.can_edit

    @property
    def plan(self) -> Plan | None:
        """The plan with all that is said, what is only moved included."""
        return self._moved or self._plan.draft.plan

    def disk(self, unit: str) -> Disk | None:
        """What the machine knows of one of the plan's disks."""
        return self._plan.disks.get(unit)

    def is_given(self, name: str) -> bool:
        """Whether the user says something under one of the names in ``assumed.ASSUMED``, of all disks or of one."""
        return self.plan is not None and said.is_given(self.plan, name)

    def set_years(self, years: float) -> None:
        """Ask about so many years."""
        if years != self.years:
            self.years = years
            self._solve()
            self.years_changed.emit()

    def move(self, name: str, value: float) -> None:
        """Show what an assumption would do, while a slider moves."""
        if self.can_assume and self._plan.draft.plan is not None:
            self._moved = said.of_all(self._plan.draft.plan, name, value)
            self._solve()

    def assume(self, name: str, value: float) -> None:
        """Keep an assumption in the plan."""
        self.keep(lambda plan: said.of_all(plan, name, value))

    def forget(self, name: str) -> None:
        """Assume what is published again."""
        self.keep(lambda plan: said.nothing_of(plan, name))

    def forget_all(self) -> None:
        """Assume what is published of everything."""
        self.keep(said.nothing)

    def keep(self, change: Edit) -> None:
        """Make ``change`` of what is said a step of the plan."""
        self._moved = None
        before = self._plan.draft
        self._plan.edit(change)
        if self._plan.draft is before:  # nothing new was said, but what moved is back
            self._solve()

    def of(self, plan: Plan) -> Loss:
        """Another plan's loss, over the same years and on the same assumptions."""
        said_too = as_said(plan, self.plan) if self.plan is not None else plan
        return loss_of(said_too, years=self.years)

    def bought(self) -> tuple[Bought, ...]:
        """What changes to the plan would buy."""
        return what_it_buys(self.loss.plan, self.loss.assumptions, self.years) if self.loss is not None else ()

    def chance_of(self, candidate: Prepared) -> float:
        """The likely chance that a candidate loses its array within the years; kept until something else is said."""
        present = self._plan.draft.plan
        rests_on = (self.years, self._plan.pool, present and present.assumptions)
        if rests_on != self._chances_rest_on:
            self._chances, self._chances_rest_on = {}, rests_on
        known = self._chances.get(id(candidate))
        if known is None:
            plan = as_said(candidate.plan, present) if present is not None else candidate.plan
            chance, _sectors = likely_loss(plan, Assumptions.of(plan), self.years, candidate.assessment.capacity)
            known = self._chances[id(candidate)] = candidate, chance
        return known[1]

    @Slot()
    def _follow(self) -> None:
        self._moved = None
        self._solve()

    def _solve(self) -> None:
        assessment, plan = self._plan.draft.assessment, self.plan
        self.loss = None
        if assessment is not None and plan is not None:
            self.loss = loss_of(plan, years=self.years, capacity=assessment.capacity)
        self.changed.emit()
