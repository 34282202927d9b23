"""Asking for a practice machine: which disks it should have, and which Debian it runs."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.model.pool import parse_pool
from raidwright.machine.connection import PracticeSpec
from raidwright.text.catalogue import tr, translated
from raidwright.ui.widgets.panel import Panel, button, label, row
from raidwright.ui.widgets.segmented import Choice, Segmented


class PracticeBar(Panel):
    """``wanted`` carries the PracticeSpec once its disks can be read; ``left`` says that the focus needs a place."""

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("practice-bar")
        self._disks = QLineEdit("4x8TB")
        self._disks.setObjectName("practice-disks")
        self._disks.setAccessibleName(tr("Disks of the practice machine"))
        self._disks.setPlaceholderText("4x8TB:hdd7200+2x4TB:ext4")
        self._disks.setMinimumWidth(260)
        self._generation = Segmented("practice-generation", tr("Debian"))
        self._chosen = "bookworm"
        self._generation.chosen.connect(self._choose)
        self._choose(self._chosen)
        self._start = button(tr("Start"), "practice-start", primary=True)
        self._close = button(tr("Not now"), "practice-close")
        self._refusal = label("", "error", name="practice-refusal")
        self._start.clicked.connect(self._ask)
        self._disks.returnPressed.connect(self._ask)
        self._close.clicked.connect(self.hide)
        line = row(
            label(tr("A practice machine with"), "title"),
            self._disks,
            self._generation,
            self._start,
            self._close,
            self._refusal,
        )
        line.addStretch(1)
        self.body.addLayout(line)
        self.body.addWidget(label(translated(_HINT), "dim", wrap=True))

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt: what had the focus goes; its next would be the machine's menu."""
        super().hideEvent(event)
        focus = QApplication.focusWidget()
        if self.isHidden() and focus is not None and self.isAncestorOf(focus):
            self.left.emit()

    @Slot()
    def open(self) -> None:
        """Show the bar and put the cursor into it."""
        self.show()
        self._disks.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _choose(self, generation: str) -> None:
        self._chosen = generation
        choices = (Choice("bookworm", tr("Debian 12")), Choice("trixie", tr("Debian 13")))
        self._generation.show_choices(choices, generation)

    @Slot()
    def _ask(self) -> None:
        try:
            parse_pool(self._disks.text())
        except InputError as error:
            self._refusal.setText(translated(error.sentence))
            return
        self._refusal.setText("")
        self.hide()
        self.wanted.emit(PracticeSpec(self._disks.text(), self._chosen))


_HINT = say(
    "A real Linux with real md, and disks that take no room until they are written. Add what a disk should hold "
    "after a colon: 2TB:ext4, 2TB:gpt, 2TB:lvm, 2TB:md, 2TB:mounted. Disks are as fast as memory, or like real ones: "
    "8TB:hdd7200, :hdd7200-2007, :hdd5400, :hdd15000-2004, :smr, :sick, 1TB:ssd, :nvme; several behind one link: "
    "2x4TB:hdd5400@usb3 (usb2, usb3, u160, pci, sata2)."
)
