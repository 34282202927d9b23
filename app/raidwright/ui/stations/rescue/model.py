"""A rescue in the window: the examined disks, the hypothesis chosen, its trial, and the real act."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Slot

from raidwright.core.errors import RaidwrightError
from raidwright.core.md.rescue.hypothesis import Hypothesis
from raidwright.core.protocol.results import Rescued, RescueTried
from raidwright.machine.values import Array
from raidwright.operations.rescue import RescueArray, TryRescue
from raidwright.operations.rescue_case import ExamineRescue, RescueCase
from raidwright.session import Session
from raidwright.text.catalogue import tr, translated
from raidwright.text.rescue import tried_words
from raidwright.ui.confirmed import Confirmed
from raidwright.ui.job import RunningOperation


class RescueModel(Confirmed):
    """The rescue of ``array``. ``changed`` follows everything shown.

    ``case`` is None until the disks are examined. ``tried`` are the trials' results by the attempts' digests, and
    ``refused`` the sentences of those that didn't start.
    """

    def __init__(self, session: Session, array: Array, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.array = array
        self.job = RunningOperation(session, self)
        self.job.done.connect(self._done)
        self.job.failed.connect(self._failed)
        self.job.changed.connect(self.changed)
        self.case: RescueCase | None = None
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
        if self.rescued is not None:
            return tr(
                "“{name}” runs as {device}, only to be read: mount it read-only and save what matters. To use it "
                "again, stop it and start it.",
                name=self.array.name,
                device=self.rescued.device,
            )
        if self.result is not None:
            return tried_words(self.result)
        return self.refused.get(self.hypothesis.attempt.digest, "") if self.hypothesis else ""

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

    def examine(self, card: str = "") -> None:
        """Examine all unused disks; ``card`` is the text of a recovery card or the like."""
        self._begun = ""
        self.job.begin(ExamineRescue(self.array.uuid, card=card))

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
    def bring_back(self) -> None:
        """Do the chosen and confirmed hypothesis for real."""
        if self.hypothesis is not None and not self.why_not and self.rescued is None:
            self._begun, self._trying = self.hypothesis.attempt.digest, ""
            self.job.begin(RescueArray(self.hypothesis.attempt, self.typed))

    @Slot(object)
    def _done(self, result: object) -> None:
        match result:
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
