"""The page of the walk: its three steps at the top, and below them the choices, what happens, or the progress."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QStackedLayout, QWidget

from raidwright.core.messages import say
from raidwright.machine.states.volume import State
from raidwright.text.array.growth import happens_title, question_words, today_words
from raidwright.text.catalogue import tr, translated
from raidwright.ui.stations.arrays.change.steps import StepsText
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, clear, column, label, restyle, row, scrolled

from .card import GrowthCard
from .happens import HappensPage
from .model import BiggerModel, BiggerStep
from .parts import Sketch
from .progress import ProgressPage

_TITLES = (say("Which way"), say("What happens"), say("Progress"))
_ROWS = {  # of the pictures, by the page's least height
    BiggerStep.WAY: ((790, 9), (640, 4), (0, 3)),
    BiggerStep.HAPPENS: ((790, 6), (0, 3)),
    BiggerStep.PROGRESS: ((790, 8), (0, 5)),
}
_DIALOG = (760, 520)
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class BiggerPage(QWidget):
    """The page of one model at a time.

    ``closed`` asks for the arrays, ``table_wanted(Array)`` for all changes as a table, ``card_wanted(str)`` for the
    changed array's recovery card and ``good_wanted(str)`` for its judgement, both by UUID; ``pause_wanted(Array)`` and
    ``limit_wanted(Array)`` pace md's work.
    """

    closed = Signal()
    table_wanted = Signal(object)
    card_wanted = Signal(str)
    good_wanted = Signal(str)
    pause_wanted = Signal(object)
    limit_wanted = Signal(object)

    def __init__(self, sketch: Sketch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bigger-page")
        self._sketch = sketch
        self._model: BiggerModel | None = None
        self._now: State | None = None
        self._cards: list[GrowthCard] = []
        self._drawn: tuple[object, ...] = ()
        self._question = label("", "question", name="bigger-question", wrap=True)
        self._hint = label("", "dim", name="bigger-hint", wrap=True)
        self._ways = QWidget()
        self._row = row(spacing=SPACE_L)
        self._ways.setLayout(self._row)
        self._happens = HappensPage(sketch)
        self._happens.commands_wanted.connect(self._show_commands)
        self._happens.back_wanted.connect(self._go_back)
        self._progress = ProgressPage(sketch)
        self._progress.closed.connect(self.closed)
        self._connect_progress()
        below = QWidget()
        self._layers = QStackedLayout(below)
        for part in (scrolled(self._ways), self._happens, self._progress):
            self._layers.addWidget(part)
        whole = column(self._head(), self._question, self._hint, below, self._foot(), spacing=SPACE_M)
        whole.setStretch(3, 1)
        whole.setContentsMargins(SPACE_XL, 0, SPACE_XL, 0)
        self.setLayout(whole)

    @property
    def model(self) -> BiggerModel | None:
        """The walk that is shown."""
        return self._model

    def open(self, model: BiggerModel, now: State) -> None:
        """Show the walk of ``model``."""
        if self._model is not None and self._model is not model:
            self._model.changed.disconnect(self._show)
        if self._model is not model:
            model.changed.connect(self._show)
        self._model, self._drawn = model, ()
        self.see(now)

    def forget(self, model: BiggerModel) -> None:
        """Let go of ``model``, which ends."""
        if self._model is model:
            model.changed.disconnect(self._show)
            self._model = None

    def see(self, now: State) -> None:
        """Take the array as it is seen now."""
        self._now = now
        self._show()

    def _connect_progress(self) -> None:
        progress = self._progress
        progress.pause_wanted.connect(lambda: self.pause_wanted.emit(self._now))
        progress.limit_wanted.connect(lambda: self.limit_wanted.emit(self._now))
        progress.card_wanted.connect(lambda: self.card_wanted.emit(self._array.uuid))
        progress.good_wanted.connect(lambda: self.good_wanted.emit(self._array.uuid))

    @property
    def _array(self) -> State:
        if self._model is None:
            raise ValueError
        return self._model.array

    def _head(self) -> QHBoxLayout:
        head = row(spacing=SPACE_S)
        self._numbers: list[QLabel] = []
        self._titles: list[QLabel] = []
        for place, title in enumerate(_TITLES):
            number, words = label(str(place + 1), name=f"bigger-step-{place + 1}"), label(translated(title), "dim")
            number.setAlignment(Qt.AlignmentFlag.AlignCenter)
            number.setProperty("step", "later")
            self._numbers.append(number)
            self._titles.append(words)
            head.addWidget(number)
            head.addWidget(words)
            head.addSpacing(SPACE_M)
        head.addStretch(1)
        self._table = button(tr("All ways, as a table"), "bigger-table")
        self._table.setProperty("kind", "link")
        self._table.clicked.connect(lambda: self.table_wanted.emit(self._array))
        head.addWidget(self._table)
        return head

    def _foot(self) -> QHBoxLayout:
        self._back = button(tr("← Arrays"), "bigger-back")
        self._back.clicked.connect(self._go_back)
        foot = row(self._back)
        foot.addStretch(1)
        return foot

    @Slot()
    def _go_back(self) -> None:
        if self._model is not None and self._model.step is BiggerStep.HAPPENS:
            self._model.go_back()
        else:
            self.closed.emit()

    @Slot()
    def _show(self) -> None:
        model = self._model
        if model is None or self._now is None:
            return
        self._show_steps(model)
        if model.step is BiggerStep.WAY:
            self._show_ways(model)
        elif model.step is BiggerStep.HAPPENS:
            self._show_happens(model)
        else:
            self._question.hide()
            self._hint.hide()
            self._progress.show_progress(model, self._now, self._picture_rows(model))
        self._layers.setCurrentIndex(model.step)
        self._back.setVisible(model.step is BiggerStep.WAY)
        self._table.setVisible(model.step is not BiggerStep.PROGRESS)

    def _show_steps(self, model: BiggerModel) -> None:
        for place, number in enumerate(self._numbers):
            is_over = bool(model.ended[0])
            step = "done" if place < model.step or is_over else "now" if place == model.step else "later"
            if number.property("step") != step:
                number.setText("✓" if step == "done" else str(place + 1))
                number.setProperty("step", step)
                restyle(number)
                self._titles[place].setProperty("role", "title" if step == "now" else "dim")
                restyle(self._titles[place])

    def _show_ways(self, model: BiggerModel) -> None:
        plan, facts = model.change.plan, model.array.facts
        used = (facts.used_bytes, facts.file_system_bytes) if facts and facts.file_system_bytes else (0, 0)
        self._say(question_words(model.array.name), today_words(plan.top, *used) if plan and model.choices else
                  model.problem or tr("Looking at the array …"))  # fmt: skip
        drawn = (model, model.choices, rows := self._picture_rows(model))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        clear(self._row)
        self._cards = [GrowthCard(model, one, self._sketch, rows, self) for one in model.choices]
        for card in self._cards:
            self._row.addWidget(card, 1)
            if not card.is_possible:
                self._row.setAlignment(card, Qt.AlignmentFlag.AlignTop)
            if card.choose is not None:
                card.choose.installEventFilter(self)
        self._put_in_order()
        self._focus_card()

    def _picture_rows(self, model: BiggerModel) -> int:
        return next(rows for height, rows in _ROWS[model.step] if self.height() >= height)

    def _show_happens(self, model: BiggerModel) -> None:
        way = model.chosen.way if model.chosen else None
        self._say(happens_title(model.array.name, way, model.name_of) if way else "", "")
        drawn = (model, model.chosen, rows := self._picture_rows(model))
        if drawn == self._drawn:
            self._happens.update_state()
            return
        self._drawn = drawn
        self._happens.show_way(model, rows)
        if self.isVisible():
            self._happens.focus_name()

    def _say(self, question: str, hint: str) -> None:
        self._question.setText(question)
        self._question.show()
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self.setAccessibleName(question)
        self.setAccessibleDescription(hint)

    @Slot()
    def _show_commands(self) -> None:
        model = self._model
        if model is None:
            return
        dialog = QDialog(self)
        dialog.setObjectName("bigger-commands-dialog")
        dialog.setWindowTitle("Raidwright")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.resize(*_DIALOG)
        steps = StepsText(dialog)
        steps.show_steps(model.change.first, model.change.steps, model.change.rest)
        close = button(tr("Close"), "bigger-commands-close")
        close.clicked.connect(dialog.reject)
        foot = row()
        foot.addStretch(1)
        foot.addWidget(close)
        whole = column(steps, foot, spacing=SPACE_M)
        whole.setContentsMargins(*(SPACE_L,) * 4)
        dialog.setLayout(whole)
        dialog.open()

    def _buttons(self) -> list[QPushButton]:
        return [card.choose for card in self._cards if card.choose is not None]

    def _put_in_order(self) -> None:
        before: QWidget = self._table
        for one in (*self._buttons(), self._back):
            QWidget.setTabOrder(before, one)
            before = one

    def _focus_card(self) -> None:
        marked = next((card.choose for card in self._cards if card.choose and card.property("card")), None)
        chosen = marked or next(iter(self._buttons()), None)
        if chosen is not None and self.isVisible():
            chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: arrow keys move from card to card, and Enter chooses as Space does."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and isinstance(watched, QPushButton):
            key, choices = Qt.Key(event.key()), self._buttons()
            if key in _KEYS and watched in choices:
                choices[(choices.index(watched) + _KEYS[key]) % len(choices)].setFocus()
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                watched.click()
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: pictures are lower in a low window."""
        super().resizeEvent(event)
        self._show()
