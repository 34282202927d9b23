"""Kept shoot-outs that can be laid over the curves of the present one, such as those of another kernel."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.operations.shootout.results import Findings
from raidwright.runs.run import BegunRun, Run
from raidwright.runs.run_sets import RunSet, run_sets
from raidwright.session import Session
from raidwright.text.catalogue import translated
from raidwright.text.curves.members import Overlay


class Overlays(QObject):
    """The sets, newest first, and the id of the chosen one, "" for none."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.sets: tuple[RunSet, ...] = ()
        self.chosen, self.failure, self._loaded_for = "", "", ""

    def load_for(self, findings: Findings) -> None:
        """Read the kept runs once for these findings."""
        if findings.series != self._loaded_for:
            self._loaded_for = findings.series
            self._session.load_runs(done=self._loaded, failed=self._not_loaded)

    def choose(self, set_id: str) -> None:
        """Choose a set; "" for none."""
        self.chosen = set_id
        self.changed.emit()

    def offered(self, findings: Findings) -> tuple[Overlay, ...]:
        """Return what can be laid over ``findings``."""
        now = next((one for one in self.sets if one.id == findings.series), None)
        return tuple(Overlay(one, now) for one in self.sets if one.has_several_counts and one is not now)

    def overlay(self, findings: Findings) -> Overlay | None:
        """Return what is laid over ``findings``; None for nothing."""
        return next((one for one in self.offered(findings) if one.over.id == self.chosen), None)

    @Slot(object)
    def _loaded(self, kept: tuple[BegunRun, ...]) -> None:
        self.sets, self.failure = run_sets([run for run in kept if isinstance(run, Run)]), ""
        self.changed.emit()

    @Slot(object)
    def _not_loaded(self, error: RaidwrightError) -> None:
        self.failure = translated(error.sentence)
        self.changed.emit()
