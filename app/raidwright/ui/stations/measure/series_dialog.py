"""The dialog of a series of measurements at one value after the other, and its state, which outlives the dialog."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QBoxLayout, QDialog, QProgressBar, QWidget

from raidwright.operations.file_sizes import FileSizesProgress
from raidwright.operations.operation import Operation
from raidwright.operations.scaling import ScalingProgress
from raidwright.operations.sweep import SweepProgress, Swept
from raidwright.runs.run import RunResult
from raidwright.session import Session
from raidwright.text.catalogue import ntr, tr
from raidwright.text.run.sweeps import standing_words
from raidwright.ui.job import RunningOperation
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.inputs import ComboBox, SpinBox
from raidwright.ui.widgets.panel import button, column, label, row, swap


class SeriesModel(QObject):
    """A series on ``subject``: its points so far, and its result once it has ended. ``kept`` follows its end."""

    changed = Signal()
    kept = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self.job = RunningOperation(session, self)
        self.job.changed.connect(self._progressed)
        self.job.done.connect(self._done)
        self.job.cancelled.connect(self._cancelled)
        self.job.ended.connect(self.kept)
        self.subject = self.now = ""
        self.seconds_left: float | None = None
        self.chosen: tuple[str, ...] = ()
        self.points: tuple[Any, ...] = ()
        self.alone: tuple[RunResult, ...] = ()  # of one disk, as far as it is measured
        self.result: Any = None
        self.is_ending = self.is_stopped = False

    def look_at(self, subject: str) -> None:
        """Forget the last series, unless it was of ``subject`` or is still running."""
        if subject != self.subject and not self.job.is_busy:
            self.subject, self.chosen = subject, ()
            self.forget()

    @Slot()
    def forget(self) -> None:
        """Forget the last series, as for other choices."""
        if not self.job.is_busy:
            self.job.failure = ""
            self._clear()
            self.changed.emit()

    def begin(self, operation: Operation[Any], chosen: tuple[str, ...]) -> None:
        """Begin the series; ``chosen`` are the choices, for the next dialog."""
        if not self.job.is_busy:
            self._clear()
            self.chosen = chosen
            self.job.begin(operation)

    @Slot()
    def cancel(self) -> None:
        """End a running series; what was measured is kept."""
        if self.job.is_busy and not self.is_ending:
            self.is_ending = True
            self.job.cancel()
            self.changed.emit()

    def take_result(self, result: Any) -> None:
        """Take the result as changed since."""
        self.result = result
        self.changed.emit()

    def _clear(self) -> None:
        self.points, self.alone, self.result, self.now = (), (), None, ""
        self.is_ending = self.is_stopped = False

    @Slot()
    def _progressed(self) -> None:
        progress = self.job.progress
        if self.job.is_busy and isinstance(progress, SweepProgress | ScalingProgress | FileSizesProgress):
            self.points, self.now = progress.points, str(progress.value)
            self.seconds_left = progress.seconds_left
            self.alone = progress.alone if isinstance(progress, SweepProgress) else ()
        self.changed.emit()

    @Slot(object)
    def _done(self, result: Any) -> None:
        self.result, self.points = result, result.points
        self.alone = result.alone if isinstance(result, Swept) else ()

    @Slot()
    def _cancelled(self) -> None:
        self.is_stopped = True


class SeriesDialog(QDialog):
    """The frame: choices above, the points in the middle, progress and words below.

    Closing it ends a running series. Opened again, it shows how that ended.
    """

    def __init__(self, model: SeriesModel, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.model, self._name = model, name
        self.setObjectName(name)
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._title = label(title, "headline")
        self._go = button(tr("Measure each value"), f"{name}-go", primary=True)
        self._go.clicked.connect(self._begin)
        self._stop = button(tr("Cancel"), f"{name}-stop")
        self._stop.clicked.connect(model.cancel)
        self._progress = QProgressBar()
        self._progress.setAccessibleName(tr("Progress"))
        self._said = label("", "dim", name=f"{name}-said", wrap=True)
        self._failure = label("", "error", name=f"{name}-failure", wrap=True)
        self._controls: tuple[QWidget, ...] = ()

    def reject(self) -> None:
        """Qt: end a running series first."""
        self.model.cancel()
        super().reject()

    def lay_out(self, intro: str, choices: tuple[QWidget | QBoxLayout, ...], middle: QWidget) -> None:
        """Arrange the whole, and follow the model."""
        close = button(tr("Close"), f"{self._name}-close")
        close.clicked.connect(self.reject)
        foot = row(self._go, self._stop, spacing=SPACE_S)
        foot.addStretch(1)
        foot.addWidget(close)
        whole = column(self._title, label(intro, "dim", wrap=True), *choices, spacing=SPACE_M)
        whole.addWidget(middle, 1)
        for part in (self._progress, self._said, self._failure):
            whole.addWidget(part)
        whole.addLayout(foot)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)
        self.model.changed.connect(self._show)
        self._show()

    def order(self) -> tuple[Operation[Any], tuple[str, ...]]:
        """Return the operation of the present choices, and the choices."""
        raise NotImplementedError

    def result_words(self) -> str:
        """Return the result in words."""
        raise NotImplementedError

    def show_points(self) -> None:
        """Show the model's points."""
        raise NotImplementedError

    def say_failure(self, why: str) -> None:
        """Show why something failed; "" for nothing."""
        self._failure.setText(f"✕ {why}" if why else "")
        self._failure.setVisible(bool(why))

    @Slot()
    def _begin(self) -> None:
        self.model.begin(*self.order())

    @Slot()
    def _show(self) -> None:
        model = self.model
        is_busy = model.job.is_busy
        self.show_points()
        self._said.setText(self._status())
        self._progress.setVisible(is_busy)
        self._progress.setRange(0, 100)
        self._progress.setValue(round(model.job.progress.fraction * 100))
        self.say_failure(model.job.failure)
        for control in self._controls:
            control.setEnabled(not is_busy)
        self._stop.setEnabled(not model.is_ending)
        swap(*((self._stop, self._go) if is_busy else (self._go, self._stop)))

    def _status(self) -> str:
        model = self.model
        if model.job.is_busy:
            if model.is_ending:
                return tr("Ending; the array is left as it was before.")
            return standing_words(model.now, model.seconds_left) if model.now else model.job.at
        if model.result is not None:
            return self.result_words()
        if model.is_stopped:
            done = sum(one.is_measured for one in model.points)
            return ntr("Stopped; {count} value was measured, and its runs are kept.",
                       "Stopped; {count} values were measured, and their runs are kept.", done)  # fmt: skip
        return ""


def choice(name: str, title: str) -> ComboBox:
    """Return a box of choices; the title is for screen readers and on hover."""
    combo = ComboBox()
    combo.setObjectName(name)
    combo.setAccessibleName(title)
    combo.setToolTip(title)
    return combo


def count(name: str, title: str, most: int, value: int, suffix: str) -> SpinBox:
    """Return a box of a number from 1 on."""
    box = SpinBox()
    box.setObjectName(name)
    box.setAccessibleName(title)
    box.setToolTip(title)
    box.setFixedSize(96, 30)
    box.setRange(1, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
