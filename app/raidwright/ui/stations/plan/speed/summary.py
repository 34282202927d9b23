"""The tile of the speed: bars with ranges and one disk's line, what a lost disk leaves, and the way to the page."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.core.system.workload import Workload
from raidwright.text.catalogue import tr, translated
from raidwright.text.plan.how_fast import (
    against_one_disk,
    by_place_words,
    rebuild_in_brief,
    rebuild_sentence,
    rests_on,
    scattered_hint,
    scattered_words,
    with_one_lost,
)
from raidwright.text.plan.speed import WISHED
from raidwright.ui.widgets.in_sight import InSight
from raidwright.ui.widgets.panel import Panel, button, label, row

from .model import SpeedModel
from .rows import SpeedRows


class SpeedSummary(Panel):
    """The tile. ``details_wanted`` asks for the page of speeds. Predictions are made when the event loop is idle."""

    details_wanted = Signal()

    def __init__(self, model: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setObjectName("speed-summary")
        self._model = model
        names: dict[str, str] = {workload: translated(name) for workload, name in WISHED.items()}
        self._rows = SpeedRows(names, ("normal",), "speed", in_one_line=True)
        self._scattered = label("", "dim", name="speed-scattered", wrap=True)
        self._by_place = label("", "dim", name="speed-by-place", wrap=True)
        self._lost = label("", "dim", name="speed-lost", wrap=True)
        self._rebuild = label("", "dim", name="speed-rebuild", wrap=True)
        self._basis = label("", "dim", name="speed-basis")
        details = button(tr("All speeds"), "speed-details")
        details.setProperty("kind", "link")
        details.setAccessibleDescription(tr("Every workload, and what its speed rests on."))
        details.clicked.connect(self.details_wanted)
        head = row(label(tr("Speed"), "title"), self._basis)
        head.addStretch(1)
        head.addWidget(details)
        self.body.addLayout(head)
        for part in (self._rows, self._scattered, self._by_place, self._lost, self._rebuild):
            self.body.addWidget(part)
        InSight(self, model.changed, self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Update the predictions of the present plan."""
        speed = self._model.speed
        if speed is None:
            return
        performance = speed.performance
        self._rows.show_speed(speed.of_working_set())
        writes = performance.speeds[Workload.RANDOM_WRITE_4K_Q32].normal
        self._scattered.setText(scattered_words(writes, speed.working_set.normal))
        self._scattered.setVisible(bool(self._scattered.text()))
        _explain(self._scattered, scattered_hint())
        self._basis.setText(tr("· line: one disk"))
        _explain(self._basis, "\n".join((self._rows.key, rests_on(speed.plan.disks()))))
        self._by_place.setText(by_place_words(speed.plan))
        self._by_place.setVisible(speed.plan.volume is not None)
        self._lost.setText(with_one_lost(speed.plan, performance))
        _explain(self._lost, against_one_disk(speed.plan, performance, speed.alone))
        self._rebuild.setText(rebuild_in_brief(performance))
        self._rebuild.setVisible(bool(self._rebuild.text()))
        _explain(self._rebuild, rebuild_sentence(performance))


def _explain(words: QWidget, hint: str) -> None:
    words.setToolTip(hint)
    words.setAccessibleDescription(hint)
