"""The comparison's view-model: kept runs on two sides, and the result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from raidwright.colours import Tokens
from raidwright.core.errors import RaidwrightError
from raidwright.runs.run import Run
from raidwright.session import Session
from raidwright.tasks import Task
from raidwright.text.catalogue import tr, translated

from .picture import save_rows
from .rows import WorkloadRow, rows_of

SIDES = ("A", "B")


class CompareModel(QObject):
    """The comparison. ``changed`` follows the choice and the result. One side alone is compared with predictions."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task: Task | None = None
        self.runs: tuple[Run, ...] = ()
        self.side_of: dict[str, str] = {}  # by run
        self.takes_series = True
        self.rows: tuple[WorkloadRow, ...] = ()
        self.failure = ""

    def take_runs(self, runs: tuple[Run, ...]) -> None:
        """Set the runs to choose from."""
        self.runs = runs
        known = {run.id for run in runs}
        self.side_of = {run: side for run, side in self.side_of.items() if run in known}
        self.changed.emit()

    def pick(self, run: Run) -> None:
        """Put ``run`` on the empty side, else on B in place of the present runs; a run already on a side is removed.

        With ``takes_series`` a run of a series is taken with all its repeats.
        """
        picked = {one.id for one in self.with_series(run)}
        was_on = self.side_of.get(run.id, "")
        left = {one: side for one, side in self.side_of.items() if one not in picked}
        if not was_on:
            to = next((side for side in SIDES if side not in left.values()), SIDES[-1])
            left = {one: side for one, side in left.items() if side != to} | dict.fromkeys(picked, to)
        self.side_of = left
        self._compare()

    def show_sides(self, first: Sequence[Run], second: Sequence[Run]) -> None:
        """Put these runs on A and B."""
        sides = zip(SIDES, (first, second), strict=True)
        self.side_of = {run.id: side for side, runs in sides for run in runs}
        self._compare()

    @Slot(bool)
    def take_series(self, takes: bool) -> None:
        """Set whether a run of a series stands for all repeats."""
        self.takes_series = takes
        self.changed.emit()

    @property
    def groups(self) -> tuple[tuple[Run, ...], ...]:
        """The items to choose, each with all its runs."""
        if not self.takes_series:
            return tuple((run,) for run in self.runs)
        groups: dict[object, list[Run]] = {}
        for run in self.runs:
            groups.setdefault(_belongs_to(run), []).append(run)
        return tuple(map(tuple, groups.values()))

    @Slot()
    def clear(self) -> None:
        """Clear the choice."""
        self.side_of = {}
        self._compare()

    @property
    def hint(self) -> str:
        """The instruction for the next step; "" if there is a result."""
        if self.rows or self.failure:
            return ""
        if not self.side_of:
            return tr("Pick two: the first is A, the second is B. Click one again to leave it out.")
        if self._task is not None:
            return tr("Reading the runs …")
        return tr("Nothing is predicted for A; pick a second one to compare it with.")

    def save_picture(self, path: Path, scheme: Tokens) -> None:
        """Write the picture to ``path``; errors are shown."""
        try:
            save_rows(path, self.rows, tr("Runs compared"), scheme)
            self.failure = ""
        except RaidwrightError as error:
            self.failure = translated(error.sentence)
        self.changed.emit()

    def with_series(self, run: Run) -> tuple[Run, ...]:
        """Return all runs that are chosen together with ``run``."""
        if run.series is None or not self.takes_series:
            return (run,)
        return tuple(one for one in self.runs if _belongs_to(one) == _belongs_to(run))

    def _compare(self) -> None:
        if self._task is not None:
            self._task.blockSignals(True)  # a result of the previous choice
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
    """Return the series, and in a shoot-out the contestant and its state: runs of other layouts aren't grouped."""
    return (run.series.id, run.target, run.state) if run.series is not None else (run.id,)
