"""The controls of a replay: read or write, size, and offset; off until requested."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QLineEdit, QWidget

from raidwright.core.errors import InputError
from raidwright.core.units import parse_size
from raidwright.text.catalogue import binary_size, tr, translated
from raidwright.ui.tokens import SPACE_S
from raidwright.ui.widgets.inputs import ComboBox
from raidwright.ui.widgets.panel import button, column, label, row
from raidwright.ui.widgets.segmented import Choice, Segmented

from .replay import LARGEST_BYTES, SMALLEST_BYTES, Access

_SIZES = ("4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB")


class ReplayBar(QWidget):
    """The controls. ``changed`` follows the access; ``access`` is None if the input is invalid."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replay")
        self._write = False
        self._kind = Segmented("replay-kind", tr("Replay a"))
        self._kind.chosen.connect(self._choose_kind)
        self._size = self._sizes()
        self._offset = QLineEdit("0")
        self._offset.setObjectName("replay-offset")
        self._offset.setAccessibleName(tr("Offset in the array, as 0, 1 MiB or 2 TB"))
        self._offset.setToolTip(self._offset.accessibleName())
        self._offset.setMinimumWidth(72)
        self._offset.textEdited.connect(self.changed)
        back, on = button("‹", "replay-back"), button("›", "replay-on")
        for step, press, words in ((-1, back, tr("Previous access")), (1, on, tr("Next access"))):
            press.setAccessibleName(words)
            press.setToolTip(words)
            press.setProperty("kind", "toggle")
            press.clicked.connect(lambda _checked, by=step: self._step(by))
        self._sentence = label("", name="replay-sentence", wrap=True)
        self._sentence.setMinimumHeight(2 * self._sentence.fontMetrics().lineSpacing() + 2)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._lines = row(self._kind, self._size), row(label(tr("at"), "dim"), self._offset, back, on)
        self._controls = row(*self._lines)
        self.setLayout(column(self._controls, self._sentence))
        self._show_kind()

    def minimumSizeHint(self) -> QSize:
        """Qt: return the size with the controls in two lines."""
        return QSize(max(line.minimumSize().width() for line in self._lines), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: put the controls into one line, or into two where they don't fit."""
        ways = QBoxLayout.Direction
        is_wide = self.width() >= sum(line.sizeHint().width() for line in self._lines) + SPACE_S
        self._controls.setDirection(ways.LeftToRight if is_wide else ways.TopToBottom)
        super().resizeEvent(event)

    @property
    def access(self) -> Access | None:
        """The access; None, with an error in the bar, if the input is invalid."""
        try:
            size = parse_size(self._size.currentText().partition("·")[0])
            offset = _parse_offset(self._offset.text())
        except InputError as error:
            self.say(translated(error.sentence))
            return None
        if not SMALLEST_BYTES <= size <= LARGEST_BYTES:
            limits = (binary_size(SMALLEST_BYTES), binary_size(LARGEST_BYTES))
            self.say(tr("An access of {least} to {most} can be replayed.", least=limits[0], most=limits[1]))
            return None
        return Access(offset, size, self._write)

    def say(self, sentence: str) -> None:
        """Show the result."""
        self._sentence.setText(sentence)

    def offer_stripe(self, stripe_bytes: int) -> None:
        """Add a full stripe to the sizes; 0 for none."""
        stripe = tr("{size} · a full stripe", size=tr("{kib} KiB", kib=stripe_bytes // 1024))
        with QSignalBlocker(self._size):
            while self._size.count() > len(_SIZES):
                self._size.removeItem(self._size.count() - 1)
            if SMALLEST_BYTES <= stripe_bytes <= LARGEST_BYTES:
                self._size.addItem(stripe)

    def _sizes(self) -> ComboBox:
        sizes = ComboBox()
        sizes.setObjectName("replay-size")
        sizes.setAccessibleName(tr("How much"))
        sizes.setToolTip(tr("Choose a size or type one, as 12 KiB."))
        edit = QLineEdit(sizes)
        edit.setObjectName("replay-size-edit")
        edit.setAccessibleName(sizes.accessibleName())
        sizes.setLineEdit(edit)
        sizes.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        sizes.addItems(_SIZES)
        sizes.setMinimumContentsLength(6)
        sizes.currentTextChanged.connect(self.changed)
        return sizes

    @Slot(str)
    def _choose_kind(self, kind: str) -> None:
        self._write = kind == "write"
        self._show_kind()
        self.changed.emit()

    def _show_kind(self) -> None:
        choices = (Choice("read", tr("Read")), Choice("write", tr("Write")))
        self._kind.show_choices(choices, "write" if self._write else "read")

    def _step(self, by: int) -> None:
        if access := self.access:
            offset = max(0, access.offset_bytes + by * access.size_bytes)
            kib, rest = divmod(offset, 1024)
            self._offset.setText(str(offset) if rest or not kib else f"{kib} KiB")
            self.changed.emit()


def _parse_offset(text: str) -> int:
    """Return the offset in bytes, from a number or a size with its unit; raise InputError."""
    plain = text.strip().replace(",", "")
    return int(plain) if plain.isascii() and plain.isdigit() else parse_size(plain)
