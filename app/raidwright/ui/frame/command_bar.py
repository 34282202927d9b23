"""The command bar: the plan's mdadm command, always visible, with an explanation of each word and a Copy button."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QFontDatabase, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QScrollArea, QWidget

from raidwright.core.md.mdadm import EXPLANATIONS, Command
from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated
from raidwright.ui import tokens
from raidwright.ui.phase import Phase
from raidwright.ui.station import Station
from raidwright.ui.widgets.panel import button, label, restyle
from raidwright.ui.widgets.role import say_role

_COPIED_MS = 1500
_PROGRAMS = {
    "mdadm": say("The program that manages Linux md arrays."),
    "wipefs": say("The program that finds and erases the signatures on a device."),
    "sfdisk": say("The program that writes partition tables."),
    "pvcreate": say("LVM's program that prepares a device for a volume group."),
    "vgcreate": say("LVM's program that puts devices together to a volume group."),
    "lvcreate": say("LVM's program that makes a volume of a group's space."),
}
_CHOSEN_HERE = ("--level", "--layout", "--chunk")


class _Words(QScrollArea):
    """The words of a command in a row, scrolled by the wheel and the arrow keys."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("command-words")
        self.setAccessibleName(tr("The command that this plan means"))
        say_role(self, QAccessible.Role.Paragraph)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setFixedHeight(34)
        self._inner = QWidget()
        self._row = QHBoxLayout(self._inner)
        self._row.setContentsMargins(tokens.SPACE_M, 0, tokens.SPACE_M, 0)
        self._row.setSpacing(tokens.SPACE_S)
        self._row.addStretch(1)
        self._labels: list[QLabel] = []
        self.setWidget(self._inner)

    def show_words(self, words: Sequence[tuple[str, str]]) -> None:
        """Show (word, explanation) pairs; existing labels are reused."""
        while len(self._labels) < len(words):
            self._labels.append(self._new_label())
        for known, (word, why) in zip(self._labels, words, strict=False):
            if known.text() != word:
                known.setText(word)
                known.setAccessibleDescription(why)
                known.setToolTip(why)
            chosen = word.startswith(_CHOSEN_HERE)
            if known.property("chosen") != chosen:
                known.setProperty("chosen", chosen)
                restyle(known)
            known.show()
        for spare in self._labels[len(words) :]:
            spare.hide()
            spare.clear()

    def _new_label(self) -> QLabel:
        word = label()
        word.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        word.setProperty("word", True)
        self._row.insertWidget(len(self._labels), word)
        return word

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: the wheel scrolls a long command sideways."""
        delta = event.angleDelta()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - (delta.x() or delta.y()))


class CommandBar(QFrame):
    """The commands, or a sentence on why there are none. ``forms`` is the menu of exports, initially empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("command-bar")
        self._text = ""
        self.forms = QMenu(self)
        self._words = _Words(self)
        self._copy = button(tr("Copy"), "command-copy", hint=tr("Copy the command (Ctrl+Shift+C)"))
        self._copy.setShortcut("Ctrl+Shift+C")
        self._copy.clicked.connect(self._copy_text)
        box = QHBoxLayout(self)
        box.setContentsMargins(tokens.SPACE_L, tokens.SPACE_S, tokens.SPACE_L, tokens.SPACE_S)
        box.setSpacing(tokens.SPACE_M)
        box.addWidget(label(tr("This plan means"), "dim"))
        box.addWidget(self._words, 1)
        self._export = button(
            tr("Export"), "command-export", hint=tr("Write this plan as a script, a playbook, a report and more")
        )
        self._export.setAccessibleName(tr("Export the plan"))
        self._export.setMenu(self.forms)
        box.addWidget(self._export)
        box.addWidget(self._copy)
        self._back = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._back.timeout.connect(lambda: self._copy.setText(tr("Copy")))
        self.show_sentence(tr("Choose disks and a layout, and the command appears here."))

    @property
    def text(self) -> str:
        """The text that Copy copies: the commands, quoted for a shell, one per line."""
        return self._text

    def show_at(self, station: Station, phase: Phase) -> None:
        """Show the bar where something is planned: beside an array that runs, pasting it would erase that array."""
        self.setVisible(phase is not Phase.BUILT and station.kind.shows_command)

    def show_commands(self, commands: Sequence[Command]) -> None:
        """Show ``commands`` in order."""
        self._text = "\n".join(command.shell() for command in commands)
        words: list[tuple[str, str]] = []
        for place, command in enumerate(commands):
            if place:
                words.append(("&&", self._then(commands[place - 1])))
            if command.given:
                words.append((f"printf '%s\\n' {shlex.join(command.given)} |", self._given()))
            words.append((command.program, self._program(command)))
            words.extend((option.text, translated(EXPLANATIONS.get(option.why, ""))) for option in command.options)
        self._words.show_words(words)
        self._words.setAccessibleDescription(self._text)
        self._copy.setEnabled(True)
        self._export.setEnabled(True)

    def _then(self, before: Command) -> str:
        return tr("Then, once that array runs:") if before.program == "mdadm" else tr("Then, if that worked:")

    def _given(self) -> str:
        return tr("What the next program reads: where each partition begins, how large it is, and its type.")

    def _program(self, command: Command) -> str:
        return translated(_PROGRAMS.get(command.program, ""))

    def show_sentence(self, sentence: str) -> None:
        """Show the reason why there is no command."""
        self._text = ""
        self._words.show_words([(sentence, "")])
        self._words.setAccessibleDescription(sentence)
        self._copy.setEnabled(False)
        self._export.setEnabled(False)

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._copy.setText(tr("Copied"))
        self._back.start()
