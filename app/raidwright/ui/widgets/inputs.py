"""Sliders, lists to pick from and numbers. The wheel turns the one that has the focus; over any other it scrolls.

Each kind of input that Qt lets the wheel turn stands here once, and the window uses no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSlider, QSpinBox, QWidget

_INDENT = 5  # pixels

if TYPE_CHECKING:
    _Input = QWidget
else:
    _Input = object


class _WheelWithFocus(_Input):
    """Comes before the Qt class. The focus policy has to say it too, else the wheel takes the focus and then turns."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: left to what lies around, until this was clicked or reached by Tab."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Slider(_WheelWithFocus, QSlider):
    """A slider that lies across."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOrientation(Qt.Orientation.Horizontal)


class ComboBox(_WheelWithFocus, QComboBox):
    """One of several."""


class SpinBox(_WheelWithFocus, QSpinBox):
    """A whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _indent(self)


class DecimalBox(_WheelWithFocus, QDoubleSpinBox):
    """A number with a fraction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _indent(self)

    def show_value(self, value: float) -> None:
        """Show ``value``, without a signal; what is half typed stays unless the value is another one."""
        if round(value, self.decimals()) != self.value():  # Qt writes the text anew even where nothing changes
            with QSignalBlocker(self):
                self.setValue(value)


def _indent(box: QAbstractSpinBox) -> None:
    """As far as other fields: a style sheet's padding moves the box's frame and not what stands in it."""
    box.lineEdit().setTextMargins(_INDENT, 0, 0, 0)
