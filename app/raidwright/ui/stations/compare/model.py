"""What is compared with what: kept runs on two sides, and what came of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.runs.run import Run
from raidwright.session import Session
from raidwright.tasks import Task
from raidwright.text.catalogue import tr, translated
from raidwright.ui.tokens import Tokens

from .picture import save_rows
from .rows import Row, rows_of

SIDES = ("A", "B")


class CompareModel(QObject):
    """``changed`` follows what is chosen and what came of it. With one side alone it is held against predictions."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task: Task | None = None
        self.runs: tuple[Run, ...] = ()
        self.side_of: dict[str, str] = {}  # by run
        self.takes_series = True
        self.rows: tuple[Row, ...] = ()
        self.failure = ""

    def take_runs(self, runs: tuple[Run, ...]) -> None:
        """These can be chosen from now on."""
        self.runs = runs
        known = {run.id for run in runs}
        self.side_of = {run: side for run, side in self.side_of.items() if run in known}
        self.changed.emit()

    def pick(self, run: Run) -> None:
        """Put ``run`` on the side that is still empty, else on B in place of what is there; off its side if it is on
        one. A run of a series goes with all repeats, where that is wished.
        """
        picked = {one.id for one in self.with_series(run)}
        was_on = self.side_of.get(run.id, "")
        left = {one: side for one, side in self.side_of.items() if one not in picked}
        if not was_on:
            to = next((side for side in SIDES if side not in left.values()), SIDES[-1])
            left = {one: side for one, side in left.items() if side != to} | dict.fromkeys(picked, to)
        self.side_of = left
        self._compare()

    @Slot(bool)
    def take_series(self, takes: bool) -> None:
        """Let a run of a series stand for all repeats, or not."""
        self.takes_series = takes
        self.changed.emit()

    @property
    def groups(self) -> tuple[tuple[Run, ...], ...]:
        """What can be picked: each with all the runs that go with it."""
        if not self.takes_series:
            return tuple((run,) for run in self.runs)
        groups: dict[object, list[Run]] = {}
        for run in self.runs:
            groups.setdefault(_belongs_to(run), []).append(run)
        return tuple(map(tuple, groups.values()))

    @Slot()
    def clear(self) -> None:
        """Nothing is chosen."""
        self.side_of = {}
        self._compare()

    @property
    def hint(self) -> str:
        """What to do next; "" where there is something to see."""
        if self.rows or self.failure:
            return ""
        if not self.side_of:
            return tr("Pick two: the first is A, the second is B. Click one again to leave it out.")
        if self._task is not None:
            return tr("Reading the runs …")
        return tr("Nothing is predicted for A; pick a second one to compare it with.")

    def save_picture(self, path: Path, scheme: Tokens) -> None:
        """Write what is shown into ``path``; what is in the way is said."""
        try:
            save_rows(path, self.rows, tr("Runs compared"), scheme)
            self.failure = ""
        except RaidwrightError as error:
            self.failure = translated(error.sentence)
        self.changed.emit()

    def with_series(self, run: Run) -> tuple[Run, ...]:
        """All runs that go to a side with ``run``."""
        if run.series is None or not self.takes_series:
            return (run,)
        return tuple(one for one in self.runs if _belongs_to(one) == _belongs_to(run))

    def _compare(self) -> None:
        if self._task is not None:
            self._task.blockSignals(True)  # of what was chosen before
        self._task, self.rows, self.failure = None, (), ""
        first, second = ([run.id for run in self.runs if self.side_of.get(run.id) == side] for side in SIDES)
        if first or second:
            self._task = self._session.compare(first, second, done=self._compared, failed=self._failed)
        self.changed.emit()

    @Slot(object)
    def _compared(self, found: object) -> None:
        self._task = None
        self.rows = rows_of(found)  # type: ignore[arg-type]  # signals carry objects
        self.changed.emit()

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        self._task = None
        self.failure = translated(error.sentence)
        self.changed.emit()


def _belongs_to(run: Run) -> tuple[object, ...]:
    """The series, and whom of a shoot-out it measured in which state: one layout's runs are no other's."""
    return (run.series.id, run.target, run.state) if run.series is not None else (run.id,)
