"""The pieces that stations are laid out with: panels, labels in their roles, badges, and notices in empty places."""

from __future__ import annotations

import itertools
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from raidwright.text.shown import Tone
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL

from .scrolling import ScrollArea

Role = Literal["brand", "title", "headline", "question", "figure", "unit", "dim", "error", ""]


class Panel(QFrame):
    """A bordered ground with an optional title and a hint beside it; put widgets into ``body``."""

    def __init__(self, title: str = "", hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", True)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_L)
        self.body.setSpacing(SPACE_S)
        if title:
            self.title = label(title, "title")
            self.head = row(self.title, spacing=SPACE_S // 2)
            self.head.addStretch()  # as long as nothing is said beside the title
            if hint:
                self.say_beside(label(f"· {hint}", "dim"))
            self.body.addLayout(self.head)

    def say_beside(self, words: QLabel) -> None:
        """Put ``words`` beside the title; they break into lines where there is too little width."""
        words.setWordWrap(True)
        self.head.insertWidget(1, words, 1)


def label(text: str = "", role: Role = "", *, name: str = "", wrap: bool = False) -> QLabel:
    """A plain-text label in one of the text roles."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        result.setProperty("role", role)
    if name:
        result.setObjectName(name)
    result.setWordWrap(wrap)
    return result


def badge(text: str, tone: Tone) -> QLabel:
    """A small toned word, as in “failing”."""
    result = label(text)
    result.setProperty("badge", tone)
    return result


def button(text: str, name: str, *, primary: bool = False, hint: str = "") -> QPushButton:
    """A push button with the object name that tests and assistive technology find it by."""
    result = QPushButton(text)
    result.setObjectName(name)
    if primary:
        result.setProperty("kind", "primary")
    if hint:
        result.setToolTip(hint)
    result.setAccessibleName(text)
    return result


class TabPlace(QWidget):
    """Keeps a place in Tab's order for what is made later, which Qt puts last; never seen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # else Qt orders nothing after it; what is hidden is passed over
        self.hide()

    def give(self, *parts: QWidget) -> None:
        """Let Tab come here to ``parts`` and all that is in them, in their order."""
        before: QWidget = self
        for part in itertools.chain.from_iterable(map(_reached, parts)):
            QWidget.setTabOrder(before, part)
            before = part


def _reached(whole: QWidget) -> list[QWidget]:
    """``whole`` and what is in it, in Tab's order, as far as it can have the focus; Qt orders nothing else."""
    found, one = [], whole
    while one is whole or whole.isAncestorOf(one):
        if one.focusPolicy() is not Qt.FocusPolicy.NoFocus and one.focusProxy() is None:
            found.append(one)
        one = one.nextInFocusChain() or whole
        if one is whole:
            break
    return found


def swap(shown: QWidget, hidden: QWidget) -> None:
    """Put ``shown`` in the place of ``hidden``, with the focus if that had it: Qt would pass it on to anything."""
    had_focus = hidden.hasFocus()
    shown.show()
    if had_focus:
        shown.setFocus()
    hidden.hide()


def row(*parts: QWidget | QLayout | None, spacing: int = SPACE_S) -> QHBoxLayout:
    """``parts`` side by side; None is left out."""
    result = QHBoxLayout()
    result.setContentsMargins(0, 0, 0, 0)
    result.setSpacing(spacing)
    _fill(result, parts)
    return result


def column(*parts: QWidget | QLayout | None, spacing: int = SPACE_S) -> QVBoxLayout:
    """``parts`` one below the other; None is left out."""
    result = QVBoxLayout()
    result.setContentsMargins(0, 0, 0, 0)
    result.setSpacing(spacing)
    _fill(result, parts)
    return result


def _fill(box: QHBoxLayout | QVBoxLayout, parts: tuple[QWidget | QLayout | None, ...]) -> None:
    for part in parts:
        if isinstance(part, QWidget):
            box.addWidget(part)
        elif part is not None:
            box.addLayout(part)


def scrolled(inner: QWidget, parent: QWidget | None = None) -> ScrollArea:
    """``inner`` in an area that scrolls up and down where there is too little room."""
    return ScrollArea(inner, parent)


def clear(layout: QLayout) -> None:
    """Take everything out of ``layout`` and let Qt delete it."""
    while (item := layout.takeAt(0)) is not None:
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()
        elif inner := item.layout():
            clear(inner)


def restyle(widget: QWidget) -> None:
    """Let the style sheet see a dynamic property that changed; it will by itself where it has not yet looked."""
    if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        return
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class Notice(QWidget):
    """What stands where there is nothing yet: one line, a sentence, at most one way on, and one beside it."""

    acted = Signal()
    also_acted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._headline = label("", "headline", name=f"{name}-headline")
        self._sentence = label("", "dim", name=f"{name}-sentence", wrap=True)
        self._button = button("", f"{name}-button", primary=True)
        self._button.clicked.connect(self.acted)
        self._also = button("", f"{name}-also")
        self._also.setProperty("kind", "link")
        self._also.clicked.connect(self.also_acted)
        for text in (self._headline, self._sentence):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence.setFixedWidth(460)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_XL, SPACE_S, SPACE_XL, SPACE_S)
        box.setSpacing(SPACE_M)
        box.addStretch(2)
        for part in (self._headline, self._sentence, self._button, self._also):
            box.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        box.addStretch(3)

    def say(self, headline: str, sentence: str, action: str = "", also: str = "") -> None:
        """Show these words; without ``action`` there is no button, without ``also`` no link below it."""
        self._headline.setText(headline)
        self._sentence.setText(sentence)
        self._sentence.setMinimumHeight(self._sentence.heightForWidth(460))
        self.setAccessibleName(headline)
        self.setAccessibleDescription(sentence)
        self._button.setText(action)
        self._button.setAccessibleName(action)
        if self._button.hasFocus() and not action:
            self.setFocus()  # the button goes; its next could be anything
        self._button.setVisible(bool(action))
        self._also.setText(also)
        self._also.setAccessibleName(also)
        self._also.setVisible(bool(also))
