"""Desktop notifications of long jobs that ended while no window of the program was active."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.machine.joined_volumes import with_volumes
from raidwright.machine.states.volume import State
from raidwright.machine.values import Snapshot
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.ui.stations.build.model import BuildModel
from raidwright.ui.stations.disks.measuring import DiskMeasuring
from raidwright.ui.stations.measure.model import MeasureModel

from .job import RunningOperation

LONG_SECONDS = 5.0  # after shorter jobs the user is assumed to be present
_SYNCHRONISING = frozenset({"resync", "recover", "reshape"})  # of md; kernel Documentation/admin-guide/md.rst


class FinishedNotices(QObject):
    """Follows models, and md's sync actions on the arrays of the session's machine.

    Cancelled jobs aren't notified.
    """

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self._shootout: RunningOperation | None = None
        self._synchronising: dict[str, float] = {}  # start of the sync action, by the array's UUID
        session.snapshot_changed.connect(self._look_at_arrays)

    def follow_build(self, model: BuildModel) -> None:
        """Notify when an array was built, or the build failed."""

        def built() -> None:
            name = model.draft.plan.name if model.draft.plan else ""
            self._tell(model.job, tr("“{name}” is built", name=name))

        model.built.connect(built)
        self._tell_failure(model.job)

    def follow_measuring(self, model: MeasureModel) -> None:
        """Notify when a measurement has ended."""
        model.job.done.connect(lambda _runs: self._tell(model.job, tr("The measurement is done")))
        self._tell_failure(model.job)

    def follow_disks(self, model: DiskMeasuring) -> None:
        """Notify when disks were measured."""
        model.job.done.connect(lambda _taken: self._tell(model.job, tr("The disks are measured"), model.said))
        self._tell_failure(model.job)

    def follow_shootout(self, job: RunningOperation) -> None:
        """Notify when a shoot-out has ended; resyncs of its scratch arrays aren't notified."""
        self._shootout = job
        job.done.connect(lambda _found: self._tell(job, tr("The shoot-out is done")))
        self._tell_failure(job)

    def _tell_failure(self, job: RunningOperation) -> None:
        def failed(error: RaidwrightError) -> None:
            self._tell(job, tr("Raidwright could not finish"), translated(error.sentence))

        job.failed.connect(failed)

    def _tell(self, job: RunningOperation, title: str, text: str = "") -> None:
        if time.monotonic() - job.began_s >= LONG_SECONDS:
            self._say(title, text)

    def _say(self, title: str, text: str = "") -> None:
        if QApplication.activeWindow() is None:
            QApplication.alert(self._window)
            self._session.notify(title, text)

    @Slot(object)
    def _look_at_arrays(self, snapshot: Snapshot) -> None:
        """Notify of rebuilds: they take hours, and aren't jobs of the program."""
        if snapshot.problem:
            return  # a sync action may continue unseen
        now, before = time.monotonic(), self._synchronising
        arrays = with_volumes(snapshot.arrays)
        at_it = [array.uuid for array in arrays if array.sync_action in _SYNCHRONISING]
        self._synchronising = {uuid: before.get(uuid, now) for uuid in at_it}
        if self._shootout is not None and self._shootout.is_busy:
            return
        for array in arrays:
            if now - before.get(array.uuid, now) >= LONG_SECONDS and array.uuid not in self._synchronising:
                self._say_synchronised(array)

    def _say_synchronised(self, array: State) -> None:
        if array.degraded:
            self._say(tr("“{name}” is still degraded", name=array.name), tr("md no longer synchronises it."))
        else:
            self._say(tr("“{name}”: md is done, and no disk is missing", name=array.name))
