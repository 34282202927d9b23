"""The dialog of a watch: what an array or a disk is asked for a while, and the workload that it amounts to."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QProgressBar, QWidget

from raidwright.core.errors import InputError
from raidwright.operations.load import LoadProgress, WatchedLoad, WatchLoad
from raidwright.reading.fio_job import read_fio_job
from raidwright.session import Session
from raidwright.text.catalogue import tr
from raidwright.text.load import fio_job, load_lines, load_words
from raidwright.text.shown import Cell
from raidwright.ui.job import RunningOperation
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, column, label, restyle, row, swap
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel

from .beside import expected_of, in_words
from .model import MeasureModel, Target
from .series_dialog import count

_WIDTH, _HEIGHT = 620, 500
_FIRST_MINUTES, _MAX_MINUTES = 5, 24 * 60


class WatchDialog(QDialog):
    """The dialog on ``target``. Closing it ends the watch; nothing is kept but the workload that is taken."""

    def __init__(self, model: MeasureModel, session: Session, target: Target, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._target = model, target
        self.setObjectName("watching")
        self.setWindowTitle("Raidwright")
        title = tr("What “{name}” is asked", name=target.title)
        self.setAccessibleName(title)
        self.resize(_WIDTH, _HEIGHT)
        self.job = RunningOperation(session, self)
        self._load: WatchedLoad | None = None
        self._minutes = count("watching-minutes", tr("Minutes"), _MAX_MINUTES, _FIRST_MINUTES, tr(" min"))
        self._go = button(tr("Watch"), "watching-go", primary=True)
        self._go.clicked.connect(self._begin)
        self._stop = button(tr("That is enough"), "watching-stop")
        self._stop.clicked.connect(self.job.cancel)
        self._take = button(tr("Measure this workload"), "watching-take", primary=True)
        self._take.clicked.connect(self._take_it)
        close = button(tr("Close"), "watching-close")
        close.clicked.connect(self.reject)
        self._progress = QProgressBar()
        self._progress.setAccessibleName(tr("Progress"))
        self._rows = TableModel(
            (
                Column(tr("Figure"), lambda one: Cell(one[0]), stretch=True),
                Column(tr("Value"), lambda one: Cell(one[1]), align="right"),
            )
        )
        self._said = label("", name="watching-said", wrap=True)
        self._predicted = label("", "dim", name="watching-predicted", wrap=True)
        self._failure = label("", "error", name="watching-failure", wrap=True)
        intro = tr(
            "The kernel counts the requests of each device. Watch while its programs do their usual work; nothing is "
            "read from it, and no password is asked for."
        )
        foot = row(self._go, self._stop, self._take, spacing=SPACE_S)
        foot.addStretch(1)
        foot.addWidget(close)
        choices = row(self._minutes)
        choices.addStretch(1)
        whole = column(label(title, "headline"), label(intro, "dim", wrap=True), choices, spacing=SPACE_M)
        whole.addWidget(Table(self._rows, "watching-figures", tr("What was asked")), 1)
        for part in (self._said, self._predicted, self._progress, self._failure):
            whole.addWidget(part)
        whole.addLayout(foot)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)
        self.job.changed.connect(self._show)
        self.job.done.connect(self._done)
        self._show()

    def reject(self) -> None:
        """Qt: end the watch first."""
        self.job.cancel()
        super().reject()

    @Slot()
    def _begin(self) -> None:
        self._load = None
        self.job.begin(WatchLoad(self._target.key, 60.0 * self._minutes.value()))

    @Slot(object)
    def _done(self, load: WatchedLoad) -> None:
        self._load = load
        self._show()

    @Slot()
    def _show(self) -> None:
        progress, is_busy = self.job.progress, self.job.is_busy
        if is_busy and isinstance(progress, LoadProgress):
            self._load = progress.so_far
        load = self._load
        self._rows.show_rows(tuple(load_lines(load)) if load is not None else ())
        self._said.setText(load_words(load) if load is not None and not is_busy else "")
        self._predicted.setText(self._expected(load) if load is not None and not is_busy else "")
        self._progress.setVisible(is_busy)
        self._progress.setValue(round(100 * progress.fraction))
        self._failure.setText(f"✕ {self.job.failure}" if self.job.failure else "")
        for part in (self._said, self._predicted, self._failure):
            part.setVisible(bool(part.text()))
        self._minutes.setEnabled(not is_busy)
        swap(*((self._stop, self._go) if is_busy else (self._go, self._stop)))
        can_take = not is_busy and load is not None and load.workload is not None
        self._take.setVisible(can_take)
        self._go.setProperty("kind", "" if can_take else "primary")
        restyle(self._go)

    def _expected(self, load: WatchedLoad) -> str:
        """Return the prediction for the workload."""
        if load.workload is None:
            return ""
        expected = expected_of(self._model.meant(str(load.workload)))
        return in_words(expected, None) if expected is not None else ""

    @Slot()
    def _take_it(self) -> None:
        """Choose the workload at the station, and its reads alone for an array that holds something."""
        if self._load is None:
            return
        try:
            jobs = read_fio_job(fio_job(self._load))
        except InputError:  # no request at all
            return
        self._model.take_jobs(jobs, tr("as watched"))
        self.accept()
