"""A rescue in the window: the examined disks, the hypothesis chosen, its trial, and the real act."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.rescue.hypothesis import Hypothesis
from raidwright.core.protocol.results import Rescued, RescueTried, RescueVerdict
from raidwright.machine.states.volume import State
from raidwright.operations.rescue import RescueArray, TryRescue
from raidwright.operations.rescue_case import ExamineRescue, RescueCase
from raidwright.reading.card import Kept
from raidwright.rescue.examined import examine
from raidwright.session import Session
from raidwright.text.array.rescue import rescued_words, tried_words
from raidwright.text.catalogue import tr, translated
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.job import RunningOperation

_MAX_SHOWN = 24


class RescueModel(Confirmed):
    """The rescue of ``array``; None: of an array whose superblocks are all gone. ``changed`` follows everything shown.

    ``case`` is None until the disks are examined. ``tried`` are the trials' results by the attempts' digests, and
    ``refused`` the sentences of those that didn't start. Without an array, ``offered`` are all disks that nothing uses,
    of which those in ``included`` (ids) are taken for its members, and ``tries_all`` while one hypothesis after the
    other is tried.
    """

    def __init__(self, session: Session, array: State | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.array = array
        self.job = RunningOperation(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.changed.connect(self.changed)
        self.job.ended.connect(self._go_on)
        self.case: RescueCase | None = None
        self.offered: RescueCase | None = None
        self.included: frozenset[str] = frozenset()
        self.tries_all = False
        self._told: tuple[str, Kept | None] = ("", None)  # the card's text, or the facts, that the case goes by
        self.chosen = 0
        self.tried: Mapping[str, RescueTried] = {}
        self.refused: Mapping[str, str] = {}
        self.rescued: Rescued | None = None
        self._trying = ""  # digest of the attempt that is being tried
        self._begun = ""  # likewise, or that is done for real; "" while the disks are examined

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The hypotheses, in the order to try them."""
        return self.case.examined.hypotheses if self.case else ()

    @property
    def hypothesis(self) -> Hypothesis | None:
        """The chosen hypothesis; None if there is none."""
        return self.hypotheses[self.chosen] if self.chosen < len(self.hypotheses) else None

    @property
    def result(self) -> RescueTried | None:
        """The result of the chosen hypothesis's trial; None before it."""
        return self.tried.get(self.hypothesis.attempt.digest) if self.hypothesis else None

    @property
    def said(self) -> str:
        """The outcome: what the trial found, why it didn't start, or that the array runs."""
        if self.rescued is not None and self.hypothesis is not None:
            return rescued_words(self.hypothesis, self.rescued)
        if self.result is not None:
            return tried_words(self.result)
        return self.refused.get(self.hypothesis.attempt.digest, "") if self.hypothesis else ""

    @property
    def shown(self) -> tuple[int, ...]:
        """The hypotheses that are listed: the first ones, and those whose trial found something."""
        found = {digest for digest, tried in self.tried.items() if tried.verdict.is_success}
        return tuple(
            index for index, one in enumerate(self.hypotheses) if index < _MAX_SHOWN or one.attempt.digest in found
        )

    @property
    def why_not(self) -> str:
        """The reason why the chosen hypothesis can't be done for real yet; "" if it can."""
        if self.job.is_busy:
            return self.job.at
        if self.hypothesis is None or self.rescued is not None:
            return ""
        if self.result is None:
            return tr("Try it first. A trial writes to no disk.")
        if not self.result.verdict.is_success:
            return tr("The trial found nothing. Try another.")
        return self.unconfirmed(self.hypothesis.attempt.name)

    def examine(self, card: str = "", kept: Kept | None = None) -> None:
        """Examine all unused disks, or the included ones, by the text of a recovery card or the like, or by facts."""
        if self.job.is_busy:
            return
        self._begun, self._told = "", (card, kept)
        if self.array is not None:
            self.job.begin(ExamineRescue(self.array.uuid, card=card, kept=kept))
            return
        disks = self.offered.disks if self.offered else {}
        members = tuple(member for disk, member in disks.items() if disk in self.included)
        self.job.begin(ExamineRescue(disks=members, card=card, kept=kept))

    def include(self, disk: str, is_included: bool) -> None:
        """Take ``disk`` for a member of the lost array, or leave it out."""
        self.included = self.included | {disk} if is_included else self.included - {disk}
        self.tried, self.refused = {}, {}
        if any(self._told) and self.included:
            self.examine(*self._told)
        elif self.offered is not None:
            self.case = _only(self.offered, self.included)
        self.changed.emit()

    def choose(self, index: int) -> None:
        """Choose the hypothesis at ``index``."""
        self.chosen, self.typed, self.job.failure = index, "", ""
        self.changed.emit()

    @Slot()
    def try_chosen(self) -> None:
        """Try the chosen hypothesis on overlays."""
        if self.hypothesis is not None and not self.job.is_busy:
            self._begun = self._trying = self.hypothesis.attempt.digest
            self.job.begin(TryRescue(self.hypothesis.attempt))

    @Slot()
    def try_all(self) -> None:
        """Try one hypothesis after the other until one is found right, or stop doing so after the present one."""
        self.tries_all, self.job.failure = not self.tries_all, ""
        self._go_on()
        self.changed.emit()

    @Slot()
    def _go_on(self) -> None:
        """Begin the next trial while all are tried; choose the one that was found right, if there is one."""
        if not self.tries_all or self.job.is_busy:
            return
        digests = [one.attempt.digest for one in self.hypotheses]
        good = [index for index, digest in enumerate(digests) if self._found(digest) is RescueVerdict.GOOD]
        unproven = [index for index, digest in enumerate(digests) if self._found(digest) is RescueVerdict.UNPROVEN]
        untried = [index for index, digest in enumerate(digests) if digest not in {*self.tried, *self.refused}]
        if good or not untried or (self.job.failure and self._begun not in self.refused):
            self.tries_all = False
            if best := [*good, *unproven]:
                self.choose(best[0])
            return
        self.chosen = untried[0]
        self.try_chosen()

    def _found(self, digest: str) -> RescueVerdict | None:
        tried = self.tried.get(digest)
        return tried.verdict if tried else None

    @Slot()
    def bring_back(self) -> None:
        """Do the chosen and confirmed hypothesis for real."""
        if self.hypothesis is not None and not self.why_not and self.rescued is None:
            self._begun, self._trying = self.hypothesis.attempt.digest, ""
            self.job.begin(RescueArray(self.hypothesis.attempt, self.typed))

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
            case RescueCase() if self.array is None and self.offered is None:
                # an array's own superblocks are what its card is for
                self.included = frozenset(row.disk for row in result.examined.disks if row.superblock is None)
                self.offered, self.case = result, _only(result, self.included)
            case RescueCase():
                self.case, self.chosen = result, 0
            case RescueTried():
                self.tried = {**self.tried, self._trying: result}
            case Rescued():
                self.rescued = result

    @Slot(RaidwrightError)
    def _failed(self, error: RaidwrightError) -> None:
        if self._begun and self._begun == self._trying:
            self.refused = {**self.refused, self._trying: translated(error.sentence)}


def _only(case: RescueCase, included: frozenset[str]) -> RescueCase:
    """Return the case of the ``included`` disks alone, as if none had a superblock: nothing is told of their array."""
    disks = {disk: member for disk, member in case.disks.items() if disk in included}
    return RescueCase(disks, examine(dict.fromkeys(disks), disks))
