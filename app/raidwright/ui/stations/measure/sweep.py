"""The dialog of a sweep: an array measured at each value of one setting, which is then set back or kept."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QProgressBar, QWidget

from raidwright.core.system.workload import Workload
from raidwright.machine.values import Array
from raidwright.operations.sweep import SWEPT, Point, Sweep, SweepProgress, Swept, Value
from raidwright.session import Session
from raidwright.text import measurements as words
from raidwright.text.catalogue import number, tr, translated
from raidwright.text.shootout import times
from raidwright.text.shown import Cell
from raidwright.text.sweeps import OF_PARITY, setting_words, swept_words
from raidwright.ui.job import RunningOperation
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import ComboBox, SpinBox
from raidwright.ui.widgets.panel import button, column, label, row, swap
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, RowLook, TableModel

_WIDTH, _HEIGHT = 820, 540
_FIRST_SECONDS, _FIRST_REPEATS = 8, 3
_MAX_SECONDS, _MAX_REPEATS = 600, 10
_PARITY_LEVELS = ("raid4", "raid5", "raid6")


class SweepDialog(QDialog):
    """The dialog on ``array``; closing it ends a running sweep, which sets the value back. ``kept`` follows its end."""

    kept = Signal()

    def __init__(self, session: Session, array: Array, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._array = session, array
        self._swept: Swept | None = None
        self._before: Value | None = None
        self.setObjectName("sweep")
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(tr("Sweep of “{name}”", name=array.name))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_WIDTH, _HEIGHT)
        self.job = RunningOperation(session, self)
        self.job.changed.connect(self._show)
        self.job.done.connect(self._done)
        self.job.ended.connect(self.kept)
        self._points: tuple[Point, ...] = ()
        self._make_controls()
        self._rows = TableModel(self._columns(), lambda one: RowLook(marked=self._is_best(one)))
        self._lay_out()
        self._show()

    def reject(self) -> None:
        """Qt: end a running sweep first."""
        self.job.cancel()
        super().reject()

    def _make_controls(self) -> None:
        self._setting = _combo("sweep-setting", tr("Setting"))
        for setting in SWEPT:
            if setting not in OF_PARITY or self._array.level in _PARITY_LEVELS:
                self._setting.addItem(setting_words(setting), setting)
        self._workload = _combo("sweep-workload", tr("Workload"))
        for kind in Workload:
            if not kind.writes:
                self._workload.addItem(words.workload(kind), str(kind))
        self._workload.setCurrentIndex(self._workload.findData(str(Workload.BUFFERED_READ)))
        self._seconds = _box("sweep-seconds", tr("Seconds"), _MAX_SECONDS, _FIRST_SECONDS, tr(" s"))
        self._repeats = _box("sweep-repeats", tr("Repeats"), _MAX_REPEATS, _FIRST_REPEATS, tr(" times"))
        self._repeats.setSpecialValueText(tr("once"))
        self._keep = QCheckBox(tr("keep the fastest, also after each start"))
        self._keep.setObjectName("sweep-keep")
        self._go = button(tr("Measure each value"), "sweep-go", primary=True)
        self._go.clicked.connect(self._begin)
        self._stop = button(tr("Cancel"), "sweep-stop")
        self._stop.clicked.connect(self.job.cancel)
        self._progress = QProgressBar()
        self._progress.setAccessibleName(tr("Progress of the sweep"))
        self._said = label("", "dim", name="sweep-said", wrap=True)
        self._failure = label("", "error", name="sweep-failure", wrap=True)

    def _lay_out(self) -> None:
        intro = tr(
            "The array is measured at one value after the other, in turns. One password is asked for. The previous "
            "value is set back however it ends, unless the fastest is kept."
        )
        table = Table(self._rows, "sweep-values", tr("Values"))
        close = button(tr("Close"), "sweep-close")
        close.clicked.connect(self.reject)
        foot = row(self._go, self._stop, spacing=SPACE_S)
        foot.addStretch(1)
        foot.addWidget(close)
        choices = wrapping(self._setting, self._workload, self._seconds, self._repeats, spacing=SPACE_M)
        title = label(tr("Sweep of “{name}”", name=self._array.name), "headline")
        whole = column(title, label(intro, "dim", wrap=True), choices, self._keep, spacing=SPACE_M)
        whole.addWidget(table, 1)
        for part in (self._progress, self._said, self._failure):
            whole.addWidget(part)
        whole.addLayout(foot)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column(tr("Value"), lambda one: Cell(str(one.value))),
            Column(tr("MB/s"), lambda one: Cell(words.figure(one.mb_s) if one.results else "–"), align="right"),
            Column(tr("Spread"), lambda one: Cell(number(one.spread, ".0%") if one.results else "–"), align="right"),
            Column(tr("Against before"), lambda one: Cell(times(self._against(one))), align="right"),
            Column("", lambda one: Cell(translated(one.refused)), stretch=True),
        )

    def _against(self, one: Point) -> float | None:
        before = next((point for point in self._points if point.value == self._before and point.results), None)
        return one.mb_s / before.mb_s if before is not None and one.results else None

    def _is_best(self, one: Point) -> bool:
        return self._swept is not None and one.value == self._swept.best.value

    @Slot()
    def _begin(self) -> None:
        setting, connection = self._setting.currentData(), self._session.connection
        self._swept, self._points, self._before = None, (), None
        self.job.begin(
            Sweep(
                self._array.named,
                setting,
                SWEPT[setting],
                Workload(self._workload.currentData()),
                self._seconds.value(),
                connection.title,
                self._repeats.value(),
                is_practice=connection.is_practice,
                keep=self._keep.isChecked(),
            )
        )

    @Slot(object)
    def _done(self, swept: Swept) -> None:
        self._swept, self._points, self._before = swept, swept.points, swept.before

    @Slot()
    def _show(self) -> None:
        now, is_busy = self.job.progress, self.job.is_busy
        if is_busy and isinstance(now, SweepProgress):
            self._points = now.points
            self._said.setText(tr("Measuring at {value}", value=now.value))
        else:
            self._said.setText(self.job.at or (swept_words(self._swept) if self._swept is not None else ""))
        self._rows.show_rows(self._points)
        self._progress.setVisible(is_busy)
        self._progress.setRange(0, 100)
        self._progress.setValue(round(now.fraction * 100))
        self._failure.setText(f"✕ {self.job.failure}" if self.job.failure else "")
        self._failure.setVisible(bool(self.job.failure))
        for control in (self._setting, self._workload, self._seconds, self._repeats, self._keep):
            control.setEnabled(not is_busy)
        swap(*((self._stop, self._go) if is_busy else (self._go, self._stop)))


def _combo(name: str, title: str) -> ComboBox:
    combo = ComboBox()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    return combo


def _box(name: str, title: str, most: int, value: int, suffix: str) -> SpinBox:
    box = SpinBox()
    box.setObjectName(name)
    box.setAccessibleName(title)
    box.setFixedSize(96, 30)
    box.setRange(1, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
