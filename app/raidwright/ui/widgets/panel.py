"""Layout parts of the stations: panels, labels in their roles, badges, and notices in empty places."""

from __future__ import annotations

import itertools
from typing import Literal

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from raidwright.text.shown import Tone
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL

from .scrolling import ScrollArea

Role = Literal[
    "brand",
    "title",
    "headline",
    "question",
    "figure",
    "tile",
    "unit",
    "dim",
    "practice",
    "good",
    "warning",
    "error",
    "",
]


class Panel(QFrame):
    """A bordered panel with an optional title and a hint beside it; add widgets to ``body``."""

    def __init__(self, title: str = "", hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", True)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_L)
        self.body.setSpacing(SPACE_S)
        if title:
            self.title = label(title, "title")
            self.head = row(self.title, spacing=SPACE_S // 2)
            self.head.addStretch()  # as long as nothing is beside the title
            if hint:
                self.say_beside(label(f"· {hint}", "dim"))
            self.body.addLayout(self.head)

    def say_beside(self, words: QLabel) -> None:
        """Put ``words`` beside the title; they wrap where the width is too small."""
        words.setWordWrap(True)
        self.head.insertWidget(1, words, 1)


class WholePanel(Panel):
    """A panel that is never lower than all that it shows: its page gets a scroll bar first.

    Qt's minimum size knows no width: words and buttons that wrap would count as one line each.
    """

    def event(self, event: QEvent) -> bool:
        """Qt: keep the height for another width, and after a change."""
        done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(self.body.minimumHeightForWidth(self.width()))
        return done


def label(text: str = "", role: Role = "", *, name: str = "", wrap: bool = False) -> QLabel:
    """Return a plain-text label in one of the text roles."""
    result = QLabel(text)
    result.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        result.setProperty("role", role)
    if name:
        result.setObjectName(name)
    result.setWordWrap(wrap)
    return result


def badge(text: str, tone: Tone) -> QLabel:
    """Return a small toned badge, as in “failing”."""
    result = label(text)
    result.setProperty("badge", tone)
    return result


def button(text: str, name: str, *, primary: bool = False, hint: str = "") -> QPushButton:
    """Return a push button with the object name for tests and assistive technology."""
    result = QPushButton(text)
    result.setObjectName(name)
    if primary:
        result.setProperty("kind", "primary")
    if hint:
        result.setToolTip(hint)
    result.setAccessibleName(text)
    return result


def rule() -> QFrame:
    """Return a thin line between two parts of a panel."""
    result = QFrame()
    result.setProperty("rule", True)
    result.setFixedHeight(1)
    return result


class TabPlace(QWidget):
    """A placeholder in the Tab order for widgets created later, which Qt would put last; never visible."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # else Qt puts nothing after it; hidden widgets are skipped
        self.hide()

    def give(self, *parts: QWidget) -> None:
        """Put ``parts`` and their children here in the Tab order, in their order."""
        before: QWidget = self
        for part in itertools.chain.from_iterable(map(_reached, parts)):
            QWidget.setTabOrder(before, part)
            before = part


def _reached(whole: QWidget) -> list[QWidget]:
    """Return ``whole`` and its children in Tab order, if they can have the focus; Qt orders nothing else."""
    found, one = [], whole
    while one is whole or whole.isAncestorOf(one):
        if one.focusPolicy() is not Qt.FocusPolicy.NoFocus and one.focusProxy() is None:
            found.append(one)
        one = one.nextInFocusChain() or whole
        if one is whole:
            break
    return found


def swap(shown: QWidget, hidden: QWidget) -> None:
    """Show ``shown`` instead of ``hidden``, with its focus: Qt would give that to any widget."""
    had_focus = hidden.hasFocus()
    shown.show()
    if had_focus:
        shown.setFocus()
    hidden.hide()


def row(*parts: QWidget | QLayout | None, spacing: int = SPACE_S) -> QHBoxLayout:
    """Return ``parts`` in a row; None is skipped."""
    result = QHBoxLayout()
    result.setContentsMargins(0, 0, 0, 0)
    result.setSpacing(spacing)
    _fill(result, parts)
    return result


def column(*parts: QWidget | QLayout | None, spacing: int = SPACE_S) -> QVBoxLayout:
    """Return ``parts`` in a column; None is skipped."""
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
    """Return ``inner`` in an area that scrolls vertically if it doesn't fit."""
    return ScrollArea(inner, parent)


def clear(layout: QLayout) -> None:
    """Remove everything from ``layout`` and let Qt delete it."""
    while (item := layout.takeAt(0)) is not None:
        if widget := item.widget():
            widget.hide()
            widget.deleteLater()
        elif inner := item.layout():
            clear(inner)


def restyle(widget: QWidget) -> None:
    """Apply the style sheet after a dynamic property changed; before its first polish a widget doesn't need that."""
    if not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        return
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class Notice(QWidget):
    """The content of an empty place: a headline, a sentence, at most one button, and one link below it."""

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
            self.setFocus()  # the button is hidden; Qt's next focus could be anything
        self._button.setVisible(bool(action))
        self._also.setText(also)
        self._also.setAccessibleName(also)
        self._also.setVisible(bool(also))
