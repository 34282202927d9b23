"""Sliders, combo boxes and number fields. The wheel changes only the focused one; otherwise it scrolls the page.

Each kind of input that Qt lets the wheel change is defined here once, and the window uses no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QSignalBlocker, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSlider, QSpinBox, QWidget

_INDENT = 5  # pixels

if TYPE_CHECKING:
    _Input = QWidget
else:
    _Input = object


class _WheelWithFocus(_Input):
    """A mixin ahead of the Qt class. The focus policy is needed as well, else the wheel gives the focus first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: ignore the wheel until the input was focused by a click or Tab."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Slider(_WheelWithFocus, QSlider):
    """A horizontal slider."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOrientation(Qt.Orientation.Horizontal)


class ComboBox(_WheelWithFocus, QComboBox):
    """A choice of one of several."""


class SpinBox(_WheelWithFocus, QSpinBox):
    """An integer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _indent(self)


class DecimalBox(_WheelWithFocus, QDoubleSpinBox):
    """A decimal number, with a point or a comma, whichever the language has; digits aren't grouped.

    Qt would take the other one for the sign between thousands, and drop it: 199,5 would be 1995.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        locale = QLocale()
        locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator | QLocale.NumberOption.RejectGroupSeparator)
        self.setLocale(locale)
        _indent(self)

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """Qt: return whether ``text`` is a number, with the language's own decimal sign in place of the other."""
        return super().validate(self._with_own_sign(text), place)

    def valueFromText(self, text: str) -> float:
        """Qt: return the number in ``text``."""
        return super().valueFromText(self._with_own_sign(text))

    def show_value(self, value: float) -> None:
        """Show ``value``, without a signal; a half-typed text is kept unless the value differs."""
        if round(value, self.decimals()) != self.value():  # Qt rewrites the text even if the value is the same
            with QSignalBlocker(self):
                self.setValue(value)

    def _with_own_sign(self, text: str) -> str:
        number = text.removesuffix(self.suffix())
        sign = self.locale().decimalPoint()
        return number.replace(",", sign).replace(".", sign) + text[len(number) :]


def _indent(box: QAbstractSpinBox) -> None:
    """Indent the text as in other fields: a style sheet's padding moves the box's frame and not its text."""
    box.lineEdit().setTextMargins(_INDENT, 0, 0, 0)
