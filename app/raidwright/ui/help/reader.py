"""The documents' window: all documents on the left, the present one on the right, and Back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from raidwright.text.catalogue import tr, translated
from raidwright.ui.tokens import SPACE_M, SPACE_XS
from raidwright.ui.widgets.panel import button, column, row

from .documents import DOCUMENTS, Link
from .page import Page

_SIZE = (1080, 760)
_LIST_WIDTH = 210


class HelpReader(QDialog):
    """A separate window; Escape closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("help-reader")
        self.setWindowTitle(tr("Raidwright: help"))
        self.resize(*_SIZE)
        self._before: list[Link] = []
        self._now = Link()
        self._back = button(tr("← Back"), "help-back", hint=tr("To where you were (Alt+Left)"))
        self._back.setShortcut("Alt+Left")
        self._back.clicked.connect(self._go_back)
        self._list = QListWidget()
        self._list.setObjectName("help-documents")
        self._list.setAccessibleName(tr("Documents"))
        self._list.setFixedWidth(_LIST_WIDTH)
        self._list.setSpacing(SPACE_XS)
        for name, title in DOCUMENTS.items():
            item = QListWidgetItem(translated(title), self._list)
            item.setData(Qt.ItemDataRole.UserRole, name)
        self._list.currentItemChanged.connect(self._choose)
        self._page = Page()
        self._page.followed.connect(self.show_document)
        whole = row(column(self._back, self._list), self._page, spacing=SPACE_M)
        whole.setContentsMargins(SPACE_M, SPACE_M, SPACE_M, SPACE_M)
        self.setLayout(whole)

    def open_on(self, name: str) -> None:
        """Show the window with the document ``name``."""
        self.show_document(Link(name))
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot(object)
    def show_document(self, link: Link) -> None:
        """Show the target of ``link``, and add the previous position to the history."""
        if self._now.document and link != self._now:
            self._before.append(self._now)
        self._show(link)

    @Slot()
    def _go_back(self) -> None:
        if self._before:
            self._show(self._before.pop())

    def _show(self, link: Link) -> None:
        self._now = link
        self._page.show_document(link)
        self._page.setAccessibleName(translated(DOCUMENTS[link.document]))
        self._back.setEnabled(bool(self._before))
        self._list.setCurrentRow(list(DOCUMENTS).index(link.document))

    @Slot(QListWidgetItem)
    def _choose(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        if name != self._now.document:
            self.show_document(Link(name))
