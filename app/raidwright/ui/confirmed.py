"""Typed confirmation: an act on an array begins once a person has typed the array's name."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.text.catalogue import tr


class Confirmed(QObject):
    """A model with an act that an array's name confirms. ``changed`` follows everything shown."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.typed = ""

    @Slot(str)
    def type_name(self, text: str) -> None:
        """Set the text typed as confirmation."""
        self.typed = text
        self.changed.emit()

    def unconfirmed(self, name: str) -> str:
        """Return the sentence that asks for ``name``; "" once that is typed."""
        return "" if self.typed == name else tr("Type the array's name, {name}, to go on.", name=name)
