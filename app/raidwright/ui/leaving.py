"""Confirmation before work is lost: the losses, their consequences, and a question.

Nothing is asked if nothing would be lost. The question is a separate window that answers by a signal; meanwhile
everything continues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.widgets.panel import button, column, label, row

from .phase import Phase
from .tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL

if TYPE_CHECKING:
    from raidwright.ui.stations.arrays.model import ArraysModel
    from raidwright.ui.stations.arrays.repair.model import RepairModel
    from raidwright.ui.stations.building.interrupted.model import InterruptedBuildsModel
    from raidwright.ui.stations.building.model import BuildModel
    from raidwright.ui.stations.disks.measuring import DiskMeasuring
    from raidwright.ui.stations.measure.model import MeasureModel
    from raidwright.ui.stations.plan.model import PlanModel

_WIDTH = 440


class LeavingWay(Enum):
    """The destination that leaves the present work."""

    CLOSE = auto()  # the window
    TURN = auto()  # to another machine, or to a new practice machine
    OPEN = auto()  # a plan from a file, on disks of its own


@dataclass(frozen=True, slots=True)
class MadeModels:
    """View-models that have been made; None for the others, which have nothing to lose."""

    plan: PlanModel | None = None
    build: BuildModel | None = None
    arrays: ArraysModel | None = None
    measure: MeasureModel | None = None
    measuring_disks: DiskMeasuring | None = None
    repair: RepairModel | None = None

    @property
    def measures(self) -> bool:
        """True while an array or disks are measured."""
        return any(model is not None and model.job.is_busy for model in (self.measure, self.measuring_disks))


@dataclass(frozen=True, slots=True)
class Work:
    """The window's present work.

    ``practice_arrays`` are the names of the arrays in a practice machine that ends with the window or on turning to
    another machine; None without such a machine.
    """

    models: MadeModels
    interrupted_builds: InterruptedBuildsModel | None
    proves: bool
    practice_arrays: tuple[str, ...] | None


def at_stake(way: LeavingWay, work: Work) -> tuple[str, ...]:
    """Return the losses, a sentence each; () for none."""
    return tuple(_sentences(way, work))


def _sentences(way: LeavingWay, work: Work) -> Iterator[str]:
    plan, is_ours = work.models.plan, work.practice_arrays is not None
    if way is not LeavingWay.TURN and plan is not None and plan.is_unsaved and plan.draft.plan is not None:
        yield tr("The plan “{name}” has changes that are in no file; they are lost.", name=plan.draft.plan.name)
    if way is LeavingWay.OPEN:
        return
    if work.models.measures:
        yield tr("A measurement runs. It is stopped, and nothing of it is kept.")
    if work.proves:
        yield tr("A shoot-out runs. It is stopped, and what it built on the disks is taken away.")
    if what := _under_way(work):
        if is_ours:
            yield tr("{what}; the practice machine ends in the middle of it.", what=what)
        else:
            yield tr(
                "{what}. The helper goes on with it to its end; the next start of this window shows what came of it.",
                what=what,
            )
    elif work.models.build is not None and work.models.build.phase is Phase.BUILDING:
        yield tr("The helper waits for your password. The question is withdrawn, and nothing is built.")
    if work.practice_arrays:
        names = [f"“{name}”" for name in work.practice_arrays]
        yield tr("The practice machine ends, and with it its arrays and all that is on them: {names}.", names=names)


def _under_way(work: Work) -> str:
    """Return the running change of an array, "" for none; waiting for a password doesn't count."""
    if work.interrupted_builds is not None and work.interrupted_builds.job.is_busy:
        return tr("A build is being undone")
    build, arrays = work.models.build, work.models.arrays
    is_busy = arrays is not None and arrays.job.is_busy
    if build is None:
        return tr("Something is being done to an array") if is_busy else ""
    if build.phase is Phase.BUILDING:
        return (
            ""
            if build.is_asking
            else tr("“{name}” is being built", name=build.draft.plan.name if build.draft.plan else "")
        )
    is_busy = is_busy or build.is_undoing or build.next_steps.job.is_busy
    return tr("Something is being done to an array") if is_busy else ""


class LeavingQuestion(QDialog):
    """A question before ``way`` is taken; ``go`` is called on consent, ``save`` if the plan must be saved first."""

    def __init__(
        self,
        way: LeavingWay,
        sentences: tuple[str, ...],
        go: Callable[[], object],
        save: Callable[[], object] | None,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        title, stay, anyway = _words(way)
        self.setObjectName("leaving")
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.accepted.connect(go)
        leave = button(anyway, "leaving-go")
        leave.clicked.connect(self.accept)
        remain = button(stay, "leaving-stay", primary=True)
        remain.setDefault(True)
        remain.clicked.connect(self.reject)
        ways = row(leave, spacing=SPACE_S)
        ways.addStretch(1)
        if save is not None:
            keep = button(tr("Save the plan …"), "leaving-save")
            keep.clicked.connect(self.reject)
            keep.clicked.connect(save)
            ways.addWidget(keep)
        ways.addWidget(remain)
        told = [label(sentence, name="leaving-what", wrap=True) for sentence in sentences]
        for part in told:
            part.setFixedWidth(_WIDTH)
        whole = column(label(title, "headline"), *told, spacing=SPACE_M)
        whole.addSpacing(SPACE_S)
        whole.addLayout(ways)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)
        remain.setFocus()


class Guard(QObject):
    """Asks the user of ``window``; ``work`` returns the present work."""

    def __init__(self, work: Callable[[], Work], save: Callable[[], object], window: QWidget) -> None:
        super().__init__(window)
        self._work, self._save, self._window = work, save, window

    def before(self, way: LeavingWay, go: Callable[[], object]) -> None:
        """Call ``go``; if work would be lost, only after consent."""
        if not self.asks(way, go):
            go()

    def asks(self, way: LeavingWay, go: Callable[[], object]) -> bool:
        """Return True if there is something to confirm before ``go``, and show the question."""
        work = self._work()
        what = at_stake(way, work)
        if not what:
            return False
        if (asked := self._window.findChild(LeavingQuestion)) is not None:
            asked.reject()
        plan = work.models.plan
        loses_plan = way is not LeavingWay.TURN and plan is not None and plan.is_unsaved
        LeavingQuestion(way, what, go, self._save if loses_plan else None, self._window).open()
        return True


def _words(way: LeavingWay) -> tuple[str, str, str]:
    return {
        LeavingWay.CLOSE: (tr("Close Raidwright?"), tr("Stay"), tr("Close it")),
        LeavingWay.TURN: (tr("Leave this machine?"), tr("Stay"), tr("Leave it")),
        LeavingWay.OPEN: (tr("Open another plan?"), tr("Stay"), tr("Open it")),
    }[way]
