"""Desktop notifications of long jobs that ended while no window of the program was active."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QApplication, QWidget

from raidwright.core.errors import RaidwrightError
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated

from .job import RunningOperation

LONG_SECONDS = 5.0  # after shorter jobs the user is assumed to be present


class DesktopNotices(QObject):
    """The notifications. Cancelled jobs have none."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window

    def follow(
        self, job: RunningOperation, done: SignalInstance, title: Callable[[], str], text: Callable[[], str] = str
    ) -> None:
        """Notify when ``done`` says that ``job`` has done its work, with ``title`` and ``text``, and when it failed."""
        done.connect(lambda _result: self._tell(job, title(), text()))
        job.failed.connect(lambda error: self._tell_failure(job, error))

    def say(self, title: str, text: str = "") -> None:
        """Notify, unless a window of the program is active."""
        if QApplication.activeWindow() is None:
            QApplication.alert(self._window)
            self._session.notify(title, text)

    def _tell(self, job: RunningOperation, title: str, text: str) -> None:
        if time.monotonic() - job.began_s >= LONG_SECONDS:
            self.say(title, text)

    def _tell_failure(self, job: RunningOperation, error: RaidwrightError) -> None:
        self._tell(job, tr("Raidwright could not finish"), translated(error.sentence))
