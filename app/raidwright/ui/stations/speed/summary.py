"""The speed beside the plan: a sentence or two, bars with ranges, and a link to the page."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.text.catalogue import tr, translated
from raidwright.text.how_fast import against_one_disk, rebuild_sentence, rests_on, with_one_lost
from raidwright.text.speed import WISHED
from raidwright.ui.tokens import SPACE_XS
from raidwright.ui.widgets.in_sight import InSight
from raidwright.ui.widgets.panel import button, label, row

from .model import SpeedModel
from .rows import SpeedRows


class SpeedSummary(QWidget):
    """The summary. ``details_wanted`` asks for the page of speeds. Predictions are made when the event loop is idle."""

    details_wanted = Signal()

    def __init__(self, model: SpeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speed-summary")
        self._model = model
        self._sentence = label("", name="speed-sentence", wrap=True)
        names: dict[str, str] = {workload: translated(name) for workload, name in WISHED.items()}
        self._rows = SpeedRows(names, ("normal", "degraded"), "speed", figures_at_right=True)
        self._lost = label("", name="speed-lost", wrap=True)
        self._key = label("", "dim", name="speed-key", wrap=True)
        self._rebuild = label("", name="speed-rebuild", wrap=True)
        self._basis = label("", "dim", name="speed-basis", wrap=True)
        details = button(tr("Details"), "speed-details")
        details.setProperty("kind", "link")
        details.setAccessibleDescription(tr("Every workload, and what its speed rests on."))
        details.clicked.connect(self.details_wanted)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addWidget(label(tr("How fast"), "title"))
        for part in (self._sentence, self._lost, self._rows, self._key, self._rebuild, self._basis):
            box.addWidget(part)
            box.addSpacing(SPACE_XS)
        foot = row(details)
        foot.addStretch(1)
        box.addLayout(foot)
        InSight(self, model.changed, self.refresh)

    @Slot()
    def refresh(self) -> None:
        """Update the predictions of the present plan."""
        speed = self._model.speed
        if speed is None:
            return
        performance = speed.performance
        self._sentence.setText(against_one_disk(speed.plan, performance, speed.alone))
        self._rows.show_speed(speed)
        self._key.setText(self._rows.key)
        self._lost.setText(with_one_lost(speed.plan, performance))
        self._rebuild.setText(rebuild_sentence(performance))
        self._basis.setText(rests_on(speed.plan.disks()))
        for part in (self._sentence, self._rebuild):
            part.setVisible(bool(part.text()))
