"""The built array: its size beside the planned one, its device, and its resync, live."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QVBoxLayout, QWidget

from raidwright.analysis.findings.of_host import kernel_of
from raidwright.core.layers.commands import device_path
from raidwright.core.md.layouts import Level
from raidwright.core.md.sync import IDLE
from raidwright.core.messages import say
from raidwright.machine.states.volume import State
from raidwright.text.array.condition import progress_words
from raidwright.text.array.sync_actions import action_words, is_first_sync
from raidwright.text.catalogue import decimal_size, ended, joined, ntr, other_size, tr, translated
from raidwright.ui.after_build.next_card import NextCard
from raidwright.ui.after_build.recovery_card import RecoveryCardPanel
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.alerts.model import AlertsModel
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.panel import Panel, badge, button, label, restyle, row, scrolled

from .checklist import Checklist
from .model import BuildModel, Built

_BY_SPARE = (Level.RAID4, Level.RAID5)  # mdadm makes them with a spare, whose sync looks like a rebuild
_UNDO = say("Stop the array and put back what was on the disks before. Only as long as nothing was put on it.")
_SYNC_STAYS = say("Undo puts back what the disks' first and last megabytes held.")
_CARD = say("Order, serials, offsets and the commands that bring the array back: to print and to keep elsewhere.")


class BuiltPage(QWidget):
    """The page. ``measure_wanted`` asks for the Measure station, ``another_wanted`` for disks of another array."""

    measure_wanted = Signal()
    another_wanted = Signal()

    def __init__(self, model: BuildModel, alerts: AlertsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._alerts = model, alerts
        self._saved_cards: set[str] = set()  # arrays, by UUID, whose recovery card was saved or printed
        inner = QWidget()
        box = QVBoxLayout(inner)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(self._array_panel())
        self._next = NextCard(model.next_steps, says_so_far=False)
        box.addWidget(self._next)
        self._told = button(tr("When a disk fails …"), "built-messages")
        self._told.clicked.connect(self._open_alerts)
        self._checklist = Checklist({"card": self._card_buttons(), "told": (self._told,)})
        box.addWidget(self._checklist)
        box.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scrolled(inner))
        model.changed.connect(self._show)
        alerts.changed.connect(self._show)
        model.next_steps.done.connect(alerts.look)  # mdadm.conf may have got an address
        self._show()

    @Slot()
    def _open_alerts(self) -> None:
        self._alerts.look()
        AlertsDialog(self._alerts, self.window()).open()

    def _array_panel(self) -> Panel:
        panel = Panel()
        self._title = label("", "headline", name="built-title")
        self._size = label("", "figure", name="built-size")
        self._binary = label("", "unit", name="built-binary")
        self._verdict = badge("", "good")
        self._verdict.setObjectName("built-verdict")
        self._sectors = label("", "dim", name="built-sectors", wrap=True)
        self._where = label("", "dim", name="built-where")
        self._where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sync = label("", name="built-sync", wrap=True)
        self._bar = QProgressBar()
        self._bar.setAccessibleName(tr("How far it is"))
        self._bar.setObjectName("built-sync-bar")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 10000)
        self._measure = button(tr("Measure it →"), "built-measure", primary=True)
        self._measure.clicked.connect(self.measure_wanted)
        figures = row(self._size, self._binary, spacing=SPACE_S)
        figures.setAlignment(self._binary, Qt.AlignmentFlag.AlignBottom)
        figures.addStretch(1)
        told = row(spacing=SPACE_S)
        told.addWidget(self._verdict, 0, Qt.AlignmentFlag.AlignTop)
        told.addWidget(self._sectors, 1)
        self._undo = button(tr("Undo the build"), "built-undo", hint=translated(_UNDO))
        self._undo.clicked.connect(self._model.undo)
        self._why_not = label("", "dim", name="built-undo-why-not", wrap=True)
        self._failure = label("", "error", name="built-failure", wrap=True)
        another = button(tr("Plan another array"), "built-another", hint=tr("Choose other disks; this array stays."))
        another.clicked.connect(self.another_wanted)
        self._trial = button(tr("Compare with its trial"), "built-trial")
        self._trial.clicked.connect(self._model.trial_wanted)
        way_on = wrapping(self._measure, self._trial, another, self._undo)
        self._tried = label("", "dim", name="built-tried", wrap=True)
        parts = (self._title, figures, told, self._where, SPACE_M, self._sync, self._bar, SPACE_M, way_on)
        for part in (*parts, self._tried, self._why_not, self._failure):
            if isinstance(part, int):
                panel.body.addSpacing(part)
            elif isinstance(part, QWidget):
                panel.body.addWidget(part)
            else:
                panel.body.addLayout(part)
        return panel

    def _card_buttons(self) -> tuple[QPushButton, ...]:
        card = button(tr("Save the recovery card …"), "built-card", hint=translated(_CARD))
        card.clicked.connect(lambda: self._with_card(RecoveryCardPanel.ask_where))
        paper = button(tr("Print it …"), "built-print", hint=translated(_CARD))
        paper.clicked.connect(lambda: self._with_card(RecoveryCardPanel.ask_printer))
        return card, paper

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: ask whether the build can still be undone: others may have written to the array."""
        super().showEvent(event)
        self._model.look_wanted.emit()

    @Slot()
    def _show(self) -> None:
        built = self._model.built_array
        if built is None:
            return
        self._show_built(built)
        self._show_lack(self._model.array)
        self._undo.setVisible(bool(built.result.build_id))
        why_not = self._model.why_not_undo if built.result.build_id else ""
        self._undo.setEnabled(not why_not)
        self._why_not.setText(why_not)
        self._why_not.setVisible(bool(why_not))
        self._say_failure(self._model.job.failure)
        trial = self._model.trial
        self._trial.setVisible(trial is not None and bool(trial.as_built))
        self._tried.setText(
            tr("Its layout was measured in a shoot-out. Measure the array, and compare the two.")
            if trial is not None and not trial.as_built
            else ""
        )
        self._tried.setVisible(bool(self._tried.text()))
        self._show_sync(self._model.array)
        self._show_checklist(built)

    def _show_checklist(self, built: Built) -> None:
        model, result = self._model, built.result
        log, card_saved = result.log or (result.command,), result.uuid in self._saved_cards
        self._told.setVisible(self._alerts.facts is not None)
        self._checklist.show_steps(model.array, model.next_steps, self._alerts.facts, log, card_saved=card_saved)

    @Slot(str)
    def _card_saved(self, uuid: str) -> None:
        self._saved_cards.add(uuid)
        self._show()

    def _with_card(self, ask: Callable[[RecoveryCardPanel], None]) -> None:
        if (built := self._model.built_array) is not None:
            plan, made_by = built.assessment.plan, kernel_of(self._model.snapshot.host)
            card = RecoveryCardPanel(plan, built.result.uuid, self.window(), self._say_failure, made_by=made_by)
            card.saved.connect(self._card_saved)
            ask(card)

    def _say_failure(self, sentence: str) -> None:
        self._failure.setText(f"✕ {sentence}" if sentence else "")
        self._failure.setVisible(bool(sentence))

    def _show_built(self, built: Built) -> None:
        result, plan = built.result, built.assessment.plan
        size = result.array_sectors * 512
        self._title.setText(tr("“{name}” is built", name=plan.name))
        self._size.setText(decimal_size(size))
        self._binary.setText(other_size(size))
        sectors, planned = result.array_sectors, built.assessment.capacity.array_sectors
        has_others = self._model.has_other_disks
        if has_others and built.is_as_planned:
            self._verdict.setText(tr("a disk was replaced"))
            words = tr("{sectors:,} sectors of 512 bytes, as planned; not all disks are the plan's.", sectors=sectors)
        elif built.is_as_planned:
            self._verdict.setText(tr("✓ as planned"))
            words = tr("{sectors:,} sectors of 512 bytes: exactly what the plan said.", sectors=sectors)
        else:
            self._verdict.setText(tr("differs"))
            words = tr(
                "{sectors:,} sectors of 512 bytes; the plan had said {planned:,}.", sectors=sectors, planned=planned
            )
        tone = "warn" if not built.is_as_planned else "info" if has_others else "good"
        self._verdict.setProperty("badge", tone)
        restyle(self._verdict)
        self._sectors.setText(words)
        self._where.setText(
            tr("{path} · {device} · UUID {uuid}", path=device_path(plan.top), device=result.device, uuid=result.uuid)
        )

    def _show_lack(self, array: State | None) -> None:
        """Show that a degraded array isn't as planned, and its next step."""
        is_degraded = array is not None and bool(array.degraded or array.lacks)
        is_coming = array is not None and any(place.is_coming for place in array.places)
        runs = array is None or array.running
        self._measure.setEnabled(runs)
        self._next.setVisible(runs)  # mounting and assembly at boot apply to degraded arrays, too
        if not runs:
            self._verdict.setText(tr("stopped"))
            self._verdict.setProperty("badge", "bad" if is_degraded else "warn")
            restyle(self._verdict)
        elif is_degraded and array is not None and not (_is_unclear(array) or is_first_sync(array)):
            self._verdict.setText(tr("⟳ not whole yet") if is_coming else tr("✕ degraded"))
            self._verdict.setProperty("badge", "warn" if is_coming else "bad")
            restyle(self._verdict)

    def _show_sync(self, array: State | None) -> None:
        syncing = array is not None and array.sync_action not in IDLE
        self._bar.setVisible(syncing)
        if array is None:
            self._sync.setText(tr("Waiting for the machine to show it …"))
        elif not array.running:
            self._sync.setText(
                tr("It doesn't run. Start it at the station Arrays, or it starts with the computer the next time.")
            )
        elif syncing:
            self._bar.setValue(round(array.sync_fraction * 10000))
            stays = "" if self._model.why_not_undo else translated(_SYNC_STAYS)
            self._sync.setText(joined(_sync_words(array), stays))
        else:
            state = (
                ntr("Degraded: {count} missing.", "Degraded: {count} missing.", array.degraded)
                if array.degraded
                else ""
            )
            self._sync.setText(state or tr("In sync: every copy and all parity are written."))


def _sync_words(array: State) -> str:
    progress = f"{action_words(array)}: {progress_words(array)}"
    return joined(ended(progress), tr("The array can be used meanwhile."))


def _is_unclear(array: State) -> bool:
    """Return whether a raid5's first sync isn't told from a lost disk yet: members or facts are missing."""
    is_asked = any(one.facts is None and one.level in _BY_SPARE for one in array.arrays)
    return not array.lacks or (is_asked and all(lack.last is None for lack in array.lacks))
