"""A row of joined buttons, at most one of them checked: a choice among a few visible options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QLayout, QPushButton, QWidget

from raidwright.ui.theme import font
from raidwright.ui.tokens import TYPE_SMALL

from .flow import Flow
from .panel import TabPlace, clear, restyle, row

_PAD = 7


class Choice(NamedTuple):
    """An option: its ``key``, its text, and the reason why it can't be chosen ("" if it can)."""

    key: str
    text: str
    why_not: str = ""
    hint: str = ""


class Segmented(QWidget):
    """The buttons. ``chosen`` carries the key of the user's choice; ``show_choices`` sets the options.

    Where there isn't room for all, those that ``wrap`` go on in the next line.
    """

    chosen = Signal(str)

    def __init__(self, name: str, title: str, parent: QWidget | None = None, *, wrap: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._title = title
        self._choices: tuple[Choice, ...] = ()
        self._buttons: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._clicked)
        self._place = TabPlace(self)
        self._row: QLayout = Flow(spacing=0) if wrap else row(spacing=0)
        self.setLayout(self._row)

    def show_choices(self, choices: Sequence[Choice], current: str) -> None:
        """Show ``choices`` with ``current`` checked (or none); buttons are reused while their keys are the same."""
        if [choice.key for choice in choices] != [choice.key for choice in self._choices]:
            self._rebuild(choices)
        self._choices = tuple(choices)
        for choice in choices:
            self._dress(self._buttons[choice.key], choice)
        self._group.setExclusive(False)  # none is checked if ``current`` isn't among them
        for key, button in self._buttons.items():
            button.setChecked(key == current)
        self._group.setExclusive(True)
        self._let_tab_come(current)

    def _let_tab_come(self, current: str) -> None:
        """Let Tab focus the checked button, where arrow keys continue; without one, the first enabled button."""
        reached = self._buttons.get(current) or next((one for one in self._buttons.values() if one.isEnabled()), None)
        for button in self._buttons.values():
            policy = Qt.FocusPolicy.StrongFocus if button is reached else Qt.FocusPolicy.ClickFocus
            if button.focusPolicy() is not policy:
                button.setFocusPolicy(policy)

    def _rebuild(self, choices: Sequence[Choice]) -> None:
        for button in self._buttons.values():
            self._group.removeButton(button)
        clear(self._row)
        self._buttons = {choice.key: QPushButton(self) for choice in choices}
        for place, (key, button) in enumerate(self._buttons.items()):
            button.setObjectName(f"{self.objectName()}-{key}")
            button.setCheckable(True)
            button.setAutoExclusive(True)  # radio buttons for screen readers
            button.setProperty("segment", _end(place, len(choices)))
            self._group.addButton(button)
            self._row.addWidget(button)
        if isinstance(self._row, QHBoxLayout):
            self._row.addStretch(1)
        self._place.give(*self._buttons.values())

    def _dress(self, button: QPushButton, choice: Choice) -> None:
        if button.text() != choice.text:
            button.setText(choice.text)
            bold = QFontMetrics(
                font(TYPE_SMALL, QFont.Weight.Bold)
            )  # the checked button is bold, and its width must not change
            button.setFixedWidth(bold.horizontalAdvance(choice.text) + 2 * _PAD)
            button.setAccessibleName(f"{self._title} {choice.text}")
        if button.isEnabled() == bool(choice.why_not):
            button.setEnabled(not choice.why_not)
            restyle(button)
        button.setToolTip(choice.why_not or choice.hint)
        button.setAccessibleDescription(choice.why_not or choice.hint)

    def _clicked(self, button: QAbstractButton) -> None:
        for key, known in self._buttons.items():
            if known is button:
                self.chosen.emit(key)


def _end(place: int, count: int) -> str:
    if count == 1:
        return "only"
    return "first" if place == 0 else "last" if place == count - 1 else "middle"
