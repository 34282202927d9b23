"""The page behind the tiles: where the space goes, which disks may fail together, and what stays possible later."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from raidwright.analysis.advice.unused import unused_of
from raidwright.analysis.assessment import Assessment
from raidwright.analysis.layers.equivalent import as_array
from raidwright.core.lvm.whole_disks import whole_disks
from raidwright.core.md.reshape.possibility import Possibility
from raidwright.core.messages import say
from raidwright.core.units import SECTOR_BYTES
from raidwright.text.catalogue import decimal_size, joined, ntr, other_size, tr, translated, with_commas
from raidwright.text.plan.candidates import unused_sentence
from raidwright.text.plan.joined import beyond_sentence, free_words
from raidwright.text.plan.names import change_words, listed, unbroken
from raidwright.text.plan.survival import survival_sentence
from raidwright.ui.draft import Draft
from raidwright.ui.tokens import SPACE_M, SPACE_S, SPACE_XS
from raidwright.ui.widgets.panel import Panel, badge, button, clear, column, label, row, scrolled

from .model import PlanModel
from .pairs import MAX_UNITS, PairMatrix

_MARK_WIDTH = 32


class DetailsPage(Panel):
    """The page. ``back_wanted`` asks for the plan."""

    back_wanted = Signal()

    def __init__(self, model: PlanModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("details-page")
        self._model = model
        back = button(tr("← Back to the plan"), "details-back")
        back.clicked.connect(self.back_wanted)
        head = row(back)
        head.addStretch(1)
        self.body.addLayout(head)
        self._space = label("", name="details-space", wrap=True)
        self._unused = label("", name="details-unused", wrap=True)
        self._pairs = PairMatrix()
        self._pairs_key = label(
            tr("Row and column are the slots of two disks: a tick where both may fail together."), "dim", wrap=True
        )
        self._survival = label("", name="details-survival", wrap=True)
        self._later = QVBoxLayout()
        self._later.setSpacing(SPACE_XS + 2)
        self.body.addWidget(scrolled(self._lay_out()), 1)
        model.changed.connect(self._show)
        self._show(model.draft)

    def _lay_out(self) -> QWidget:
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_S)
        box.addWidget(label(tr("Where the space goes"), "title"))
        box.addWidget(self._space)
        box.addWidget(self._unused)
        box.addSpacing(SPACE_M)
        box.addWidget(label(tr("What it survives"), "title"))
        box.addWidget(self._survival)
        pairs = row(self._pairs)
        pairs.addStretch(1)
        box.addLayout(pairs)
        box.addWidget(self._pairs_key)
        box.addSpacing(SPACE_M)
        box.addWidget(label(tr("What stays possible"), "title"))
        box.addWidget(
            label(tr("As long as no disk is missing and no rebuild or check is under way."), "dim", wrap=True)
        )
        box.addLayout(self._later)
        box.addStretch(1)
        return inner

    @Slot(object)
    def _show(self, draft: Draft) -> None:
        assessment = draft.assessment
        if assessment is None:
            return
        self._show_space(assessment)
        self._show_survival(assessment)
        self._show_later(assessment.possibilities)

    def _show_space(self, assessment: Assessment) -> None:
        size_bytes, spares = assessment.capacity.array_bytes, as_array(assessment.plan.top).spares
        beside = ntr("; beside it {count} spare", "; beside it {count} spare", len(spares)) if spares else ""
        sizes = f"{decimal_size(size_bytes)} ({other_size(size_bytes)})"
        words = tr(
            "{size} of {whole}{rest}",
            size=sizes,
            whole=decimal_size(_all_bytes(assessment)),
            rest=_where(assessment),
        )
        if as_array(assessment.plan.top).journal is not None:
            beside += tr("; beside it a write journal")
        self._space.setText(words + beside)
        plan = assessment.plan
        unused = free_words(plan) if plan.volume else unused_sentence(unused_of(plan, self._model.pool))
        self._unused.setText(unused)
        self._unused.setVisible(bool(unused))

    def _show_survival(self, assessment: Assessment) -> None:
        survival = assessment.survival
        count = len(survival.units)
        fatal = survival.fatal_pairs() if count <= MAX_UNITS else ()
        self._pairs.show_pairs(count, frozenset(fatal))
        self._pairs_key.setVisible(2 <= count <= MAX_UNITS)
        beyond = beyond_sentence(assessment) if assessment.plan.volume else ""
        self._survival.setText(joined(survival_sentence(survival), beyond))

    def _show_later(self, possibilities: tuple[Possibility, ...]) -> None:
        clear(self._later)
        alike: dict[Possibility, list[str]] = {}
        for one in possibilities:
            alike.setdefault(replace(one, change=""), []).append(change_words(one.change))
        for one, changes in sorted(alike.items(), key=lambda item: _rank(item[0])):
            line = row(spacing=SPACE_S)
            line.addWidget(_later_mark(one), 0, Qt.AlignmentFlag.AlignTop)
            words = [label(listed(changes), wrap=True), label(unbroken(translated(one.reason)), "dim", wrap=True)]
            words += [label(unbroken(f"• {translated(need.sentence)}"), wrap=True) for need in one.conditions]
            line.addLayout(column(*words, spacing=0), 1)
            self._later.addLayout(line)


def _all_bytes(assessment: Assessment) -> int:
    """Return the size of all disks but the spares and the journal."""
    array = as_array(assessment.plan.top)
    beside = (*array.spares, *filter(None, [array.journal]))
    return sum(disk.size_bytes for disk in whole_disks(assessment.plan.top)) - sum(disk.size_bytes for disk in beside)


def _where(assessment: Assessment) -> str:
    lost, plan = assessment.capacity.lost, assessment.plan
    above_bytes = (_all_bytes(assessment) - sum(part.size_bytes for part in plan.disks())) if plan.volume else 0
    parts = (
        (lost.redundancy_sectors, say("{size_bytes:size} for redundancy")),
        (above_bytes // SECTOR_BYTES, say("{size_bytes:size} left free, and for partition tables")),
        (lost.larger_members_sectors, say("{size_bytes:size} left on larger disks")),
        (
            lost.metadata_sectors,
            say("{size_bytes:size} reserved by md and LVM") if plan.volume else say("{size_bytes:size} reserved by md"),
        ),
        (lost.rounding_sectors, say("{size_bytes:size} lost to rounding")),
    )
    words = with_commas(*(tr(text, size_bytes=sectors * SECTOR_BYTES) for sectors, text in parts if sectors))
    return f": {words}" if words else ""


def _later_mark(one: Possibility) -> QLabel:
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
