"""The dialog that limits md's work on an array."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QIntValidator
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from raidwright.core.md.sync import NO_LIMIT_KIB_S, limit_kib_s
from raidwright.machine.states.volume import State
from raidwright.text.catalogue import tr
from raidwright.text.pace import gives_way_words
from raidwright.ui.widgets.field_dialog import fill_dialog
from raidwright.ui.widgets.panel import button, label

from .model import ArraysModel

_MAX_MB_S = 100_000


class LimitDialog(QDialog):
    """The dialog for ``array``; an empty field stands for the system's own limit."""

    def __init__(self, model: ArraysModel, array: State, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("array-limit-dialog")
        self._model, self._array = model, array
        limit_kib = array.facts.limit_kib_s if array.facts else 0
        self._mb_s = QLineEdit(str(round(limit_kib * 1024 / 1e6)) if limit_kib > 1 else "")
        self._mb_s.setObjectName("array-limit-field")
        self._mb_s.setAccessibleName(tr("MB/s along each disk"))
        self._mb_s.setPlaceholderText(tr("as fast as the system lets it"))
        self._mb_s.setValidator(QIntValidator(1, _MAX_MB_S, self))
        hint = label(
            tr(
                "MB/s along each disk. Less leaves more for whoever uses the array, and takes longer; the limit holds "
                "until the array is stopped. An empty field takes it away."
            ),
            "dim",
            wrap=True,
        )
        gives_way = label(gives_way_words(array), "dim", name="array-limit-gives-way", wrap=True)
        gives_way.setVisible(bool(gives_way.text()))
        go = button(tr("Set the limit"), "array-limit-go", primary=True)
        go.clicked.connect(self._go)
        title = tr("The speed of md's work on “{name}”", name=array.name)
        fill_dialog(self, title, self._mb_s, hint, gives_way, field=self._mb_s, go=go)

    @Slot()
    def _go(self) -> None:
        text = self._mb_s.text()
        if text and not self._mb_s.hasAcceptableInput():
            return
        self._model.pace(self._array, limit_kib_s(int(text)) if text else NO_LIMIT_KIB_S)
        self.accept()
