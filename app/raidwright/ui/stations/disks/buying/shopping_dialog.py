"""The shopping list in a dialog: to read, to copy, and to save."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from raidwright.ui.widgets.panel import button, column, label, row

_WIDTH, _HEIGHT = 820, 520
_COPIED_MS = 1500


class ShoppingDialog(QDialog):
    """The dialog on ``text``. ``wanted`` carries the export format to save."""

    wanted = Signal(str)

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("shopping")
        self.setWindowTitle("Raidwright")
        self.setAccessibleName(tr("Shopping list"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_WIDTH, _HEIGHT)
        shown = QPlainTextEdit(text)
        shown.setObjectName("shopping-text")
        shown.setAccessibleName(tr("Shopping list"))
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._text = text
        self._copy = button(tr("Copy"), "shopping-copy", primary=True)
        self._copy.clicked.connect(self._copy_text)
        ways = row(self._copy, spacing=SPACE_S)
        for name, words in (("shopping-list", tr("Save as text …")), ("shopping-pdf", tr("Save as PDF …"))):
            save = button(words, f"shopping-save-{name.removeprefix('shopping-')}")
            save.setAutoDefault(False)
            save.clicked.connect(lambda _checked=False, name=name: self.wanted.emit(name))
            ways.addWidget(save)
        ways.addStretch(1)
        close = button(tr("Close"), "shopping-close")
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        ways.addWidget(close)
        whole = column(label(tr("Shopping list"), "headline"), shown, spacing=SPACE_M)
        whole.setStretch(1, 1)
        whole.addLayout(ways)
        whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(whole)
        self._back = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._back.timeout.connect(lambda: self._copy.setText(tr("Copy")))

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self._copy.setText(tr("Copied"))
        self._back.start()
