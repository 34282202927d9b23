"""The judgement of one array of the station, worked out anew with each look at the machine."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.advice.growth import GrowthChoice, GrowthKind, growth_choices
from raidwright.analysis.advice.shapes import ShapeFigures, figures_of_shape
from raidwright.analysis.assessment import assess
from raidwright.core.errors import InputError
from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.model.plan import Consistency, Member
from raidwright.core.system.tuning import Lasting, Tuning
from raidwright.machine.judged_plan import judged_disks, judged_plan
from raidwright.machine.states.volume import State
from raidwright.operations.system import Tune
from raidwright.text.array.judgement import Judged, JudgedRow, Remedy, first_of, judged_rows
from raidwright.text.catalogue import translated
from raidwright.ui.after_build.next_steps import GIVE_UP_SECONDS
from raidwright.ui.alerts.model import AlertsModel
from raidwright.ui.stations.arrays.model import ArraysModel


class GoodModel(QObject):
    """The judgement. ``changed`` follows everything shown; ``alerts_wanted`` asks for the receivers of messages.

    ``judged`` is None while no array is opened.
    """

    changed = Signal()
    alerts_wanted = Signal()

    def __init__(self, arrays: ArraysModel, alerts: AlertsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arrays, self._alerts = arrays, alerts
        self._uuid = ""
        self.judged: Judged | None = None
        self.rows: tuple[JudgedRow, ...] = ()
        self.safer: tuple[GrowthChoice, ShapeFigures] | None = None
        arrays.good_wanted.connect(self.open)
        arrays.changed.connect(self._follow)
        alerts.changed.connect(self._follow)

    @property
    def is_open(self) -> bool:
        """True while an array is judged."""
        return self.judged is not None

    @property
    def first(self) -> JudgedRow | None:
        """The row of the one thing to do."""
        return first_of(self.rows)

    @property
    def job_words(self) -> str:
        """The station's present act, its result, or its failure."""
        job = self._arrays.job
        return f"✕ {job.failure}" if job.failure else job.at or self._arrays.said

    @property
    def is_busy(self) -> bool:
        """True while the station does something."""
        return self._arrays.job.is_busy

    @Slot(object)
    def open(self, array: State) -> None:
        """Judge ``array``; the station says why, if no plan can express it."""
        self._uuid, self._arrays.job.failure, self._arrays.said = array.uuid, "", ""
        if self._alerts.facts is None:
            self._alerts.look()
        try:
            self._judge(array)
        except InputError as error:
            self.close()
            self._arrays.refuse(translated(error.sentence))
            return
        self.changed.emit()

    @Slot()
    def close(self) -> None:
        """Show the arrays again."""
        self._uuid, self.judged = "", None
        self.changed.emit()

    @Slot()
    def as_plan(self) -> None:
        """Show the array at the station Plan."""
        if self.judged is not None:
            self._arrays.judge(self.judged.array)

    @Slot()
    def _follow(self) -> None:
        if not self._uuid:
            return
        now = next((one for one in self._arrays.arrays if one.uuid == self._uuid), None)
        if now is None:
            self.close()
            return
        try:
            self._judge(now)
        except InputError:  # it is being reshaped, or the helper has gone
            self.close()
            return
        self.changed.emit()

    def _judge(self, array: State) -> None:
        _session, snapshot = self._arrays.seen
        baselines = {disk.id: disk.baseline for disk in snapshot.disks}

        def measured(disk: Member) -> Member:
            return replace(disk, baseline=baselines.get(disk.failure_unit) or disk.baseline)

        plan, disks = judged_plan(array, snapshot).each_disk(measured), judged_disks(snapshot)
        check, run = self._arrays.last_check(array), self._arrays.last_measured(array)
        before = self.judged
        if before is not None and before.plan == plan and before.disks == disks:
            assessment, figures = before.assessment, before.figures
        else:
            assessment, figures = assess(plan, disks), figures_of_shape(plan)
            self.safer = None
        self.judged = Judged(array, assessment, figures, disks, check, run, self._alerts.facts)
        self.rows = judged_rows(self.judged)
        first = self.first
        if first is not None and first.remedy is Remedy.SAFER and self.safer is None:
            free = [disk.as_member() for disk in snapshot.disks if disk.is_free]
            self.safer = _safer(growth_choices(plan.top, free), self.judged)

    def act(self, row: JudgedRow) -> None:
        """Do what the button of ``row`` says."""
        judged, arrays = self.judged, self._arrays
        if judged is None:
            return
        match row.remedy:
            case Remedy.REPLACE:
                arrays.replace_wanted.emit(judged.array)
            case Remedy.SAFER:
                arrays.bigger_wanted.emit(judged.array, GrowthKind.SAFER)
            case Remedy.BITMAP:
                arrays.bigger_wanted.emit(judged.array, ChangeWish(consistency=Consistency.BITMAP))
            case Remedy.CHECK:
                arrays.check(judged.array)
            case Remedy.MEASURE:
                arrays.measure_wanted.emit(judged.array)
            case Remedy.ALERTS:
                self.alerts_wanted.emit()
            case Remedy.RETRIES:
                arrays.job.begin(Tune(judged.array.named, Tuning(error_recovery_s=GIVE_UP_SECONDS), Lasting.ALWAYS))


def _safer(choices: tuple[GrowthChoice, ...], judged: Judged) -> tuple[GrowthChoice, ShapeFigures] | None:
    """Return the safer shape and its figures, if md can make it."""
    choice = next(one for one in choices if one.kind is GrowthKind.SAFER)
    return (choice, figures_of_shape(judged.plan.on(choice.way.after))) if choice.is_possible else None
