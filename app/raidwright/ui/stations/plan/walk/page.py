"""The walk's page: the step, the question, its cards, Back and Skip."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, clear, column, label, restyle, row, scrolled

from .card import ChoiceCard
from .content import TITLES, PageContent, content_of
from .model import WalkModel, WalkStep

_ROOM_FOR_TITLES = 1000
_MANY = 1000  # the cards take all the width that they need before the margins have any
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class WalkPage(QWidget):
    """The view of ``model``'s page. Arrow keys move from card to card, Enter and Space choose."""

    def __init__(self, model: WalkModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walk-page")
        self._model = model
        self._content: PageContent | None = None
        self._step: WalkStep | None = None
        self._cards: list[ChoiceCard] = []
        self._soon = QTimer(self, singleShot=True, interval=0)  # several changes at once are shown once
        self._soon.timeout.connect(self._show)
        self._laid_out = QTimer(self, singleShot=True, interval=0)  # sizes are known after the layout
        self._laid_out.timeout.connect(self._fit_pictures)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        whole.setSpacing(SPACE_M)
        whole.addLayout(self._head())
        self._question = label("", "question", name="walk-question", wrap=True)
        self._hint = label("", "dim", name="walk-hint", wrap=True)
        self._meaning = label("", name="walk-meaning", wrap=True)
        self._ask = self._link(tr("What this means"), "walk-ask")
        self._ask.clicked.connect(self._turn_meaning)
        hint = row(self._hint, spacing=SPACE_M)
        hint.setStretch(0, 1)
        hint.addWidget(self._ask, 0, Qt.AlignmentFlag.AlignTop)
        whole.addWidget(self._question)
        whole.addLayout(hint)
        whole.addWidget(self._meaning)
        self._inner = inner = QWidget(self)
        self._row = row(spacing=SPACE_M)
        line = row(self._row, spacing=0)
        line.setStretch(0, _MANY)
        line.addStretch(1)
        cards = column(line)
        cards.addStretch(1)
        cards.setContentsMargins(0, 0, SPACE_S, 0)
        inner.setLayout(cards)
        self._area = scrolled(inner, self)
        whole.addWidget(self._area, 1)
        whole.addLayout(self._foot_row())
        self._meaning.hide()
        model.changed.connect(self._follow)

    def begin(self) -> None:
        """Go to the first question."""
        self._model.begin()

    def _head(self) -> QHBoxLayout:
        head = row(spacing=SPACE_S)
        self._numbers: dict[WalkStep, QLabel] = {}
        self._titles: dict[WalkStep, QLabel] = {}
        for step, title in TITLES.items():
            number = label(str(step + 1), name=f"walk-step-{step + 1}")
            number.setAlignment(Qt.AlignmentFlag.AlignCenter)
            number.setProperty("step", "later")
            self._numbers[step], self._titles[step] = number, label(title(), "dim")
            head.addWidget(number)
            head.addWidget(self._titles[step])
            head.addSpacing(SPACE_M)
        head.addStretch(1)
        self._skip = self._link(tr("Skip: show me everything"), "walk-skip")
        self._skip.clicked.connect(self._model.leave)
        head.addWidget(self._skip)
        return head

    def _foot_row(self) -> QHBoxLayout:
        self._back = button("", "walk-back")
        self._back.clicked.connect(self._model.go_back)
        self._foot = label("", "dim", name="walk-foot")
        self._all = self._link(tr("Compare all of them"), "walk-all")
        self._all.clicked.connect(self._model.leave)
        foot = row(self._back, self._foot, self._all, spacing=SPACE_M)
        foot.addStretch(1)
        return foot

    def _link(self, text: str, name: str) -> QPushButton:
        link = button(text, name)
        link.setProperty("kind", "link")
        return link

    def showEvent(self, event: QEvent) -> None:
        """Qt: show changes made meanwhile."""
        super().showEvent(event)  # type: ignore[arg-type]
        self._show()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: focus the place for choosing."""
        super().focusInEvent(event)
        self._focus_card()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: on a small window, words have priority over pictures."""
        super().resizeEvent(event)
        for step, title in self._titles.items():
            title.setVisible(self.width() >= _ROOM_FOR_TITLES or step is self._model.step)
        self._laid_out.start()

    @Slot()
    def _fit_pictures(self) -> None:
        """Hide the pictures if the buttons below them would be hidden."""
        previews = [card.preview for card in self._cards if card.preview is not None]
        for preview in previews:
            preview.show()
        layout, seen = self._inner.layout(), self._area.viewport().size()
        if layout is None or not previews:
            return
        layout.activate()
        has_room = layout.totalHeightForWidth(seen.width()) <= seen.height()
        for preview in previews:
            preview.setVisible(has_room)

    @Slot()
    def _follow(self) -> None:
        if self.isVisible():
            self._soon.start()

    @Slot()
    def _show(self) -> None:
        model = self._model
        if model.plan is None:
            return
        is_new_step, self._step = model.step is not self._step, model.step
        if is_new_step:
            self._meaning.hide()
            for step, number in self._numbers.items():
                is_done = step < model.step
                number.setText("✓" if is_done else str(step + 1))
                number.setProperty("step", "now" if step is model.step else "done" if is_done else "later")
                restyle(number)
                self._titles[step].setProperty("role", "title" if step is model.step else "dim")
                restyle(self._titles[step])
                self._titles[step].setVisible(self.width() >= _ROOM_FOR_TITLES or step is model.step)
            self._back.setText(tr("← Disks") if model.step is WalkStep.FAILURES else tr("← Back"))
            self._back.setAccessibleName(self._back.text())
        content = content_of(model)
        self._question.setText(content.question)
        self._hint.setText(content.hint)
        self._meaning.setText(content.meaning)
        self._foot.setText(content.foot)
        self._all.setVisible(model.step is WalkStep.PICKS)
        self.setAccessibleName(content.question)
        self.setAccessibleDescription(content.hint)
        self._show_cards(content, has_focus=is_new_step or self._has_focus())
        self._content = content

    def _has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and any(card.isAncestorOf(focus) for card in self._cards)

    def _show_cards(self, content: PageContent, *, has_focus: bool) -> None:
        said = [(one.key, one.title, one.said_aloud, one.is_chosen, one.why_not, one.plan) for one in content.cards]
        if self._content is not None and said == [
            (one.key, one.title, one.said_aloud, one.is_chosen, one.why_not, one.plan) for one in self._content.cards
        ]:
            return
        clear(self._row)
        marked = next((one.key for one in content.cards if one.is_chosen), None)
        marked = marked or next((one.key for one in content.cards if one.is_advised), None)
        self._cards = [ChoiceCard(one, is_marked=one.key == marked, parent=self) for one in content.cards]
        for card in self._cards:
            self._row.addWidget(card, 1)
            card.choose.installEventFilter(self)
        self._laid_out.start()
        self._put_in_order()
        if has_focus and self.isVisible():
            self._focus_card()

    def _put_in_order(self) -> None:
        """Set the Tab order: the question's link, the cards, Back."""
        before: QWidget = self._ask
        for card in self._cards:
            QWidget.setTabOrder(before, card.choose)
            before = card.choose
        QWidget.setTabOrder(before, self._back)

    def _focus_card(self) -> None:
        """Focus the marked card, else the first."""
        open_cards = [card for card in self._cards if card.choose.isEnabled()]
        marked = next((card for card in open_cards if card.property("card") == "chosen"), None)
        if chosen := marked or next(iter(open_cards), None):
            chosen.choose.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: arrow keys move from card to card, and Enter chooses as Space does."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = Qt.Key(event.key())
            if key in _STEPS:
                self._go(watched, _STEPS[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(watched, QPushButton):
                watched.click()
                return True
        return super().eventFilter(watched, event)

    def _go(self, now: QObject, by: int) -> None:
        choices = [card.choose for card in self._cards if card.choose.isEnabled()]
        if now in choices:
            choices[(choices.index(now) + by) % len(choices)].setFocus(Qt.FocusReason.TabFocusReason)

    @Slot()
    def _turn_meaning(self) -> None:
        self._meaning.setVisible(self._meaning.isHidden())
