"""Measurement of the chosen disks, one by one: request, progress, and result."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.analysis.imagined import is_imagined
from raidwright.analysis.performance.odd_disks import MeasuredDisk, odd_ones
from raidwright.core.model.disk import Disk
from raidwright.core.system.baseline import AT_ONCE, DEFAULT_SECONDS, measurements
from raidwright.operations.baselines import TakeBaselines
from raidwright.runs.baselines import KeptBaseline
from raidwright.session import Session
from raidwright.text.catalogue import ntr, tr
from raidwright.text.run.measurements import held_back_words, odd_words
from raidwright.ui.job import RunningOperation

_START_SECONDS = 2  # fio's start before each measurement


class DiskMeasuring(QObject):
    """The measurement. ``changed`` follows the choice and the job. It only reads, so disks in use are allowed."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.job = RunningOperation(session, self)
        self.job.changed.connect(self.changed)
        self.job.done.connect(self._done)
        self.job.cancelled.connect(self._cancelled)
        self.disks: tuple[Disk, ...] = ()
        self.said = ""  # the result, unless it failed

    @property
    def words(self) -> str:
        """The progress, the result, or the plan of the measurement."""
        if self.job.is_busy:
            share = tr("{share:.0%}", share=self.job.progress.fraction)
            return tr("Measuring what each disk does alone … {share}", share=share)
        if self.job.failure or self.said:
            return self.job.failure or self.said
        count = len(self.disks) * len(measurements(write=False)) + (len(AT_ONCE) if len(self.disks) > 1 else 0)
        seconds = count * (DEFAULT_SECONDS + _START_SECONDS)
        return (
            ntr("It only reads, for about {count} minute.", "It only reads, for about {count} minutes.",
                max(1, round(seconds / 60)))
            if self.disks
            else ""
        )  # fmt: skip

    @Slot(object)
    def take_chosen(self, disks: tuple[Disk, ...]) -> None:
        """Set the disks to measure; results of others are cleared."""
        if [disk.id for disk in disks] != [disk.id for disk in self.disks] and not self.job.is_busy:
            self.said = self.job.failure = ""
        self.disks = tuple(disk for disk in disks if not is_imagined(disk.id))
        self.changed.emit()

    @Slot()
    def begin(self) -> None:
        """Measure the disks, or stop the measurement."""
        if self.job.is_busy:
            self.job.cancel()
        elif self.disks:
            self.said = ""
            self.job.begin(TakeBaselines(self.disks, self._session.connection.title))

    @Slot(object)
    def _done(self, taken: Sequence[KeptBaseline]) -> None:
        seen = [
            MeasuredDisk(f"{one.model} {one.serial}", one.size_bytes, one.known, one.result.figures) for one in taken
        ]
        odd = [odd_words(one) for one in odd_ones(seen)]
        measured = ntr(
            "{count} disk measured: what is said on speed rests on it now.",
            "{count} disks measured: what is said on speed rests on it now.",
            len(taken),
        )
        self.said = " ".join([*odd, *held_back_words(seen)][:1]) or measured

    @Slot()
    def _cancelled(self) -> None:
        self.said = tr("Stopped. The disks that were done are kept.")
