"""The dialog of a change: disks to add, the ways beside each other, the chosen one's steps, and the typed name."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QDialog,
    QHeaderView,
    QPlainTextEdit,
    QProgressBar,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from raidwright.core.md.changes.values import ChangeWay
from raidwright.core.md.survival import survival_of
from raidwright.core.messages import say
from raidwright.text.catalogue import decimal_size, joined, tr, translated
from raidwright.text.changes import becomes_words
from raidwright.text.survival import survival_sentence
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.name_field import NameField
from raidwright.ui.widgets.panel import button, column, label, row

from .model import ChangeModel
from .wishes import Wishes

_WIDTH, _HEIGHT = 860, 620
_HEADS = (say("Becomes"), say("Meanwhile, failures survived"), say("Afterwards"))
_HINT = say(
    "The helper takes the steps one after the other and continues when this window is closed. After a crash the same "
    "change continues with what is left. All that is on the added disks is overwritten."
)


class ChangeDialog(QDialog):
    """The dialog on one array; closing it ends nothing."""

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
        self._ways = _ways_table()
        self._ways.itemSelectionChanged.connect(self._choose)
        self._steps = QPlainTextEdit()
        self._steps.setObjectName("change-steps")
        self._steps.setReadOnly(True)
        self._steps.setAccessibleName(tr("The steps of the change"))
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
        self._shown: tuple[ChangeWay, ...] | None = None
        self._lay_out(title, leave)
        model.changed.connect(self._show)
        self._show()

    def _lay_out(self, title: str, leave: QWidget) -> None:
        none_free = "" if self._disks else tr("There is no free disk that could be added.")
        disks = column(label(none_free or tr("Disks to add"), "dim"), *self._disks, spacing=SPACE_S)
        ways = row(self._name, self._go, self._why_not, spacing=SPACE_S)
        ways.setStretch(2, 1)
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
    def _choose(self) -> None:
        rows = {item.row() for item in self._ways.selectedItems()}
        if rows and self._shown is self._model.ways:
            self._model.choose(min(rows))

    @Slot()
    def _show(self) -> None:
        model = self._model
        if self._shown is not model.ways:
            self._fill()
        if self._steps.toPlainText() != model.steps:
            self._steps.setPlainText(model.steps)
        busy = model.job.is_busy
        self._name.show_typed(model.array.name)
        for part in (*self._disks, self._wishes, self._ways, self._name):
            part.setEnabled(not busy)
        self._go.setEnabled(not model.why_not)
        self._why_not.setText(model.why_not)
        self._progress.setVisible(busy)
        self._progress.setValue(round(100 * model.job.progress.fraction))
        self._said.setText(f"✕ {model.job.failure}" if model.job.failure else model.said)

    def _fill(self) -> None:
        ways = self._model.ways
        self._shown = None  # the selection changes meanwhile
        self._ways.setRowCount(len(ways))
        for number, way in enumerate(ways):
            for place, text in enumerate(_cells(way)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self._ways.setItem(number, place, item)
        if self._model.chosen in ways:
            self._ways.selectRow(ways.index(self._model.chosen))
        self._shown = ways


def _ways_table() -> QTableWidget:
    table = QTableWidget(0, len(_HEADS))
    table.setObjectName("change-ways")
    table.setAccessibleName(tr("Possible changes"))
    table.setHorizontalHeaderLabels([translated(head) for head in _HEADS])
    heads = table.horizontalHeader()
    heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    heads.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    heads.setSectionResizeMode(len(_HEADS) - 1, QHeaderView.ResizeMode.Stretch)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setTabKeyNavigation(False)
    return table


def _cells(way: ChangeWay) -> tuple[str, str, str]:
    """Return the shape that it becomes, the failures survived meanwhile, and the survival afterwards."""
    if not way.possible:
        level = way.wish.level or way.before.level
        return tr("✕ {level}", level=level), "–", joined(*map(translated, way.refusals))
    if not way.steps:
        return becomes_words(way), "–", tr("It is like this already.")
    return becomes_words(way), str(way.survives), survival_sentence(survival_of(way.after))
