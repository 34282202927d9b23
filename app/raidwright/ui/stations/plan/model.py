"""The plan being edited: one frozen value after the other, so undo and redo are a list and a place in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import Prepared, enumerate_plans
from raidwright.analysis.advice.ranking import Wishes, rank
from raidwright.analysis.assessment import Assessment, assess
from raidwright.core.errors import PlanRefused
from raidwright.core.md.capacity import capacity_of
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.imagined import is_imagined
from raidwright.core.model.plan import Member, Plan
from raidwright.text.catalogue import tr, translated
from raidwright.ui.stations.build.phase import Phase

from . import edits

Edit = Callable[[Plan], Plan]
_MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class Draft:
    """The plan as it stands: assessed, or refused with a sentence; no plan while too few disks are chosen.

    It is locked while it is being built, and once it has been: then its disks are an array's.
    """

    plan: Plan | None = None
    assessment: Assessment | None = None
    refusal: str = ""
    is_locked: bool = False


class PlanModel(QObject):
    """``changed(Draft)`` follows every edit; ``failed_changed`` the disks that are failed in thought.

    ``absent`` are the disks, by id, that the plan means and that can't be taken now: it stays as it is meanwhile.
    ``opening(Plan)`` asks for a plan that was read from a file, and ``opened`` follows when it stands here.
    """

    changed = Signal(object)
    failed_changed = Signal(object)  # frozenset[int], columns of the stage
    absent_changed = Signal()
    kept_changed = Signal()
    pool_changed = Signal()
    opening = Signal(object)
    opened = Signal()
    saving = Signal()  # asks for the plan to be saved
    asking_to_open = Signal()  # asks for a plan's file
    given_file = Signal(object)  # Path: asks for this file's plan
    kept_in = Signal(object)  # Path: the plan was opened from, or saved in, this file
    file_refused = Signal(str)  # why a file can't be opened
    pasting = Signal()  # asks for a command to be planned

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.draft = Draft()
        self.failed: frozenset[int] = frozenset()
        self.disks: dict[str, Disk] = {}
        self.here: Callable[[], tuple[Disk, ...]] = tuple  # the machine's disks, for a text that names some by device
        self.pool: tuple[Member, ...] = ()
        self.first_years = 5.0  # over how many a loss is asked about, until somebody asks about others
        self.wishes: Wishes | None = None  # None until some are said
        self._prepared: tuple[Prepared, ...] | None = None
        self._is_own = False  # whether a person made something of the plan that comes by itself
        self.absent: frozenset[str] = frozenset()
        self._kept: Plan | None = None  # what nobody's work would be lost with: it came by itself, or is in a file
        self._seen: dict[str, Member] = {}  # each disk as the machine last knew it, chosen now or not
        self._said: dict[str, Member] = {}  # each disk as it was last planned with, chosen now or not
        self._steps: list[Plan] = []
        self._place = -1
        self._phase = Phase.REVIEW
        self._later: tuple[Disk, ...] | None = None  # disks chosen while a build runs

    @property
    def can_edit(self) -> bool:
        """Whether there is a plan, and it isn't an array already."""
        return self.draft.plan is not None and not self.draft.is_locked

    @property
    def is_unsaved(self) -> bool:
        """Whether a person's work is in the plan that stands in no file, and in no array."""
        return self.can_edit and self.draft.plan != self._kept

    @property
    def is_lost_with_window(self) -> bool:
        """As ``is_unsaved``, and also while it is built: nothing may come of that."""
        return self.draft.plan not in (None, self._kept) and self._phase is not Phase.BUILT

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to go back to."""
        return self._place > 0 and self.can_edit

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back."""
        return self._place < len(self._steps) - 1 and self.can_edit

    @Slot(object)
    def set_disks(self, disks: tuple[Disk, ...]) -> None:
        """Plan on these disks from now on; the layout is kept as far as they allow it.

        While a plan is built its disks come into use one by one; that is no new choice, and neither is letting go of
        them in the end.
        """
        if self._phase is Phase.BUILDING:
            self._later = disks
            return
        if self._phase is Phase.BUILT:
            if not disks:
                return
            self._phase, self._steps, self._place, self._is_own = Phase.REVIEW, [], -1, False
        was_unsaved, is_new_choice = self.is_unsaved, self.disks.keys() != {disk.id for disk in disks}
        self.disks = {disk.id: disk for disk in disks}
        self._look_at(tuple(disk.as_member() for disk in disks))
        self._prepared = None
        if is_new_choice:
            self._forget_failures()
        self.pool_changed.emit()
        if len(disks) < 2 or (is_new_choice and not self._is_own):
            self._steps, self._place, self._is_own = [], -1, False
        if len(disks) < 2:
            self._show(None)
        elif not self._steps:
            self._push(self._best())
        else:
            self._push(self._at_home(self._steps[self._place]))
        if not was_unsaved:
            self.keep(self.draft.plan)

    @Slot(str, object)
    def put_in_place(self, gone: str, disk: Disk) -> None:
        """Let ``disk`` have the slots of the disk that has gone; ``set_disks`` follows."""
        self._steps = [edits.with_another(plan, gone, disk.as_member()) for plan in self._steps]
        self._is_own = True

    def mark_absent(self, ids: frozenset[str]) -> None:
        """These disks of the plan can't be taken now."""
        if ids != self.absent:
            self.absent = ids
            self.absent_changed.emit()

    def keep(self, plan: Plan | None) -> None:
        """``plan`` is in no need of being saved: it is in a file, or comes by itself."""
        self._kept = plan
        self.kept_changed.emit()

    def open(self, plan: Plan, *, is_anew: bool) -> None:
        """Put a plan from a file on the stage, which is on exactly the disks that are chosen.

        ``is_anew``: it came with disks of its own, so that undo has no way to what was here.
        """
        plan = edits.as_known(plan, self.pool)
        if is_anew:
            self._steps, self._place, self._is_own = [], -1, True
            self._forget_failures()
            self._push(plan)
        else:
            self.edit(lambda _present: plan)
        self.keep(plan)
        self.opened.emit()

    def take_best(self, plan: Plan, *, must_survive: int) -> None:
        """Go on with what was found best for the disks that are chosen, so many failures being survived.

        What a person made of other disks doesn't carry over but for the name; undo leads back to it.
        """
        if self.draft.plan is None or not self.can_edit or {one.id for one in plan.disks()} != self.disks.keys():
            return
        was_unsaved, name, homehost = self.is_unsaved, self.draft.plan.name, self.draft.plan.homehost
        self.wishes = replace(self.wishes or Wishes(), must_survive=must_survive)
        self.pool_changed.emit()
        best = edits.adopt(edits.as_known(plan, self.pool), edits.first_plan(self.pool))
        self._forget_failures()
        self._push(replace(best, name=name, homehost=homehost))
        self._is_own = False
        if not was_unsaved:
            self.keep(self.draft.plan)

    @Slot(object)
    def follow_build(self, phase: Phase) -> None:
        """Lock the plan while it is built and when it stands; unlock it when nothing came of it."""
        self._phase = phase
        self.draft = replace(self.draft, is_locked=phase is not Phase.REVIEW)
        later, self._later = self._later, None
        if phase is Phase.REVIEW and later is not None:
            self.set_disks(later)
        else:
            self.changed.emit(self.draft)

    @property
    def prepared(self) -> tuple[Prepared, ...]:
        """Every sensible plan for the disks chosen, each with what wishes don't change; found once for these disks."""
        if self._prepared is None:
            self._prepared = enumerate_plans(self.pool, self.disks) if len(self.pool) > 1 else ()
        return self._prepared

    @property
    def gone(self) -> frozenset[int]:
        """The columns of the stage without a working disk: failed in thought, or left empty."""
        slots = edits.leaves(self.draft.plan) if self.draft.plan is not None else ()
        return self.failed | {column for column, (_slot, disk) in enumerate(slots) if disk is None}

    def edit(self, change: Edit) -> None:
        """Go on with what ``change`` makes of the plan."""
        if self.can_edit and self.draft.plan is not None and (plan := change(self.draft.plan)) != self.draft.plan:
            self._is_own = True
            if edits.shape(plan) != edits.shape(self.draft.plan):
                self._forget_failures()
            self._push(plan)

    def edit_fields(self, **fields: object) -> None:
        """Go on with some fields of the plan changed."""
        self.edit(lambda plan: replace(plan, **fields))  # type: ignore[arg-type]

    @Slot()
    def undo(self) -> None:
        """Back one step."""
        if self.can_undo:
            self._go_to(self._place - 1)

    @Slot()
    def redo(self) -> None:
        """Forward one step that was taken back."""
        if self.can_redo:
            self._go_to(self._place + 1)

    def why_not(self, change: Edit) -> str:
        """Why what ``change`` makes of the plan would be refused; "" when it wouldn't."""
        if self.draft.plan is None:
            return tr("Choose disks first.")
        return _refusal(change(self.draft.plan))

    def why_not_level(self, level: Level) -> str:
        """Why these disks can't make ``level``; "" when they can."""
        return self.why_not(lambda plan: edits.with_level(plan, level, self.pool))

    def choose_level(self, level: Level) -> None:
        """Go on at another level."""
        self.edit(lambda plan: edits.with_level(plan, level, self.pool))

    def choose_nested(self, level: Level, groups: int) -> None:
        """Go on with a stripe over so many arrays of ``level``."""
        self.edit(lambda plan: edits.nested(plan, level, groups, self.pool))

    def adopt(self, candidate: Plan) -> None:
        """Go on with a candidate."""
        self.edit(lambda plan: edits.adopt(candidate, plan))

    @Slot(int)
    def toggle_failure(self, column: int) -> None:
        """Fail the disk in a column of the stage, or bring it back."""
        disks = [disk for _slot, disk in edits.leaves(self.draft.plan)] if self.draft.plan is not None else []
        if 0 <= column < len(disks) and disks[column] is not None:
            self.failed ^= {column}
            self.failed_changed.emit(self.failed)

    def _forget_failures(self) -> None:
        if self.failed:
            self.failed = frozenset()
            self.failed_changed.emit(self.failed)

    def _at_home(self, plan: Plan) -> Plan:
        """``plan`` on the present disks, at a level that so many allow."""
        moved = edits.with_members(plan, self.pool)
        if _refusal(moved) or (plan.is_nested and moved != plan):
            best = replace(self._best(), name=plan.name, homehost=plan.homehost)
            return replace(best, metadata=plan.metadata, assumptions=plan.assumptions)
        return moved

    def _best(self) -> Plan:
        """What is recommended for the disks chosen, and for what matters to the person."""
        first = edits.first_plan(self.pool)
        ranked = rank(self.prepared, self.wishes or Wishes()).candidates
        return edits.adopt(ranked[0].prepared.plan, first) if ranked else first

    def _look_at(self, members: tuple[Member, ...]) -> None:
        """Plan on ``members``: a disk's details arrive after the disk, and plans of it are made before."""
        before, now = self._seen, {disk.id: disk for disk in members}
        others = {name for name, disk in now.items() if is_imagined(name) and before.get(name, disk) != disk}
        self._said = {name: disk for name, disk in self._said.items() if name not in others}
        self._steps = [
            edits.as_seen(plan, before, now).each_disk(
                lambda disk: edits.with_own(disk, None, None) if disk.id in others else disk
            )
            for plan in self._steps
        ]
        self._seen = before | now
        self.pool = tuple(map(self._as_said, members))

    def _as_said(self, disk: Member) -> Member:
        said = self._said.get(disk.id, disk)
        return edits.with_own(disk, said.afr, said.age_years)

    def _push(self, plan: Plan) -> None:
        if self._steps and plan == self._steps[self._place]:
            self._show(plan)  # what is known of its disks may have changed
            return
        self._steps = [*self._steps[: self._place + 1], plan][-_MAX_STEPS:]
        self._place = len(self._steps) - 1
        self._show(plan)

    def _go_to(self, place: int) -> None:
        self._place = place
        self._forget_failures()
        self._show(self._at_home(self._steps[place]))

    def _show(self, plan: Plan | None) -> None:
        if plan is not None:
            self._said |= {disk.id: disk for disk in plan.disks()}
            self.pool = tuple(map(self._as_said, self.pool))
        self.draft = self._assessed(plan)
        self.changed.emit(self.draft)

    def _assessed(self, plan: Plan | None) -> Draft:
        if plan is None:
            return Draft(refusal=tr("Choose two disks or more, and the command appears here."))
        try:
            return Draft(plan, assess(plan, self.disks))
        except PlanRefused as error:
            return Draft(plan, refusal=translated(error.sentence))


def _refusal(plan: Plan) -> str:
    try:
        capacity_of(plan)
    except PlanRefused as error:
        return translated(error.sentence)
    return ""
