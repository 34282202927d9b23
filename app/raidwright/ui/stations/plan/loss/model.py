"""The loss of the present plan: its years, and its assumptions, which are stored in the plan."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.figures import LOSS_YEARS
from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.analysis.reliability.drivers import Bought, what_it_buys
from raidwright.analysis.reliability.loss import Loss, likely_loss, loss_of
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Plan
from raidwright.ui.stations.plan.edits import as_said
from raidwright.ui.stations.plan.model import Edit, PlanModel

from . import overrides as said


class LossModel(QObject):
    """The loss. ``changed`` follows the plan, the years and the assumptions; ``years_changed`` the years alone.

    A value set by ``move`` is temporary; the other setters make an undo step of the plan.
    """

    changed = Signal()
    years_changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self.years = plan.first_years
        self.loss: Loss | None = None
        self._moved: Plan | None = None
        self._chances: dict[int, tuple[Prepared, float]] = {}  # by identity: a plan of 24 disks is slow to hash
        self._chances_rest_on: tuple[object, ...] = ()
        plan.changed.connect(self._follow)
        self._solve()

    @property
    def can_assume(self) -> bool:
        """True if the plan can be edited."""
        return self._plan.can_edit

    @property
    def plan(self) -> Plan | None:
        """The plan with all assumptions, including temporary ones."""
        return self._moved or self._plan.draft.plan

    def disk(self, unit: str) -> Disk | None:
        """Return the machine's data on one of the plan's disks."""
        return self._plan.disks.get(unit)

    def is_given(self, name: str) -> bool:
        """Return True if the user sets an assumption of ``assumed.ASSUMED``, for all disks or for one."""
        return self.plan is not None and said.is_given(self.plan, name)

    def set_years(self, years: float) -> None:
        """Set the number of years."""
        if years != self.years:
            self.years = years
            self._solve()
            self.years_changed.emit()

    def move(self, name: str, value: float) -> None:
        """Preview an assumption's effect, while a slider moves."""
        if self.can_assume and self._plan.draft.plan is not None:
            self._moved = said.of_all(self._plan.draft.plan, name, value)
            self._solve()

    def assume(self, name: str, value: float) -> None:
        """Store an assumption in the plan."""
        self.keep(lambda plan: said.of_all(plan, name, value))

    def forget(self, name: str) -> None:
        """Restore the published assumption."""
        self.keep(lambda plan: said.nothing_of(plan, name))

    def forget_all(self) -> None:
        """Restore all published assumptions."""
        self.keep(said.nothing)

    def keep(self, change: Edit) -> None:
        """Make ``change`` of the assumptions an undo step of the plan."""
        self._moved = None
        before = self._plan.draft
        self._plan.edit(change)
        if self._plan.draft is before:  # no change, but the preview is reset
            self._solve()

    def of(self, plan: Plan) -> Loss:
        """Return another plan's loss, for the same years and assumptions."""
        said_too = as_said(plan, self.plan) if self.plan is not None else plan
        return loss_of(said_too, years=self.years)

    def bought(self) -> tuple[Bought, ...]:
        """Return the effects of changes to the plan."""
        return what_it_buys(self.loss.plan, self.loss.assumptions, self.years) if self.loss is not None else ()

    def chance_of(self, candidate: Prepared) -> float:
        """Return the likely probability that a candidate loses its array within the years; cached until a change."""
        present = self._plan.draft.plan
        rests_on = (self.years, self._plan.pool, present and present.assumptions)
        if rests_on != self._chances_rest_on:
            self._chances, self._chances_rest_on = {}, rests_on
        known = self._chances.get(id(candidate))
        if known is None:
            plan = as_said(candidate.plan, present) if present is not None else candidate.plan
            if plan == candidate.plan and self.years == LOSS_YEARS:  # that is what ranked it
                chance = candidate.array_loss
            else:
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
