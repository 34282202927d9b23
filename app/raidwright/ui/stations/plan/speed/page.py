"""The page of speeds: every workload as planned, degraded and rebuilding, and the predictions' basis."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from raidwright.analysis.performance.of_plan import WorkloadSpeeds, each_assumption
from raidwright.analysis.performance.prediction import Prediction
from raidwright.core.messages import say
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.how_fast import (
    against_one_disk,
    by_place_words,
    rebuild_sentence,
    rests_on,
    with_one_lost_and_cure,
)
from raidwright.text.run.measurements import WORKLOADS
from raidwright.text.shown import Cell
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.in_sight import InSight
from raidwright.ui.widgets.panel import Panel, button, label, row, scrolled
from raidwright.ui.widgets.table import Table
from raidwright.ui.widgets.table_rows import Column, TableModel
from raidwright.ui.widgets.twins import twins_of

from .model import Speed, SpeedModel
from .own import OwnSpeeds
from .rows import COLOURS, SpeedRows, in_words


class _Row(NamedTuple):
    """A row of the bars' table."""

    name: str
    speeds: WorkloadSpeeds
    one_disk: Prediction


class SpeedPage(Panel):
    """The page. ``back_wanted`` asks for the plan. Nothing is predicted while it is hidden."""

    back_wanted = Signal()

    def __init__(self, model: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("speed-page")
        self._model = model
        self._names: dict[str, str] = {workload: translated(name) for workload, name in WORKLOADS.items()}
        self._bars = SpeedRows(self._names, tuple(COLOURS), "speeds")
        self._figures = TableModel(_columns())
        table = Table(self._figures, "speeds-table", tr("How fast"))
        table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # as high as the bars
        twins, toggle = twins_of(self._bars, table, "speeds")
        back = button(tr("← Back to the plan"), "speeds-back")
        back.clicked.connect(self.back_wanted)
        head = row(back)
        head.addStretch(1)
        head.addWidget(toggle)
        self.body.addLayout(head)
        self.body.addWidget(label(tr("How fast will it be?"), "headline"))
        self._sentences = {
            name: label("", name=f"speeds-{name}", wrap=True)
            for name in ("sentence", "by-place", "lost", "rebuild", "rebuild-limit")
        }
        self._key = label("", "dim", name="speeds-key", wrap=True)
        toggle.toggled.connect(self._key.setHidden)  # it explains the bars
        self._assumed = label("", "dim", name="speeds-assumed", wrap=True)
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_S)
        for sentence in self._sentences.values():
            box.addWidget(sentence)
        box.addWidget(self._key)
        box.addWidget(twins)
        self._own = OwnSpeeds(model)
        box.addWidget(self._own)
        box.addWidget(label(tr("What this rests on"), "title"))
        box.addWidget(self._assumed)
        box.addStretch(1)
        self.body.addWidget(scrolled(inner), 1)
        InSight(self, model.changed, self._show)

    @Slot()
    def _show(self) -> None:
        speed = self._model.speed
        if speed is None:
            return
        performance = speed.performance
        self._bars.show_speed(speed)
        self._own.show_speed(speed)
        self._key.setText(self._bars.key)
        self._figures.show_rows(
            [_Row(name, *speed.of(one)) for one, name in (self._names | {one: one for one in performance.own}).items()]
        )
        said = {
            "sentence": against_one_disk(speed.plan, performance, speed.alone),
            "by-place": by_place_words(speed.plan),
            "lost": with_one_lost_and_cure(speed.plan, performance),
            "rebuild": rebuild_sentence(performance),
            "rebuild-limit": _rebuild_limit(speed),
        }
        for name, words in said.items():
            self._sentences[name].setText(words)
            self._sentences[name].setVisible(bool(words))
        states = [state for one in performance.speeds.values() for state in (one.normal, one.degraded, one.rebuilding)]
        assumed = [f"• {translated(one)}" for one in each_assumption(states)]
        self._assumed.setText("\n".join([rests_on(speed.plan.disks()), *assumed, tr(_HOST)]))


def _columns() -> tuple[Column, ...]:
    return (
        Column(tr("Workload"), lambda one: Cell(one.name)),
        Column(tr("As planned"), lambda one: Cell(in_words(one.speeds.normal))),
        Column(tr("One disk lost"), lambda one: Cell(in_words(one.speeds.degraded))),
        Column(tr("While it is rebuilt"), lambda one: Cell(_rebuilding(one.speeds))),
        Column(tr("One disk alone"), lambda one: Cell(in_words(one.one_disk)), spare=True),
        Column(tr("Limited by"), lambda one: Cell(_limit(one.speeds), hint=_limit(one.speeds)), stretch=True),
    )


def _rebuilding(speeds: WorkloadSpeeds) -> str:
    return in_words(speeds.rebuilding) if speeds.rebuilding is not None else "–"


def _limit(speeds: WorkloadSpeeds) -> str:
    return translated(speeds.normal.limited_by) if speeds.normal is not None else "–"


def _rebuild_limit(speed: Speed) -> str:
    limit = speed.performance.rebuild_limited_by
    return tr("What limits the rebuild: {limit}.", limit=translated(limit)) if limit else ""


_HOST = say("• what the computer's processor and memory do, typical of today's; none of it was measured here.")
