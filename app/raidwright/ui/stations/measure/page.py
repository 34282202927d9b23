"""The Measure station: choose target and workload, watch the curve, and keep the runs."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from raidwright.core.protocol.measured import Sample
from raidwright.core.system.workload import Workload
from raidwright.runs.memory_speed import MEMORY_SPEED, is_at_memory_speed
from raidwright.runs.remarks import remarks_of
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.trials import Trial
from raidwright.session import Session
from raidwright.suites import Suite
from raidwright.text.catalogue import tr, translated
from raidwright.text.run import measurements as words
from raidwright.ui.stations.measure.compare.model import CompareModel
from raidwright.ui.stations.measure.compare.page import ComparePage
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import ComboBox, SpinBox
from raidwright.ui.widgets.panel import Notice, Panel, button, column, label, row, swap
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import TableModel

from .beside import Expected, expected_of, in_words, verdict
from .columns import sample_columns
from .curve import Curve
from .model import OFFERED_SUITES, MeasureModel
from .more_ways import MoreWays
from .runs_panel import RunsPanel
from .strips import Strips
from .suite_table import SuitePanel
from .trial_panel import TrialPanel

_RIGHT, _RIGHT_NARROW, _NARROW = 440, 360, 1100
_LONGEST_SECONDS, _MAX_REPEATS = 600, 10
_TARGET_WIDTH, _TARGET_WIDE, _WIDE = 230, 310, 1300  # a disk's serial stands at the name's end
_COMPARE = 2  # the layer's index
_OWN = "own"  # the user's own job, in the list of workloads


class MeasureStation(QWidget):
    """The station. ``build_wanted`` asks for the Build station."""

    build_wanted = Signal()

    def __init__(self, model: MeasureModel, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("measure-station")
        self._model, self._session = model, session
        self._samples = TableModel(sample_columns())
        self._notice = Notice("measure-notice")
        self._notice.acted.connect(self.build_wanted)
        full = QWidget()
        grid = QGridLayout(full)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(SPACE_M)
        grid.addWidget(self._choice_panel(), 0, 0)
        grid.addWidget(self._curve_panel(), 1, 0)
        self._suite_panel = SuitePanel()
        self._right = QWidget()
        self._runs = RunsPanel(model)
        self._runs.compare_wanted.connect(self._compare_with)
        self._trial_panel = TrialPanel(model)
        self._right.setLayout(column(self._suite_panel, self._trial_panel, self._runs, spacing=SPACE_M))
        grid.addWidget(self._right, 0, 1, 2, 1)
        grid.setRowStretch(1, 1)
        grid.setColumnStretch(0, 1)
        whole = QWidget()
        self._layers = QStackedLayout(whole)
        self._layers.addWidget(full)
        self._layers.addWidget(self._notice)
        self._compare: ComparePage | None = None
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.addWidget(whole)
        model.changed.connect(self._show)
        model.sampled.connect(self._show_sample)
        model.trial_wanted.connect(self._compare_trial)
        self._show()
        model.load_runs()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: on a small window, reserve the space for the curve first."""
        self._right.setFixedWidth(_RIGHT_NARROW if self.width() < _NARROW else _RIGHT)
        self._target.setMaximumWidth(_TARGET_WIDTH if self.width() < _WIDE else _TARGET_WIDE)
        super().resizeEvent(event)

    # -- laying out --

    def _choice_panel(self) -> Panel:
        panel = Panel()
        self._target = _combo("measure-target", tr("What to measure"))
        self._target.activated.connect(lambda _place: self._model.choose_target(self._target.currentData()))
        self._workload = _combo("measure-workload", tr("Workload"))
        for kind in Workload:
            self._workload.addItem(words.workload(kind), str(kind))
            self._workload.setItemData(self._workload.count() - 1, words.disk_mark(kind), Qt.ItemDataRole.ToolTipRole)
        for suite in OFFERED_SUITES:
            self._workload.addItem(words.suite(suite), suite)
        self._workload.activated.connect(self._choose_workload)
        self._seconds = SpinBox()
        self._seconds.setObjectName("measure-seconds")
        self._seconds.setAccessibleName(tr("Seconds"))
        self._seconds.setFixedSize(76, 30)
        self._seconds.setRange(1, _LONGEST_SECONDS)
        self._seconds.setSuffix(tr(" s"))
        self._seconds.setValue(self._model.seconds)
        self._seconds.valueChanged.connect(self._model.choose_seconds)
        self._repeats = SpinBox()
        self._repeats.setObjectName("measure-repeats")
        self._repeats.setAccessibleName(tr("How often each is measured"))
        self._repeats.setFixedSize(92, 30)
        self._repeats.setRange(1, _MAX_REPEATS)
        self._repeats.setSuffix(tr(" times"))
        self._repeats.setSpecialValueText(tr("once"))
        self._repeats.setValue(self._model.repeats)
        self._repeats.valueChanged.connect(self._model.choose_repeats)
        self._start = button(tr("Measure"), "measure-start", primary=True)
        self._start.clicked.connect(self._model.start)
        self._cancel = button(tr("Cancel"), "measure-cancel")
        self._cancel.clicked.connect(self._model.job.cancel)
        self._why_not = label("", "dim", name="measure-why-not", wrap=True)
        self._target.setParent(panel)  # before the others, since Tab comes to them in this order
        parts: list[QWidget] = [self._target]
        for title, control in ((tr("by"), self._workload), (tr("for"), self._seconds)):
            said = QWidget(panel)  # keeps the label and the control on one line
            said.setLayout(row(label(title, "dim"), control))
            parts.append(said)
        whole = row(spacing=SPACE_M)  # the choices may wrap; the button stays at the right of the first
        whole.addWidget(wrapping(*parts, self._repeats, spacing=SPACE_M), 1)
        for part in (self._start, self._cancel):
            whole.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        panel.body.addLayout(whole)
        panel.body.addWidget(self._why_not)
        return panel

    def _curve_panel(self) -> Panel:
        panel = Panel()
        self._title = label("", "title", name="measure-title", wrap=True)
        self._as_table = _toggle(tr("As a table"), "measure-as-table")
        self._as_table.toggled.connect(self._show_twin)
        head = row(self._title)
        head.setStretch(0, 1)
        self._more = MoreWays(self._model, self._session)
        head.addWidget(self._more)
        head.addWidget(self._as_table)
        self._speed, speed = _figure("measure-mb-s", tr("MB/s"))
        self._iops, iops = _figure("measure-iops", tr("IOPS"))
        self._latency, latency = _figure("measure-latency", tr("ms"))
        self._p99 = label("", "dim", name="measure-p99")
        self._p99.setMinimumHeight(speed.sizeHint().height())
        self._p99.setAlignment(Qt.AlignmentFlag.AlignBottom)
        figures = wrapping(speed, iops, latency, self._p99, spacing=SPACE_XL)
        self._beside = label("", "dim", name="measure-beside", wrap=True)
        self._memory_speed = label(translated(MEMORY_SPEED), "practice", name="measure-memory-speed", wrap=True)
        self._expected: tuple[object, Expected | None] = (None, None)
        self._failure = label("", "error", name="measure-failure", wrap=True)
        self._curve, self._strips = Curve(), Strips()
        drawn = QWidget()
        drawn.setLayout(column(self._curve, self._strips, spacing=0))
        self._table = Table(self._samples, "measure-samples", tr("Samples"))
        twins = QWidget()
        self._twins = QStackedLayout(twins)
        self._twins.addWidget(drawn)
        self._twins.addWidget(self._table)
        panel.body.addLayout(head)
        for part in (figures, self._memory_speed, self._beside, self._failure):
            panel.body.addWidget(part)
        panel.body.addWidget(twins, 1)
        return panel

    # -- showing --

    @Slot(int)
    def _choose_workload(self, _place: int) -> None:
        chosen = self._workload.currentData()
        if chosen == _OWN:
            return
        if chosen in set(Suite):
            self._model.choose_suite(Suite(chosen))
        else:
            self._model.choose_workload(Workload(chosen))

    @Slot()
    def show_compare(self) -> None:
        """Show the Compare page."""
        if self._compare is None:
            compared = CompareModel(self._session, self)
            self._model.runs_changed.connect(lambda: compared.take_runs(self._model.runs))
            compared.take_runs(self._model.runs)
            self._compare = ComparePage(compared)
            self._compare.back_wanted.connect(self._show_full)
            self._layers.addWidget(self._compare)
        self._layers.setCurrentWidget(self._compare)
        self._compare.setFocus()

    @Slot(object)
    def _compare_with(self, run: Run | None) -> None:
        self.show_compare()
        if self._compare is not None and run is not None:
            self._compare.begin_with(run)

    @Slot(object)
    def _compare_trial(self, trial: Trial) -> None:
        self.show_compare()
        if self._compare is not None:
            self._compare.begin_with_sides(trial.runs, trial.as_built)

    @Slot()
    def _show_full(self) -> None:
        self._layers.setCurrentIndex(0)
        self._runs.to_compare.setFocus()

    @Slot()
    def _show(self) -> None:
        model = self._model
        empty = not model.targets and not model.runs and not model.samples
        if self._layers.currentIndex() < _COMPARE:
            self._layers.setCurrentIndex(1 if empty else 0)
        self._notice.say(
            tr("Nothing to measure yet"),
            tr("Build an array, and measure here whether it is as fast as it should be."),
            tr("To Build"),
        )
        self._show_choices()
        self._failure.setText(f"✕ {model.job.failure}" if model.job.failure else "")
        self._failure.setVisible(bool(model.job.failure))
        self._title.setText(self._headline())
        self._show_figures()
        self._runs.show_runs()

    def _show_choices(self) -> None:
        model = self._model
        with QSignalBlocker(self._target):
            self._target.clear()
            for target in model.targets:
                self._target.addItem(target.title, target.key)
            self._target.setCurrentIndex(max(0, self._target.findData(model.target)))
            self._target.setToolTip(self._target.currentText())  # it may be cut
        if (own := self._workload.findData(_OWN)) >= 0:
            self._workload.removeItem(own)
        if model.jobs:
            self._workload.addItem(tr("Own job: {name}", name=model.job_name), _OWN)
        chosen = _OWN if model.jobs else str(model.suite or model.workload)
        self._workload.setCurrentIndex(self._workload.findData(chosen))
        for box, value in ((self._seconds, model.seconds), (self._repeats, model.repeats)):
            if box.value() != value:  # the trial's, where it is repeated
                with QSignalBlocker(box):
                    box.setValue(value)
        self._repeats.setVisible(model.is_series)
        for control in (self._target, self._workload, self._seconds, self._repeats, self._more):
            control.setEnabled(not model.job.is_busy)
        self._start.setEnabled(not model.why_not)
        swap(*((self._cancel, self._start) if model.job.is_busy else (self._start, self._cancel)))
        writes = not model.is_series and model.workload.writes and not model.why_not
        note = tr("Writing overwrites the array. The helper refuses it on one that holds anything.")
        if model.is_series and not model.why_not:
            writes, note = (
                True,
                tr("Writing overwrites the array; on a disk, and on what holds anything, it is left out."),
            )
        self._why_not.setText(model.why_not or model.said or (note if writes else ""))
        self._why_not.setVisible(bool(self._why_not.text()))

    def _headline(self) -> str:
        model = self._model
        if model.shown is not None and not model.job.is_busy:
            run = model.shown
            return f"{words.workload(run.result.workload)} · {words.subject(run)} · {words.when(run.started)}"
        if model.job.is_busy:
            if not model.samples:
                kind = words.workload(model.begun.workload if model.begun else model.workload)
                return tr("{workload} · laying out and warming up; figures follow in a few seconds", workload=kind)
            passed = model.samples[-1].seconds
            line = tr(
                "{workload} · {passed:.0f} of {seconds} s",
                workload=words.workload(model.begun.workload if model.begun else model.workload),
                passed=passed,
                seconds=model.seconds,
            )
            if not model.is_series or model.begun is None:
                return line
            return tr("{line} · run {run} of {runs}", line=line, run=model.begun.repeat, runs=model.repeats)
        return tr("Choose a workload and press Measure")

    def _show_figures(self) -> None:
        model = self._model
        run = None if model.job.is_busy else model.shown
        self._show_rows()
        if run is not None:
            self._say(run.result.mb_s, run.result.iops, run.result.latency_ms)
            p99_ms = run.result.latency_p99_ms
            self._p99.setText("" if p99_ms is None else tr("99 of 100 under {ms} ms", ms=words.figure(p99_ms)))
        elif model.samples:
            last = model.samples[-1]
            self._say(last.read_mb_s + last.write_mb_s, last.read_iops + last.write_iops, last.latency_ms)
        else:
            for figure in (self._speed, self._iops, self._latency):
                figure.setText("–")
        if run is None:
            self._p99.setText("")
        seconds = run.result.seconds if run else float(model.seconds)
        told = run or (model.begun if model.job.is_busy else model.planned)
        expected = self._expect(told)
        mb_s = run.result.mb_s if run else None
        self._curve.show_samples(model.samples, seconds, mb_s, expected)
        self._strips.show_samples(model.samples, seconds)
        remarks = [remark for remark in remarks_of(told) if remark is not MEMORY_SPEED] if told else []
        lines = [in_words(expected, mb_s)] if expected else []
        if expected and run and mb_s:
            lines.append(verdict(expected, run, is_explained=bool(remarks)))
        self._memory_speed.setVisible(told is not None and is_at_memory_speed(told))
        self._beside.setText("\n".join([*lines, *map(translated, remarks)]))
        self._beside.setVisible(bool(self._beside.text()))
        self._suite_panel.show_run(run, model.runs)

    def _expect(self, run: BegunRun | None) -> Expected | None:
        """Return the references of a run, cached for the run shown: predicting is slow."""
        if self._expected[0] is not run:
            self._expected = (run, expected_of(run) if run is not None else None)
        return self._expected[1]

    def _say(self, mb_s: float, iops: float, latency_ms: float | None) -> None:
        for figure, value in ((self._speed, mb_s), (self._iops, iops), (self._latency, latency_ms)):
            figure.setText(words.figure(value))

    @Slot(object)
    def _show_sample(self, sample: Sample) -> None:
        """Add a sample in constant time."""
        if len(self._model.samples) == 1:
            self._show_figures()
        self._title.setText(self._headline())
        self._say(sample.read_mb_s + sample.write_mb_s, sample.read_iops + sample.write_iops, sample.latency_ms)
        if len(self._model.samples) > 1:
            self._curve.add(sample)
            self._strips.add(sample)
        self._show_rows()

    def _show_rows(self) -> None:
        """Update the table only while it is shown instead of the curve."""
        if self._as_table.isChecked():
            self._samples.show_rows(self._model.samples)

    @Slot(bool)
    def _show_twin(self, table: bool) -> None:
        self._show_rows()
        self._twins.setCurrentIndex(1 if table else 0)


def _combo(name: str, title: str) -> ComboBox:
    combo = ComboBox()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setMinimumWidth(200)
    return combo


def _toggle(text: str, name: str) -> QPushButton:
    toggle = button(text, name)
    toggle.setCheckable(True)
    toggle.setProperty("kind", "toggle")
    return toggle


def _figure(name: str, unit: str) -> tuple[QLabel, QWidget]:
    figure = label("–", "figure", name=name)
    figure.setAccessibleName(unit)
    units = label(unit, "dim")
    whole = QWidget()
    line = row(figure, units, spacing=SPACE_S)
    line.setAlignment(units, Qt.AlignmentFlag.AlignBottom)
    whole.setLayout(column(line))
    return figure, whole
