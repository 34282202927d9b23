"""Fields of the rescue dialog for the facts that a person remembers of an array without any superblock."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from raidwright.core.md.layouts import RAID5_LAYOUTS, RAID6_LAYOUTS, Level
from raidwright.core.model.plan import Metadata
from raidwright.reading.card import kept_facts
from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.inputs import ComboBox, SpinBox
from raidwright.ui.widgets.panel import button, column, label, row

_CHUNK_KIB = 512  # mdadm's default since 3.1
_MAX_CHUNK_KIB = 2**20
_LAYOUTS = {
    Level.RAID5: tuple(RAID5_LAYOUTS),
    Level.RAID6: tuple(RAID6_LAYOUTS),
    Level.RAID10: ("n2", "f2", "o2", "n3", "f3", "o3"),
}


class RescueFacts(QWidget):
    """Level, layout, chunk and metadata. ``told(Kept)``: the orders are made by them."""

    told = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level, self._layout, self._chunk, self._metadata = ComboBox(), ComboBox(), SpinBox(), ComboBox()
        for level in Level:
            self._level.addItem(str(level), level)
        self._level.setCurrentIndex(list(Level).index(Level.RAID5))
        self._chunk.setRange(4, _MAX_CHUNK_KIB)
        self._chunk.setValue(_CHUNK_KIB)
        self._chunk.setSuffix(tr(" KiB"))
        for metadata in Metadata:
            self._metadata.addItem(str(metadata), metadata)
        self._metadata.setCurrentIndex(list(Metadata).index(Metadata.V1_2))
        named = (
            (self._level, "rescue-level", tr("Level")),
            (self._layout, "rescue-layout", tr("Layout")),
            (self._chunk, "rescue-chunk", tr("Chunk")),
            (self._metadata, "rescue-metadata", tr("Metadata")),
        )
        fields = row(spacing=SPACE_S)
        for part, name, words in named:
            part.setObjectName(name)
            part.setAccessibleName(words)
            shown = label(words, "dim")
            shown.setBuddy(part)
            fields.addWidget(shown)
            fields.addWidget(part)
        fields.addStretch(1)
        self.go = button(tr("List every order of the disks"), "rescue-orders")
        self.go.setAutoDefault(False)
        self.go.clicked.connect(self._tell)
        words = tr("Without a card: what you remember of it. A wrong guess finds nothing, and harms nothing.")
        ways = row(self.go, spacing=SPACE_S)
        ways.addStretch(1)
        box = column(label(words, "dim", wrap=True), fields, ways, spacing=SPACE_S)
        box.setContentsMargins(0, 0, 0, 0)
        self.setLayout(box)
        self._level.currentIndexChanged.connect(self._show_layouts)
        self._show_layouts()

    @Slot()
    def _show_layouts(self) -> None:
        level = self._level.currentData()
        self._layout.clear()
        self._layout.addItem(tr("mdadm's default"), "")
        for name in _LAYOUTS.get(level, ()):
            self._layout.addItem(name, name)
        self._layout.setEnabled(level in _LAYOUTS)
        self._chunk.setEnabled(Level(level).is_chunked)

    @Slot()
    def _tell(self) -> None:
        level = Level(self._level.currentData())
        chunk_kib = self._chunk.value() if level.is_chunked else None
        self.told.emit(kept_facts(level, self._layout.currentData(), chunk_kib, self._metadata.currentData()))
