"""The menu of rarer ways to get runs: the user's own job, and the results of other benchmarks."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDir, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from raidwright.text.catalogue import tr

from .model import MeasureModel


class MoreWays(QPushButton):
    """The button with the menu."""

    def __init__(self, model: MeasureModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("More ways"), parent)
        self.setObjectName("measure-more")
        self.setAccessibleName(tr("More ways"))
        self.setProperty("kind", "toggle")
        self._model = model
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
        )
        for name, text, hint, act in ways:
            action = menu.addAction(text)
            action.setObjectName(f"measure-more-{name}")
            action.setToolTip(hint)
            action.triggered.connect(act)
        self.setMenu(menu)

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
