"""Dialogs that ask for one text: a title, a field with words around it, and a button beside “Not now”."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLineEdit, QPushButton, QWidget

from raidwright.text.catalogue import tr
from raidwright.ui.tokens import SPACE_L, SPACE_M, SPACE_S, SPACE_XL

from .panel import button, column, label, row


def fill_dialog(
    dialog: QDialog, title: str, *parts: QWidget, field: QLineEdit, go: QPushButton, width: int = 440
) -> None:
    """Fill ``dialog``, which has its object name, with ``title``, ``parts``, and ``go``; focus ``field``, one of these.

    The others are ``width`` pixels wide. The dialog is deleted once it is closed.
    """
    dialog.setWindowTitle("Raidwright")
    dialog.setAccessibleName(title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for part in parts:
        if part is not field:
            part.setFixedWidth(width)
    go.setDefault(True)
    leave = button(tr("Not now"), f"{dialog.objectName()}-leave")
    leave.setAutoDefault(False)
    leave.clicked.connect(dialog.reject)
    ways = row(leave, spacing=SPACE_S)
    ways.addStretch(1)
    ways.addWidget(go)
    whole = column(label(title, "headline"), *parts, spacing=SPACE_M)
    whole.addLayout(ways)
    whole.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
    dialog.setLayout(whole)
    field.setFocus()
