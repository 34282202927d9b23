"""The shoot-out's view-model: candidates, cost, progress, and winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from raidwright.analysis.advice.matrix import Shape, possible
from raidwright.analysis.advice.ranking import Wishes, rank
from raidwright.analysis.imagined import is_imagined
from raidwright.analysis.likeness import likeness, shape
from raidwright.core.errors import InputError, PlanRefused, RaidwrightError
from raidwright.core.model.disk import Disk
from raidwright.core.model.plan import Member, Plan
from raidwright.core.protocol.facts import UNKNOWN, DiskSignature
from raidwright.operations.disks import ExamineSignatures
from raidwright.operations.job_file import read_job_file
from raidwright.operations.shootout.contest import Contest, Others, contest_of
from raidwright.operations.shootout.results import Findings
from raidwright.operations.shootout.shootout import Shootout, Standing
from raidwright.reading.fio_job import own_suite
from raidwright.session import Session
from raidwright.suites import AnySuite, Suite
from raidwright.text.catalogue import tr, translated
from raidwright.text.disk import facts as disk_words
from raidwright.text.run.verdict import lines_of_plans
from raidwright.ui.draft import Draft, PlanSubject
from raidwright.ui.job import RunningOperation

from .choices import ProveChoices
from .offered import offered_plans
from .overlays import Overlays

_GIB = 2**30
SLICE_GIB, PRACTICE_SLICE_GIB = 4.0, 1.0  # a practice machine's slices take space on this computer
FILES_SLICE_GIB = 3.0  # files are measured on 2 GiB or more, beside md's own data
_CHOSEN_AT_FIRST = 4
_LONGEST_NAME = 16  # of a file, on a button


class ProveModel(ProveChoices):
    """The shoot-out. ``changed`` follows the candidates, the options and the job.

    ``offered`` is the present plan and the advised ones for its disks, best first, and then ``made``, the user's own;
    ``chosen`` are indices in it.
    """

    def __init__(self, session: Session, plan: PlanSubject, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._plan = session, plan
        self.job = RunningOperation(session, self)
        self.overlays = Overlays(session, self)
        self.job.changed.connect(self.changed)
        self.job.done.connect(self._done)
        self.job.ended.connect(self._ended)
        self.job.failed.connect(self._failed)
        self.offered: tuple[Plan, ...] = ()
        self.leaves_out_joined = False
        self.made: tuple[Plan, ...] = ()
        self.chosen: frozenset[int] = frozenset()
        self.disks: tuple[Disk, ...] = ()
        self.suite: AnySuite = Suite.QUICK
        self.job_name, self.job_refusal = "", ""  # of the user's fio job file, and the reason why it is invalid
        self._allowed: frozenset[str] = frozenset()  # the disks that the user allowed to be written to
        self.unknown: frozenset[str] = frozenset()  # disks with unrecognised bytes, known after a refusal
        self._found: Findings | None = None
        self.was_cut_off = False  # the findings are incomplete
        self.found_slice_bytes = 0  # of each disk, as measured
        self._looked_at: int | None = None  # the contestant that the user chose
        self._contest: Contest | None = None
        self._refusal = ""
        self.offer()

    @property
    def findings(self) -> Findings | None:
        """The findings, partial or complete; None before any."""
        standing = self.job.progress
        if self.job.is_busy and isinstance(standing, Standing):
            return standing.so_far
        return self._found

    @property
    def is_decided(self) -> bool:
        """True once the findings name a winner: after the shoot-out, if every layout was measured."""
        return not self.job.is_busy and self._found is not None and self._found.is_decided

    @property
    def is_to_decide(self) -> bool:
        """True if figures of the chosen disks are there, and nothing is measured any more."""
        found, here = self.findings, {disk.id for disk in self._plan.pool}
        if found is None or not found.figures or self.job.is_busy:
            return False
        return here.issuperset(disk.id for one in found.contest.contestants for disk in one.disks)

    @property
    def looked_at(self) -> int:
        """The contestant that the user chose, else the winner; -1 for none."""
        if self._looked_at is not None and self.findings is not None:
            return self._looked_at
        winner = self._found.winner if self.is_decided and self._found is not None else None
        return -1 if winner is None else winner

    def look_at(self, place: int) -> None:
        """Choose a contestant, whose reasons are shown and whose plan can be built; one disk alone can't be."""
        if self.plan_of(place) is not None:
            self._looked_at = place
            self.changed.emit()

    @property
    def own_plan(self) -> Plan | None:
        """The present plan."""
        return self._plan.draft.plan

    def is_own(self, place: int) -> bool:
        """True if the contestant is the present plan."""
        plan, own = self.plan_of(place), self.own_plan
        return plan is not None and own is not None and likeness(plan.top) == likeness(own.top)

    def why_not_build(self, place: int) -> str:
        """Return the reason why the contestant's plan can't be built; "" if it can."""
        plan = self.plan_of(place)
        if plan is None:
            return tr("Choose a layout first.")
        if self.job.is_busy:
            return tr("It can be built once the shoot-out has ended.")
        if self.findings is not None and self.findings.contest.contestants[place].halved:
            return tr("Halves of disks are for trying alone: use RAID 10 with the far layout, which reads alike.")
        here = {disk.id for disk in self._plan.pool}
        if not self._plan.can_edit or not here.issuperset(_disks_of((plan,))):
            return tr("Its disks aren't chosen now, or are in an array already.")
        return ""

    @property
    def slice_gib(self) -> float:
        """The slice of each disk used, from its beginning, in GiB."""
        usual = PRACTICE_SLICE_GIB if self._session.connection.is_practice else SLICE_GIB
        return self.wanted_gib or max(usual, FILES_SLICE_GIB if self.suite is Suite.FILESYSTEM else 0.0)

    @property
    def slice_bytes(self) -> int:
        """The same in bytes."""
        return int(self.slice_gib * _GIB)

    @property
    def contest(self) -> Contest | None:
        """The contest to measure; None if it isn't possible."""
        return self._contest

    @property
    def why_not(self) -> str:
        """The reason why it can't begin; "" if it can."""
        if why_untouchable := self._plan.draft.why_untouchable:
            return why_untouchable
        if problem := self._session.snapshot.problem:
            return tr("The disks aren't seen now: {why}", why=translated(problem))
        if not self.offered:
            return tr("Choose two empty disks or more at the Disks station first.")
        if self.is_imagined:
            return tr("Some of these disks are imagined; only real ones, or a practice machine's, can be tried.")
        if held := [disk for disk in self.disks if not disk.is_free]:
            return tr(
                "Only empty disks are used here. {disk} holds something: {what}.",
                disk=disk_words.name(held[0]),
                what=disk_words.holds(held[0]),
            )
        return self.job_refusal or self._refusal

    @property
    def is_imagined(self) -> bool:
        """True if some of the chosen disks are imagined."""
        return any(is_imagined(disk.id) for disk in self.disks)

    @property
    def is_allowed(self) -> bool:
        """True if the user allowed all of these disks to be written to; an added disk needs a new permission."""
        meant = {disk.failure_unit for disk in self.members}
        return bool(self._allowed) and not self.why_not and meant <= self._allowed

    @property
    def volumes_offered(self) -> tuple[Disk, ...]:
        """The empty disks that aren't chosen: each can take part as it is, such as a controller's volume."""
        chosen = {disk.id for disk in self.disks}
        return tuple(disk for disk in self._session.snapshot.disks if disk.is_free and disk.id not in chosen)

    @property
    def volumes(self) -> tuple[Member, ...]:
        """The disk that takes part as it is; () for none."""
        return tuple(disk.as_member() for disk in self.volumes_offered if disk.id == self.beside)

    @property
    def pair(self) -> tuple[Member, ...]:
        """The two disks of the cross-paired mirrors; () without them."""
        pair = tuple(disk.as_member() for disk in self.disks[:2])
        return pair if self.cross_paired and len(pair) == 2 else ()

    @property
    def members(self) -> tuple[Member, ...]:
        """The disks that would be written to, each once, with their latest data."""
        known = {disk.id: disk.as_member() for disk in self.disks}
        named = (*(disk for place in sorted(self.chosen) for disk in self.offered[place].disks()), *self.pair)
        named = (*named, *self.volumes)
        once = {disk.failure_unit: known.get(disk.failure_unit, disk) for disk in named}
        return tuple(once.values())

    @Slot()
    def offer(self) -> None:
        """Offer the candidates for these disks; the choice is kept if the disks are the same."""
        if self.job.is_busy:
            return
        own, disks = self._plan.draft.plan, {disk.id for disk in self.disks}
        self._look_again()
        self.made = tuple(plan for plan in self.made if disks.issuperset(_disks_of((plan,))))
        ranked = [one.prepared.plan for one in rank(self._plan.prepared, self._plan.wishes or Wishes()).candidates]
        self.leaves_out_joined = any(plan.volume for plan in (*ranked, own) if plan is not None)
        before, chosen = _disks_of(self.offered), {self._key(self.offered[place]) for place in self.chosen}
        self.offered = (*offered_plans(own, ranked), *self.made)
        kept = frozenset(place for place, plan in enumerate(self.offered) if self._key(plan) in chosen)
        if not kept or _disks_of(self.offered) != before:
            kept = frozenset(range(min(_CHOSEN_AT_FIRST, len(self.offered))))
        self.chosen = kept
        self._reckon()

    @Slot(object)
    def take_disks(self, disks: tuple[Disk, ...]) -> None:
        """Set the chosen disks, with their latest data."""
        self.disks = disks
        self._reckon()

    def matrix(self, shapes: Sequence[Shape], chunks_kib: Sequence[int], counts: Sequence[int]) -> tuple[Plan, ...]:
        """Return the combinations as plans, without those that mdadm would refuse and existing ones."""
        members = tuple(disk.as_member() for disk in self.disks)
        plans = possible(members, shapes, chunks_kib or (None,), counts or (len(members),)) if members else ()
        return tuple(plan for plan in plans if plan not in self.made)

    def make(self, plans: Sequence[Plan]) -> None:
        """Add these plans as candidates."""
        if not self.job.is_busy:
            first = len(self.offered)
            self.made, self.offered = (*self.made, *plans), (*self.offered, *plans)
            self.chosen |= frozenset(range(first, len(self.offered)))
            self._reckon()

    def take_job(self, path: Path) -> None:
        """Select a fio job file; if it is invalid, show the error and keep the previous suite."""
        try:
            self.suite = own_suite(read_job_file(path))
        except InputError as error:
            self.job_refusal = translated(error.sentence)
        else:
            name = path.name
            self.job_name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
            self.job_refusal = ""
        self._reckon()

    def toggle(self, place: int) -> None:
        """Add a candidate to the contest, or remove it."""
        if not self.job.is_busy:
            self.chosen ^= {place}
            self._reckon()

    def choose_suite(self, suite: str) -> None:
        """Set the suite."""
        self.suite, self.job_refusal = Suite(suite), ""
        self._reckon()

    def allow(self, given: bool) -> None:
        """Set the permission to write to the disks."""
        self._allowed = frozenset(disk.failure_unit for disk in self.members) if given else frozenset()
        self.changed.emit()

    @Slot()
    def begin(self) -> None:
        """Start the shoot-out."""
        if self._contest is None or self.why_not or not self.is_allowed:
            return
        self._found, self.was_cut_off, self._looked_at = None, False, None
        self.found_slice_bytes = self.slice_bytes
        unknown, self._allowed = self.unknown & self._allowed, frozenset()
        connection = self._session.connection
        self.job.begin(Shootout(self._contest, connection.title, connection.is_practice, unknown=unknown))

    def plan_of(self, place: int) -> Plan | None:
        """Return the contestant's plan; None for one disk alone."""
        found = self.findings
        if found is None or place < 0 or not found.contest.contestants[place].is_layout:
            return None
        return found.contest.contestants[place].wanted

    @Slot(object)
    def take_draft(self, draft: Draft) -> None:
        """Update the present plan's candidate: with its chunk, and its disks' latest data."""
        own = draft.plan
        if own is None or self.job.is_busy or own in self.offered:
            return
        advised = [shape(plan.top) for plan in self.offered if plan not in self.made]
        if shape(own.top) in advised:
            place = advised.index(shape(own.top))
            self.offered = (*self.offered[:place], own, *self.offered[place + 1 :])
            self._reckon()
        else:
            self.offer()

    @Slot(object)
    def _done(self, findings: Findings) -> None:
        self._found = findings

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        """Find the disks with unrecognised bytes after a refusal, so that their removal can be confirmed."""
        if error.fields.get("signatures") == [UNKNOWN]:
            ids = tuple(disk.id for disk in self.members)
            self._session.perform(ExamineSignatures(ids, wake=True), done=self._take_unknown, failed=lambda _: None)

    @Slot(object)
    def _take_unknown(self, found: Mapping[str, tuple[DiskSignature, ...]]) -> None:
        self.unknown = frozenset(disk for disk, one in found.items() if [item.name for item in one] == [UNKNOWN])
        self._allowed = frozenset()  # the permission didn't include this
        self.changed.emit()

    @property
    def unknown_chosen(self) -> tuple[Disk, ...]:
        """The contest's disks with unrecognised bytes, as far as known."""
        meant = {disk.id for disk in self.members} & self.unknown
        return tuple(disk for disk in self.disks if disk.id in meant)

    @Slot()
    def _ended(self) -> None:
        """Keep partial findings of a stopped or failed shoot-out."""
        standing = self.job.progress
        if self._found is None and isinstance(standing, Standing):
            self._found, self.was_cut_off = standing.so_far, True
        if (found := self._found) is not None:
            self._plan.take_tried(lines_of_plans(found))
        self.offer()

    def _look_again(self) -> None:
        """Update the disks' data in every plan: details arrive after the disks."""
        known = {disk.id: disk for disk in self._plan.pool}

        def seen(plan: Plan) -> Plan:
            return plan.each_disk(lambda disk: known.get(disk.id, disk))

        self.made, self.offered = tuple(map(seen, self.made)), tuple(map(seen, self.offered))

    def _key(self, plan: Plan) -> tuple[object, ...]:
        """Return the key by which the choice is kept: the whole of a user's plan, any other without its chunk."""
        return (plan,) if plan in self.made else shape(plan.top)

    def _reckon(self) -> None:
        """As ``ProveChoices._reckon``: schedule the contest anew."""
        self._contest, self._refusal = None, ""
        plans = [self.offered[place] for place in sorted(self.chosen)]
        others = Others(self.pair, self.volumes, self.kinds)
        try:
            self._contest = contest_of(
                plans, self.slice_bytes, self.suite, self.states, self.minutes, self.repeats, others
            )
        except (InputError, PlanRefused) as error:
            self._refusal = translated(error.sentence)
        self.changed.emit()


def _disks_of(plans: tuple[Plan, ...]) -> frozenset[str]:
    return frozenset(disk.id for plan in plans for disk in plan.disks())
