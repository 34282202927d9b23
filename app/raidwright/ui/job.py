"""A model's operation on a machine, one at a time: its state, progress, and error."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.protocol.measured import Sample
from raidwright.machine.helper.job_progress import JobProgress
from raidwright.operations.operation import Operation
from raidwright.session import Session
from raidwright.tasks import Task
from raidwright.text.catalogue import tr, translated
from raidwright.text.job_steps import job_step_words

_NOT_BEGUN = JobProgress("", 0.0)  # before a possible password prompt


class RunningOperation(QObject):
    """A running operation.

    It ends with exactly one of ``done(result)``, ``failed(RaidwrightError)``, ``cancelled``, and then ``ended``; from
    the first of them on it isn't busy. ``sampled`` carries a workload's Sample, ``changed`` follows everything shown.
    """

    changed = Signal()
    sampled = Signal(object)
    done = Signal(object)
    failed = Signal(RaidwrightError)
    cancelled = Signal()
    ended = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._task: Task | None = None
        self.progress = _NOT_BEGUN
        self.failure = ""  # the error's sentence
        self.began_s = 0.0  # time.monotonic() of the present or last operation

    @property
    def is_busy(self) -> bool:
        """True while an operation is running."""
        return self._task is not None

    @property
    def has_begun(self) -> bool:
        """True once the helper has begun; before, it may be waiting for a password."""
        return self.is_busy and self.progress != _NOT_BEGUN

    @property
    def at(self) -> str:
        """The present step, in words; "" if no operation is running."""
        if not self.is_busy:
            return ""
        if not self.has_begun:
            return tr("Waiting for the helper; your password may be wanted …")
        return job_step_words(self.progress.step)

    def begin(self, operation: Operation[Any]) -> None:
        """Start ``operation``, unless one is running."""
        if self._task is not None:
            return
        self.progress, self.failure, self.began_s = _NOT_BEGUN, "", time.monotonic()
        self._task = self._session.perform(operation, update=self._progressed, done=self._done, failed=self._failed)
        self._task.cancelled.connect(self._cancelled)
        self.changed.emit()

    @Slot()
    def cancel(self) -> None:
        """Ask the operation to stop."""
        if self._task is not None:
            self._task.cancel()

    def abandon(self) -> None:
        """Disconnect from the running operation, without stopping it."""
        if self._task is not None:
            self._task.blockSignals(True)
            self._task = None

    @Slot(object)
    def _progressed(self, update: JobProgress | Sample) -> None:
        if isinstance(update, Sample):
            self.sampled.emit(update)
        else:
            self.progress = update
            self.changed.emit()

    @Slot(object)
    def _done(self, result: object) -> None:
        self._task = None
        self.done.emit(result)
        self._end("")

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        self._task = None
        self.failed.emit(error)
        self._end(translated(error.sentence))

    @Slot()
    def _cancelled(self) -> None:
        self._task = None
        self.cancelled.emit()
        self._end("")

    def _end(self, failure: str) -> None:
        self.failure = failure or self.failure
        self.ended.emit()
        self.changed.emit()
