"""The dialog that names the place of a disk, by its link."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from raidwright.core.errors import InputError
from raidwright.core.model.disk import Disk
from raidwright.machine.bays import bay_of
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.disk.bays import bay_key
from raidwright.ui.widgets.field_dialog import fill_dialog
from raidwright.ui.widgets.panel import button, label

_WIDTH = 400


class BayNameDialog(QDialog):
    """The dialog for the place of ``disk``; “” forgets the name."""

    def __init__(self, session: Session, disk: Disk, parent: QWidget) -> None:
        link = disk.link or disk.path
        super().__init__(parent)
        self.setObjectName("bay-name")
        self._session, self._key = session, bay_key(disk)
        self._name = QLineEdit(bay_of(self._key))
        self._name.setObjectName("bay-name-field")
        self._name.setAccessibleName(tr("Its name"))
        self._name.setPlaceholderText(tr("bay 2, bottom"))
        hint = label(
            tr("The name stays with the cable, whichever disk is on it, and is shown wherever {link} is.", link=link),
            "dim",
            wrap=True,
        )
        self._refusal = label("", "error", name="bay-name-refusal", wrap=True)
        self._refusal.hide()
        go = button(tr("Name it"), "bay-name-go", primary=True)
        go.clicked.connect(self._go)
        fill_dialog(
            self,
            tr("The place of {link}", link=link),
            self._name,
            self._refusal,
            hint,
            field=self._name,
            go=go,
            width=_WIDTH,
        )

    @Slot()
    def _go(self) -> None:
        try:
            self._session.name_bay(self._key, self._name.text())
        except InputError as error:
            self._refusal.setText(translated(error.sentence))
            self._refusal.show()
            return
        self.accept()
