"""Assumptions per disk: failure rate and age, grouped by model, with the source of the published rate."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractSpinBox, QGridLayout, QVBoxLayout, QWidget

from raidwright.analysis.reliability.assumptions import Assumptions
from raidwright.core.model.plan import Member, Plan
from raidwright.text.catalogue import tr
from raidwright.ui.stations.plan.edits import with_own
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import DecimalBox
from raidwright.ui.widgets.panel import TabPlace, button, clear, column, label, row

from . import overrides as said
from .model import LossModel

_MAX_PERCENT, _MAX_YEARS = 100.0, 30.0
_HEIGHT = 30


class EachDisk(QWidget):
    """One row per disk; edits are stored in the plan."""

    def __init__(self, model: LossModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loss-each-disk")
        self._model = model
        self._units: tuple[str, ...] = ()
        self._kinds: tuple[_OneModel, ...] = ()
        self._alike = button(tr("All like the first"), "loss-all-alike")
        self._alike.clicked.connect(lambda: model.keep(said.like_the_first))
        self._run = button(tr("Ages as they have run"), "loss-ages-run")
        self._run.setToolTip(tr("Takes the hours of running that the disks themselves count for their ages"))
        self._run.clicked.connect(lambda: model.keep(self._as_run))
        self._list = column(spacing=SPACE_L)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(wrapping(self._alike, self._run))
        box.addLayout(self._list)
        box.addStretch(1)
        self._place = TabPlace(self)
        model.changed.connect(self._show)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: show changes made meanwhile."""
        super().showEvent(event)
        self._show()

    @Slot()
    def _show(self) -> None:
        plan, loss = self._model.plan, self._model.loss
        if plan is None or loss is None or not self.isVisible():
            return
        disks = {disk.failure_unit: disk for disk in plan.disks()}
        if tuple(disks) != self._units:
            self._lay_out(disks)
        for kind in self._kinds:
            kind.show_disks(disks, loss.assumptions)
        for control in (self._alike, self._run):
            control.setEnabled(self._model.can_assume)
        self._run.setVisible(any(said.years_run(self._model.disk(unit)) is not None for unit in disks))

    def _lay_out(self, disks: dict[str, Member]) -> None:
        clear(self._list)
        self._units = tuple(disks)
        by_model: dict[str, list[Member]] = {}
        for disk in disks.values():
            by_model.setdefault(disk.model, []).append(disk)
        self._kinds = tuple(_OneModel(self._model, kin) for kin in by_model.values())
        for kind in self._kinds:
            self._list.addWidget(kind)
        self._place.give(*self._kinds)

    def _as_run(self, plan: Plan) -> Plan:
        for unit in self._units:
            if (years := said.years_run(self._model.disk(unit))) is not None:
                plan = said.age_of_disk(plan, unit, years)
        return plan


class _OneModel(QWidget):
    """The disks of one model, and its published rate."""

    def __init__(self, model: LossModel, disks: Sequence[Member], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_S)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label(disks[0].model or tr("Model unknown"), "title", wrap=True), 0, 0)
        grid.addWidget(label(tr("fails a year"), "dim"), 0, 1, Qt.AlignmentFlag.AlignBottom)
        grid.addWidget(label(tr("age"), "dim"), 0, 2, Qt.AlignmentFlag.AlignBottom)
        self._rows = tuple(_DiskRow(model, disk, grid, place) for place, disk in enumerate(disks, start=1))
        self._source = label("", "dim", name=f"own-source-{disks[0].model}", wrap=True)
        grid.addWidget(self._source, len(disks) + 1, 0, 1, 3)

    def show_disks(self, disks: dict[str, Member], assumptions: Assumptions) -> None:
        """Show the disks' assumptions."""
        for one in self._rows:
            one.show_disk(disks[one.unit], assumptions)
        plain = with_own(disks[self._rows[0].unit], None, None)
        self._source.setText(tr("Without a rate of its own: {source}", source=assumptions.rate_of(plain).source))


class _DiskRow:
    """A disk's name, its two numbers, and a button that restores the published ones, in a row of ``grid``."""

    def __init__(self, model: LossModel, disk: Member, grid: QGridLayout, place: int) -> None:
        self.unit, self._model = disk.failure_unit, model
        known = model.disk(self.unit)
        name = " · ".join(part for part in (disk.serial, known.device.removeprefix("/dev/") if known else "") if part)
        grid_name = label(name or self.unit)
        self._reset = button(tr("Reset"), f"own-{self.unit}-reset")
        self._reset.setProperty("kind", "link")
        self._reset.setAccessibleName(tr("Reset: {disk}", disk=name or self.unit))
        self._reset.clicked.connect(lambda: model.keep(lambda plan: said.nothing_of_disk(plan, self.unit)))
        run = said.years_run(known)
        has_run = label(tr("has run {years:g} years", years=run), "dim") if run is not None else None
        below = row(has_run, self._reset)
        below.addStretch(1)
        self._rate = _Number(_MAX_PERCENT, 2, "%", f"own-{self.unit}-rate")
        self._rate.setAccessibleName(tr("How often {disk} fails, in percent a year", disk=name))
        self._rate.valueChanged.connect(
            lambda percent: model.keep(lambda plan: said.rate_of_disk(plan, self.unit, round(percent / 100, 6)))
        )
        self._age = _Number(_MAX_YEARS, 1, tr(" y"), f"own-{self.unit}-age")
        self._age.setSpecialValueText(tr("new"))
        self._age.setAccessibleName(tr("How old {disk} is, in years", disk=name))
        self._age.valueChanged.connect(
            lambda years: model.keep(lambda plan: said.age_of_disk(plan, self.unit, round(years, 3)))
        )
        grid.addLayout(column(grid_name, below, spacing=SPACE_XS), place, 0)
        grid.addWidget(self._rate, place, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._age, place, 2, Qt.AlignmentFlag.AlignTop)

    def show_disk(self, disk: Member, assumptions: Assumptions) -> None:
        """Show the disk's assumptions."""
        shown = ((self._rate, assumptions.rate_of(disk).likely * 100), (self._age, assumptions.age_of(disk)))
        for edit, value in shown:
            edit.setEnabled(self._model.can_assume)
            edit.show_value(value)
        self._reset.setVisible(self._model.can_assume and said.is_own(disk))


class _Number(DecimalBox):
    """A number that emits its value when editing has finished, not at each digit."""

    def __init__(self, most: float, decimals: int, suffix: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFixedHeight(_HEIGHT)
        self.setDecimals(decimals)
        self.setRange(0, most)
        self.setSingleStep(0.5)
        self.setSuffix(suffix)
        self.setKeyboardTracking(False)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.UpDownArrows)
