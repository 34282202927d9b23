"""The repair page of an array: its slots, the replacement disk, and the result."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from raidwright.core.errors import InputError
from raidwright.core.protocol.facts import CheckState
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.machine.states.volume import State
from raidwright.text.array import condition as words
from raidwright.text.array.checks import check_words, parity_words
from raidwright.text.array.repair import rebuilt_words
from raidwright.text.array.sync_actions import action_words, is_first_sync
from raidwright.text.catalogue import joined, tr, translated
from raidwright.text.disk.facts import disk_name
from raidwright.text.shown import Tone
from raidwright.ui.after_build.recovery_card import RecoveryCardPanel
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.locating import LocateRow
from raidwright.ui.widgets.panel import Panel, badge, button, label, restyle, row, scrolled

from .choice import RepairForm
from .model import RepairModel, RepairStage
from .slots import Slots


class RepairPage(QWidget):
    """The page of ``RepairModel``'s array, from the failure to the final check."""

    def __init__(self, model: RepairModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("repair-page")
        self._model = model
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        self._choice = RepairForm(model)
        for part in (self._array_panel(), self._choice, self._end_panel()):
            box.addWidget(part)
        box.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scrolled(inner))
        model.changed.connect(self._show)
        self._show()

    def _array_panel(self) -> Panel:
        panel = Panel()
        self._title = label("", "headline", name="repair-title")
        self._state = badge("", "bad")
        self._state.setObjectName("repair-state")
        leave = button(tr("Close"), "repair-close")
        leave.clicked.connect(self._model.close)
        head = row(self._title, self._state, spacing=SPACE_M)
        head.addStretch(1)
        head.addWidget(leave)
        self._hint = label("", name="repair-hint", wrap=True)
        self._bar = QProgressBar()
        self._bar.setAccessibleName(tr("How far it is"))
        self._bar.setObjectName("repair-bar")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 10000)
        self._progress = label("", name="repair-progress", wrap=True)
        self._failure = label("", "error", name="repair-failure", wrap=True)
        panel.body.addLayout(head)
        for part in (
            self._hint,
            Slots(self._model),
            LocateRow(self._model.locating),
            self._bar,
            self._progress,
            self._failure,
        ):
            panel.body.addWidget(part)
        return panel

    def _end_panel(self) -> Panel:
        self._end = panel = Panel(tr("What is left to do"))
        self._ended = label("", name="repair-ended", wrap=True)
        self._check = button(tr("Check it now"), "repair-check", primary=True)
        self._check.clicked.connect(self._model.start_check)
        self._old = button(tr("Remove the old disk"), "repair-old")
        self._old.clicked.connect(self._model.remove_old)
        card = button(tr("Save the new recovery card …"), "repair-card")
        card.clicked.connect(lambda: self._with_card(RecoveryCardPanel.ask_where))
        paper = button(tr("Print it …"), "repair-print")
        paper.clicked.connect(lambda: self._with_card(RecoveryCardPanel.ask_printer))
        self._checked = label("", name="repair-checked", wrap=True)
        ways = row(self._check, self._old, card, paper, spacing=SPACE_S)
        ways.addStretch(1)
        panel.body.addWidget(self._ended)
        panel.body.addLayout(ways)
        panel.body.addWidget(self._checked)
        return panel

    @Slot()
    def _show(self) -> None:
        model, array = self._model, self._model.array
        if array is None:
            return
        stage = model.stage
        self._title.setText(f"“{array.name}”")
        state, tone = self._state_of(array, stage)
        self._state.setText(state)
        if self._state.property("badge") != tone:
            self._state.setProperty("badge", tone)
            restyle(self._state)
        self._hint.setText(self._hint_of(array, stage))
        self._hint.setVisible(bool(self._hint.text()))
        is_busy = stage is RepairStage.REBUILDING or array.sync_action not in ("", "idle")
        self._bar.setVisible(is_busy)
        self._bar.setValue(round(array.sync_fraction * 10000))
        self._progress.setVisible(is_busy)
        self._progress.setText(f"{action_words(array)}: {words.progress_words(array)}")
        self._failure.setText(f"✕ {model.job.failure}" if model.job.failure else "")
        self._failure.setVisible(bool(model.job.failure))
        self._choice.setVisible(stage is RepairStage.CHOOSE and not words.has_failed(array))
        self._end.setVisible(stage is RepairStage.DONE)
        self._show_end(array)

    def _hint_of(self, array: State, stage: RepairStage) -> str:
        if stage is RepairStage.WAITING:
            return joined(*(words.waiting_words(array, lack) for lack in array.lacks))
        care = joined(words.unreadable_words(array), parity_words(array), self._model.care)
        care = care if stage is RepairStage.CHOOSE else ""
        if stage is RepairStage.CHOOSE and not words.is_degraded(array):
            whole = tr("Nothing is missing. Choose the disk that is to go; it serves until its copy is whole.")
            return joined(whole, care)
        return care

    def _state_of(self, array: State, stage: RepairStage) -> tuple[str, Tone]:
        if words.has_failed(array):
            return tr("✕ has failed"), "bad"
        if stage is RepairStage.REBUILDING:
            return (tr("⟳ first sync"), "info") if is_first_sync(array) else (tr("⟳ being rebuilt"), "warn")
        return (tr("✕ degraded"), "bad") if words.is_degraded(array) else (tr("✓ healthy"), "good")

    def _show_end(self, array: State) -> None:
        model = self._model
        old, check = model.old, model.check
        said = [rebuilt_words(array)]
        if old and old.member:
            said.append(
                tr(
                    "{disk} has been replaced and is no longer used: remove it from the array, then pull it.",
                    disk=disk_name(old.member),
                )
            )
        said.append(tr("The recovery card of before names other disks; keep a new one away from this computer."))
        self._ended.setText(joined(*said))
        self._old.setVisible(old is not None)
        self._old.setEnabled(not model.job.is_busy)
        is_checking = array.sync_action == "check"
        self._check.setEnabled(not model.job.is_busy and not is_checking and array.sync_action == "idle")
        is_over = check is not None and check.state is not CheckState.RUNNING
        self._checked.setText(check_words(check) if check and is_over and not is_checking else "")
        self._checked.setVisible(bool(self._checked.text()))

    def _with_card(self, ask: Callable[[RecoveryCardPanel], None]) -> None:
        if (array := self._model.array) is None:
            return
        try:
            plan, inner = plan_of(array, self._model.arrays), inner_uuids(array, self._model.arrays)
            ask(RecoveryCardPanel(plan, array.uuid, self.window(), self._say_failure, inner, array.made_by))
        except InputError as error:
            self._say_failure(translated(error.sentence))

    def _say_failure(self, sentence: str) -> None:
        self._failure.setText(f"✕ {sentence}")
        self._failure.setVisible(True)
