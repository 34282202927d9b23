"""An array's card: name and state, facts, members, what it survives, the next event, and the buttons that apply."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.machine.states.volume import State
from raidwright.text.array.cards import (
    boot_words,
    fact_words,
    known_fault_words,
    member_lines,
    next_words,
    past_words,
    survives_words,
)
from raidwright.text.array.changes import larger_disks_words
from raidwright.text.array.condition import unreadable_words
from raidwright.text.array.measured_speed import measured_words
from raidwright.text.array.states import state_line
from raidwright.text.catalogue import joined, tr, translated
from raidwright.ui.tokens import SPACE_M, SPACE_XS
from raidwright.ui.widgets.panel import Panel, badge, button, column, label, restyle, row
from raidwright.ui.widgets.which_disk import WhichDisk

from .actions import ArrayAction, Buttons, action_words, buttons_of, is_open
from .acts import Act
from .members import MemberTiles
from .model import ArraysModel

_CHECK = say(
    "md reads everything and compares copies and parity. It may take hours, and the disks are busier meanwhile."
)
_START = say("Puts it together from its disks that are here. Nothing is forced, and nothing on it is changed.")
_LOOK = say("Starts it so that nothing is written to it or its disks, to look inside first.")
_GO_ON = say(
    "Does what is left of it: a growth, a reshape, a rebuild or a resync that waits. An array that is only read can be "
    "written to again."
)
_CHANGE = say("More disks, another level, or all of larger disks' space: the steps and their risks are shown first.")
_RESCUE = say("Finds out how it may come back, and tries that without writing to a disk.")
_PAUSE = say("md goes on at 1 KiB/s, which is as good as nothing, until you let it go on.")
_HINTS = {
    ArrayAction.PAUSE: _PAUSE,
    ArrayAction.CHECK: _CHECK,
    ArrayAction.START: _START,
    ArrayAction.GO_ON: _GO_ON,
    ArrayAction.LOOK: _LOOK,
    ArrayAction.RESCUE: _RESCUE,
    ArrayAction.CHANGE: _CHANGE,
}
_MAX_NAME = 40


class ArrayCard(Panel):
    """The card of one array of ``model``."""

    def __init__(self, model: ArraysModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("array-card")
        self._model = model
        self._array: State | None = None
        self._name = label("", "headline", name="array-name")
        self._state = badge("", "good")
        self._state.setObjectName("array-state")
        self._facts = label("", "dim", name="array-what", wrap=True)
        self._past = label("", "dim", name="array-checked", wrap=True)
        self._measured = label("", "dim", name="array-measured", wrap=True)
        self._sentence = label("", name="array-sentence", wrap=True)
        self._survives = label("", name="array-survives", wrap=True)
        self._next = label("", name="array-next", wrap=True)
        self._members = MemberTiles()
        self._buttons: dict[ArrayAction, QPushButton | QAction] = {}
        self._shown: Buttons | None = None
        self._ways = row()
        self._more = button(tr("More"), "array-more")
        self._menu = QMenu(self)
        self._more.setMenu(self._menu)
        self._which = WhichDisk(model.locating, self._disks_here, self)
        self._ways.addWidget(self._more)
        title = row(self._name, self._state, spacing=SPACE_M)
        title.setAlignment(self._state, Qt.AlignmentFlag.AlignVCenter)
        title.addStretch(1)
        told = column(title, self._facts, self._past, self._measured, spacing=SPACE_XS)
        head = row(spacing=SPACE_M)
        head.addLayout(told, 1)
        head.addLayout(self._ways)
        head.setAlignment(self._ways, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(head)
        for part in (self._members, self._sentence, self._survives, self._next):
            self.body.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def show_array(self, array: State) -> None:
        """Update the card."""
        self._array = array
        model, state = self._model, state_line(array)
        short = array.name if len(array.name) <= _MAX_NAME else f"{array.name[: _MAX_NAME - 1]}…"
        self._name.setText(short)
        self._name.setToolTip(f"{array.name}\n{array.uuid}")
        self.setAccessibleName(f"{array.name}: {state.badge}")
        self._state.setText(state.badge)
        if self._state.property("badge") != state.tone:
            self._state.setProperty("badge", state.tone)
            restyle(self._state)
        self._facts.setText(fact_words(array, len({disk.failure_unit for disk in model.disks_of(array)})))
        due = next_words(array)
        for part, text in (
            (self._past, past_words(array, model.last_check(array))),
            (self._measured, measured_words(*last) if (last := model.last_measured(array)) else ""),
            (self._sentence, state.sentence),
            (self._survives, joined(*_margin_words(array, model))),
            (self._next, tr("Next: {event}", event=due) if due else ""),
        ):
            part.setText(text)
            part.setVisible(bool(text))
        self._members.show_members(member_lines(array, model.disks))
        self._show_actions(array)

    def _show_actions(self, array: State) -> None:
        buttons, is_busy = buttons_of(array), self._model.job.is_busy
        if buttons != self._shown:
            self._shown = buttons
            self._make_buttons(buttons)
        for action, part in self._buttons.items():
            text = action_words(action, array)
            part.setText(text)
            part.setEnabled(is_open(action, array) and not is_busy)
            if isinstance(part, QPushButton):
                part.setAccessibleName(f"{text} ({array.name})")
        self._more.setVisible(bool(buttons.more))
        self._more.setAccessibleName(tr("More ({name})", name=array.name))

    def _make_buttons(self, buttons: Buttons) -> None:
        """Make the buttons anew; they change with the array's state only."""
        for part in self._buttons.values():
            if isinstance(part, QPushButton):
                self._ways.removeWidget(part)
                part.hide()
            part.deleteLater()
        self._buttons = {}
        for place, action in enumerate(buttons.shown):
            made = button("", f"array-{action}", primary=buttons.is_due and not place)
            made.setToolTip(translated(_HINTS.get(action, "")))
            made.clicked.connect(lambda _on=False, action=action: self._do(action))
            self._ways.insertWidget(place, made)
            self._buttons[action] = made
        self._menu.removeAction(self._which.menuAction())
        for action in buttons.more:
            entry = QAction(self)
            entry.setObjectName(f"array-{action}")
            entry.triggered.connect(lambda _on=False, action=action: self._do(action))
            self._menu.addAction(entry)
            self._buttons[action] = entry
        self._menu.addMenu(self._which)

    def _disks_here(self) -> tuple[Disk, ...]:
        members = self._model.disks_of(self._array) if self._array is not None else ()
        ids = dict.fromkeys(member.failure_unit for member in members)
        return tuple(disk for disk_id in ids if (disk := self._model.disks.get(disk_id)) is not None)

    def _do(self, action: ArrayAction) -> None:
        if self._array is not None:
            _DO[action](self._model, self._array)


def _margin_words(array: State, model: ArraysModel) -> tuple[str, ...]:
    boots = boot_words(array, model.disks)
    return survives_words(array), unreadable_words(array), boots, larger_disks_words(array), known_fault_words(array)


_DO: dict[ArrayAction, Callable[[ArraysModel, State], object]] = {
    ArrayAction.START: ArraysModel.start,
    ArrayAction.GO_ON: ArraysModel.go_on,
    ArrayAction.LOOK: lambda model, array: model.start(array, read_only=True),
    ArrayAction.RESCUE: lambda model, array: model.rescue_wanted.emit(array),
    ArrayAction.TAKE_OVER: lambda model, array: model.open(array, Act.TAKE_OVER),
    ArrayAction.RENAME: lambda model, array: model.open(array, Act.TAKE_OVER),
    ArrayAction.FORGET: lambda model, array: model.open(array, Act.FORGET),
    ArrayAction.SET_UP: lambda model, array: model.set_up_wanted.emit(array.named, array.mounted_at),
    ArrayAction.CHECK: ArraysModel.check,
    ArrayAction.REPLACE: lambda model, array: model.replace_wanted.emit(array),
    ArrayAction.CHANGE: lambda model, array: model.change_wanted.emit(array),
    ArrayAction.PAUSE: ArraysModel.pause,
    ArrayAction.LIMIT: lambda model, array: model.limit_wanted.emit(array),
    ArrayAction.MEASURE: lambda model, array: model.measure_wanted.emit(array),
    ArrayAction.JUDGE: ArraysModel.judge,
    ArrayAction.CARD: lambda model, array: model.card_wanted.emit(array),
    ArrayAction.UNMOUNT: ArraysModel.unmount,
    ArrayAction.STOP: lambda model, array: model.open(array, Act.STOP),
    ArrayAction.TAKE_APART: lambda model, array: model.open(array, Act.TAKE_APART),
}
