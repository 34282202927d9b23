"""The page of an array's lines in the system's files: mount point, mdadm.conf, fstab, initramfs, each shown first."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.machine.values import Named
from raidwright.text.catalogue import tr
from raidwright.ui.after_build.next_card import NextCard
from raidwright.ui.after_build.next_steps import NextStep, NextSteps
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.panel import button, label, row


class SetUpPage(QWidget):
    """The page for one array; ``closed`` asks for the arrays again."""

    closed = Signal()

    def __init__(self, steps: NextSteps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("arrays-set-up")
        self._steps = steps
        self._title = label("", "headline", name="set-up-title")
        leave = button(tr("Close"), "set-up-close")
        leave.clicked.connect(self.closed)
        self._skip = button(tr("Without mounting it"), "set-up-skip")
        self._skip.clicked.connect(steps.skip_place)
        head = row(self._title, spacing=SPACE_M)
        head.addStretch(1)
        head.addWidget(self._skip)
        head.addWidget(leave)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addLayout(head)
        box.addWidget(NextCard(steps))
        box.addStretch(1)
        steps.changed.connect(self._show)

    def open(self, array: Named, mounted_at: str) -> None:
        """Show the steps of ``array``, from its mount point on."""
        self._steps.resume(array, mounted_at)
        self._show()

    @Slot()
    def _show(self) -> None:
        self._title.setText(tr("“{name}” at each start", name=self._steps.array.name))
        self._skip.setVisible(self._steps.stage is NextStep.PLACE)
