"""The recovery card, printed or as a file: created on request, to be kept apart from its disks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QDir, QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QTextDocument
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from raidwright.core.errors import InputError
from raidwright.core.md.known import Kernel
from raidwright.core.model.plan import Plan
from raidwright.export.recovery_card import BuiltArray, recovery_card
from raidwright.runs.files import write_file
from raidwright.text.catalogue import tr, translated

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter

_POINTS = 9.0  # 80 columns fit on A4 and Letter


class RecoveryCardPanel(QObject):
    """The card of a built array; ``failed`` gets a sentence if it can't be written, ``saved`` carries the UUID."""

    saved = Signal(str)

    def __init__(
        self,
        plan: Plan,
        uuid: str,
        window: QWidget,
        failed: Callable[[str], object],
        inner: tuple[str, ...] = (),
        made_by: Kernel | None = None,
    ) -> None:
        super().__init__(window)
        self._name, self._uuid = plan.name, uuid
        today = QDate.currentDate().toString(Qt.DateFormat.ISODate)
        self.text = recovery_card(plan.as_built(), BuiltArray(uuid, today, inner, made_by))
        self._window = window
        self._failed = failed

    def ask_where(self) -> None:
        """Ask for a file, and write the card to it."""
        title, kinds = tr("Save the recovery card"), tr("Text (*.txt)")
        dialog = QFileDialog(self._window, title, QDir.homePath(), kinds)
        dialog.setObjectName("built-card-dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(f"{self._name}-recovery.txt")
        dialog.fileSelected.connect(lambda name: self.save(Path(name)))
        self._open(dialog)

    def ask_printer(self) -> None:
        """Ask for a printer, and print the card."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415 -- imports CUPS; few users print

        printer = QPrinter()
        printer.setDocName(f"{self._name}-recovery")
        dialog = QPrintDialog(printer, self._window)
        dialog.setObjectName("built-print-dialog")
        dialog.accepted.connect(lambda: self.print_on(printer))
        self._open(dialog)

    def print_on(self, printer: QPrinter) -> None:
        """Print the card."""
        self.document().print_(printer)
        self.saved.emit(self._uuid)

    def document(self) -> QTextDocument:
        """Return the card for printing: plain text in a monospaced font."""
        document = QTextDocument(self)
        font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        font.setPointSizeF(_POINTS)
        document.setDefaultFont(font)
        document.setPlainText(self.text)
        return document

    def save(self, path: Path) -> None:
        """Write the card to ``path``."""
        try:
            write_file(path, self.text, "card-file")
        except InputError as error:
            self._failed(translated(error.sentence))
        else:
            self.saved.emit(self._uuid)

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self.deleteLater)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        dialog.show()
