"""The change of one array: the disks to add, the ways that there are, the chosen one, and its job."""

from __future__ import annotations

import shlex
from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from raidwright.analysis.advice.offers import askable, offers
from raidwright.analysis.advice.shapes import figures_of_shape
from raidwright.analysis.layers.survival import survival_of
from raidwright.analysis.performance.change_time import ChangeTime, times_of
from raidwright.core.errors import InputError, RaidwrightError
from raidwright.core.lvm.change_commands import volume_step_commands
from raidwright.core.lvm.values import AnyStep, AnyWay, VolumeStep, VolumeWay
from raidwright.core.lvm.volume_changes import VolumeStanding, growth_goal, volume_way
from raidwright.core.md.changes.commands import step_commands
from raidwright.core.md.changes.standing import standing_from
from raidwright.core.md.changes.values import ArrayStanding, ChangeWish
from raidwright.core.md.changes.ways import goal_of, way_to
from raidwright.core.model.plan import LinearVolume, Member, Plan
from raidwright.core.protocol.facts import ChangeGround
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.array_plan import plan_of
from raidwright.machine.states.volume import State, Volume
from raidwright.machine.values import Snapshot
from raidwright.operations.changing import ChangeArray, ExamineGrowth, LookForChange
from raidwright.session import Session
from raidwright.text.array import changes as words
from raidwright.text.array.change_times import time_words
from raidwright.text.catalogue import tr, translated
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.job import RunningOperation

from .ways import ShownWay


class ChangeModel(Confirmed):
    """The change. ``changed`` follows everything shown."""

    def __init__(self, session: Session, array: State, snapshot: Snapshot, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.array = array
        self.job = RunningOperation(session, self)
        self.job.changed.connect(self.changed)
        self.job.done.connect(self._done)
        self.newcomers = tuple(disk.as_member() for disk in snapshot.disks if disk.is_free)
        self._known = {disk.id: disk.baseline or disk.of_kind() for disk in snapshot.disks}
        self.said, self.problem = "", ""
        self.ways: tuple[AnyWay, ...] = ()
        self.rows: tuple[ShownWay, ...] = ()  # the array as it is, then each of the ways
        self.chosen: AnyWay | None = None
        self.askable: tuple[tuple[ChangeWish, ...], ...] = ()
        self._added: tuple[Member, ...] = ()
        self._wish = ChangeWish()
        self._standing: ArrayStanding | VolumeStanding | None = None
        self._plan: Plan | None = None
        try:
            self._plan = plan_of(array, snapshot.arrays)
        except InputError as error:
            self.problem = translated(error.sentence)
            return
        if isinstance(array, Volume):
            growth = ExamineGrowth(array.named, tuple(band.named for band in array.bands))
            session.perform(growth, done=self._seen, failed=self._not_seen)
        else:
            self.askable = askable(self._plan.array)
            session.perform(LookForChange(array.named), done=self._seen, failed=self._not_seen)

    @Slot(object)
    def _seen(self, seen: ChangeGround | VolumeStanding) -> None:
        self._standing = standing_from(seen) if isinstance(seen, ChangeGround) else seen
        self._search()

    @Slot(RaidwrightError)
    def _not_seen(self, error: RaidwrightError) -> None:
        self.problem = translated(error.sentence)
        self.changed.emit()

    def add(self, disks: tuple[Member, ...]) -> None:
        """Choose the disks to add, and search for the ways with them."""
        self._added = disks
        self._search()

    def wish(self, wish: ChangeWish) -> None:
        """Ask for what ``wish`` says besides the disks to add; an empty one asks for nothing."""
        self._wish = wish
        self._search()

    def _search(self) -> None:
        if self._plan is not None and self._standing is not None:
            ways = _ways(self._plan, self._added, self._standing)
            self.ways = tuple(sorted(ways, key=lambda way: (not way.possible, _is_less_safe(way))))
            self.chosen = next((way for way in self.ways if way.possible and not _is_less_safe(way)), None)
            if self._wish != ChangeWish() and isinstance(self._standing, ArrayStanding):
                self.chosen = way_to(self._plan.array, replace(self._wish, add=self._added), self._standing)
                self.ways = (self.chosen, *self.ways)
            today = ShownWay(self._plan, figures=figures_of_shape(self._plan.each_disk(self._with_speed)))
            self.rows = (today, *(self._shown(self._plan, way) for way in self.ways))
        self.changed.emit()

    def _shown(self, plan: Plan, way: AnyWay) -> ShownWay:
        if not way.possible:
            return ShownWay(plan.on(way.before), way)
        times = self._times(plan, way)
        whole = sum(times[1:], times[0]) if times else None
        after = plan.on(way.after)
        return ShownWay(after, way, figures_of_shape(after.each_disk(self._with_speed)), whole)

    def _times(self, plan: Plan, way: AnyWay) -> tuple[ChangeTime, ...]:
        """Return the times of the steps, by the disks' measured speeds where there are any."""
        return times_of([self._with_speeds(step) for step in way.steps], plan.links)

    def _with_speeds(self, step: AnyStep) -> AnyStep:
        if isinstance(step, VolumeStep):
            return step
        before, after = (array.each_disk(self._with_speed) for array in (step.before, step.after))
        return replace(step, before=before, after=after)

    def _with_speed(self, disk: Member) -> Member:
        return replace(disk, baseline=self._known.get(disk.failure_unit) or disk.baseline)

    def choose(self, way: AnyWay) -> None:
        """Choose one of ``ways``."""
        self.chosen = way
        self.changed.emit()

    @property
    def first(self) -> str:
        """The sentence above the steps: what becomes of the array, or why there is no way."""
        if self.chosen is None:
            return self.problem
        return words.becomes_sentence(self.chosen) if self.chosen.possible else words.refused_text(self.chosen)

    @property
    def steps(self) -> tuple[words.StepWords, ...]:
        """The chosen way's steps, with times and commands; () where there is none."""
        way = self.chosen
        if way is None or not way.possible or self._plan is None:
            return ()
        node, content = self.array.node, self._standing.content if self._standing else None
        if isinstance(way, VolumeWay):
            commands = [[*volume_step_commands(way, step, content)] for step in way.steps]
        else:
            argvs = (step_commands(step, node, content, uuid=self.array.uuid) for step in way.steps)
            commands = [list(map(shlex.join, each)) for each in argvs]
        return words.steps_in_words(way, commands, tuple(map(time_words, self._times(self._plan, way))))

    @property
    def rest(self) -> tuple[str, ...]:
        """The sentences below the steps."""
        way = self.chosen
        return words.rest_in_words(way, timed=bool(way.steps)) if way is not None and way.possible else ()

    @property
    def why_not(self) -> str:
        """The reason why the change can't be begun yet; "" if it can."""
        if self.job.is_busy:
            return self.job.at
        if self.chosen is None or not self.chosen.possible or not self.chosen.steps:
            return tr("Choose a change that can be made.")
        return self.unconfirmed(self.array.name)

    @Slot()
    def go(self) -> None:
        """Begin the change; the helper continues it if the window is closed."""
        if not self.why_not and self.chosen is not None:
            goal = growth_goal(self.chosen) if isinstance(self.chosen, VolumeWay) else goal_of(self.chosen)
            self.job.begin(ChangeArray(self.array.named, goal))

    @Slot(object)
    def _done(self, result: object) -> None:
        if isinstance(result, ArrayChanged):
            self.said = words.changed_text(self.array.name, result)
        self.typed = ""
        self.changed.emit()


def _ways(plan: Plan, new: tuple[Member, ...], standing: ArrayStanding | VolumeStanding) -> tuple[AnyWay, ...]:
    """Return the ways; a joined volume has one: to all that it can use."""
    if isinstance(plan.top, LinearVolume) and isinstance(standing, VolumeStanding):
        return (volume_way(plan.top, ChangeWish(add=new, larger=not new), standing),)
    return offers(plan.array, new, standing if isinstance(standing, ArrayStanding) else None)


def _is_less_safe(way: AnyWay) -> bool:
    """Return whether fewer disks may fail afterwards; such a way is never chosen beforehand."""
    return way.possible and survival_of(way.after).most() < survival_of(way.before).most()
