"""Export of the plan: the format chosen in a menu beside the command, and a file for the result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, QStandardPaths, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from raidwright.core.errors import InputError, RaidwrightError
from raidwright.export.surroundings import Surroundings
from raidwright.runs.files import write_file
from raidwright.runs.of_array import runs_of
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.exports import FORMS, ExportRequest
from raidwright.text.reports.shopping_list import Prices
from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.stations.disks.buying.shopping_dialog import ShoppingDialog

from .printing import pdf_of

if TYPE_CHECKING:
    from .window_stations import WindowStations


class Exporting(QObject):
    """Writes the plan, or the array that was built of it; the result is shown in a notice."""

    def __init__(self, stations: WindowStations, parent: QWidget) -> None:
        super().__init__(parent)
        self._stations = stations
        self._window = parent.window()

    def fill(self, menu: QMenu) -> None:
        """Add each format to ``menu``, unless it has them already."""
        if menu.isEmpty():
            menu.setToolTipsVisible(True)
            for name, form in FORMS.items():
                action = menu.addAction(tr("{what} …", what=translated(form.title)))
                action.setObjectName(f"export-{name}")
                action.triggered.connect(lambda _checked=False, name=name: self.ask(name))

    def ask(self, form: str) -> None:
        """Create the export of ``form``, and ask for a file; runs are read in the background."""
        wanted = self._wanted()
        if wanted is None:
            return
        if FORMS[form].tells_runs:
            self._stations.session.work_out(
                lambda: _with_runs(form, wanted),
                done=lambda text: self._ask_where(form, wanted.plan.name, text),
                failed=self._refuse,
            )
            return
        try:
            text = FORMS[form].text(wanted)
        except InputError as error:
            self._refuse(error)
        else:
            self._ask_where(form, wanted.plan.name, text)

    @Slot()
    def show_list(self) -> None:
        """Show the plan's shopping list, to copy and to save."""
        wanted = self._wanted()
        if wanted is None:
            return
        try:
            text = FORMS["shopping-list"].text(wanted)
        except InputError as error:
            self._refuse(error)
        else:
            self._list = ShoppingDialog(text, self._window)
            self._list.wanted.connect(self.ask)
            self._list.open()

    def _wanted(self) -> ExportRequest | None:
        """Return the plan with the signatures to remove from its disks, and the array's UUID once it is built."""
        draft, build = self._stations.plan.model.draft, self._stations.made_build
        plan = draft.plan
        if plan is None:
            return None
        if build is not None and build.built_array is not None:
            return ExportRequest(build.built_array.assessment.plan, uuid=build.built_array.result.uuid)
        if draft.why_untouchable:
            self._refuse(InputError(draft.why_untouchable, code="disk-in-use"))
            return None
        prices = Prices(self._stations.disks.model.prices, self._stations.settings.currency)
        removed = build.removals.names if build is not None else {}
        return ExportRequest(plan, Surroundings(removed=removed), prices=prices)

    def _ask_where(self, form: str, name: str, text: str) -> None:
        # Pages are laid out in this thread: in others Qt needs an event loop.
        content = pdf_of(text) if FORMS[form].is_printed else text.encode()
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._window, translated(FORMS[form].title), folder or QDir.homePath())
        dialog.setObjectName("export-dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(f"{name}{FORMS[form].suffix}")
        dialog.fileSelected.connect(lambda chosen: self._save(Path(chosen), content))
        dialog.open()

    def _save(self, path: Path, content: bytes) -> None:
        try:
            write_file(path, content, "export-file")
        except InputError as error:
            self._refuse(error)
            return
        opening = Offer("view", tr("Open it"), lambda: self._view(path))
        self._say(Severity.INFO, tr("Exported"), tr("It was saved as {path}.", path=path), opening)

    def _view(self, path: Path) -> None:
        """Open the file in the desktop's program for its kind."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            sentence = tr("No program here opens “{path}”. It is saved nevertheless.", path=path)
            self._say(Severity.WARN, tr("Not opened"), sentence)

    @Slot(RaidwrightError)
    def _refuse(self, error: RaidwrightError) -> None:
        self._say(Severity.WARN, tr("Not exported"), translated(error.sentence))

    def _say(self, severity: Severity, tag: str, sentence: str, *more: Offer) -> None:
        close = Offer("close", tr("Close"), lambda: self._stations.notices.say("export", None))
        self._stations.notices.say("export", Note(severity, tag, sentence, offers=(*more, close)))


def _with_runs(form: str, wanted: ExportRequest) -> str:
    return FORMS[form].text(replace(wanted, runs=runs_of(wanted.plan, wanted.uuid)))
