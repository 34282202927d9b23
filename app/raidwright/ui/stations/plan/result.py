"""The plan's properties: space, survival, loss probability, speed, later changes, and findings."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from raidwright.analysis.advice.unused import unused_of
from raidwright.analysis.assessment import Assessment
from raidwright.analysis.reshape.possibility import Possibility
from raidwright.core.md.capacity import Capacity
from raidwright.core.md.survival import Survival
from raidwright.core.messages import say
from raidwright.text.candidates import short_size, unused_sentence
from raidwright.text.catalogue import decimal_size, ntr, other_size, tr, translated, with_commas
from raidwright.text.plans import change_words, listed, unbroken
from raidwright.text.survival import survival_sentence
from raidwright.ui.stations.loss.model import LossModel
from raidwright.ui.stations.loss.summary import LossSummary
from raidwright.ui.stations.speed.model import SpeedModel
from raidwright.ui.stations.speed.summary import SpeedSummary
from raidwright.ui.tokens import SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.findings import FindingList
from raidwright.ui.widgets.panel import Panel, badge, button, clear, column, label, row, scrolled

from .model import Draft, PlanModel
from .pairs import MAX_UNITS, PairMatrix

_MAX_FINDINGS = 2
_MARK_WIDTH = 32


class Result(Panel):
    """The properties. ``next_wanted`` asks for the Build station, ``assumptions_wanted`` for the loss's assumptions.

    ``speeds_wanted`` asks for every speed.
    """

    next_wanted = Signal()
    assumptions_wanted = Signal()
    speeds_wanted = Signal()

    def __init__(self, model: PlanModel, losses: LossModel, speeds: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("result")
        self._model = model
        self._figure = label("", "figure", name="usable")
        self._binary = label("", "unit", name="usable-binary")
        self._rest = label("", "dim", name="usable-rest", wrap=True)
        self._refusal = label("", "error", name="plan-refusal", wrap=True)
        self._idle = label("", name="unused", wrap=True)
        self._idle_badge = badge("", "warn")
        self._pairs = PairMatrix()
        self._sentence = label("", name="survival-sentence", wrap=True)
        self._loss = LossSummary(losses)
        self._loss.assumptions_wanted.connect(self.assumptions_wanted)
        self._speed = SpeedSummary(speeds)
        self._speed.details_wanted.connect(self.speeds_wanted)
        self._later = QVBoxLayout()
        self._later.setSpacing(SPACE_XS + 2)
        self._locked = label("", "dim", name="plan-locked", wrap=True)
        self._next = button(tr("Review and build →"), "plan-next", primary=True)
        self._next.clicked.connect(self.next_wanted)
        self._details = self._lay_out_details()
        self.body.addWidget(label(tr("What you get"), "title"))
        self.body.addWidget(self._refusal)
        self.body.addWidget(self._details, 1)
        self._findings = FindingList("plan-findings", _MAX_FINDINGS, self, applies=True)
        self._findings.wanted.connect(lambda change: self._model.edit(change.of))
        self._before = label(tr("Before you build"), "title")
        self.body.addWidget(self._before)
        self.body.addWidget(self._findings)  # beside the button that it warns of, however much is above
        self.body.addWidget(self._locked)
        self.body.addLayout(row(self._next))
        model.changed.connect(self._show)
        self._show(model.draft)

    def focus_next(self) -> None:
        """Focus Next."""
        self._next.setFocus()

    def _lay_out_details(self) -> QScrollArea:
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_S)
        figures = row(self._figure, self._binary, spacing=SPACE_S)
        figures.setAlignment(self._binary, Qt.AlignmentFlag.AlignBottom)
        figures.addStretch(1)
        box.addLayout(figures)
        box.addWidget(self._rest)
        idle = row(spacing=SPACE_S)
        idle.addWidget(self._idle_badge, 0, Qt.AlignmentFlag.AlignTop)
        idle.addWidget(self._idle, 1)
        box.addLayout(idle)
        box.addSpacing(SPACE_M)
        box.addWidget(label(tr("What it survives"), "title"))
        survives = row(spacing=SPACE_M)
        survives.addWidget(self._pairs, 0, Qt.AlignmentFlag.AlignTop)
        survives.addLayout(column(self._sentence), 1)
        survives.setAlignment(self._sentence, Qt.AlignmentFlag.AlignTop)
        box.addLayout(survives)
        box.addSpacing(SPACE_M)
        for summary in (self._loss, self._speed):
            box.addWidget(summary)
            box.addSpacing(SPACE_M)
        box.addWidget(label(tr("What stays possible"), "title"))
        box.addWidget(label(tr("While the array is whole and nothing is under way on it."), "dim", wrap=True))
        box.addLayout(self._later)
        box.addStretch(1)
        return scrolled(inner)

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        assessment = draft.assessment
        self._next.setEnabled(assessment is not None and not draft.is_locked)
        self._locked.setVisible(draft.is_locked)
        if draft.plan is not None:
            self._locked.setText(
                tr("These disks are in “{name}” now. To plan another array, choose other disks.", name=draft.plan.name)
            )
        for part in (self._details, self._before, self._findings):
            part.setVisible(assessment is not None)
        self._refusal.setVisible(assessment is None)
        self._refusal.setText(draft.refusal)
        if assessment is None:
            return
        self._show_space(assessment)
        self._show_survival(assessment.survival)
        self._show_later(assessment.possibilities)
        self._findings.show_findings(assessment.findings)

    def _show_space(self, assessment: Assessment) -> None:
        capacity = assessment.capacity
        self._figure.setText(decimal_size(capacity.array_bytes))
        self._binary.setText(other_size(capacity.array_bytes))
        exact = tr("{sectors:,} sectors of 512 bytes", sectors=capacity.array_sectors)
        self._figure.setToolTip(exact)
        self._figure.setAccessibleDescription(exact)
        spares = assessment.plan.spares
        whole = sum(disk.size_bytes for disk in assessment.plan.disks()) - sum(disk.size_bytes for disk in spares)
        words = tr("of {whole}{rest}", whole=decimal_size(whole), rest=self._where(capacity))
        beside = ntr("; beside it {count} spare", "; beside it {count} spare", len(spares)) if spares else ""
        self._rest.setText(words + beside)
        unused = unused_of(assessment.plan, self._model.pool)
        idle_bytes = sum(one.count * one.unused_bytes for one in unused)
        self._idle_badge.setText(tr("{size} unused", size=short_size(idle_bytes)))
        self._idle.setText(unused_sentence(unused))
        for part in (self._idle, self._idle_badge):
            part.setVisible(bool(unused))

    def _where(self, capacity: Capacity) -> str:
        lost = capacity.lost
        parts = (
            (lost.redundancy_sectors, say("{size_bytes:size} for redundancy")),
            (lost.larger_members_sectors, say("{size_bytes:size} left on larger disks")),
            (lost.metadata_sectors, say("{size_bytes:size} reserved by md")),
            (lost.rounding_sectors, say("{size_bytes:size} lost to rounding")),
        )
        words = with_commas(*(tr(text, size_bytes=sectors * 512) for sectors, text in parts if sectors))
        return f": {words}" if words else ""

    def _show_survival(self, survival: Survival) -> None:
        count = len(survival.units)
        fatal = survival.fatal_pairs() if count <= MAX_UNITS else ()
        self._pairs.show_pairs(count, frozenset(fatal))
        self._sentence.setText(survival_sentence(survival))

    def _show_later(self, possibilities: tuple[Possibility, ...]) -> None:
        clear(self._later)
        alike: dict[Possibility, list[str]] = {}
        for one in possibilities:
            alike.setdefault(replace(one, change=""), []).append(change_words(one.change))
        for one, changes in sorted(alike.items(), key=lambda item: _rank(item[0])):
            line = row(spacing=SPACE_S)
            line.addWidget(self._later_mark(one), 0, Qt.AlignmentFlag.AlignTop)
            words = [label(listed(changes), wrap=True), label(unbroken(translated(one.reason)), "dim", wrap=True)]
            words += [label(unbroken(f"• {translated(need.sentence)}"), wrap=True) for need in one.conditions]
            line.addLayout(column(*words, spacing=0), 1)
            self._later.addLayout(line)

    def _later_mark(self, one: Possibility) -> QLabel:
        if one.loses_data:
            mark, name = badge("!", "bad"), tr("loses data")
        elif one.possible:
            mark, name = badge("✓", "good"), tr("possible")
        else:
            mark, name = badge("✕", "warn"), tr("not possible")
        mark.setAccessibleName(name)
        mark.setMinimumWidth(_MARK_WIDTH)
        mark.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return mark


def _rank(one: Possibility) -> int:
    """Return the sort key of a change: data loss first, since mdadm doesn't warn of it; impossible ones last."""
    return 0 if one.loses_data else 1 if one.possible else 2
