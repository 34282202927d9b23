"""The decision after a shoot-out: the layout that is looked at, its reasons, and the way to build it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.operations.shootout.results import Findings
from raidwright.text.catalogue import ntr, tr
from raidwright.text.plan.names import array_name
from raidwright.text.run import shootout as words
from raidwright.text.run.verdict import reasons, short_verdict
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.panel import Panel, badge, button, column, label, row, scrolled

from .model import ProveModel

_MAX_MISSES = 8


class DecisionPanel(Panel):
    """The panel. ``build_wanted`` asks for the layout's plan at Build, ``skip_wanted`` for Build with the present plan.

    ``again_wanted`` asks for the choice of layouts.
    """

    build_wanted = Signal()
    skip_wanted = Signal()
    again_wanted = Signal()

    def __init__(self, model: ProveModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("What to do with it"), parent=parent)
        self._model = model
        self._name = label("", "tile", name="decision-name", wrap=True)
        self._more = label("", "dim", name="decision-more", wrap=True)
        self._mark = badge("", "good")
        self._mark.setObjectName("decision-mark")
        marked = row(self._mark)
        marked.addStretch(1)
        self._why = label("", name="decision-why", wrap=True)
        self._build = button(tr("Build this →"), "prove-build", primary=True)
        self._build.clicked.connect(self.build_wanted)
        self._why_not = label("", "dim", name="decision-why-not", wrap=True)
        self._keep = button(tr("Keep my plan"), "prove-keep")
        self._keep.clicked.connect(self.skip_wanted)
        self._again = button(tr("Try more …"), "prove-again")
        self._again.clicked.connect(self.again_wanted)
        self._against = label("", name="prove-misses", wrap=True)
        self._remarks = label("", "dim", name="prove-remarks", wrap=True)
        self._how = label("", "dim", name="prove-legend", wrap=True)
        self.body.setSpacing(SPACE_S)
        for part in (self._name, self._more):
            self.body.addWidget(part)
        self.body.addLayout(marked)
        inner = QWidget()
        self._title = label(tr("Against the prediction"), "title")
        details = column(self._why, self._title, self._against, self._remarks, self._how, spacing=SPACE_S)
        details.insertSpacing(1, SPACE_M)
        details.addStretch(1)
        inner.setLayout(details)
        self.body.addWidget(scrolled(inner), 1)
        self.body.addLayout(column(self._why_not, self._build, self._keep, self._again, spacing=SPACE_S))
        model.changed.connect(self.show_decision)
        self.show_decision()

    @Slot()
    def show_decision(self) -> None:
        """Show the layout that is looked at, or the hint to choose one."""
        model, found = self._model, self._model.findings
        place = model.looked_at
        if found is None or not found.figures:
            return
        has_choice = place >= 0
        contestants = found.contest.contestants
        name, more = words.contestant_lines(contestants[place]) if has_choice else (tr("None is the fastest yet"), "")
        self._name.setText(name)
        self._more.setText(more or tr("Click a layout's bars to choose it."))
        self._more.setVisible(bool(more) or not has_choice)
        mark = short_verdict(found) if has_choice and model.is_decided and place == found.winner else ""
        self._mark.setText(f"★ {mark}")
        self._mark.setVisible(bool(mark))
        self._why.setText("\n".join(reasons(found, place)) if has_choice else "")
        self._why.setVisible(has_choice)
        self._show_ways(place)
        self._show_predictions(found)
        self._remarks.setText("\n".join(_remarks(found)))
        self._remarks.setVisible(bool(self._remarks.text()))
        self._how.setText(words.how_measured(found, model.found_slice_bytes))

    def _show_ways(self, place: int) -> None:
        why_not = self._model.why_not_build(place)
        self._build.setVisible(place >= 0)
        self._build.setEnabled(place >= 0 and not why_not)
        self._why_not.setText(why_not if place >= 0 else "")
        self._why_not.setVisible(bool(self._why_not.text()))
        own = self._model.own_plan
        is_other = own is not None and not self._model.is_own(place)
        self._keep.setVisible(is_other)
        if own is not None:
            self._keep.setAccessibleName(tr("Keep my plan: {plan}", plan=array_name(own.top)))
            self._keep.setToolTip(self._keep.accessibleName())

    def _show_predictions(self, found: Findings) -> None:
        """Show how many figures are as predicted, and each one that isn't."""
        predicted = [] if found.is_at_memory_speed else [one for one in found.figures if one.predicted is not None]
        missed = list(words.missed_predictions(found))
        for part in (self._title, self._against):
            part.setVisible(bool(predicted))
        fit = len(predicted) - len(missed)
        lines = [tr("{fit} of {count} figures are as predicted.", fit=fit, count=len(predicted))]
        lines += [f"• {said}" for said in missed[:_MAX_MISSES]]
        if (more := len(missed) - _MAX_MISSES) > 0:
            lines.append(ntr("and {count} more", "and {count} more", more))
        self._against.setText("\n".join(lines))


def _remarks(found: Findings) -> Iterator[str]:
    """Yield the benefit of alignment, and the remarks on some figures."""
    yield from words.alignment_verdicts(found)
    for where, what in words.remarks(found):
        yield f"{where}: {what}"
