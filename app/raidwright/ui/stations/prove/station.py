"""The Prove station. It says what will come; nothing is proven yet."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_L
from raidwright.ui.widgets.panel import Notice, Panel


class ProveStation(QWidget):
    """``next_wanted`` asks for the Build station."""

    next_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("prove-station")
        notice = Notice("prove-notice")
        notice.say(
            tr("Proving comes in a later version"),
            tr(
                "Here the layouts that you are torn between will be built for real on a small slice of your empty "
                "disks and measured healthy, with a disk lost, and rebuilding. Nothing is needed here now: "
                "review your plan and build it."
            ),
            tr("Go on to Build →"),
        )
        notice.acted.connect(self.next_wanted)
        panel = Panel()
        panel.body.addWidget(notice)
        box = QVBoxLayout(self)
        box.setContentsMargins(*(SPACE_L,) * 4)
        box.addWidget(panel)
