"""The Build station: review the writes, confirm by name, watch the progress, and see the built array."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.alerts.model import AlertsModel
from raidwright.ui.imagined.practice_alike import PracticeAlike
from raidwright.ui.phase import Phase
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.panel import Notice

from .built_array import BuiltPage
from .model import BuildModel
from .review import Review


class BuildStation(QWidget):
    """The station. ``disks_wanted``, ``plan_wanted`` and ``measure_wanted`` ask for other stations."""

    disks_wanted = Signal()
    plan_wanted = Signal()
    measure_wanted = Signal()

    def __init__(
        self, model: BuildModel, alike: PracticeAlike, alerts: AlertsModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("build-station")
        self._model = model
        self._notice = Notice("build-notice")
        self._notice.acted.connect(self.plan_wanted)
        self._review = Review(model, alike)
        self._built_page = BuiltPage(model, alerts)
        self._built_page.measure_wanted.connect(self.measure_wanted)
        self._built_page.another_wanted.connect(self.disks_wanted)
        whole = QWidget()
        self._layers = QStackedLayout(whole)
        for part in (self._notice, self._review, self._built_page):
            self._layers.addWidget(part)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.setSpacing(SPACE_M)
        box.addWidget(whole, 1)
        model.changed.connect(self._show)
        self._show()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt: focus the field for the array's name."""
        super().focusInEvent(event)
        if self._layers.currentWidget() is self._review:
            self._review.take_focus()

    @Slot()
    def _show(self) -> None:
        if self._model.phase is Phase.BUILT:
            self._layers.setCurrentWidget(self._built_page)
        elif self._model.draft.assessment is None:
            self._notice.say(
                tr("There is no plan to build yet"),
                self._model.draft.refusal or tr("Choose disks and a layout first; nothing is written until here."),
                tr("To the plan"),
            )
            self._layers.setCurrentWidget(self._notice)
        else:
            self._layers.setCurrentWidget(self._review)
