"""The menu of published questions: each chooses the layouts, the suite and the time at once."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from raidwright.core.errors import InputError
from raidwright.core.system.filesystem import ALIGNED_KINDS
from raidwright.operations.shootout.studies import STUDIES, Study
from raidwright.text.catalogue import tr
from raidwright.text.studies import study_hint, study_name

from .model import ProveModel

_MINUTES = (30, 60, 120, 240, 480, 960, 24 * 60)


class StudyMenu(QPushButton):
    """The button with the menu."""

    def __init__(self, model: ProveModel, parent: QWidget | None = None) -> None:
        super().__init__(tr("Known questions"), parent)
        self.setObjectName("prove-studies")
        self.setAccessibleName(tr("Known questions"))
        self.setToolTip(tr("Questions of published studies: each chooses the layouts and what is measured."))
        self.setProperty("kind", "toggle")
        self._model = model
        menu = QMenu(self)
        menu.setObjectName("prove-studies-menu")
        menu.setToolTipsVisible(True)
        self._actions: dict[Study, QAction] = {}
        for study in Study:
            action = menu.addAction(study_name(study))
            action.setObjectName(f"prove-study-{study}")
            action.setToolTip(study_hint(study))
            action.triggered.connect(lambda _checked, study=study: ask(model, study))
            self._actions[study] = action
        menu.aboutToShow.connect(self._offer)
        self.setMenu(menu)

    @Slot()
    def _offer(self) -> None:
        for study, action in self._actions.items():
            action.setEnabled(len(self._model.disks) >= STUDIES[study].min_disks)


def ask(model: ProveModel, study: Study) -> None:
    """Choose what ``study`` asks for, of the chosen disks, and as many minutes as it needs."""
    question = STUDIES[study]
    try:
        plans = question.plans([disk.as_member() for disk in model.disks])
    except InputError:
        return  # too few disks; its entry isn't enabled then
    model.choose_suite(str(question.suite))
    model.choose_cross_paired(question.cross_paired)
    model.choose_rebuilding(False)
    model.choose_btrfs(len(question.kinds) > len(ALIGNED_KINDS))
    model.choose_degraded(len(question.states) > 1)
    for place in model.chosen:
        model.toggle(place)
    model.make([plan for plan in plans if plan not in model.offered])
    for place in {place for place, plan in enumerate(model.offered) if plan in plans} - model.chosen:
        model.toggle(place)
    for minutes in _MINUTES:
        if model.contest is not None:
            break
        model.choose_minutes(minutes)
