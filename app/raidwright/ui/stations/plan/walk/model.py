"""The walk's step and answers. Each answer is a wish or an edit of the plan, so the cockpit shows the same."""

from __future__ import annotations

from dataclasses import asdict, replace
from enum import IntEnum

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.ranking import Wishes
from raidwright.analysis.advice.walk import (
    ChunkAdvice,
    FailureChoice,
    Pick,
    Purpose,
    chunk_advice,
    failure_choices,
    nearest_purpose,
    picks_of,
    purpose_of,
    with_purpose,
)
from raidwright.analysis.likeness import shape
from raidwright.core.model.plan import Plan
from raidwright.ui.stations.plan import edits
from raidwright.ui.stations.plan.chunks import with_chunk
from raidwright.ui.stations.plan.model import PlanModel
from raidwright.ui.stations.plan.ranking import RankingModel


class WalkStep(IntEnum):
    """The pages in order."""

    FAILURES = 0
    PURPOSE = 1
    GROWTH = 2
    PICKS = 3
    CHUNK = 4


class WalkModel(QObject):
    """The walk. ``changed`` follows the page and its content.

    ``ended`` asks for the cockpit; ``disks_wanted`` follows Back on the first page.
    """

    changed = Signal()
    ended = Signal()
    disks_wanted = Signal()

    def __init__(self, plan: PlanModel, ranking: RankingModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan, self._ranking = plan, ranking
        self.step = WalkStep.FAILURES
        self._answered: set[WalkStep] = set()
        self._choices: tuple[object, tuple[FailureChoice, ...]] = (None, ())
        ranking.changed.connect(self.changed)

    @property
    def ranking(self) -> RankingModel:
        """The candidates, which follow each answer."""
        return self._ranking

    @property
    def plan(self) -> Plan | None:
        """The present plan."""
        return self._plan.draft.plan

    @property
    def pictured(self) -> Plan | None:
        """The plan, unless md would refuse it."""
        draft = self._plan.draft
        return draft.plan if draft.assessment is not None else None

    @property
    def refusal(self) -> str:
        """The reason why md would refuse the plan."""
        return self._plan.draft.refusal

    @property
    def wishes(self) -> Wishes:
        """The answers, and the defaults of questions not yet answered."""
        return self._ranking.wishes

    @property
    def is_answered(self) -> bool:
        """True if the page's question was answered before."""
        return self.step in self._answered

    @property
    def failures(self) -> tuple[FailureChoice, ...]:
        """The possible numbers of survived failures."""
        rests_on = (self._plan.prepared, self.wishes)
        if self._choices[0] != rests_on:
            self._choices = (rests_on, failure_choices(self._plan.prepared, self.wishes))
        return self._choices[1]

    @property
    def purpose(self) -> Purpose:
        """The array's purpose."""
        return nearest_purpose(self.wishes)

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The plans to pick from; none if no plan meets the requirements."""
        return picks_of(self._ranking.ranking, self.wishes)

    @property
    def chunk(self) -> ChunkAdvice | None:
        """The advised chunk of the present plan."""
        return chunk_advice(self.plan, self.purpose) if self.plan is not None else None

    def is_picked(self, pick: Pick) -> bool:
        """Return True if the plan is this one, whatever its chunk."""
        return self.plan is not None and shape(self.plan.top) == shape(pick.prepared.plan.top)

    @Slot()
    def begin(self) -> None:
        """Go to the first question; previous answers are kept."""
        self.step = WalkStep.FAILURES
        self.changed.emit()

    @Slot()
    def go_back(self) -> None:
        """Go one question back, or from the first to the disks."""
        if self.step is WalkStep.FAILURES:
            self.disks_wanted.emit()
            return
        self.step = WalkStep(self.step - 1)
        self.changed.emit()

    @Slot()
    def leave(self) -> None:
        """End the walk, with the plan and the wishes as they are."""
        self.ended.emit()

    def choose_failures(self, failures: int) -> None:
        """Require that ``failures`` disks may fail; a purpose answered before gives safety its weight for that."""
        wishes, known = replace(self.wishes, must_survive=failures), purpose_of(self.wishes)
        self._answer(**asdict(with_purpose(wishes, known) if known else wishes))

    def choose_purpose(self, purpose: Purpose) -> None:
        """Set the weights for ``purpose``."""
        self._answer(**asdict(with_purpose(self.wishes, purpose)))

    def choose_growth(self, will_grow: bool) -> None:
        """Require, or not, that disks can be added."""
        self._answer(will_grow=will_grow)

    def choose_pick(self, pick: Pick) -> None:
        """Choose this plan, with its advised chunk, in one undo step."""
        candidate = pick.prepared.plan
        chunk_kib = chunk_advice(candidate, self.purpose).chunk_kib
        self._go_on()
        self._plan.edit(lambda present: with_chunk(edits.adopt(candidate, present), chunk_kib))
        self.changed.emit()

    def choose_chunk(self, chunk_kib: int | None) -> None:
        """Choose this chunk, and end the walk."""
        self._plan.edit(lambda present: with_chunk(present, chunk_kib))
        self.ended.emit()

    def _answer(self, **wishes: int) -> None:
        self._go_on()
        self._ranking.wish(**wishes)  # which emits the change

    def _go_on(self) -> None:
        self._answered.add(self.step)
        self.step = WalkStep(min(self.step + 1, WalkStep.CHUNK))
