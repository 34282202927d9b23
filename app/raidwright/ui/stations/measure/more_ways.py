"""The menu of rarer ways to get runs: the user's own job, results of other benchmarks, a sweep, and a scaling."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDir, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from raidwright.session import Session
from raidwright.text.catalogue import tr

from .file_sizes import FileSizesDialog
from .model import MeasureModel
from .scaling import ScalingDialog
from .series_dialog import SeriesModel
from .sweep import SweepDialog
from .watching import WatchDialog


class MoreWays(QPushButton):
    """The button with the menu."""

    def __init__(self, model: MeasureModel, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(tr("More ways"), parent)
        self.setObjectName("measure-more")
        self.setAccessibleName(tr("More ways"))
        self.setProperty("kind", "toggle")
        self._model, self._session = model, session
        self._sweep_model, self._scaling_model = SeriesModel(session, self), SeriesModel(session, self)
        self._sizes_model = SeriesModel(session, self)
        for series in (self._sweep_model, self._scaling_model, self._sizes_model):
            series.kept.connect(model.load_runs)
        menu = QMenu(self)
        menu.setObjectName("measure-more-menu")
        menu.setToolTipsVisible(True)
        ways = (
            ("own", tr("Own job …"), tr("Measure the workloads of a fio job file."), self._ask_for_job),
            (
                "import",
                tr("Import results …"),
                tr("Keep what fio (JSON), bonnie++ (CSV), IOzone or another Raidwright measured, to compare with it."),
                self._ask_for_results,
            ),
            (
                "watch",
                tr("What it is asked …"),
                tr("Watch what its programs ask of it for a while, and make a workload of that."),
                self._watch,
            ),
            (
                "sweep",
                tr("Sweep …"),
                tr("Measure an array at each value of a setting, such as its read-ahead."),
                self._sweep,
            ),
            (
                "file-sizes",
                tr("Files by size …"),
                tr("Measure files of 1 MiB to 1 GiB on an array that holds nothing, from the disks and from memory."),
                self._size_files,
            ),
            (
                "scaling",
                tr("Scaling …"),
                tr("Measure with more and more requests in flight, or programs at once, beside the prediction."),
                self._scale,
            ),
        )
        for name, text, hint, act in ways:
            action = menu.addAction(text)
            action.setObjectName(f"measure-more-{name}")
            action.setToolTip(hint)
            action.triggered.connect(act)
        menu.aboutToShow.connect(self._offer)
        self.setMenu(menu)

    @Slot()
    def _offer(self) -> None:
        for name, is_possible in (
            ("sweep", self._model.array is not None),
            ("file-sizes", self._model.array is not None),
            ("scaling", self._model.chosen_target is not None),
            ("watch", self._model.chosen_target is not None),
        ):
            action = self.findChild(QAction, f"measure-more-{name}")
            if action is not None:
                action.setEnabled(is_possible)

    @Slot()
    def _watch(self) -> None:
        target = self._model.chosen_target
        if target is not None:
            self._watching = WatchDialog(self._model, self._session, target, self.window())
            self._watching.open()

    @Slot()
    def _sweep(self) -> None:
        array = self._model.array
        if array is not None:
            self._sweep_model.look_at(array.uuid)
            # A parent in Qt doesn't protect a dialog of ours from Python's garbage collector.
            self._sweeping = SweepDialog(self._sweep_model, self._session, array, self.window())
            self._sweeping.open()

    @Slot()
    def _size_files(self) -> None:
        array = self._model.array
        if array is not None:
            self._sizes_model.look_at(array.uuid)
            self._sizing = FileSizesDialog(self._sizes_model, self._session, array, self.window())
            self._sizing.open()

    @Slot()
    def _scale(self) -> None:
        target = self._model.chosen_target
        if target is not None:
            self._scaling_model.look_at(target.key)
            self._scaling = ScalingDialog(self._scaling_model, self._model, self._session, target, self.window())
            self._scaling.open()

    @Slot()
    def _ask_for_job(self) -> None:
        dialog = self._dialog("measure-job-dialog", tr("Open a fio job"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self._model.take_job(Path(name)))
        dialog.open()

    @Slot()
    def _ask_for_results(self) -> None:
        dialog = self._dialog("measure-import-dialog", tr("Import results"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self._model.import_files([Path(name) for name in names]))
        dialog.open()

    def _dialog(self, name: str, title: str) -> QFileDialog:
        dialog = QFileDialog(self.window(), title, QDir.homePath())
        dialog.setObjectName(name)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog
