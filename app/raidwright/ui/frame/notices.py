"""Notices shown at every station: bars below the top bar, one per matter, the most severe first.

A matter is shown and updated with ``say(name, Note(…))``, and removed with ``say(name, None)``. Its bar's parts are
found as ``{name}-bar``, ``-tag``, ``-what``, ``-more``, ``-failure`` and ``-{offer}`` by tests.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from raidwright.text.shown import Note, Offer, Severity
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import TabPlace, badge, button, column, label, restyle, row


class Notices(QWidget):
    """The bars; the height is 0 without any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notices")
        self._bars: dict[str, _Bar] = {}
        self._place = TabPlace(self)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(0)
        self.hide()

    def say(self, name: str, note: Note | None) -> None:
        """Show ``note`` for the matter ``name``; None removes it."""
        bar = self._bars.get(name)
        if note is None:
            if bar is not None:
                bar.hide()
        else:
            self._show(bar or self._new_bar(name), note)
        self.setVisible(any(not one.isHidden() for one in self._bars.values()))

    def _new_bar(self, name: str) -> _Bar:
        bar = self._bars[name] = _Bar(name, self)
        return bar

    def _show(self, bar: _Bar, note: Note) -> None:
        is_news = bar.isHidden() or bar.sentence != note.sentence
        bar.show_note(note)
        self._put_in_order()
        bar.show()
        if is_news:  # for screen readers
            QAccessible.updateAccessibility(QAccessibleEvent(bar, QAccessible.Event.Alert))

    def _put_in_order(self) -> None:
        gravity = list(Severity)
        bars = sorted(self._bars.values(), key=lambda bar: gravity.index(bar.severity))
        for place, bar in enumerate(bars):
            if self._box.indexOf(bar) != place:
                self._box.insertWidget(place, bar)
        self._place.give(*bars)


class _Bar(QFrame):
    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}-bar")
        self._name = name
        self._offers: tuple[Offer, ...] = ()
        self._buttons: dict[str, QPushButton] = {}
        self.severity, self.sentence = Severity.INFO, ""
        self._tag = badge("", "info")
        self._tag.setObjectName(f"{name}-tag")
        self._what = label("", "title", name=f"{name}-what", wrap=True)
        self._more = label("", "dim", name=f"{name}-more", wrap=True)
        self._failure = label("", "error", name=f"{name}-failure", wrap=True)
        self._ways = QHBoxLayout()
        self._ways.setSpacing(SPACE_S)
        words = column(self._what, self._more, self._failure, spacing=SPACE_XS)
        line = row(spacing=SPACE_M)
        line.addWidget(self._tag, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addLayout(words, 1)
        line.addLayout(self._ways)
        line.setContentsMargins(SPACE_L, SPACE_S, SPACE_L, SPACE_S)
        self.setLayout(line)

    def show_note(self, note: Note) -> None:
        self.severity, self.sentence = note.severity, note.sentence
        self._tag.setText(note.tag)
        self._what.setText(note.sentence)
        failure = f"✕ {note.failure}" if note.failure else ""
        for part, text in ((self._more, note.more), (self._failure, failure)):
            part.setText(text)
            part.setVisible(bool(text))
        self.setAccessibleName(f"{note.tag}: {note.sentence}")
        if self.property("notice") != str(note.severity):
            self.setProperty("notice", str(note.severity))
            self._tag.setProperty("badge", str(note.severity))
            restyle(self)
            restyle(self._tag)
        self._show_offers(note.offers)

    def _show_offers(self, offers: tuple[Offer, ...]) -> None:
        """Update the buttons.

        An offer that remains keeps its button, which may have the focus or be half pressed; from a removed one the
        focus goes to another button here, since Qt's next widget could be anything.
        """
        had_focus = False
        for name in self._buttons.keys() - {offer.name for offer in offers}:
            closed = self._buttons.pop(name)
            had_focus |= closed.hasFocus()
            self._ways.removeWidget(closed)
            closed.hide()
            closed.deleteLater()
        self._offers = offers
        for place, offer in enumerate(offers):
            way = self._buttons.get(offer.name) or self._button(offer)
            if self._ways.indexOf(way) != place:
                self._ways.insertWidget(place, way)
            way.setText(offer.text)
            way.setAccessibleName(offer.text)
            way.setToolTip(offer.hint)
            way.setEnabled(offer.is_open)
        if had_focus and offers:
            self._buttons[offers[0].name].setFocus()

    def _button(self, offer: Offer) -> QPushButton:
        made = self._buttons[offer.name] = button("", f"{self._name}-{offer.name}", primary=offer.is_primary)
        made.clicked.connect(lambda: self._take(offer.name))
        return made

    def _take(self, name: str) -> None:
        next(offer for offer in self._offers if offer.name == name).act()
