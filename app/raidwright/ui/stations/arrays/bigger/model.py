"""The walk of one array that becomes bigger: its three choices, the chosen way, and the change that runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.growth import TO_BUY, GrowthChoice, GrowthKind, advised, growth_choices
from raidwright.core.lvm.values import AnyStep, AnyWay
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.changes.values import ArrayStanding, ChangeWish
from raidwright.core.md.changes.ways import way_to
from raidwright.core.model.plan import Layer, Member
from raidwright.core.protocol.results import ArrayChanged
from raidwright.machine.bays import bay_of
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.array.change_times import brief_time
from raidwright.text.array.growth import brief_step, done_words
from raidwright.text.catalogue import tr
from raidwright.text.disk.bays import bay_key
from raidwright.text.plan.candidates import short_size
from raidwright.ui.stations.arrays.change.model import ChangeModel, today_of
from raidwright.ui.stations.arrays.change.ways import ShownWay


class BiggerStep(IntEnum):
    """The pages of the walk."""

    WAY = 0
    HAPPENS = 1
    PROGRESS = 2


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice with the figures of what it leads to, where md can make it."""

    choice: GrowthChoice
    shown: ShownWay
    is_quickest: bool
    is_advised: bool


def ground_of(array: State, snapshot: Snapshot) -> tuple[object, ...]:
    """Return what the choices depend on: with another ground they are worked out anew."""
    return array.sync_action, array.degraded, frozenset(disk.id for disk in snapshot.disks if disk.is_free)


class BiggerModel(QObject):
    """The walk. ``changed`` follows everything shown; ``change`` has the array, the chosen way and its job.

    ``kind`` is the choice to begin with, and ``wish`` another change that is asked for at once.
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        array: State,
        snapshot: Snapshot,
        parent: QObject | None = None,
        *,
        kind: GrowthKind | None = None,
        wish: ChangeWish | None = None,
    ) -> None:
        super().__init__(parent)
        self.step = BiggerStep.WAY
        self.today: ShownWay | None = None
        self.choices: tuple[ShownChoice, ...] = ()
        self.chosen: ShownWay | None = None
        self.ended: tuple[str, str] = ("", "")  # title and sentence of the last page
        self._kind, self._wish = kind, wish
        self._disks = {disk.id: disk for disk in snapshot.disks}
        self.ground = ground_of(array, snapshot)
        self.change = ChangeModel(session, array, snapshot, self)
        self.change.changed.connect(self._follow)
        self.change.job.done.connect(self._done)
        self.change.job.failed.connect(self._failed)

    @property
    def array(self) -> State:
        """The array, as it was when the walk began."""
        return self.change.array

    @property
    def problem(self) -> str:
        """The reason why nothing can be shown; "" if it can, or nobody has answered yet."""
        return "" if self.choices else self.change.problem

    @property
    def is_running(self) -> bool:
        """True while the change runs."""
        return self.change.job.is_busy

    @Slot()
    def _follow(self) -> None:
        if not self.choices and self.change.standing is not None:
            self._work_out()
        self.changed.emit()

    def _work_out(self) -> None:
        plan, standing = self.change.plan, self.change.standing
        if plan is None:
            return
        self.today = today_of(plan, self.change.with_speed)
        found = growth_choices(plan.top, self.change.newcomers, standing)
        shown = [self.change.shown(plan, one.way) for one in found]
        times = [one.time.likely_hours for one in shown if one.time is not None]
        pick = advised(found)
        self.choices = tuple(
            ShownChoice(one, way, way.time is not None and way.time.likely_hours <= min(times), one is pick)
            for one, way in zip(found, shown, strict=True)
        )
        if self._wish is not None and isinstance(standing, ArrayStanding):
            self._take(way_to(plan.array, self._wish, standing))
        elif self._kind is not None:
            begin = next(one.choice.begin for one in self.choices if one.choice.kind is self._kind)
            self._take(begin)

    def choose(self, choice: GrowthChoice) -> None:
        """Show what happens on the way of ``choice``."""
        self._take(choice.begin)
        self.changed.emit()

    def _take(self, way: AnyWay | None) -> None:
        plan = self.change.plan
        if way is None or plan is None or not way.possible or not way.steps:
            return
        self.chosen, self.step = self.change.shown(plan, way), BiggerStep.HAPPENS
        self.change.typed = self.change.job.failure = ""
        self.change.choose(way)

    @Slot()
    def go_back(self) -> None:
        """Go back to the choices."""
        self.step = BiggerStep.WAY
        self.changed.emit()

    @Slot()
    def go(self) -> None:
        """Begin the chosen change, once the array's name is typed."""
        if not self.change.why_not:
            self.step = BiggerStep.PROGRESS
            self.change.go()

    @Slot(object)
    def _done(self, result: object) -> None:
        if isinstance(result, ArrayChanged) and self.change.plan is not None:
            self.ended = done_words(self.array.name, self.change.plan.top, result)
            self.changed.emit()

    @Slot(object)
    def _failed(self, _error: object) -> None:
        self.step = BiggerStep.HAPPENS  # which says why

    @property
    def way(self) -> AnyWay | None:
        """The chosen way."""
        return self.chosen.way if self.chosen is not None else None

    @property
    def longest(self) -> AnyStep | None:
        """The chosen way's step that takes longest."""
        way, plan = self.way, self.change.plan
        if way is None or plan is None:
            return None
        times = self.change.times(plan, way)
        place = max(range(len(times)), key=lambda one: times[one].likely_hours)
        return way.steps[place]

    @property
    def brief_steps(self) -> tuple[tuple[str, str], ...]:
        """The chosen way's steps in a few words, each with its time."""
        way, plan, standing = self.way, self.change.plan, self.change.standing
        if way is None or plan is None:
            return ()
        content = standing.content.kind if standing is not None and standing.content is not None else ""
        times = self.change.times(plan, way)
        return tuple((brief_step(step, content), brief_time(time)) for step, time in zip(way.steps, times, strict=True))

    def name_of(self, disk: Member) -> str:
        """Return the name of the disk's bay, if it has one, else its serial number."""
        known = self._disks.get(disk.failure_unit)
        bay = bay_of(bay_key(known)) if known is not None else ""
        return bay or disk.serial or disk.id

    def heads(self, layer: Layer, before: Layer) -> tuple[tuple[str, ...], frozenset[int]]:
        """Return the names above the slots of ``layer``, and the slots of disks that ``before`` doesn't have."""
        had = {disk.id for disk in whole_disks(before)}
        disks = whole_disks(layer)
        names = tuple(self._head(slot, disk, is_new=disk.id not in had) for slot, disk in enumerate(disks))
        return names, frozenset(slot for slot, disk in enumerate(disks) if disk.id not in had)

    def _head(self, slot: int, disk: Member, *, is_new: bool) -> str:
        if disk.id.startswith(TO_BUY):
            return short_size(disk.size_bytes)
        known = self._disks.get(disk.failure_unit)
        bay = bay_of(bay_key(known)) if known is not None else ""
        return bay or (tr("new") if is_new else str(slot))
