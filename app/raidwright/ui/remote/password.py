"""The password dialog for a remote machine: purpose, account, and a field of which nothing is kept."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from raidwright.machine.prompts import PromptRequest
from raidwright.text.catalogue import tr, translated
from raidwright.ui.widgets.field_dialog import fill_dialog
from raidwright.ui.widgets.panel import button, label


class PasswordDialog(QDialog):
    """A password dialog. ``answered`` carries the text; None if cancelled. Closed by ``take_back`` it emits nothing."""

    answered = Signal(object)

    def __init__(self, question: PromptRequest, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("far-password")
        self._field = QLineEdit()
        self._field.setObjectName("far-password-field")
        self._field.setEchoMode(QLineEdit.EchoMode.Password if question.is_secret else QLineEdit.EchoMode.Normal)
        whose = tr("{user} on {machine}", user=question.user, machine=question.machine)
        prompt = label(f"{whose}: {question.prompt}", name="far-password-prompt", wrap=True)
        prompt.setBuddy(self._field)
        self._field.setAccessibleName(prompt.text())
        what = label(question.what, name="far-password-what", wrap=True)
        complaint = label(translated(question.complaint), "error", name="far-password-complaint", wrap=True)
        complaint.setVisible(bool(question.complaint))
        told = label(tr("It goes to that machine by ssh, and is kept nowhere."), "dim", wrap=True)
        give = button(tr("Give permission"), "far-password-give", primary=True)
        give.clicked.connect(self.accept)
        fill_dialog(
            self,
            tr("{machine} asks for permission", machine=question.machine),
            what,
            complaint,
            prompt,
            self._field,
            told,
            field=self._field,
            go=give,
        )

    @Slot()
    def accept(self) -> None:
        """Qt: emit the text."""
        typed = self._field.text()
        self._field.clear()
        super().accept()
        self.answered.emit(typed)

    @Slot()
    def reject(self) -> None:
        """Qt: emit None."""
        self._field.clear()
        super().reject()
        self.answered.emit(None)

    def take_back(self) -> None:
        """Close without an answer, since none is needed any more."""
        self.blockSignals(True)
        self._field.clear()
        self.close()
