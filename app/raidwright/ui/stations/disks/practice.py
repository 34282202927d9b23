"""The request for a practice machine: its disks, its Debian release, and its time scale."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.machine.connection import PracticeSpec
from raidwright.operations.practice import practice_room
from raidwright.text.catalogue import tr, translated
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import WholePanel, button, label
from raidwright.ui.widgets.segmented import Choice, Segmented


class PracticeBar(WholePanel):
    """The bar. ``wanted`` carries the PracticeSpec once its disks are valid; ``left`` asks for a new focus."""

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("practice-bar")
        self._disks = QLineEdit("4x8TB")
        self._disks.setObjectName("practice-disks")
        self._disks.setAccessibleName(tr("Disks of the practice machine"))
        self._disks.setPlaceholderText("4x8TB:hdd7200+2x4TB:ext4")
        self._disks.setMinimumWidth(200)
        self._generation = Segmented("practice-generation", tr("Debian"))
        self._chosen = "trixie"
        self._generation.chosen.connect(self._choose)
        self._choose(self._chosen)
        self._pace = Segmented("practice-pace", tr("Pace"))
        self._chosen_pace = "1"
        self._pace.chosen.connect(self._choose_pace)
        self._choose_pace(self._chosen_pace)
        self._start = button(tr("Start"), "practice-start", primary=True)
        self._close = button(tr("Not now"), "practice-close")
        self._refusal = label("", "error", name="practice-refusal", wrap=True)
        self._refusal.hide()
        self._disks.textEdited.connect(self._refusal.hide)
        self._start.clicked.connect(self._ask)
        self._disks.returnPressed.connect(self._ask)
        self._close.clicked.connect(self.hide)
        title = label(tr("A practice machine with"), "title")
        parts = (title, self._disks, self._generation, self._pace, self._start, self._close)
        self.body.addWidget(wrapping(*parts))
        self.body.addWidget(self._refusal)
        self.body.addWidget(label(tr(_HINT, kinds=list(practice_room().kinds())), "dim", wrap=True))

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt: the focused widget disappears; Qt's next focus would be the machine's menu."""
        super().hideEvent(event)
        focus = QApplication.focusWidget()
        if self.isHidden() and focus is not None and self.isAncestorOf(focus):
            self.left.emit()

    @Slot()
    def open(self) -> None:
        """Show the bar and focus it."""
        self.show()
        self._disks.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _choose(self, generation: str) -> None:
        self._chosen = generation
        choices = (
            Choice("bookworm", tr("Debian 12"), hint=tr("Linux 6.1, mdadm 4.2")),
            Choice("trixie", tr("Debian 13"), hint=tr("Linux 6.12, mdadm 4.4")),
            Choice("forky", tr("Debian testing"), hint=tr("Linux 7.2, mdadm 4.6")),
        )
        self._generation.show_choices(choices, generation)

    @Slot(str)
    def _choose_pace(self, pace: str) -> None:
        self._chosen_pace = pace
        choices = (
            Choice("0.25", tr("slow motion"), hint=tr("A quarter as fast: what this computer adds counts for less.")),
            Choice("1", tr("as it is"), hint=tr("A second in it takes a second.")),
            Choice("10", tr("time lapse"), hint=tr("Ten times as fast, as far as this computer keeps up.")),
        )
        self._pace.show_choices(choices, pace)

    @Slot()
    def _ask(self) -> None:
        spec = PracticeSpec(self._disks.text(), self._chosen, pace=float(self._chosen_pace))
        try:
            practice_room().check(spec)
        except InputError as error:
            self._refusal.setText(translated(error.sentence))
            self._refusal.show()
            self._disks.setFocus()
            return
        self._refusal.hide()
        self.hide()
        self.wanted.emit(spec)


_HINT = say(
    "Just press Start, or describe other disks: 4x8TB+2x4TB. After a colon comes the kind, which decides the speed: "
    "4x8TB:hdd5400+1x8TB:smr ({kinds}; 4x8TB:memory is as fast as memory), or what a disk holds: 2TB:ext4 (gpt, lvm, "
    "md, mounted). Behind one link: 2x4TB:hdd5400@usb3 (usb2, usb3, u160, pci, sata2). The disks take no room until "
    "they are written."
)
