"""The way from a built array to the comparison with its trial in a shoot-out."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QSizePolicy, QWidget

from raidwright.runs.trials import Trial
from raidwright.text.catalogue import tr
from raidwright.text.run import measurements
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import Panel, button, label

from .model import OFFERED_SUITES, MeasureModel


class TrialPanel(Panel):
    """The panel, shown while the chosen array's layout was tried on its disks."""

    def __init__(self, model: MeasureModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("As built against its trial"), parent=parent)
        self._model = model
        self._words = label("", "dim", name="trial-words", wrap=True)
        self._compare = button(tr("Compare with its trial"), "trial-compare")
        self._compare.clicked.connect(model.compare_trial)
        self._measure = button(tr("Measure as in the trial"), "trial-measure")
        self._measure.clicked.connect(model.measure_as_tried)
        self.body.addWidget(self._words)
        self.body.addWidget(wrapping(self._compare, self._measure))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        for changed in (model.changed, model.runs_changed):
            changed.connect(self.show_trial)
        self.show_trial()

    @Slot()
    def show_trial(self) -> None:
        """Show the trial of the model's target; nothing without one."""
        trial = self._model.trial
        self.setVisible(trial is not None)
        if trial is None:
            return
        self._words.setText(trial_words(trial))
        self._compare.setVisible(bool(trial.as_built))
        series = trial.runs[0].series
        is_offered = series is not None and series.name in OFFERED_SUITES
        self._measure.setVisible(is_offered and not trial.is_measured_alike)
        self._measure.setEnabled(not self._model.job.is_busy)


def trial_words(trial: Trial) -> str:
    """Return the sentence on an array's trial, and the next step."""
    when = measurements.when(trial.runs[-1].started)
    if not trial.as_built:
        return tr("Its layout was measured in a shoot-out ({when}). Measure the array to compare them.", when=when)
    if not trial.is_measured_alike:
        return tr(
            "Its layout was measured in a shoot-out ({when}), on the first part of the disks. Measured there, too, "
            "they compare.",
            when=when,
        )
    return tr("Its layout was measured in a shoot-out ({when}), in the same part of the disks.", when=when)
