"""The speed of the plan on the stage, predicted when somebody first looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.performance.of_plan import Performance, alone_of, performance_of
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.model.plan import Plan
from raidwright.core.system.workload import Workload
from raidwright.ui.stations.plan.model import Draft, PlanModel


@dataclass(frozen=True, slots=True)
class Speed:
    """What is predicted of ``plan``, and of the best of its disks ``alone``."""

    plan: Plan
    performance: Performance
    alone: Mapping[Workload, Prediction]


class SpeedModel(QObject):
    """``changed`` follows the plan; nothing is predicted until ``speed`` is asked for, and then once a plan."""

    changed = Signal()

    def __init__(self, plan: PlanModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._known: Speed | None = None
        plan.changed.connect(self._follow)

    @property
    def speed(self) -> Speed | None:
        """Of the plan on the stage; None while there is none, or md would refuse it."""
        draft = self._plan.draft
        if draft.plan is None or draft.assessment is None:
            return None
        if self._known is None or self._known.plan != draft.plan:
            self._known = Speed(draft.plan, performance_of(draft.plan), alone_of(draft.plan))
        return self._known

    @Slot(object)
    def _follow(self, _draft: Draft) -> None:
        self.changed.emit()
