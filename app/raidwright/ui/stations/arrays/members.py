"""An array's members as small tiles in slot order: slot and place, serial number, state."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from raidwright.text.array.cards import MemberLine
from raidwright.ui.tokens import SPACE_M, SPACE_S
from raidwright.ui.widgets.flow import Flow
from raidwright.ui.widgets.panel import clear, label


class MemberTiles(QWidget):
    """The tiles, in as many lines as they need."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[MemberLine, ...] = ()
        self._flow = Flow(spacing=SPACE_S)
        self.setLayout(self._flow)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_members(self, members: tuple[MemberLine, ...]) -> None:
        """Show ``members``; unchanged ones aren't made anew."""
        if members == self._shown:
            return
        self._shown = members
        clear(self._flow)
        for member in members:
            tile = _Tile(member)
            self._flow.addWidget(tile)
            tile.show()
        self.updateGeometry()


class _Tile(QFrame):
    def __init__(self, member: MemberLine) -> None:
        super().__init__()
        self.setProperty("tile", member.tone)
        self.setToolTip(member.hint)
        self.setAccessibleName(", ".join((member.place, member.serial, member.state)))
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        box.setSpacing(1)
        for text, role in ((member.place, "tile-dim"), (member.serial, "tile-name"), (member.state, "tile-state")):
            line = label(text)
            line.setProperty("role", role)
            box.addWidget(line)
