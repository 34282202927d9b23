"""Export: what the plan is written as, chosen in a menu beside the command, made at once and put into a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDir, QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from raidwright.core.errors import InputError
from raidwright.text.catalogue import tr, translated
from raidwright.text.exports import FORMS, Wanted

from .notices import Note, Notices, Offer, Severity


class ExportButton(QPushButton):
    """``wanted(str)`` carries a form of ``text.exports``."""

    wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Export"), parent)
        self.setObjectName("command-export")
        self.setAccessibleName(tr("Export the plan"))
        self.setToolTip(tr("Write this plan as a script, a playbook, a report and more"))
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)

    @Slot()
    def _fill(self) -> None:
        if self._menu.isEmpty():
            for name, form in FORMS.items():
                action = self._menu.addAction(tr("{what} …", what=translated(form.title)))
                action.setObjectName(f"export-{name}")
                action.triggered.connect(lambda _checked=False, name=name: self.wanted.emit(name))


class Exporting(QObject):
    """Writes what ``wanted`` gives; what came of it is said in a notice."""

    def __init__(self, wanted: Callable[[], Wanted | None], notices: Notices, window: QWidget) -> None:
        super().__init__(window)
        self._wanted, self._notices, self._window = wanted, notices, window

    @Slot(str)
    def ask(self, form: str) -> None:
        """Make the text of ``form``, and ask for a file to write it to."""
        wanted = self._wanted()
        if wanted is None:
            return
        try:
            text = FORMS[form].text(wanted)
        except InputError as error:
            self._say(Severity.WARN, tr("Not exported"), translated(error.sentence))
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._window, translated(FORMS[form].title), folder or QDir.homePath())
        dialog.setObjectName("export-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(f"{wanted.plan.name}{FORMS[form].suffix}")
        dialog.fileSelected.connect(lambda name: self._save(Path(name), text))
        dialog.open()

    def _save(self, path: Path, text: str) -> None:
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            why = tr("“{path}” can't be written: {why}. Choose another folder or name.", path=path, why=error.strerror)
            self._say(Severity.WARN, tr("Not exported"), why)
            return
        self._say(Severity.INFO, tr("Exported"), tr("It stands in {path}.", path=path))

    def _say(self, severity: Severity, tag: str, sentence: str) -> None:
        close = Offer("close", tr("Close"), lambda: self._notices.say("export", None))
        self._notices.say("export", Note(severity, tag, sentence, offers=(close,)))
