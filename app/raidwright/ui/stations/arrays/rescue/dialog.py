"""The rescue dialog: who agrees with whom, what may bring the array back, a trial on overlays, and the real act."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QDialog, QFileDialog, QRadioButton, QVBoxLayout, QWidget

from raidwright.machine.states.volume import State
from raidwright.operations.rescue_case import RescueCase
from raidwright.reading.decoded import decoded
from raidwright.session import Session
from raidwright.text.array.rescue import (
    examined_words,
    file_parts,
    hypothesis_words,
    slots_words,
    unlisted_words,
)
from raidwright.text.catalogue import decimal_size, ntr, tr, translated
from raidwright.text.disk.facts import disk_label
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import button, clear, column, label, row, scrolled

from .facts import RescueFacts
from .model import RescueModel

_WIDTH, _HEIGHT = 720, 640
_MAX_FILES = 40
_MAX_CARD_BYTES = 1 << 20


class RescueDialog(QDialog):
    """The rescue of ``array``, or of one whose superblocks are all gone; it examines the disks once it is opened."""

    def __init__(self, session: Session, array: State | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RescueModel(session, array, self)
        title = (
            tr("Bring “{name}” back", name=array.name) if array else tr("Bring an array back that md doesn't recognise")
        )
        self.setObjectName("rescue")
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_WIDTH, _HEIGHT)
        intro = label(
            tr(
                "Nothing is written to a disk while you try: what is tried is written beside the disks, to overlays, "
                "and thrown away. Only the last step writes to them, after md's records (superblocks) are saved."
            ),
            "dim",
            wrap=True,
        )
        inner = QWidget()
        self._inside = QVBoxLayout(inner)
        self._inside.setSpacing(SPACE_M)
        self._inside.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._choices = QButtonGroup(self)
        self._choices.idClicked.connect(self.model.choose)
        self._shown: object = self  # the case that is shown
        self._card = button(tr("Recovery card …"), "rescue-card", hint=tr("A card, plan, command or report of it"))
        self._card.clicked.connect(self._ask_for_card)
        self._facts = RescueFacts()
        self._facts.told.connect(lambda kept: self.model.examine(kept=kept))
        self._facts.setVisible(array is None)
        self._at = label("", "dim", name="rescue-at", wrap=True)
        self._said = label("", name="rescue-said", wrap=True)
        self._files = label("", "dim", name="rescue-files", wrap=True)
        box = column(label(title, "headline"), intro, scrolled(inner), spacing=SPACE_M)
        box.addWidget(self._facts)
        box.addWidget(self._at)
        box.addWidget(self._said)
        box.addWidget(scrolled(self._files))
        box.addLayout(self._ways())
        box.setStretch(2, 2)
        box.setStretch(6, 1)
        box.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(box)
        self.model.changed.connect(self._show)
        self.model.examine()
        self._show()

    def _ways(self) -> QVBoxLayout:
        model = self.model
        self._try = button(tr("Try it on overlays"), "rescue-try", primary=True)
        self._try.clicked.connect(model.try_chosen)
        self._all = button(tr("Try one after the other"), "rescue-try-all")
        self._all.clicked.connect(model.try_all)
        self._name = NameField(model, "rescue-name")
        self._go = button(tr("Bring it back"), "rescue-go")
        self._go.clicked.connect(model.bring_back)
        self._why_not = label("", "dim", name="rescue-why-not", wrap=True)
        leave = button(tr("Close"), "rescue-close")
        leave.clicked.connect(self.reject)
        for part in (self._try, self._all, self._go, leave, self._card):
            part.setAutoDefault(False)
        first = row(self._card, self._try, self._all, spacing=SPACE_S)
        first.addStretch(1)
        first.addWidget(leave)
        second = row(self._name, self._go, self._why_not, spacing=SPACE_S)
        second.setStretch(2, 1)
        return column(first, second, spacing=SPACE_S)

    @Slot()
    def _show(self) -> None:
        model = self.model
        if self._shown != (state := (model.case, model.shown)):
            self._shown = state
            self._show_case()
        if isinstance(choice := self._choices.button(model.chosen), QRadioButton):
            choice.setChecked(True)
        self._at.setText(f"✕ {model.job.failure}" if model.job.failure and not model.said else model.job.at)
        self._at.setVisible(bool(self._at.text()))
        self._said.setText(model.said)
        self._said.setVisible(bool(model.said))
        lines = model.result.files[:_MAX_FILES] if model.result else ()
        self._files.setText("\n".join(map(_file_line, lines)))
        may = model.hypothesis is not None and model.rescued is None
        self._try.setEnabled(may and not model.job.is_busy)
        for way in (self._card, self._facts, *self.findChildren(QCheckBox, "rescue-included")):
            way.setEnabled(not model.job.is_busy and model.rescued is None)
        self._all.setText(tr("Stop after this one") if model.tries_all else tr("Try one after the other"))
        self._all.setVisible(len(model.hypotheses) > 1 and model.rescued is None)
        self._all.setEnabled(may and (model.tries_all or not model.job.is_busy))
        is_tried = model.result is not None and model.result.verdict.is_success
        for part in (self._name, self._go):
            part.setVisible(may and is_tried)
        self._name.show_typed(model.hypothesis.attempt.name if model.hypothesis else "")
        self._go.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not if may and not model.job.is_busy else "")

    def _show_case(self) -> None:
        ticks = self.findChildren(QCheckBox, "rescue-included")
        focused = next((tick.property("disk") for tick in ticks if tick.hasFocus()), None)
        clear(self._inside)
        for each in self._choices.buttons():
            self._choices.removeButton(each)
        case = self.model.case
        if case is None:
            return
        self._show_disks(self.model.offered or case, focused)
        if self.model.offered and not case.disks:
            words = tr(
                "Tick the disks that were in the array. A disk that still has a superblock belongs to a card here."
            )
            self._inside.addWidget(label(words, name="rescue-lost", wrap=True))
            return
        if case.examined.lost:
            self._inside.addWidget(label(translated(case.examined.lost), "error", name="rescue-lost", wrap=True))
            return
        self._inside.addWidget(label(tr("What may bring it back"), "title"))
        for index in self.model.shown:
            hypothesis = case.examined.hypotheses[index]
            choice = QRadioButton(slots_words(hypothesis, case.disks).replace("&", "&&"))
            choice.setObjectName(f"rescue-choice-{index}")
            choice.setChecked(index == self.model.chosen)
            words = hypothesis_words(hypothesis, case.disks)
            choice.setAccessibleDescription(words)
            self._choices.addButton(choice, index)
            self._inside.addWidget(choice)
            self._inside.addWidget(label(words, "dim", wrap=True))
        if more := len(case.examined.hypotheses) - len(self.model.shown):
            words = ntr("{count} more order is tried after these.", "{count} more orders are tried after these.", more)
            self._inside.addWidget(label(words, "dim", name="rescue-more"))
        for words in unlisted_words(case.examined):
            self._inside.addWidget(label(words, "dim", name="rescue-unlisted", wrap=True))

    def _show_disks(self, case: RescueCase, focused: object) -> None:
        """List the examined disks; of an array without superblocks, each with a tick that takes it for a member.

        ``focused`` is the id of the disk whose tick had the focus, None if none had.
        """
        for line in case.examined.disks:
            words = f"{disk_label(case.disks[line.disk])}: {examined_words(line)}"
            if self.model.offered is None:
                self._inside.addWidget(label(words, name="rescue-disk", wrap=True))
                continue
            tick = QCheckBox(words.replace("&", "&&"))
            tick.setObjectName("rescue-included")
            tick.setProperty("disk", line.disk)
            tick.setChecked(line.disk in self.model.included)
            tick.toggled.connect(lambda is_on, disk=line.disk: self.model.include(disk, is_on))
            self._inside.addWidget(tick)
            if line.disk == focused:
                tick.setFocus()

    @Slot()
    def _ask_for_card(self) -> None:
        dialog = QFileDialog(self, tr("The array's recovery card"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.take_card)
        dialog.open()

    @Slot(str)
    def take_card(self, path: str) -> None:
        """Examine the disks again, by the card in the file at ``path``."""
        try:
            with Path(path).open("rb") as file:
                text = decoded(file.read(_MAX_CARD_BYTES + 1))
        except (OSError, UnicodeDecodeError) as error:
            why = (error.strerror or "") if isinstance(error, OSError) else tr("it is not text")
            self.model.job.failure = tr("{path} can't be read: {why}.", path=path, why=why)
            self._show()
            return
        self.model.examine(text)


def _file_line(line: str) -> str:
    size, digest, path = file_parts(line)
    return f"{'✕' if digest == '!' else '✓' if digest != '-' else '·'} {path}  {decimal_size(size)}"
