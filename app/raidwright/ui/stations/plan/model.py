"""The plan being edited: a sequence of frozen values, so undo and redo are a list and an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.candidates import Prepared, enumerate_plans
from raidwright.analysis.advice.ranking import Wishes, most_joined, rank
from raidwright.analysis.assessment import assess
from raidwright.analysis.imagined import is_imagined
from raidwright.analysis.layers.leaves import leaves
from raidwright.analysis.likeness import likeness, shape
from raidwright.core.errors import PlanRefused
from raidwright.core.layers.capacity import capacity_of
from raidwright.core.lvm.whole_disks import disk_ids, whole_disks
from raidwright.core.md.layouts import Level
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import MdArray, Member, Plan
from raidwright.text.catalogue import tr, translated
from raidwright.ui.draft import Draft
from raidwright.ui.phase import Phase

from . import edits

Edit = Callable[[Plan], Plan]
_MAX_STEPS = 200


class PlanModel(QObject):
    """The plan. ``changed(Draft)`` follows every edit; ``failed_changed`` the simulated failures.

    ``absent`` are the ids of the plan's disks that are missing or in use; the plan isn't changed by them.
    ``opening(Plan)`` asks for a plan read from a file, and ``opened`` follows when it is the present plan.
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
    file_refused = Signal(str)  # the reason why a file can't be opened
    pasting = Signal()  # asks for a command to be planned

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.draft = Draft()
        self.failed: frozenset[int] = frozenset()
        self.disks: dict[str, Disk] = {}
        self.here: Callable[[], tuple[Disk, ...]] = tuple  # the machine's disks, for a text that names some by device
        self.pool: tuple[Member, ...] = ()
        self.first_years = 5.0  # default years of a loss
        self.wishes: Wishes | None = None  # None until set
        self._prepared: tuple[Prepared, ...] | None = None
        self._is_own = False  # True if the user has edited the automatic plan
        self.absent: frozenset[str] = frozenset()
        self._in_use = ""
        self._kept: Plan | None = None  # the plan that needs no saving: it is automatic, or in a file
        self._seen: dict[str, Member] = {}  # each disk as the machine last reported it, chosen now or not
        self._said: dict[str, Member] = {}  # each disk as last planned with, chosen now or not
        self._steps: list[Plan] = []
        self._place = -1
        self._phase = Phase.REVIEW
        self._later: tuple[Disk, ...] | None = None  # disks chosen during a build
        self._judged = ""  # name of the array whose plan this is
        self._tried: dict[object, str] = {}  # a shoot-out's words on its plans, by likeness

    @property
    def can_edit(self) -> bool:
        """True if there is a plan, and it isn't an array already."""
        return self.draft.plan is not None and not self.draft.is_locked

    @property
    def is_unsaved(self) -> bool:
        """True if the plan has edits that are in no file, and in no array."""
        return self.can_edit and self.draft.plan != self._kept

    @property
    def is_lost_with_window(self) -> bool:
        """True as for ``is_unsaved``, and also during the build, which may fail."""
        return self.draft.plan not in (None, self._kept) and self._phase is not Phase.BUILT

    @property
    def can_undo(self) -> bool:
        """True if there is a step to undo."""
        return self._place > 0 and self.can_edit

    @property
    def can_redo(self) -> bool:
        """True if there is a step to redo."""
        return self._place < len(self._steps) - 1 and self.can_edit

    @Slot(object)
    def set_disks(self, disks: tuple[Disk, ...]) -> None:
        """Plan on these disks from now on; the layout is kept as far as they allow it.

        During a build its disks come into use one by one; that isn't a new choice, and neither is clearing the choice
        at its end.
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
            self._judged = ""
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
        """Give ``disk`` the slots of the missing disk; ``set_disks`` follows.

        What was assumed of an imagined disk is kept, since it was meant for whatever takes its place.
        """
        member, said = disk.as_member(), self._said.get(gone) if is_imagined(gone) else None
        if said is not None:
            self._said[disk.id] = edits.with_own(member, said.afr, said.age_years)
        self._steps = [edits.with_another(plan, gone, member, keeps_own=said is not None) for plan in self._steps]
        self._is_own = True

    def mark_absent(self, ids: frozenset[str], in_use: str = "") -> None:
        """Set the plan's disks that are missing or in use, and the sentence on those in use."""
        if ids != self.absent:
            self.absent = ids
            self.absent_changed.emit()
        if in_use != self._in_use:
            self._in_use = in_use
            self.draft = replace(self.draft, in_use=in_use)
            self.changed.emit(self.draft)

    def keep(self, plan: Plan | None) -> None:
        """Mark ``plan`` as needing no saving: it is in a file, or automatic."""
        self._kept = plan
        self.kept_changed.emit()

    def open(self, plan: Plan, *, is_anew: bool, judged: str = "") -> None:
        """Open a plan from a file, which has exactly the chosen disks, or that of the array ``judged``.

        ``is_anew``: the disks were chosen for it, so that undo doesn't lead to the previous plan.
        """
        self._judged = judged
        self.draft = replace(self.draft, is_locked=self._phase is not Phase.REVIEW, judged=judged)
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
        """Use the best plan for the chosen disks, with ``must_survive`` failures required.

        Edits made for other disks aren't carried over, except the name; undo restores them.
        """
        if self.draft.plan is None or not self.can_edit or disk_ids(plan.top) != self.disks.keys():
            return
        was_unsaved, present = self.is_unsaved, self.draft.plan
        self.wishes = replace(self.wishes or Wishes(), must_survive=must_survive)
        self.pool_changed.emit()
        best = edits.adopt(edits.as_known(plan, self.pool), edits.first_plan(self.pool))
        self._forget_failures()
        self._push(edits.named_as(best, present))
        self._is_own = False
        if not was_unsaved:
            self.keep(self.draft.plan)

    @Slot(object)
    def follow_build(self, phase: Phase) -> None:
        """Lock the plan during its build and after it; unlock it if the build failed."""
        self._phase = phase
        self.draft = replace(self.draft, is_locked=phase is not Phase.REVIEW or bool(self._judged))
        later, self._later = self._later, None
        if phase is Phase.REVIEW and later is not None:
            self.set_disks(later)
        else:
            self.changed.emit(self.draft)

    @property
    def prepared(self) -> tuple[Prepared, ...]:
        """Every plausible plan for the chosen disks, with all results that don't depend on wishes; cached."""
        if self._prepared is None:
            self._prepared = enumerate_plans(self.pool, self.disks, joined=True) if len(self.pool) > 1 else ()
        return self._prepared

    @property
    def gone(self) -> frozenset[int]:
        """The columns of the stage without a working disk: simulated failures, or empty slots."""
        slots = leaves(self.draft.plan.top) if self.draft.plan is not None else ()
        return self.failed | {column for column, (_slot, disk) in enumerate(slots) if disk is None}

    def edit(self, change: Edit) -> None:
        """Apply ``change`` to the plan."""
        if self.can_edit and self.draft.plan is not None and (plan := change(self.draft.plan)) != self.draft.plan:
            self._is_own = True
            if shape(plan.top) != shape(self.draft.plan.top):
                self._forget_failures()
            self._push(plan)

    def edit_fields(self, **fields: object) -> None:
        """Change some fields of the plan."""
        self.edit(lambda plan: plan.on(replace(plan.top, **fields)))  # type: ignore[arg-type]

    @Slot()
    def undo(self) -> None:
        """Undo one step."""
        if self.can_undo:
            self._go_to(self._place - 1)

    @Slot()
    def redo(self) -> None:
        """Redo one step."""
        if self.can_redo:
            self._go_to(self._place + 1)

    def why_not(self, change: Edit) -> str:
        """Return the reason why the plan after ``change`` would be refused; "" if it wouldn't."""
        if self.draft.plan is None:
            return tr("Choose disks first.")
        try:
            return _refusal(change(self.draft.plan))
        except PlanRefused as error:  # of an array's own edits, on a volume
            return translated(error.sentence)

    def why_not_level(self, level: Level) -> str:
        """Return the reason why these disks don't support ``level``; "" if they do."""
        return self.why_not(lambda plan: edits.with_level(plan, level, self.pool))

    def choose_level(self, level: Level) -> None:
        """Change the level."""
        self.edit(lambda plan: edits.with_level(plan, level, self.pool))

    def choose_nested(self, level: Level, groups: int) -> None:
        """Change to a raid0 over ``groups`` arrays of ``level``."""
        self.edit(lambda plan: edits.nested(plan, level, groups, self.pool))

    def choose_bands(self, tolerance: int, *, copies: bool) -> None:
        """Change to joined arrays that survive any ``tolerance`` failures; for 0, to the best plan without slices."""
        self.edit(lambda plan: self._banded(plan, tolerance, copies=copies))

    def _banded(self, plan: Plan, tolerance: int, *, copies: bool) -> Plan:
        if tolerance:
            return edits.joined(plan, self.pool, tolerance, copies=copies) or plan
        ranked = (one.prepared.plan for one in rank(self.prepared, self.wishes or Wishes()).candidates)
        best = next((other for other in ranked if not other.volume), None)
        return edits.adopt(best or edits.first_plan(self.pool), plan)

    @property
    def joined_instead(self) -> Prepared | None:
        """The joined arrays that hold more than the present plan; None without any, or if that is joined."""
        now = self.draft.assessment
        if not self.can_edit or now is None or now.plan.volume:
            return None
        return most_joined(self.prepared, self.wishes or Wishes(), now.capacity.array_bytes)

    def adopt(self, candidate: Plan) -> None:
        """Change to a candidate."""
        self.edit(lambda plan: edits.adopt(candidate, plan))

    def take_measured(self, plan: Plan) -> None:
        """Change to a plan exactly as it was measured in a shoot-out, with the present one's name and assumptions."""
        known = edits.as_known(plan, self.pool)
        self.edit(lambda present: edits.named_as(edits.as_said(known, present), present))

    def take_tried(self, words: Mapping[Plan, str]) -> None:
        """Let the plans of a shoot-out bear ``words`` of it, whenever they are the present plan."""
        self._tried |= {likeness(plan.top): said for plan, said in words.items()}
        tried = self._tried_words(self.draft.plan)
        if tried != self.draft.tried:
            self.draft = replace(self.draft, tried=tried)
            self.changed.emit(self.draft)

    def _tried_words(self, plan: Plan | None) -> str:
        return self._tried.get(likeness(plan.top), "") if plan is not None else ""

    @Slot(int)
    def toggle_failure(self, column: int) -> None:
        """Simulate the failure of the disk in a column of the stage, or end that."""
        disks = [disk for _slot, disk in leaves(self.draft.plan.top)] if self.draft.plan is not None else []
        if 0 <= column < len(disks) and disks[column] is not None:
            self.failed ^= {column}
            self.failed_changed.emit(self.failed)

    def _forget_failures(self) -> None:
        if self.failed:
            self.failed = frozenset()
            self.failed_changed.emit(self.failed)

    def _at_home(self, plan: Plan) -> Plan:
        """Return ``plan`` on the present disks, at a level that their number allows."""
        moved = edits.with_members(plan, self.pool)
        if _refusal(moved) or (plan.top.is_nested and moved != plan and not moved.volume):
            best = replace(edits.named_as(self._best(), plan), assumptions=plan.assumptions)
            if isinstance(best.top, MdArray) and isinstance(plan.top, MdArray):
                return best.on(replace(best.top, metadata=plan.top.metadata))
            return best
        return moved

    def _best(self) -> Plan:
        """Return the recommended plan for the chosen disks and the user's wishes."""
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
                lambda disk: edits.with_own(disk, None, None) if disk.failure_unit in others else disk
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
            self._show(plan)  # its disks' data may have changed
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
            self._said |= {disk.id: disk for disk in whole_disks(plan.top)}
            self.pool = tuple(map(self._as_said, self.pool))
        self.draft = self._assessed(plan)
        self.changed.emit(self.draft)

    @property
    def _judged_disks(self) -> Mapping[str, Disk]:
        """The disks of an array that exists: what they hold is its own, and no danger to it."""
        return {known: replace(disk, uses=()) for known, disk in self.disks.items()}

    def _assessed(self, plan: Plan | None) -> Draft:
        if plan is None:
            return Draft(refusal=tr("Choose two disks or more, and the command appears here."))
        try:
            assessment = assess(plan, self._judged_disks if self._judged else self.disks)
        except PlanRefused as error:
            refusal, judged = translated(error.sentence), self._judged
            return Draft(plan, refusal=refusal, is_locked=bool(judged), judged=judged, in_use=self._in_use)
        tried, judged = self._tried_words(plan), self._judged
        return Draft(plan, assessment, is_locked=bool(judged), judged=judged, tried=tried, in_use=self._in_use)


def _refusal(plan: Plan) -> str:
    try:
        capacity_of(plan.top)
    except PlanRefused as error:
        return translated(error.sentence)
    return ""
