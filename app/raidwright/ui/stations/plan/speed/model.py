"""The predicted speed of the present plan, computed when first shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.speeds import working_set_writes
from raidwright.analysis.performance.of_plan import Performance, WorkloadSpeeds, alone_of, own_alone_of, performance_of
from raidwright.analysis.performance.prediction import Prediction
from raidwright.analysis.performance.question import Question
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload
from raidwright.reading.workload_words import AskedWorkload, each_named_once, read_workload
from raidwright.ui.draft import Draft
from raidwright.ui.stations.plan.model import PlanModel


@dataclass(frozen=True, slots=True)
class Speed:
    """The predictions for ``plan``, and for the best of its disks ``alone``.

    ``working_set``: the small writes that programs make, as the candidates have them; ``performance`` has those all
    over the array.
    """

    plan: Plan
    performance: Performance
    alone: Mapping[Workload, Prediction]
    working_set: WorkloadSpeeds
    own_alone: Mapping[str, Prediction] = field(default_factory=dict)

    def of(self, workload: str) -> tuple[WorkloadSpeeds, Prediction]:
        """Return the predictions under a workload, predefined or the user's, by name, and of one disk alone."""
        if workload in self.performance.own:
            return self.performance.own[workload], self.own_alone[workload]
        standing = Workload(workload)
        return self.performance.speeds[standing], self.alone[standing]

    def of_working_set(self) -> Speed:
        """Return the same with the small writes of a working set."""
        speeds = {**self.performance.speeds, Workload.RANDOM_WRITE_4K_Q32: self.working_set}
        return replace(self, performance=replace(self.performance, speeds=speeds))


class SpeedModel(QObject):
    """The predictions. ``changed`` follows the plan and the user's workloads.

    They are computed on access to ``speed``, once per plan.
    """

    changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._known: Speed | None = None
        self._own: tuple[AskedWorkload, ...] = ()
        plan.changed.connect(self._follow)

    @property
    def speed(self) -> Speed | None:
        """The present plan's predictions; None without a plan, or if md would refuse it."""
        draft = self._plan.draft
        if draft.plan is None or draft.assessment is None:
            return None
        if (
            self._known is None
            or self._known.plan.on(replace(self._known.plan.top, name=draft.plan.name)) != draft.plan
        ):
            self._known = self._predicted(draft.plan)
        elif self._known.plan != draft.plan:  # the name is being typed, which changes no speed
            self._known = replace(self._known, plan=draft.plan)
        return self._known

    def add(self, words: str) -> None:
        """Add the workload ``words``; raise InputError if it is invalid."""
        self._choose(each_named_once((*self._own, read_workload(words))))

    def remove_last(self) -> None:
        """Remove the workload added last."""
        self._choose(self._own[:-1])

    def _choose(self, own: tuple[AskedWorkload, ...]) -> None:
        if own != self._own:
            self._own, self._known = own, None
            self.changed.emit()

    def _predicted(self, plan: Plan) -> Speed:
        if not self._own:
            return Speed(plan, performance_of(plan), alone_of(plan), working_set_writes(plan))
        performance = performance_of(plan, question=Question(self._own))
        return Speed(plan, performance, alone_of(plan), working_set_writes(plan), own_alone_of(plan, self._own))

    @Slot(object)
    def _follow(self, _draft: Draft) -> None:
        self.changed.emit()
