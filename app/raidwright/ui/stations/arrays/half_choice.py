"""The choice of a half of an array whose members parted: one line for each, with its disks and its date."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from raidwright.core.md.histories import Branch
from raidwright.machine.states.volume import State
from raidwright.text.array.histories import half_names, to_the_second
from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_S

from .model import ArraysModel


class HalfChoice(QWidget):
    """A radio button for each half; none is chosen at first. Hidden for an array without halves."""

    def __init__(self, model: ArraysModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[str, tuple[Branch, ...]] = ("", ())
        self._group = QButtonGroup(self)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(SPACE_S)

    def show_halves(self, array: State | None) -> None:
        """Show the halves of ``array``, with the model's choice."""
        halves = array.halves if array else ()
        self.setVisible(bool(halves))
        shown = (array.uuid if array else "", halves)
        if shown != self._shown:
            self._shown = shown
            for old in self._group.buttons():
                self._group.removeButton(old)
                self._rows.removeWidget(old)
                old.hide()
                old.deleteLater()
            if array is not None:
                for half in halves:
                    self._add(array, half)
        self._group.setExclusive(False)  # else the last choice couldn't be taken away
        for choice in self._group.buttons():
            choice.setChecked(choice.property("disk") == self._model.half)
        self._group.setExclusive(True)

    def _add(self, array: State, half: Branch) -> None:
        when = to_the_second(half.updated_s)
        disk = half.members[0]
        choice = QRadioButton(tr("{disks:and}, written to until {when}", disks=half_names(array, half), when=when))
        choice.setObjectName(f"half-{disk}")
        choice.setProperty("disk", disk)
        choice.clicked.connect(lambda: self._model.choose_half(disk))
        self._group.addButton(choice)
        self._rows.addWidget(choice)
