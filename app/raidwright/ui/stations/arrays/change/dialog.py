"""The dialog of a change: disks to add, the ways beside each other, the chosen one's steps, and the typed name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialog, QProgressBar, QWidget

from raidwright.core.messages import say
from raidwright.text.catalogue import decimal_size, tr, translated
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import button, column, label, row

from .model import ChangeModel
from .steps import StepsText
from .ways import WaysTable
from .wishes import Wishes

_WIDTH, _HEIGHT = 980, 660
_MIN_TABLE_HEIGHT = 158  # its head, and four rows
_HINT = say(
    "The helper takes the steps one after the other and continues when this window is closed. After a crash the same "
    "change continues with what is left. All that is on the added disks is overwritten."
)


class ChangeDialog(QDialog):
    """The dialog on one array; closing it ends nothing. ``card_wanted(str)``: the changed array, by its UUID."""

    card_wanted = Signal(str)

    def __init__(self, model: ChangeModel, parent: QWidget) -> None:
        super().__init__(parent)
        model.setParent(self)
        self._model = model
        title = tr("Change “{name}”", name=model.array.name)
        self.setObjectName("change-dialog")
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_WIDTH, _HEIGHT)
        self._disks = [QCheckBox(f"{disk.model} {disk.serial} ({decimal_size(disk.size_bytes)})") for disk in
                       model.newcomers]  # fmt: skip
        for box in self._disks:
            box.setObjectName("change-disk")
            box.toggled.connect(self._add)
        self._wishes = Wishes(model.askable)
        self._wishes.wanted.connect(model.wish)
        self._ways = WaysTable()
        self._ways.setMinimumHeight(_MIN_TABLE_HEIGHT)
        self._ways.way_chosen.connect(model.choose)
        self._steps = StepsText()
        self._name = NameField(model, "change-name", width=None)
        self._go = button(tr("Change it"), "change-go", primary=True)
        self._go.setAutoDefault(False)
        self._go.clicked.connect(model.go)
        leave = button(tr("Close"), "change-leave")
        leave.setAutoDefault(False)
        leave.clicked.connect(self.reject)
        self._why_not = label("", "dim", name="change-why-not", wrap=True)
        self._progress = QProgressBar()
        self._progress.setAccessibleName(tr("Progress of the change"))
        self._said = label("", name="change-said", wrap=True)
        self._card = button(tr("Save the new recovery card …"), "change-card")
        self._card.setAutoDefault(False)
        self._card.clicked.connect(lambda: self.card_wanted.emit(model.array.uuid))
        self._lay_out(title, leave)
        model.changed.connect(self._show)
        self._show()

    def _lay_out(self, title: str, leave: QWidget) -> None:
        none_free = "" if self._disks else tr("There is no free disk that could be added.")
        disks = column(label(none_free or tr("Disks to add"), "dim"), *self._disks, spacing=SPACE_S)
        ways = row(self._name, self._go, self._why_not, spacing=SPACE_S)
        ways.setStretch(2, 1)
        ways.addWidget(self._card)
        ways.addWidget(leave)
        whole = column(label(title, "headline"), spacing=SPACE_M)
        whole.addLayout(disks)
        whole.addWidget(self._wishes)
        whole.addWidget(self._ways, 1)
        whole.addWidget(self._steps, 2)
        whole.addWidget(label(translated(_HINT), "dim", wrap=True))
        whole.addWidget(self._progress)
        whole.addWidget(self._said)
        whole.addLayout(ways)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)

    @Slot()
    def _add(self) -> None:
        chosen = zip(self._disks, self._model.newcomers, strict=True)
        self._model.add(tuple(disk for box, disk in chosen if box.isChecked()))

    @Slot()
    def _show(self) -> None:
        model = self._model
        self._ways.show_ways(model.rows, model.chosen)
        self._steps.show_steps(model.first, model.steps, model.rest)
        busy = model.job.is_busy
        self._name.show_typed(model.array.name)
        for part in (*self._disks, self._wishes, self._ways, self._name):
            part.setEnabled(not busy)
        self._go.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not)
        self._progress.setVisible(busy)
        self._progress.setValue(round(100 * model.job.progress.fraction))
        self._said.setText(f"✕ {model.job.failure}" if model.job.failure else model.said)
        self._said.setVisible(bool(self._said.text()))
        self._card.setVisible(bool(model.said))
