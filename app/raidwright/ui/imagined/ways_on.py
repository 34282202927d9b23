"""The ways on from imagined disks, in place of building or trying: a practice machine, and the shopping list."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from raidwright.text.catalogue import joined, tr
from raidwright.text.plan.candidates import sizes_words
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import button, column, label

from .practice_alike import PracticeAlike


class WaysOn(QWidget):
    """The ways, visible only while some of the chosen disks are imagined."""

    def __init__(self, alike: PracticeAlike, purpose: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("ways-on")
        self._alike, self._purpose = alike, purpose
        self._said = label("", name="ways-on-said", wrap=True)
        self._failure = label("", "error", name="ways-on-failure", wrap=True)
        self._practise = button(tr("Try exactly these in a practice machine"), "ways-on-practice", primary=True)
        self._practise.clicked.connect(alike.begin)
        bought = button(tr("Shopping list …"), "ways-on-list")
        bought.clicked.connect(alike.list_wanted)
        whole = column(self._said, wrapping(self._practise, bought), self._failure, spacing=SPACE_M)
        self.setLayout(whole)
        alike.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        alike = self._alike
        sizes = Counter(disk.size_bytes for disk in alike.imagined)
        self.setVisible(bool(sizes))
        if alike.is_starting:
            said = tr("The practice machine is starting. The plan moves to its disks as soon as they are there.")
        else:
            disks = sizes_words((count, size) for size, count in sizes.items())
            said = joined(tr("Imagined so far: {disks}.", disks=disks), self._purpose)
        self._said.setText(said)
        self._practise.setEnabled(not alike.is_starting)
        self._failure.setText(f"✕ {alike.failure}" if alike.failure else "")
        self._failure.setVisible(bool(alike.failure))
