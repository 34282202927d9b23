"""The plan in four tiles: space, survival, loss and speed; below them the findings, and the way to Build."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.analysis.advice.candidates import Prepared
from raidwright.analysis.advice.unused import unused_of
from raidwright.analysis.assessment import Assessment
from raidwright.core.lvm.whole_disks import free_tops
from raidwright.core.model.plan import LinearVolume
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import decimal_size, joined, other_size, tr, with_commas
from raidwright.text.plan.candidates import short_size, unused_sentence
from raidwright.text.plan.joined import beyond_sentence, beyond_words, free_words
from raidwright.text.plan.names import any_may_fail, long_name, more_survived, next_failures
from raidwright.text.plan.survival import survival_sentence
from raidwright.ui.draft import Draft
from raidwright.ui.stations.plan.loss.model import LossModel
from raidwright.ui.stations.plan.loss.summary import LossSummary
from raidwright.ui.stations.plan.speed.model import SpeedModel
from raidwright.ui.stations.plan.speed.summary import SpeedSummary
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.findings import FindingList
from raidwright.ui.widgets.panel import Panel, button, label, row, scrolled

from .model import PlanModel

_MAX_FINDINGS = 1


class Result(QWidget):
    """The tiles. ``next_wanted`` asks for the Build station, ``details_wanted`` for the page on space and survival.

    ``assumptions_wanted`` asks for the loss's assumptions, ``speeds_wanted`` for every speed.
    """

    next_wanted = Signal()
    details_wanted = Signal()
    assumptions_wanted = Signal()
    speeds_wanted = Signal()

    def __init__(self, model: PlanModel, losses: LossModel, speeds: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("result")
        self._model = model
        self._space = FigureTile("usable", tr("Space"), self)
        self._survival = FigureTile("may-fail", tr("May fail"), self)
        self._loss = LossSummary(losses, self)
        self._speed = SpeedSummary(speeds, self)
        self._space.remedy_wanted.connect(self._join)
        self._space.details_wanted.connect(self.details_wanted)
        self._survival.details_wanted.connect(self.details_wanted)
        self._loss.assumptions_wanted.connect(self.assumptions_wanted)
        self._speed.details_wanted.connect(self.speeds_wanted)
        self._refused = Panel(parent=self)
        self._refusal = label("", "error", name="plan-refusal", wrap=True)
        self._refused.body.addWidget(self._refusal)
        self._tiles = self._lay_out_tiles()
        self._before = Panel(parent=self)
        head = row(label(tr("Before you build"), "title"))
        head.addStretch(1)
        self._findings = FindingList("plan-findings", _MAX_FINDINGS, self, applies=True, head=head)
        self._findings.wanted.connect(lambda change: self._model.edit(change.of))
        self._tried = label("", "good", name="plan-tried", wrap=True)
        self._locked = label("", "dim", name="plan-locked", wrap=True)
        self._next = button(tr("Review and build →"), "plan-next", primary=True)
        self._next.clicked.connect(self.next_wanted)
        self._before.body.addLayout(head)
        for part in (self._tried, self._findings, self._locked, self._next):  # beside the button that they warn of
            self._before.body.addWidget(part)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(self._refused)
        box.addWidget(self._tiles, 1)
        box.addWidget(self._before)
        model.changed.connect(self._show)
        self._show(model.draft)

    def focus_next(self) -> None:
        """Focus Next."""
        self._next.setFocus()

    def _lay_out_tiles(self) -> QWidget:
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        figures = row(spacing=SPACE_S)
        for tile in (self._space, self._survival):
            figures.addWidget(tile, 1)
        box.addLayout(figures)
        box.addWidget(self._loss)
        box.addWidget(self._speed)
        box.addStretch(1)
        return scrolled(inner, self)

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        assessment = draft.assessment
        self._next.setEnabled(assessment is not None and not draft.is_locked and not draft.why_untouchable)
        self._locked.setVisible(draft.is_locked or bool(draft.why_untouchable))
        if draft.plan is not None:
            built = tr(
                "These disks are in “{name}” now. To plan another array, choose other disks.", name=draft.plan.name
            )
            self._locked.setText(draft.why_untouchable or built)
        self._tried.setText(f"✓ {draft.tried}" if draft.tried else "")
        self._tried.setVisible(bool(draft.tried))
        self._tiles.setVisible(assessment is not None)
        self._findings.setVisible(assessment is not None)
        self._refused.setVisible(assessment is None)
        self._refusal.setText(draft.refusal)
        if assessment is None:
            return
        self._show_space(assessment)
        self._show_survival(assessment)
        self._findings.show_findings(assessment.findings)

    def _show_space(self, assessment: Assessment) -> None:
        size_bytes = assessment.capacity.array_bytes
        if (volume := assessment.plan.volume) is not None:
            self._show_joined_space(assessment, volume)
            return
        unused = unused_of(assessment.plan, self._model.pool)
        idle_bytes = sum(one.count * one.unused_bytes for one in unused)
        beside = tr("{size} unused", size=short_size(idle_bytes)) if unused else other_size(size_bytes)
        exact = tr("{sectors:,} sectors of 512 bytes", sectors=assessment.capacity.array_sectors)
        hint = "\n".join(part for part in (other_size(size_bytes), exact, unused_sentence(unused)) if part)
        self._space.show_figure(decimal_size(size_bytes), beside, hint, is_warning=bool(unused))
        self._space.offer(*_joining(self._model.joined_instead if unused else None))

    @Slot()
    def _join(self) -> None:
        if (joined := self._model.joined_instead) is not None:
            self._model.adopt(joined.plan)

    def _show_joined_space(self, assessment: Assessment, volume: LinearVolume) -> None:
        size_bytes, lost = assessment.capacity.array_bytes, assessment.capacity.lost
        free_bytes = sum(top.free_bytes for top in free_tops(volume))
        safety = tr("{size} for safety", size=short_size(lost.redundancy_sectors * SECTOR_BYTES))
        free = tr("{size} stay free", size=short_size(free_bytes)) if free_bytes else ""
        exact = tr("{sectors:,} sectors of 512 bytes", sectors=assessment.capacity.array_sectors)
        hint = "\n".join(part for part in (other_size(size_bytes), exact, free_words(assessment.plan)) if part)
        beside = with_commas(*filter(None, (safety, free)))
        self._space.offer("")
        self._space.show_figure(decimal_size(size_bytes), beside, hint, is_warning=bool(free))

    def _show_survival(self, assessment: Assessment) -> None:
        survival = assessment.survival
        beside, hint = next_failures(survival), survival_sentence(survival)
        if assessment.plan.volume:
            are_some_safe = bool(more_survived(survival))
            beside = beside if are_some_safe else beyond_words(assessment)
            hint = joined(hint, beyond_sentence(assessment))
        self._survival.show_figure(any_may_fail(survival), beside, hint)


def _joining(joined: Prepared | None) -> tuple[str, str]:
    """Return the words of a link to ``joined`` arrays, and what they are; "" without any."""
    if joined is None:
        return "", ""
    words = tr(
        "{plan}: {size}, {count} may fail. It can be undone.",
        plan=long_name(joined.plan.top),
        size=decimal_size(joined.array_bytes),
        count=any_may_fail(joined.assessment.survival),
    )
    return tr("Use more"), words


class FigureTile(Panel):
    """A large figure with a few words below it. ``details_wanted`` asks for the page on it.

    ``remedy_wanted``: the link that ``offer`` shows was clicked.
    """

    details_wanted = Signal()
    remedy_wanted = Signal()

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        why = button(tr("Why"), f"{name}-why")
        why.setProperty("kind", "link")
        why.setAccessibleName(tr("Why: {what}", what=title))
        why.clicked.connect(self.details_wanted)
        head = row(label(title, "title"))
        head.addStretch(1)
        head.addWidget(why)
        self._figure = label("", "tile", name=name, wrap=True)
        self._beside = label("", "dim", name=f"{name}-beside", wrap=True)
        self.body.addLayout(head)
        self.body.setSpacing(0)
        self.body.addWidget(self._figure)
        self.body.addWidget(self._beside)
        self._remedy = button("", f"{name}-remedy")
        self._remedy.setProperty("kind", "link")
        self._remedy.clicked.connect(self.remedy_wanted)
        self._remedy.hide()
        self.body.addWidget(self._remedy, 0, Qt.AlignmentFlag.AlignLeft)

    def offer(self, remedy: str, hint: str = "") -> None:
        """Show a link ``remedy`` below the figure; "" for none."""
        self._remedy.setText(remedy)
        self._remedy.setToolTip(hint)
        self._remedy.setAccessibleDescription(hint)
        self._remedy.setVisible(bool(remedy))

    def show_figure(self, figure: str, beside: str, hint: str, *, is_warning: bool = False) -> None:
        """Show a figure; ``hint`` appears on hover and for screen readers."""
        self._figure.setText(figure)
        self._beside.setText(beside)
        for part in (self._figure, self._beside):
            part.setToolTip(hint)
            part.setAccessibleDescription(hint)
        role = "warning" if is_warning else "dim"
        if self._beside.property("role") != role:
            self._beside.setProperty("role", role)
            self._beside.style().polish(self._beside)
