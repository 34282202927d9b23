"""The field of an assumption: name, value, editor, range and source."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.analysis.reliability.assumptions import DISTRIBUTIONS, AssumedRange
from raidwright.analysis.reliability.loss import Loss
from raidwright.text.catalogue import tr, translated
from raidwright.ui.tokens import SPACE_XS
from raidwright.ui.widgets.inputs import Slider
from raidwright.ui.widgets.panel import button, label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from .model import LossModel
from .scales import Scale, stated


class AssumptionField(QWidget):
    """Edits one assumption of the LossModel; the loss follows while the slider moves, the plan when it is released."""

    def __init__(self, model: LossModel, scale: Scale, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._scale = model, scale
        self._value = label("", name=f"assume-{scale.name}-value")
        self._range = label("", "dim", name=f"assume-{scale.name}-range", wrap=True)
        self._range.setToolTip(translated(DISTRIBUTIONS))
        self._source = label("", "dim", name=f"assume-{scale.name}-source", wrap=True)
        self._source.hide()
        self._why = why = button(tr("Source"), f"assume-{scale.name}-why")
        why.setProperty("kind", "link")
        why.setCheckable(True)
        why.setAccessibleName(tr("Source: {title}", title=scale.title))
        why.toggled.connect(self._source.setVisible)
        self._reset = button(tr("Reset"), f"assume-{scale.name}-reset")
        self._reset.setProperty("kind", "link")
        self._reset.setAccessibleName(tr("Reset: {title}", title=scale.title))
        self._reset.clicked.connect(lambda: model.forget(scale.name))
        head = row(label(scale.title, "title"))
        head.addStretch(1)
        head.addWidget(self._reset)
        head.addWidget(self._value)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addLayout(head)
        self._slider = self._make_slider() if scale.stops else None
        self._choices = self._make_choices() if scale.choices else None
        for control in (self._slider, self._choices):
            if control is not None:
                box.addWidget(control)
        box.addWidget(label(scale.meaning, wrap=True))
        ground = row(self._range, why)
        ground.setStretch(0, 1)
        ground.setAlignment(why, Qt.AlignmentFlag.AlignTop)
        box.addLayout(ground)
        box.addWidget(self._source)

    def _make_slider(self) -> Slider:
        slider = Slider()
        slider.setObjectName(f"assume-{self._scale.name}")
        slider.setAccessibleName(self._scale.title)
        slider.setRange(0, len(self._scale.stops) - 1)
        slider.setPageStep(4)
        slider.valueChanged.connect(self._slide)
        slider.sliderReleased.connect(self._let_go)
        return slider

    def _make_choices(self) -> Segmented:
        choices = Segmented(f"assume-{self._scale.name}-choice", self._scale.title)
        choices.chosen.connect(lambda key: self._model.assume(self._scale.name, float(key)))
        return choices

    def show_loss(self, loss: Loss) -> None:
        """Show the assumption's value in ``loss``."""
        scale, assumed = self._scale, stated(loss, self._scale.name)
        values = {one.likely for _model, one in assumed}
        value = values.pop() if len(values) == 1 else None
        self._value.setText(scale.say(value) if value is not None else tr("by disk"))
        self._range.setText("\n".join(self._ranged(model, one) for model, one in assumed))
        sources = dict.fromkeys(translated(one.source) for _model, one in assumed if one.safer != one.worse)
        self._source.setText("\n".join(sources))
        self._why.setVisible(bool(sources))
        self._source.setVisible(bool(sources) and self._why.isChecked())
        self._reset.setVisible(self._model.can_assume and self._model.is_given(scale.name))
        shown = value if value is not None else max(one.likely for _model, one in assumed)
        if self._slider is not None:
            if not self._slider.isSliderDown():
                with QSignalBlocker(self._slider):
                    self._slider.setValue(scale.nearest(shown))
            self._slider.setEnabled(self._model.can_assume)
            self._slider.setAccessibleDescription(self._value.text())
        if self._choices is not None:
            offered = [Choice(repr(one), text) for one, text in scale.choices]
            self._choices.show_choices(offered, repr(shown))
            self._choices.setEnabled(self._model.can_assume)

    def _ranged(self, model: str, assumed: AssumedRange) -> str:
        """Return a model's range; the source, which is short, of a value without one."""
        least, most = map(self._scale.say, sorted((assumed.safer, assumed.worse)))
        said = tr("{least} to {most} ({distribution})", least=least, most=most, distribution=assumed.distribution)
        return " · ".join(filter(None, (model, said if assumed.safer != assumed.worse else translated(assumed.source))))

    @Slot(int)
    def _slide(self, place: int) -> None:
        value = self._scale.stops[place]
        if self._slider is not None and self._slider.isSliderDown():
            self._model.move(self._scale.name, value)
        else:
            self._model.assume(self._scale.name, value)

    @Slot()
    def _let_go(self) -> None:
        if self._slider is not None and self._model.is_given(self._scale.name):
            self._model.assume(self._scale.name, self._scale.stops[self._slider.value()])
