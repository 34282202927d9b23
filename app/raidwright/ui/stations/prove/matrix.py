"""Custom candidates: levels × chunks × numbers of disks, added at once."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLayout, QPushButton, QVBoxLayout, QWidget

from raidwright.analysis.advice.matrix import read_shapes
from raidwright.core.model.plan import Plan
from raidwright.text.catalogue import ntr, tr
from raidwright.text.plan.names import chunk_words
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_XS
from raidwright.ui.widgets.panel import button, column, label, row

from .model import ProveModel

_SHAPES = (
    *("raid0", "raid1", "raid4", "raid5", "raid5:la", "raid5:rs", "raid5:ra"),
    *("raid6", "raid6:la", "raid6:rs", "raid6:ra", "raid1+0", "raid50", "raid60"),
    *("raid10:n2", "raid10:o2", "raid10:f2", "raid10:n3", "raid10:o3", "raid10:f3"),
)
_CHUNKS_KIB = (64, 128, 256, 512, 1024)
_CHOSEN_AT_FIRST = ("raid5", "raid10:f2", "512")
_A_LINE, _NUMBERS_A_LINE = 7, 12  # chips; two lines hold a case of 24 disks


class MatrixDialog(QDialog):
    """The dialog: every combination of the checked chips is a candidate, unless mdadm would refuse it."""

    def __init__(self, model: ProveModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setObjectName("matrix-dialog")
        self.setWindowTitle(tr("Make candidates"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        count = len(model.disks)
        self._shapes = self._chips("level", [(one, one.replace(":", " ")) for one in _SHAPES])
        self._chunks = self._chips("chunk", [(str(kib), chunk_words(kib)) for kib in _CHUNKS_KIB])
        self._counts = self._chips("members", [(str(number), str(number)) for number in range(2, count + 1)])
        for chip in self._all:
            chip.setChecked(chip.property("value") in (*_CHOSEN_AT_FIRST, str(count)))
        self._said = label("", "dim", name="matrix-said", wrap=True)
        self._make = button("", "matrix-make", primary=True)
        self._make.clicked.connect(self._add)
        every = button(tr("Every layout of these levels"), "matrix-every")
        every.setToolTip(tr("Press the other layouts of each level that is pressed."))
        every.clicked.connect(self._press_every_layout)
        leave = button(tr("Cancel"), "matrix-cancel")
        leave.clicked.connect(self.reject)
        ways = QHBoxLayout()
        ways.addWidget(every)
        ways.addStretch(1)
        ways.addWidget(leave)
        ways.addWidget(self._make)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.setSpacing(SPACE_M)
        box.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)  # else a low screen squeezes the chips
        for title, chips, a_line in (
            (tr("Levels and layouts"), self._shapes, _A_LINE),
            (tr("Chunks, where the level has any"), self._chunks, _A_LINE),
            (tr("Disks each, the first of those chosen"), self._counts, _NUMBERS_A_LINE),
        ):
            lines = [row(*chips[at : at + a_line], spacing=SPACE_XS) for at in range(0, len(chips), a_line)]
            for line in lines:
                line.addStretch(1)
            box.addLayout(column(label(title, "dim"), *lines, spacing=SPACE_XS))
        box.addWidget(self._said)
        box.addLayout(ways)
        for chip in self._all:
            chip.toggled.connect(self._show)
        self._show()

    @property
    def _all(self) -> tuple[QPushButton, ...]:
        return (*self._shapes, *self._chunks, *self._counts)

    def _chips(self, kind: str, values: Sequence[tuple[str, str]]) -> tuple[QPushButton, ...]:
        return tuple(
            _chip(f"matrix-{kind}-{value.replace(':', '-').replace('+', '-')}", value, text) for value, text in values
        )

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans of the checked chips."""
        shapes, chunks, counts = (
            [str(chip.property("value")) for chip in chips if chip.isChecked()]
            for chips in (self._shapes, self._chunks, self._counts)
        )
        return self._model.matrix(
            read_shapes(",".join(shapes)) if shapes else (), [*map(int, chunks)], [*map(int, counts)]
        )

    @Slot()
    def _press_every_layout(self) -> None:
        levels = {str(chip.property("value")).partition(":")[0] for chip in self._shapes if chip.isChecked()}
        for chip in self._shapes:
            if str(chip.property("value")).partition(":")[0] in levels:
                chip.setChecked(True)

    @Slot()
    def _show(self) -> None:
        count = len(self.plans)
        self._make.setText(ntr("Add {count} candidate", "Add {count} candidates", count))
        self._make.setEnabled(count > 0)
        self._said.setText(
            tr("What mdadm would refuse is left out, and what is there already. All of them share the time granted.")
        )

    @Slot()
    def _add(self) -> None:
        self._model.make(self.plans)
        self.accept()


def _chip(name: str, value: str, text: str) -> QPushButton:
    chip = button(text, name)
    chip.setCheckable(True)
    chip.setProperty("kind", "toggle")
    chip.setProperty("value", value)
    return chip
