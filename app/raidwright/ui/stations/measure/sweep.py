"""The dialog of a sweep: an array measured at each value of one setting, which is then set back or kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.core.system.workload import Workload
from raidwright.machine.states.volume import State
from raidwright.operations.operation import Operation
from raidwright.operations.sweep import SWEPT, Point, Sweep, Swept
from raidwright.session import Session
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.curves.sweeps import sweep_chart, value_words
from raidwright.text.reports.of_sweep import report_of_sweep
from raidwright.text.run import measurements as words
from raidwright.text.run.shootout import times
from raidwright.text.run.sweeps import OF_PARITY, setting_words, swept_words
from raidwright.text.shown import Cell
from raidwright.ui.job import RunningOperation
from raidwright.ui.report_file import save_report
from raidwright.ui.theme import tokens_for
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.line_chart import LineChartView
from raidwright.ui.widgets.panel import button, row
from raidwright.ui.widgets.save_button import PICTURES, REPORTS, SaveButton
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel
from raidwright.ui.widgets.twins import twins_of

from .series_dialog import SeriesDialog, SeriesModel, choice, count

_WIDTH, _HEIGHT = 860, 600
_FIRST_SECONDS, _FIRST_REPEATS = 8, 3
_MAX_SECONDS, _MAX_REPEATS = 600, 10
_PARITY_LEVELS = ("raid4", "raid5", "raid6")


class SweepDialog(SeriesDialog):
    """The dialog on ``array``; however the sweep ends, the previous value is set back, unless the fastest is kept."""

    def __init__(self, model: SeriesModel, session: Session, array: State, parent: QWidget) -> None:
        super().__init__(model, "sweep", tr("Sweep of “{name}”", name=array.name), parent)
        self._session, self._array = session, array
        self.resize(_WIDTH, _HEIGHT)
        self._make_controls()
        self._rows = TableModel(self._columns(), lambda one: RowLook(marked=self._is_best(one)))
        self._tuning = RunningOperation(session, self)
        self._tuning.done.connect(self._tuned)
        self._tuning.changed.connect(self._show_kept)
        self._chart = LineChartView("sweep-chart", in_panel=False)
        twins, self._toggle = twins_of(self._chart, Table(self._rows, "sweep-values", tr("Values")), "sweep")
        self._save = SaveButton("sweep", tr("sweep"), (*PICTURES, *REPORTS))
        self._save.wanted.connect(self._save_file)
        self._set = button("", "sweep-set", primary=True)
        self._set.clicked.connect(self._set_or_put_back)
        choices = wrapping(self._setting, self._workload, self._seconds, self._repeats, spacing=SPACE_M)
        beside = row(self._keep, spacing=SPACE_M)
        beside.addStretch(1)
        for part in (self._set, self._save, self._toggle):
            beside.addWidget(part)
        intro = tr(
            "The array is measured at one value after the other, in turns. One password is asked for. The previous "
            "value is set back however it ends, unless the fastest is kept."
        )
        self.lay_out(intro, (choices, beside), twins)
        for chosen in (self._setting, self._workload):
            chosen.currentIndexChanged.connect(model.forget)

    def _make_controls(self) -> None:
        self._setting = choice("sweep-setting", tr("Setting"))
        for setting in SWEPT:
            if setting not in OF_PARITY or self._array.word in _PARITY_LEVELS:
                self._setting.addItem(setting_words(setting), setting)
        self._workload = choice("sweep-workload", tr("Workload"))
        for kind in Workload:
            if not kind.writes:
                self._workload.addItem(words.workload(kind), str(kind))
        self._seconds = count("sweep-seconds", tr("Seconds"), _MAX_SECONDS, _FIRST_SECONDS, tr(" s"))
        self._repeats = count("sweep-repeats", tr("Repeats"), _MAX_REPEATS, _FIRST_REPEATS, tr(" times"))
        self._repeats.setSpecialValueText(tr("once"))
        self._keep = QCheckBox(tr("keep the fastest, also after each start"))
        self._keep.setObjectName("sweep-keep")
        setting, workload = self.model.chosen or (next(iter(SWEPT)), str(Workload.BUFFERED_READ))
        self._setting.setCurrentIndex(self._setting.findData(setting))
        self._workload.setCurrentIndex(self._workload.findData(workload))
        self._controls = (self._setting, self._workload, self._seconds, self._repeats, self._keep)

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column(tr("Value"), lambda one: Cell(str(one.value))),
            Column(tr("MB/s"), lambda one: Cell(words.figure(one.mb_s) if one.is_measured else "–"), align="right"),
            Column(
                tr("Spread"), lambda one: Cell(number(one.spread, ".0%") if one.is_measured else "–"), align="right"
            ),
            Column(tr("Against before"), lambda one: Cell(times(self._against(one))), align="right"),
            Column("", lambda one: Cell(translated(one.refused)), stretch=True),
        )

    def _against(self, one: Point) -> float | None:
        result = self.model.result
        before = next((point for point in self.model.points if result and point.value == result.before), None)
        return one.mb_s / before.mb_s if before is not None and before.is_measured and one.is_measured else None

    def _is_best(self, one: Point) -> bool:
        return self.model.result is not None and one.value == self.model.result.best.value

    def order(self) -> tuple[Operation[Any], tuple[str, ...]]:
        """As ``SeriesDialog.order``."""
        setting, workload = self._setting.currentData(), self._workload.currentData()
        connection = self._session.connection
        sweep = Sweep(
            self._array.named,
            setting,
            SWEPT[setting],
            Workload(workload),
            self._seconds.value(),
            connection.title,
            self._repeats.value(),
            is_practice=connection.is_practice,
            keep=self._keep.isChecked(),
        )
        return sweep, (setting, workload)

    def result_words(self) -> str:
        """As ``SeriesDialog.result_words``."""
        return swept_words(self.model.result)

    def show_points(self) -> None:
        """As ``SeriesDialog.show_points``."""
        model, result = self.model, self.swept
        setting = result.setting if result is not None else self._setting.currentData()
        workload = result.workload if result is not None else Workload(self._workload.currentData())
        self._rows.show_rows(model.points)
        before = result.before if result is not None else None
        self._chart.show_chart(sweep_chart(setting, workload, model.points, model.alone, before))
        self._show_kept()

    @property
    def swept(self) -> Swept | None:
        """The result; None before."""
        found: Swept | None = self.model.result
        return found

    @Slot()
    def _show_kept(self) -> None:
        """Show the button that keeps the fastest, or puts the previous value back."""
        swept = self.swept
        self._save.setVisible(swept is not None)
        is_same = swept is not None and swept.best.value == swept.before
        self._set.setVisible(swept is not None and not is_same)
        self._set.setEnabled(not self._tuning.is_busy)
        if swept is not None:
            is_kept = swept.kept is not None
            value = value_words(swept.setting, swept.before if is_kept else swept.best.value)
            self._set.setText(tr("Put {value} back", value=value) if is_kept else tr("Keep {value}", value=value))
        if self._tuning.failure:
            self.say_failure(self._tuning.failure)

    @Slot()
    def _set_or_put_back(self) -> None:
        if (swept := self.swept) is not None:
            array = self._array.named
            self._tuning.begin(swept.putting_back(array) if swept.kept is not None else swept.keeping(array))

    @Slot(object)
    def _tuned(self, _settings: object) -> None:
        if (swept := self.swept) is not None:
            self.model.take_result(replace(swept, kept=None if swept.kept is not None else swept.best.value))

    @Slot(object)
    def _save_file(self, path: Path) -> None:
        if (swept := self.swept) is None:
            return
        try:
            if path.suffix.lower().removeprefix(".") in REPORTS:
                save_report(path, report_of_sweep(swept, self._array.name))
            else:
                self._chart.save(path, swept_words(swept), tokens_for(self.palette()))
        except RaidwrightError as error:
            self.say_failure(translated(error.sentence))
