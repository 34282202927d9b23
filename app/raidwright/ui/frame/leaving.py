"""Confirmation before work is lost: the losses, their consequences, and a question.

Nothing is asked if nothing would be lost. The question is a separate window that answers by a signal; meanwhile
everything continues.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.station import Loss, Stake
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, column, label, row

_WIDTH = 440


class LeavingWay(Enum):
    """The destination that leaves the present work."""

    CLOSE = auto()  # the window
    TURN = auto()  # to another machine, or to a new practice machine
    OPEN = auto()  # a plan from a file, on disks of its own


@dataclass(frozen=True, slots=True)
class Work:
    """The window's present work.

    ``practice_arrays`` are the names of the arrays in a practice machine that ends with the window or on turning to
    another machine; None without such a machine.
    """

    stakes: tuple[Stake, ...]
    practice_arrays: tuple[str, ...] | None

    def lost_by(self, way: LeavingWay) -> dict[Loss, str]:
        """Return what ``way`` loses, the first of each kind, in words."""
        left_alone = {
            LeavingWay.CLOSE: (),
            LeavingWay.TURN: (Loss.PLAN,),
            LeavingWay.OPEN: tuple(loss for loss in Loss if loss is not Loss.PLAN),
        }[way]
        told = {stake.loss: self._sentence(stake) for stake in reversed(self.stakes)}
        if self.practice_arrays:
            names = [f"“{name}”" for name in self.practice_arrays]
            sentence = tr(
                "The practice machine ends, and with it its arrays and all that is on them: {names}.", names=names
            )
            told[Loss.PRACTICE] = sentence
        return {loss: told[loss] for loss in Loss if loss in told and loss not in left_alone}

    def _sentence(self, stake: Stake) -> str:
        if stake.loss is not Loss.CHANGE:
            return stake.words
        if self.practice_arrays is not None:
            return tr("{what}; the practice machine ends in the middle of it.", what=stake.words)
        return tr(
            "{what}. The helper goes on with it to its end; the next start of this window shows what came of it.",
            what=stake.words,
        )


def at_stake(way: LeavingWay, work: Work) -> tuple[str, ...]:
    """Return the losses, a sentence each; () for none."""
    return tuple(work.lost_by(way).values())


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
        lost = self._work().lost_by(way)
        if not lost:
            return False
        if (asked := self._window.findChild(LeavingQuestion)) is not None:
            asked.reject()
        save = self._save if Loss.PLAN in lost else None
        LeavingQuestion(way, tuple(lost.values()), go, save, self._window).open()
        return True


def _words(way: LeavingWay) -> tuple[str, str, str]:
    return {
        LeavingWay.CLOSE: (tr("Close Raidwright?"), tr("Stay"), tr("Close it")),
        LeavingWay.TURN: (tr("Leave this machine?"), tr("Stay"), tr("Leave it")),
        LeavingWay.OPEN: (tr("Open another plan?"), tr("Stay"), tr("Open it")),
    }[way]
