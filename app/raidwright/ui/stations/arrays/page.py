"""The Arrays station: a card for each array of the machine, and the page on which a disk of one is replaced."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from raidwright.core.errors import InputError
from raidwright.core.messages import say
from raidwright.core.model.names import is_scratch_name
from raidwright.machine.array_plan import inner_uuids, plan_of
from raidwright.machine.states.volume import State
from raidwright.machine.values import Named
from raidwright.session import Session
from raidwright.text.alerts import alert_line
from raidwright.text.catalogue import joined, tr, translated
from raidwright.ui.after_build.next_steps import NextSteps
from raidwright.ui.after_build.recovery_card import RecoveryCardPanel
from raidwright.ui.alerts.dialog import AlertsDialog
from raidwright.ui.alerts.model import AlertsModel
from raidwright.ui.stations.arrays.change.dialog import ChangeDialog
from raidwright.ui.stations.arrays.change.model import ChangeModel
from raidwright.ui.stations.arrays.repair.model import RepairModel, RepairStage
from raidwright.ui.stations.arrays.repair.page import RepairPage
from raidwright.ui.stations.arrays.rescue.dialog import RescueDialog
from raidwright.ui.tokens import SPACE_L, SPACE_M
from raidwright.ui.widgets.locating import LocateRow
from raidwright.ui.widgets.panel import Notice, Panel, badge, button, label, row, scrolled

from .card import ArrayCard
from .confirmation import Confirmation
from .limit import LimitDialog
from .model import ArraysModel
from .set_up import SetUpPage

_LOST_HINT = say(
    "Its disks are here, but none has a superblock of md any more: by its recovery card, or in every order."
)


class ArraysStation(QWidget):
    """The station. ``disks_wanted`` and ``prove_wanted`` ask for the stations Disks and Prove."""

    disks_wanted = Signal()
    prove_wanted = Signal()

    def __init__(
        self,
        model: ArraysModel,
        repair: RepairModel,
        alerts: AlertsModel,
        session: Session,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("arrays-station")
        self._model, self._repair, self._alerts = model, repair, alerts
        self._cards: dict[str, ArrayCard] = {}
        alerts.changed.connect(self._show_alerts)
        self._notice = Notice("arrays-notice")
        self._notice.acted.connect(self._leave_notice)
        self._notice.also_acted.connect(self._rescue_lost)
        self._list = QWidget()
        self._fill_list()
        self._repair_page = RepairPage(repair)
        self._set_up = SetUpPage(NextSteps(session, self))
        self._sets_up = False
        self._set_up.closed.connect(self._close_set_up)
        model.set_up_wanted.connect(self._open_set_up)
        whole = QWidget()
        self._layers = QStackedLayout(whole)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.addWidget(whole)
        for part in (self._notice, self._list, self._repair_page, self._set_up):
            self._layers.addWidget(part)
        model.replace_wanted.connect(repair.open)
        model.rescue_wanted.connect(self._rescue)
        model.change_wanted.connect(self._change)
        model.limit_wanted.connect(self._limit)
        model.card_wanted.connect(self._save_card)
        model.changed.connect(self._show)
        repair.changed.connect(self._show)
        self._show()

    @Slot(object, str)
    def _open_set_up(self, array: Named, mounted_at: str) -> None:
        self._set_up.open(array, mounted_at)
        self._sets_up = True
        self._show()

    @Slot(object)
    def _change(self, array: State) -> None:

        session, snapshot = self._model.seen
        dialog = ChangeDialog(ChangeModel(session, array, snapshot), self)
        dialog.card_wanted.connect(self._save_changed_card)
        dialog.open()

    @Slot(object)
    def _limit(self, array: State) -> None:
        LimitDialog(self._model, array, self.window()).open()

    @Slot(object)
    def _rescue(self, array: State) -> None:

        RescueDialog(self._model.seen[0], array, self.window()).open()

    @Slot()
    def _rescue_lost(self) -> None:
        """Bring an array back that isn't listed, since none of its disks has a superblock any more."""
        RescueDialog(self._model.seen[0], None, self.window()).open()

    @Slot(str)
    def _save_changed_card(self, uuid: str) -> None:
        if (changed := next((one for one in self._model.arrays if one.uuid == uuid), None)) is not None:
            self._save_card(changed)

    @Slot(object)
    def _save_card(self, array: State) -> None:
        model = self._model
        try:
            plan, inner = plan_of(array, model.arrays), inner_uuids(array, model.arrays)
        except InputError as error:
            model.refuse(translated(error.sentence))
            return
        RecoveryCardPanel(plan, array.uuid, self.window(), model.refuse, inner, array.made_by).ask_where()

    @Slot()
    def _open_alerts(self) -> None:
        self._alerts.look()
        AlertsDialog(self._alerts, self.window()).open()

    @Slot()
    def _show_alerts(self) -> None:
        facts = self._alerts.facts
        self._told.setText(alert_line(facts) if facts else "")
        for part in (self._told, self._messages):
            part.setVisible(facts is not None)

    @Slot()
    def _close_set_up(self) -> None:
        self._sets_up = False
        self._show()

    def _fill_list(self) -> None:
        inner = QWidget()
        self._rows = QVBoxLayout(inner)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(SPACE_M)
        self._rows.addWidget(self._trial_card())
        self._rows.addStretch(1)
        self._said = label("", name="arrays-said", wrap=True)
        self._back = button(tr("Bring the array back"), "arrays-back")
        self._back.clicked.connect(self._model.bring_back)
        self._failure = label("", "error", name="arrays-failure", wrap=True)
        said = row(spacing=SPACE_M)
        said.addWidget(self._said, 1)
        said.addWidget(self._back)
        self._told = label("", "dim", name="arrays-told", wrap=True)
        self._messages = button(tr("When a disk fails …"), "arrays-messages")
        self._messages.clicked.connect(self._open_alerts)
        self._lost = button(_lost_words(), "arrays-lost", hint=tr(_LOST_HINT))
        self._lost.clicked.connect(self._rescue_lost)
        told = row(self._told, self._lost, self._messages, spacing=SPACE_M)
        told.setAlignment(self._lost, Qt.AlignmentFlag.AlignLeft)
        told.setStretch(0, 1)
        whole = QVBoxLayout(self._list)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(SPACE_M)
        whole.addWidget(scrolled(inner), 1)
        whole.addWidget(LocateRow(self._model.locating))
        whole.addWidget(self._failure)
        whole.addLayout(said)
        whole.addWidget(Confirmation(self._model))
        whole.addLayout(told)
        self._show_alerts()

    @Slot()
    def _show(self) -> None:
        model, arrays = self._model, self._model.arrays
        self._show_cards()
        has_trial = any(is_scratch_name(array.name) for array in model.seen[1].arrays)
        self._trial.setVisible(has_trial)
        self._said.setText(model.job.at or model.said)
        self._said.setVisible(bool(self._said.text()))
        self._back.setVisible(bool(model.way_back))
        self._back.setEnabled(not model.job.is_busy)
        self._failure.setText(f"✕ {model.job.failure}" if model.job.failure else "")
        self._failure.setVisible(bool(model.job.failure))
        if self._repair.stage is not RepairStage.CLOSED:
            self._layers.setCurrentWidget(self._repair_page)
        elif self._sets_up:
            self._layers.setCurrentWidget(self._set_up)
        elif model.problem and not model.job.is_busy:
            self._show_notice()
        elif arrays or has_trial or model.said or model.job.failure:
            self._layers.setCurrentWidget(self._list)
        else:
            self._show_notice()

    def _trial_card(self) -> Panel:
        """Return the card of whatever a shoot-out has built, which comes and goes by itself."""
        self._trial = Panel()
        self._trial.setObjectName("arrays-trial")
        see = button(tr("See it"), "arrays-trial-see")
        see.clicked.connect(self.prove_wanted)
        line = row(badge(tr("Trial"), "info"), label(tr("Layouts are being tried on chosen disks. The arrays built for "
                   "that are removed at its end."), "dim", wrap=True), see, spacing=SPACE_M)  # fmt: skip
        line.setStretch(1, 1)
        self._trial.body.addLayout(line)
        return self._trial

    @Slot()
    def _leave_notice(self) -> None:
        if self._model.problem:
            self._model.seen[0].turn_again()
        else:
            self.disks_wanted.emit()

    def _show_notice(self) -> None:
        if problem := self._model.problem:
            names = [array.name for array in self._model.arrays]
            seen = tr("When last seen there were: {arrays}.", arrays=names) if names else ""
            self._notice.say(tr("The arrays can't be seen"), joined(problem, seen), tr("Try again"))
        else:
            self._notice.say(
                tr("There are no arrays on this machine"),
                tr(
                    "Plug in the disks of one, and it appears here by itself, whichever computer it comes from. Or "
                    "plan one on free disks."
                ),
                tr("To the disks"),
                _lost_words(),
            )
        self._layers.setCurrentWidget(self._notice)

    def _show_cards(self) -> None:
        arrays = {array.uuid: array for array in self._model.arrays}
        self._model.seek_runs()
        for gone in self._cards.keys() - arrays.keys():
            card = self._cards.pop(gone)
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, (uuid, array) in enumerate(arrays.items()):
            if uuid not in self._cards:
                self._cards[uuid] = ArrayCard(self._model)
            if self._rows.indexOf(self._cards[uuid]) != place:
                self._rows.insertWidget(place, self._cards[uuid])
            self._cards[uuid].show_array(array)


def _lost_words() -> str:
    return tr("Rescue an array that isn't listed …")
