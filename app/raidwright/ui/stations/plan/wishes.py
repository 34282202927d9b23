"""What matters to a person: how many failures to survive, five weights, and two conditions."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_S, SPACE_XS
from raidwright.ui.widgets.inputs import Slider
from raidwright.ui.widgets.panel import label
from raidwright.ui.widgets.segmented import Choice, Segmented

from .ranking import RankingModel

_MOST_FAILURES = 3


class WishesForm(QWidget):
    """Edits the RankingModel's wishes; the candidates follow while a slider moves.

    Moves that come faster than they can be shown are ranked once, when nothing else waits.
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
        self._survive = Segmented("must-survive", tr("Must survive"))
        self._survive.chosen.connect(self._choose_survive)
        grid.addWidget(label(tr("Must survive"), "dim"), 0, 0)
        grid.addWidget(self._survive, 0, 1)
        weights = (
            ("space", tr("Space"), tr("How much fits.")),
            ("safety", tr("Safety"), tr("How unlikely it is that the array, or a sector of it, is lost.")),
            ("reading", tr("Reading"), tr("Large reads, by an estimate from the layout alone.")),
            ("writing", tr("Writing"), tr("Large writes, by an estimate from the layout alone.")),
            (
                "random",
                tr("Random"),
                tr("Small accesses everywhere, by an estimate from the layout alone."),
            ),
        )
        for place, (field, title, hint) in enumerate(weights, start=1):
            name = label(title, "dim")
            name.setToolTip(hint)
            grid.addWidget(name, place, 0)
            grid.addWidget(self._slider(field, title, hint), place, 1)
        conditions = (
            ("will_grow", tr("Will add disks later")),
            ("must_boot", tr("Must boot from it")),
        )
        for place, (field, title) in enumerate(conditions, start=len(weights) + 1):
            grid.addWidget(self._box(field, title), place, 0, 1, 2)
        self._show_survive()

    def _slider(self, field: str, title: str, hint: str) -> Slider:
        slider = Slider()
        slider.setObjectName(f"wish-{field}")
        slider.setAccessibleName(title)
        slider.setAccessibleDescription(hint)
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

    def _show_survive(self) -> None:
        choices = [Choice(str(count), str(count)) for count in range(_MOST_FAILURES + 1)]
        self._survive.show_choices(choices, str(self._model.wishes.must_survive))

    @Slot(str)
    def _choose_survive(self, count: str) -> None:
        self._model.wish(must_survive=int(count))
        self._show_survive()
