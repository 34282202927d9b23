"""Showing which disk in the case is meant: the model, and the row that says how, with a button to stop it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.core.messages import say
from raidwright.core.model.disk import Disk
from raidwright.core.protocol.errors import Code
from raidwright.core.protocol.steps import JobStep
from raidwright.operations.locate import LocateDisk
from raidwright.session import Session
from raidwright.text.catalogue import tr
from raidwright.text.disk.facts import disk_name
from raidwright.ui.job import RunningOperation
from raidwright.ui.tokens import SPACE_M
from raidwright.ui.widgets.panel import button, label

_LIGHT = say("{disk}: the locate light of its bay is on, for a minute.")
_READS = say(
    "{disk} is read from for a second, then rests for a second, for a minute: look for the light that blinks so."
)


class Locating(QObject):
    """The disk of the ``session``'s machine that is shown. ``changed`` follows everything shown."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.job = RunningOperation(session, self)
        self.job.changed.connect(self.changed)
        self.job.failed.connect(self._failed)
        self.disk: Disk | None = None
        self.sleeps = False  # the disk would have to be woken

    def disk_of(self, disk_id: str) -> Disk | None:
        """Return the whole disk of this id, if it is plugged in."""
        return next((disk for disk in self.session.snapshot.disks if disk.id == disk_id), None)

    def is_shown(self, disk_id: str) -> bool:
        """Return whether this very disk is shown now."""
        return self.job.is_busy and self.disk is not None and self.disk.id == disk_id

    def show(self, disk_id: str, *, wake: bool = False) -> None:
        """Show the disk, in place of another."""
        disk = self.disk_of(disk_id)
        if disk is not None and not self.job.is_busy:
            self.disk, self.sleeps = disk, False
            self.job.begin(LocateDisk(disk.as_member(), wake=wake))

    @Slot()
    def wake(self) -> None:
        """Show the disk that sleeps."""
        if self.disk is not None:
            self.show(self.disk.id, wake=True)

    @Slot()
    def stop(self) -> None:
        """Stop showing it."""
        self.job.cancel()

    @property
    def said(self) -> str:
        """The present state; "" if no disk is shown, and none could not be."""
        if self.disk is None:
            return ""
        if self.job.is_busy:
            if not self.job.has_begun:
                return self.job.at
            told = _LIGHT if self.job.progress.step == JobStep.LIGHT else _READS
            return tr(told, disk=disk_name(self.disk.as_member()))
        return f"✕ {self.job.failure}" if self.job.failure else ""

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        self.sleeps = error.code == Code.ASLEEP


class LocateRow(QWidget):
    """The view of ``model``; hidden while there is nothing to say."""

    def __init__(self, model: Locating, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("locate-row")
        self._model = model
        self._said = label("", name="locate-said", wrap=True)
        self._stop = button(tr("Stop showing it"), "locate-stop")
        self._stop.clicked.connect(model.stop)
        self._wake = button(tr("Wake it and show it"), "locate-wake")
        self._wake.clicked.connect(model.wake)
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._said, 1)
        for part in (self._wake, self._stop):
            box.addWidget(part)
        model.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        said = self._model.said
        self._said.setText(said)
        self._stop.setVisible(self._model.job.is_busy)
        self._wake.setVisible(self._model.sleeps and not self._model.job.is_busy)
        self.setVisible(bool(said))
