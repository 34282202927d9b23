"""The field in which an array's name is typed, as the confirmation of an act."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QLineEdit

from raidwright.text.catalogue import tr
from raidwright.ui.confirmed import Confirmed

from .panel import label

_WIDTH = 200


class NameField(QLineEdit):
    """The text typed for ``model``'s act; ``name`` is the object's."""

    def __init__(self, model: Confirmed, name: str, width: int | None = _WIDTH) -> None:
        super().__init__()
        self._model = model
        self.setObjectName(name)
        self.setAccessibleName(tr("The array's name, to confirm"))
        if width is not None:
            self.setFixedWidth(width)
        self.textEdited.connect(model.type_name)

    def label(self) -> QLabel:
        """Return a visible label of the field."""
        shown = label(tr("The array's name, to confirm:"), "dim")
        shown.setBuddy(self)
        return shown

    def show_typed(self, array_name: str) -> None:
        """Show what is typed; the cursor stays where it is unless the text differs."""
        if self.text() != self._model.typed:
            self.setText(self._model.typed)
        self.setPlaceholderText(array_name)
