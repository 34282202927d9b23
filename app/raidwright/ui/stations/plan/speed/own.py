"""The user's workloads on the page of speeds: a field for fio's options, and their rows."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from raidwright.core.errors import InputError
from raidwright.text.catalogue import tr, translated
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.panel import button, label, row

from .model import Speed, SpeedModel
from .rows import COLOURS, SpeedRows, limits_in_words

_EXAMPLE = "randread,bs=16k,depth=8"


class OwnSpeeds(QWidget):
    """Adds the workloads typed to ``model``; an error is shown below the field, which keeps its text."""

    def __init__(self, model: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._names: tuple[str, ...] = ()
        self._rows: SpeedRows | None = None
        title = tr("Add your own")
        self._field = QLineEdit()
        self._field.setObjectName("speeds-own-words")
        self._field.setAccessibleName(tr("Your own workload, in fio's words"))
        self._field.setPlaceholderText(tr("For example {words}", words=_EXAMPLE))
        self._field.setToolTip(
            tr("A direction of fio's, then bs=, depth=, jobs=, reads=70%, buffered, flushed or size=8g.")
        )
        self._field.returnPressed.connect(self._add)
        add, self._remove = button(tr("Add"), "speeds-own-add"), button(tr("Remove the last"), "speeds-own-remove")
        add.clicked.connect(self._add)
        self._remove.clicked.connect(self._remove_last)
        self._error = label("", "error", name="speeds-own-error", wrap=True)
        self._limits = label("", "dim", name="speeds-own-limits", wrap=True)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SPACE_S)
        self._box.addWidget(label(title, "title"))
        entry = row(self._field, add, self._remove)
        entry.setStretch(0, 1)
        self._box.addLayout(entry)
        self._box.addWidget(self._error)
        self._box.addWidget(self._limits)
        for part in (self._error, self._limits, self._remove):
            part.hide()

    def show_speed(self, speed: Speed) -> None:
        """Show the rows of the user's workloads."""
        names = tuple(speed.performance.own)
        if names != self._names:
            self._names = names
            if self._rows is not None:
                self._rows.setParent(None)
                self._rows.deleteLater()
            self._rows = SpeedRows({name: name for name in names}, tuple(COLOURS), "speeds-own") if names else None
            if self._rows is not None:
                self._box.insertWidget(self._box.indexOf(self._limits), self._rows)
        if self._rows is not None:
            self._rows.show_speed(speed)
        self._limits.setText("\n".join(limits_in_words(name, one) for name, one in speed.performance.own.items()))
        self._limits.setVisible(bool(names))
        self._remove.setVisible(bool(names))

    @Slot()
    def _add(self) -> None:
        try:
            self._model.add(self._field.text())
        except InputError as error:
            self._error.setText(translated(error.sentence))
            self._error.show()
            self._field.setFocus()
            return
        self._error.hide()
        self._field.clear()

    @Slot()
    def _remove_last(self) -> None:
        self._model.remove_last()
        self._field.setFocus()
