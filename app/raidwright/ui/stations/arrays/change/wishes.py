"""The row of choices beside the disks to add: another chunk, another layout, fewer members, another consistency."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.core.md.changes.values import ChangeWish
from raidwright.core.messages import say
from raidwright.text.array.changes import wish_words
from raidwright.text.catalogue import translated
from raidwright.ui.tokens import SPACE_M, SPACE_XS
from raidwright.ui.widgets.flow import wrapping
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.panel import column, label

_KINDS = (
    ("change-chunk", say("Chunk")),
    ("change-layout", say("Layout")),
    ("change-members", say("Members")),
    ("change-consistency", say("After a power cut")),
)
_AS_IT_IS = say("unchanged")


class Wishes(QWidget):
    """A combo box per kind of ``askable`` that has something to ask for; ``wanted(ChangeWish)`` has all of them."""

    wanted = Signal(object)

    def __init__(self, askable: tuple[tuple[ChangeWish, ...], ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: list[ComboBox] = []
        held: list[QWidget] = []
        for (name, title), wishes in zip(_KINDS, askable, strict=bool(askable)):
            if not wishes:
                continue
            box = ComboBox()
            box.setObjectName(name)
            box.setAccessibleName(translated(title))
            box.addItem(translated(_AS_IT_IS), ChangeWish())
            for wish in wishes:
                box.addItem(wish_words(wish), wish)
            box.currentIndexChanged.connect(self._choose)
            self._boxes.append(box)
            one = QWidget()
            one.setLayout(column(label(translated(title), "dim"), box, spacing=SPACE_XS))
            held.append(one)
        self.setLayout(column(wrapping(*held, spacing=SPACE_M)))
        if not held:
            self.hide()

    @Slot()
    def _choose(self) -> None:
        asked = ChangeWish()
        for box in self._boxes:
            one: ChangeWish = box.currentData()
            asked = replace(
                asked,
                chunk_kib=one.chunk_kib or asked.chunk_kib,
                layout=one.layout or asked.layout,
                slots=one.slots or asked.slots,
                consistency=one.consistency or asked.consistency,
            )
        self.wanted.emit(asked)
