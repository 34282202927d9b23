"""The form of a loss's inputs: the years, and the assumptions for all disks and for each."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from raidwright.core.model.assumed import ASSUMED
from raidwright.text.catalogue import tr
from raidwright.text.plan.loss import years_words
from raidwright.ui.tokens import SPACE_L, SPACE_S
from raidwright.ui.widgets.inputs import Slider
from raidwright.ui.widgets.panel import Panel, button, column, label, row, scrolled
from raidwright.ui.widgets.segmented import Choice, Segmented

from .each_disk import EachDisk
from .field import AssumptionField
from .model import LossModel
from .scales import scales

_MAX_YEARS = 30
_ALL, _EACH = "all", "each"


class AssumptionsForm(Panel):
    """The form of the LossModel; ``back_wanted`` asks for the plan."""

    back_wanted = Signal()

    def __init__(self, model: LossModel, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._model = model
        back = button(tr("← Back to the plan"), "loss-back")
        back.clicked.connect(self.back_wanted)
        self._reset = button(tr("Reset all"), "loss-reset-all")
        self._reset.clicked.connect(model.forget_all)
        head = row(back)
        head.addStretch(1)
        head.addWidget(self._reset)
        self.body.addLayout(head)
        self._years_words = label("", name="loss-years-value")
        years = row(label(tr("Over how many years"), "title"))
        years.addStretch(1)
        years.addWidget(self._years_words)
        self.body.addSpacing(SPACE_S)
        self.body.addLayout(years)
        self._years = self._years_slider()
        self.body.addWidget(self._years)
        self.body.addSpacing(SPACE_S)
        self._fields = tuple(AssumptionField(model, scale) for scale in scales())
        self._note = label(tr("Kept with the plan; each change can be undone."), "dim", wrap=True)
        self.body.addWidget(self._note)
        self.body.addLayout(self._lists(), 1)
        model.changed.connect(self._show)
        self._show()

    def _years_slider(self) -> Slider:
        slider = Slider()
        slider.setObjectName("loss-years")
        slider.setAccessibleName(tr("Over how many years"))
        slider.setRange(1, _MAX_YEARS)
        slider.setPageStep(5)
        slider.setValue(round(self._model.years))
        slider.valueChanged.connect(lambda years: self._model.set_years(float(years)))
        return slider

    def _lists(self) -> QVBoxLayout:
        """Return the two lists of assumptions, for all disks and for each, as stacked pages."""
        of = Segmented("loss-assumed-of", tr("Assumptions"))
        of.show_choices([Choice(_ALL, tr("All disks")), Choice(_EACH, tr("Disk by disk"))], _ALL)
        lists = QWidget()
        layers = QStackedLayout(lists)
        layers.addWidget(scrolled(self._of_all()))
        layers.addWidget(scrolled(EachDisk(self._model)))
        of.chosen.connect(lambda key: layers.setCurrentIndex(1 if key == _EACH else 0))
        return column(of, lists)

    def _of_all(self) -> QWidget:
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, SPACE_S, 0)
        box.setSpacing(SPACE_L)
        for field in self._fields:
            box.addWidget(field)
        box.addStretch(1)
        return inner

    @Slot()
    def _show(self) -> None:
        self._years_words.setText(years_words(self._model.years))
        self._reset.setEnabled(self._model.can_assume and any(self._model.is_given(name) for name in ASSUMED))
        if self._model.loss is not None:
            for field in self._fields:
                field.show_loss(self._model.loss)
