"""The user's wishes: failures to survive, five weights, and two conditions."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from raidwright.core.messages import say
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.plan.how_fast import rests_on
from raidwright.ui.tokens import SPACE_S, SPACE_XS
from raidwright.ui.widgets.inputs import Slider
from raidwright.ui.widgets.panel import label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from .ranking import RankingModel

_MAX_FAILURES = 3
_HINTS = {
    "space": say("How much fits."),
    "safety": say("How unlikely it is that the array, or a sector of it, is lost."),
    "reading": say("One large file read."),
    "writing": say("One large file written."),
    "random": say("Small accesses everywhere, many at once."),
}
_SPEEDS = frozenset({"reading", "writing", "random"})


class WishesForm(QWidget):
    """The form of the RankingModel's wishes; the candidates follow while a slider moves.

    Fast moves are ranked once, when the event loop is idle.
    """

    def __init__(self, model: RankingModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._wished: dict[str, int] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._wish)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_XS + 1)
        grid.setColumnMinimumWidth(0, 78)
        grid.setColumnStretch(1, 1)
        self._survive = Segmented("must-survive", tr("Disks that may fail"))
        self._survive.chosen.connect(self._choose_survive)
        grid.addWidget(label(tr("Disks that may fail"), "dim"), 0, 0)
        grid.addWidget(self._survive, 0, 1)
        weights = (
            ("space", tr("Space")),
            ("safety", tr("Safety")),
            ("reading", tr("Reading")),
            ("writing", tr("Writing")),
            ("random", tr("Small accesses")),
        )
        self._weights = {field: (label(title, "dim"), self._slider(field, title)) for field, title in weights}
        for place, (name, slider) in enumerate(self._weights.values(), start=1):
            grid.addWidget(name, place, 0)
            grid.addWidget(slider, place, 1)
        ends = row(label(tr("not at all"), "dim"))
        ends.addStretch(1)
        ends.addWidget(label(tr("a lot"), "dim"))
        grid.addLayout(ends, len(weights) + 1, 1)
        conditions = (
            ("will_grow", tr("Will add disks later")),
            ("must_boot", tr("Must boot from it")),
        )
        self._boxes = {field: self._box(field, title) for field, title in conditions}
        for place, box in enumerate(self._boxes.values(), start=len(weights) + 2):
            grid.addWidget(box, place, 0, 1, 2)
        self._show_wishes()
        self._basis = ""
        model.changed.connect(self._show_hints)
        model.changed.connect(self._show_wishes)  # they may have been changed elsewhere
        self._show_hints()

    @Slot()
    def _show_hints(self) -> None:
        """Update each wish's tooltip, with the basis of speeds on these disks."""
        basis = rests_on(self._model.pool)
        if basis == self._basis:
            return
        self._basis = basis
        for field, (name, slider) in self._weights.items():
            hint = translated(_HINTS[field])
            if field in _SPEEDS:
                hint = joined(hint, basis)
            name.setToolTip(hint)
            slider.setAccessibleDescription(hint)

    def _slider(self, field: str, title: str) -> Slider:
        slider = Slider()
        slider.setObjectName(f"wish-{field}")
        slider.setAccessibleName(title)
        slider.setRange(0, 100)
        slider.setPageStep(10)
        slider.setValue(getattr(self._model.wishes, field))
        slider.valueChanged.connect(lambda value: self._move(field, value))
        return slider

    def _move(self, field: str, value: int) -> None:
        self._wished[field] = value
        self._soon.start()

    @Slot()
    def _wish(self) -> None:
        wished, self._wished = self._wished, {}
        self._model.wish(**wished)

    def _box(self, field: str, title: str) -> QCheckBox:
        box = QCheckBox(title)
        box.setObjectName(f"wish-{field}")
        box.setAccessibleName(title)
        box.toggled.connect(lambda checked: self._model.wish(**{field: checked}))
        return box

    @Slot()
    def _show_survive(self) -> None:
        choices = [Choice(str(count), str(count)) for count in range(_MAX_FAILURES + 1)]
        self._survive.show_choices(choices, str(self._model.wishes.must_survive))

    @Slot()
    def _show_wishes(self) -> None:
        """Show the wishes, except on a slider being moved."""
        self._show_survive()
        wishes = self._model.wishes
        for field, (_name, slider) in self._weights.items():
            if field not in self._wished and slider.value() != getattr(wishes, field):
                with QSignalBlocker(slider):
                    slider.setValue(getattr(wishes, field))
        for field, box in self._boxes.items():
            if box.isChecked() is not getattr(wishes, field):
                with QSignalBlocker(box):
                    box.setChecked(getattr(wishes, field))

    @Slot(str)
    def _choose_survive(self, count: str) -> None:
        self._model.wish(must_survive=int(count))
        self._show_survive()
