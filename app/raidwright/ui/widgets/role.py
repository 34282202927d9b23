"""What a widget is to who listens, where Qt can't tell: a picture, a plot, words that one goes to."""

from __future__ import annotations

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAccessibleWidget, QWidget


def say_role(widget: QWidget, role: QAccessible.Role) -> None:
    """Let assistive technology be told that ``widget``, of a class of ours, is a ``role``."""
    interface = QAccessibleWidget(widget, role)
    QAccessible.registerAccessibleInterface(interface)  # Qt deletes it with the widget
    vars(widget)["_interface"] = interface  # and Python must not before
